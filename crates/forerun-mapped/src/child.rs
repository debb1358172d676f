//! What a process that has ended has used.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// What a process has used until it ended, and those that it has waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    /// Processor time, of all its threads.
    pub processor: Duration,
    /// Whether something was read from a disk for it.
    pub read: bool,
    /// Bytes of memory that the largest of these processes had at most: no less than what this process had when it started it.
    pub memory: u64,
}

/// Waits for a process to end, as [`Child::wait`], and says what it has used. Its standard input is closed before.
///
/// Cost: one call of the system (wait4(2)).
///
/// # Errors
/// The system's.
pub fn wait_used(mut child: Child) -> io::Result<(ExitStatus, Used)> {
    drop(child.stdin.take());
    let pid = libc::pid_t::try_from(child.id()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    loop {
        match wait4(pid) {
            Ok((status, used)) => {
                return Ok((ExitStatus::from_raw(status), of(&used)));
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

#[allow(unsafe_code, reason = "a function of the C library")]
fn wait4(pid: libc::pid_t) -> io::Result<(i32, libc::rusage)> {
    let mut status = 0;
    // SAFETY: all of it are numbers, of which 0 is one.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both are there for the system to write to. The process is a `Child` that `wait_used` owns: nobody waits for it after this.
    match unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut used) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok((status, used)),
    }
}

fn of(used: &libc::rusage) -> Used {
    let time = |of: libc::timeval| {
        let seconds = u64::try_from(of.tv_sec).unwrap_or(0);
        Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(of.tv_usec).unwrap_or(0))
    };
    // In kilobytes, but on macOS.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Used {
        processor: time(used.ru_utime) + time(used.ru_stime),
        read: used.ru_inblock > 0,
        memory: u64::try_from(used.ru_maxrss).unwrap_or(0) * unit,
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use super::*;

    fn run(script: &str) -> (ExitStatus, Used, Duration) {
        let begun = Instant::now();
        let mut sh = Command::new("sh");
        let child = sh.args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap();
        let (status, used) = wait_used(child).unwrap();
        (status, used, begun.elapsed())
    }

    /// However busy the machine is: a process that sleeps uses next to no processor, and one that counts uses no more than passes.
    #[test]
    fn what_a_process_and_its_own_have_used_is_known() {
        let (status, slept, passed) = run("sleep 0.1; exit 3");
        assert_eq!(status.code(), Some(3));
        assert!(passed.as_secs_f64() >= 0.1 && slept.processor.as_secs_f64() < 0.05, "{slept:?}");
        let count = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let (_, own, own_passed) = run(count);
        let (_, others, others_passed) = run(&format!("({count}); true"));
        for (used, passed) in [(own, own_passed), (others, others_passed)] {
            assert!(used.processor > 2 * slept.processor && used.processor <= passed, "{used:?} {passed:?}");
            assert!(used.memory > 100_000, "{used:?}");
        }
    }

    /// It reads its standard input to the end, which there would not be.
    #[test]
    fn a_process_that_reads_its_input_ends() {
        assert!(run("cat").0.success());
    }
}
