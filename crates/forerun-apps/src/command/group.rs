//! A process that leads a group of its own, and the end of all that is in the group.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::Arc;

use super::guardian::Guardian;
use super::usage;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A running process and its group. Dropping it kills the group and waits for the process.
#[derive(Debug)]
pub struct Group {
    /// None once it was waited for.
    child: Option<Child>,
    pid: Pid,
    ended: Option<OwnedFd>,
    guardian: Option<Arc<Guardian>>,
}

impl Group {
    /// Starts `command` as the leader of a new group, which `guardian` is told of.
    ///
    /// # Errors
    /// That it cannot be started.
    pub fn spawn(command: &mut Command, guardian: Option<Arc<Guardian>>) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let pid = Pid::from_child(&child);
        if let Some(guardian) = &guardian {
            guardian.has_group(pid);
        }
        Ok(Group { ended: watch(pid), child: Some(child), pid, guardian })
    }

    /// The ends of its pipes.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        match &mut self.child {
            Some(child) => (child.stdin.take(), child.stdout.take(), child.stderr.take()),
            None => (None, None, None),
        }
    }

    /// Becomes readable when the process has ended; not every system has it.
    pub(crate) fn ended_fd(&self) -> Option<BorrowedFd<'_>> {
        self.ended.as_ref().map(|fd| fd.as_fd())
    }

    /// Whether the process has ended, without waiting and without forgetting it: until it is
    /// waited for its number is not given to another.
    pub fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None))
    }

    /// Asks the whole group to end, also where it is stopped.
    pub(crate) fn ask_to_end(&self) {
        let _ = kill_process_group(self.pid, Signal::TERM);
        let _ = kill_process_group(self.pid, Signal::CONT);
    }

    /// Kills what is left of the group and waits for the process.
    ///
    /// # Errors
    /// That it cannot be waited for.
    pub fn end(mut self) -> io::Result<ExitStatus> {
        match self.child.take() {
            Some(child) => self.finish(child),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn finish(&self, mut child: Child) -> io::Result<ExitStatus> {
        // Before waiting: the process, even ended, still holds the group's number.
        let _ = kill_process_group(self.pid, Signal::KILL);
        if let Some(guardian) = &self.guardian {
            guardian.had_group(self.pid);
        }
        if !usage::is_wanted() {
            return child.wait();
        }
        // As long as it was not waited for, the system says what it was kept from.
        let _ = waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        let own = usage::own(self.pid);
        let (status, used) = forerun_mapped::wait_used(child)?;
        usage::add(used, own);
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            let _ = self.finish(child);
        }
    }
}

#[cfg(target_os = "linux")]
fn watch(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn watch(_: Pid) -> Option<OwnedFd> {
    None
}
