//! A process that puts things away for a run that was killed (SIGKILL) and cannot do so itself.
//!
//! The run holds the writing end of a pipe and tells which process groups and directories it has. When
//! the pipe closes, the run has ended, one way or another; what it still has then is killed and removed.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process_group};

/// A guardian at work. Dropping it lets it end.
#[derive(Debug)]
pub struct Guardian {
    /// Nothing once it is dropped.
    pipe: Mutex<Option<ChildStdin>>,
    child: Mutex<Child>,
}

impl Guardian {
    /// Starts `command`, which must do nothing but call [`guard`] on its standard input.
    ///
    /// # Errors
    /// That it cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Arc<Self>> {
        // In a group of its own, out of the way of Ctrl-C and of what is sent to the run's group.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn()?;
        let pipe = Mutex::new(child.stdin.take());
        Ok(Arc::new(Guardian { pipe, child: Mutex::new(child) }))
    }

    /// The run has the process group `group` now.
    pub(crate) fn has_group(&self, group: Pid) {
        self.tell(b'+', group.as_raw_nonzero().to_string().as_bytes());
    }

    /// The run does not have it any more; said while its number cannot be another's yet.
    pub(crate) fn had_group(&self, group: Pid) {
        self.tell(b'-', group.as_raw_nonzero().to_string().as_bytes());
    }

    /// The run has the directory `path`, absolute; it is removed if it is still there at the end.
    pub(crate) fn has_directory(&self, path: &Path) {
        self.tell(b'd', path.as_os_str().as_bytes());
    }

    fn tell(&self, kind: u8, what: &[u8]) {
        let mut message = Vec::with_capacity(what.len() + 2);
        message.push(kind);
        message.extend_from_slice(what);
        message.push(0);
        let mut pipe = self.pipe.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(to) = pipe.as_mut()
            && to.write_all(&message).is_err()
        {
            // Somebody ended it: the run goes on without.
            *pipe = None;
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        *self.pipe.lock().unwrap_or_else(|e| e.into_inner()) = None;
        let _ = self.child.lock().unwrap_or_else(|e| e.into_inner()).wait();
    }
}

/// The life of the guardian: reads what a run has from `from`, and when that ends kills and removes it.
pub fn guard(from: impl Read) {
    let mut groups: BTreeSet<i32> = BTreeSet::new();
    let mut directories: Vec<PathBuf> = Vec::new();
    let mut from = BufReader::new(from);
    let mut message = Vec::new();
    // A message that was cut off by the end says nothing.
    while from.read_until(0, &mut message).is_ok() && message.last() == Some(&0) {
        let what = &message[1..message.len() - 1];
        let group = || str::from_utf8(what).ok()?.parse().ok();
        match message[0] {
            b'+' => groups.extend(group()),
            b'-' => groups.retain(|g| Some(*g) != group()),
            b'd' => directories.push(std::ffi::OsString::from_vec(what.to_vec()).into()),
            _ => {}
        }
        message.clear();
    }
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    for directory in directories {
        let _ = std::fs::remove_dir_all(directory);
    }
}
