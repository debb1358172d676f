//! Memory that is used again, or is new.

use std::io;
use std::ops::DerefMut;
#[cfg(unix)]
use std::sync::OnceLock;

use memmap2::MmapMut;

/// Blocks up to this size come from memory that the process keeps: the most that glibc takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_BLOCK: i32 = 32 << 20;
/// Freed memory that the process keeps at most, at the end of what it has. (Both are what glibc comes to by itself once a block of 32 MiB
/// has been freed, though not before.)
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: i32 = 64 << 20;
/// Bytes of a limit for each heap that threads may have: a heap takes up to an eighth of them before anything is in it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEAP: u64 = 1 << 30;
/// The limit from which on freed memory is kept, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const AMPLE: u64 = 4 << 30;
/// What is kept below, and the smallest block that is given back, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const SMALL_BLOCK: i32 = 1 << 20;

/// Has this process keep what it frees, for blocks of up to 32 MiB and up to 64 MiB of them, rather than give it back to the system: a task's
/// result is then written to memory that the one before it had. New memory comes page by page from the system, which costs
/// a processor 0.2 to 3 ns for each byte (the most in a virtual machine), as much as merging it.
///
/// Only where the C library is glibc, whose allocator Rust uses there; others do as they do. To be called before any thread
/// is started and before much is allocated; what a process has allocated before stays as it is.
pub fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for (what, bytes) in [(libc::M_MMAP_THRESHOLD, KEPT_BLOCK), (libc::M_TRIM_THRESHOLD, KEPT)] {
        set(what, bytes);
    }
}

/// As [`keep_memory`], for a process that may have `limit` bytes of addresses or data: it has a heap of its own for no more threads than
/// these leave room for, and less than 4 GiB have it give blocks from 1 MiB on back as soon as they are freed. Else the C library would
/// set 64 to 128 MiB aside for every thread, and hold what was freed between two blocks that are not.
pub fn keep_memory_within(limit: u64) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let heaps = i32::try_from(limit / HEAP).unwrap_or(i32::MAX).max(1);
        let (block, kept) = if limit < AMPLE { (SMALL_BLOCK, SMALL_BLOCK) } else { (KEPT_BLOCK, KEPT) };
        for (what, value) in
            [(libc::M_ARENA_MAX, heaps), (libc::M_MMAP_THRESHOLD, block), (libc::M_TRIM_THRESHOLD, kept)]
        {
            set(what, value);
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = limit;
}

/// Has this process say `sentence` on standard error and end with `status`, where it is about to be ended by SIGABRT: so Rust ends one for
/// which there is no memory, in the middle of whatever it does. To be called once, where memory is limited; where nothing else is likely to
/// have it end so. What the process has on disk stays, as where it is killed.
pub fn end_without_memory(sentence: &'static str, status: i32) {
    #[cfg(unix)]
    {
        let _ = LAST_WORDS.set((sentence, status));
        let handler: extern "C" fn(i32) = end;
        #[allow(unsafe_code, reason = "what a signal does")]
        // SAFETY: the handler calls nothing but what may be called in one (signal-safety(7)), and reads what was set before it was installed.
        unsafe {
            libc::signal(libc::SIGABRT, handler as libc::sighandler_t);
        }
    }
    #[cfg(not(unix))]
    let _ = (sentence, status);
}

/// What is said at last, and the status.
#[cfg(unix)]
static LAST_WORDS: OnceLock<(&str, i32)> = OnceLock::new();

#[cfg(unix)]
#[allow(unsafe_code, reason = "what a signal does")]
extern "C" fn end(_: i32) {
    let (sentence, status) = LAST_WORDS.get().copied().unwrap_or(("", 1));
    // SAFETY: the bytes are there as long as the process is.
    unsafe {
        libc::write(libc::STDERR_FILENO, sentence.as_ptr().cast(), sentence.len());
        libc::_exit(status);
    }
}

/// So many bytes that are 0, which this process has not used before: the system gives each page when it is first written to.
///
/// # Errors
/// The system's; that 0 bytes are asked for.
pub fn new_memory(bytes: usize) -> io::Result<impl DerefMut<Target = [u8]>> {
    MmapMut::map_anon(bytes)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "a function of the C library")]
fn set(what: i32, value: i32) {
    // SAFETY: all are parameters that glibc has, and it refuses values that it cannot have: then all stays as it was.
    unsafe { libc::mallopt(what, value) };
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    /// Bytes of memory that this process has from the system.
    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        1024 * kilobytes
    }

    #[test]
    fn a_block_that_was_freed_stays_with_the_process() {
        keep_memory();
        let block = vec![1_u8; 24 << 20];
        let with_block = resident();
        assert_eq!(block.iter().map(|&byte| usize::from(byte)).sum::<usize>(), 24 << 20);
        drop(block);
        let without = resident();
        assert!(without + (4 << 20) > with_block, "of {with_block} bytes {without} are left");
    }
}
