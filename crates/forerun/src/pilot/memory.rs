//! What memory costs that was not used before.
//!
//! The system gives a process its memory page by page, when each is first touched, and clears it: 0.1 to 3 ns a byte of processor
//! time, where merging a byte takes 0.4. How much of a merge's memory is new depends on what its rank did before, in a pilot as in a
//! run, so that merges are timed in memory that was used before, and a run's are told how much of theirs is new.

use std::fs;
use std::time::{Duration, Instant};

use forerun_mapped::new_memory;
use forerun_platform::statistics::median;

use super::clock::Clock;

/// Memory that is touched, so many times over.
const BYTES: usize = 4 << 20;
const TIMES: usize = 3;
/// No page is smaller.
const PAGE: usize = 4096;
/// Of a call, what is not taken for new memory at least: what a page costs varies.
const LEAST: f64 = 0.2;
/// Longest that is spent on it.
const MOST: Duration = Duration::from_millis(100);

/// The cost of new memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct NewMemory {
    /// Seconds for each page that the system gives.
    page_s: f64,
    /// Seconds by the byte.
    pub(super) per_byte: f64,
}

impl NewMemory {
    /// Touches some. Costs about 10 ms of processor time, and that much memory for as long; nothing where the
    /// system does not count pages, or has no memory.
    pub(super) fn measured(clock: Clock) -> NewMemory {
        let begun = Instant::now();
        let (mut held, mut pages, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        while held.len() < TIMES && (held.is_empty() || begun.elapsed() < MOST) {
            let Ok(mut memory) = new_memory(BYTES) else { break };
            let (given, seconds) = pages_of(|| {
                let begun = clock.begin();
                memory.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
                begun.seconds()
            });
            held.push(memory);
            if given > 0 {
                pages.push(seconds / given as f64);
                bytes.push(seconds / BYTES as f64);
            }
        }
        NewMemory { page_s: median(&pages).unwrap_or(0.0), per_byte: median(&bytes).unwrap_or(0.0) }
    }

    /// Has this thread's next results go to memory that was used before, up to so many bytes of them: some is touched and freed.
    pub(super) fn use_before(bytes: u64) {
        // What there is no memory for is as new as it would be.
        let Ok(bytes) = usize::try_from(bytes) else { return };
        let mut used: Vec<u8> = Vec::new();
        if used.try_reserve_exact(bytes).is_ok() {
            used.resize(bytes, 1);
            std::hint::black_box(&used);
        }
    }

    /// The seconds of a call without what the pages took that it was given.
    pub(super) fn without(self, pages: u64, seconds: f64) -> f64 {
        (seconds - self.page_s * pages as f64).max(LEAST * seconds)
    }
}

/// Pages that the system gave this thread during a call; 0 where it does not count them.
pub(super) fn pages_of<T>(call: impl FnOnce() -> T) -> (u64, T) {
    let before = pages();
    let value = call();
    (pages().saturating_sub(before), value)
}

/// Those so far. (The tenth figure of stat; the second is a name, in brackets, and may be anything.)
fn pages() -> u64 {
    let line = fs::read_to_string("/proc/thread-self/stat").unwrap_or_default();
    let after = line.rsplit_once(')').map_or("", |(_, after)| after);
    after.split_whitespace().nth(7).and_then(|count| count.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_before_is_not_new() {
        let new = NewMemory::measured(Clock::Processor);
        if new == NewMemory::default() {
            eprintln!("skipped: the system does not count pages");
            return;
        }
        assert!(new.page_s > new.per_byte && new.per_byte > 1e-12, "{new:?}");
        let mut memory = new_memory(8 << 20).unwrap();
        let mut fill = || pages_of(|| memory.fill(1)).0;
        let (first, second) = (fill(), fill());
        assert!(first > 0 && second < first / 10 + 2, "{first} {second}");
        // Of a second, what they take is not counted; of a call that is shorter than that, some of it is.
        assert_eq!(new.without(first, 1.0), 1.0 - new.page_s * first as f64);
        assert_eq!(new.without(first, 1e-9), LEAST * 1e-9);
        assert_eq!(new.without(0, 1.0), 1.0);
    }

    /// As the command keeps what it frees ([`forerun_mapped::keep_memory`]).
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn what_is_used_before_is_used_again() {
        forerun_mapped::keep_memory();
        let fill = |bytes: usize| pages_of(|| vec![1_u8; bytes]);
        // Held, so that none of it is used again.
        let (new, first) = fill(6 << 20);
        NewMemory::use_before(6 << 20);
        let (old, second) = fill(6 << 20);
        assert!(old <= new / 10 + 2, "{old} of {new} pages");
        drop((first, second));
    }
}
