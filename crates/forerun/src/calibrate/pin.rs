//! Keeping the threads that measure on cores of their own.
//!
//! On a machine that does other things too, the system puts both ends of a ping-pong on one core
//! for a while and then on two, and the times are of two kinds. Jobs that have the machine to
//! themselves have a core a rank, and so have the ranks that measure.

/// The processors that this process may use.
#[derive(Debug, Clone)]
pub(super) struct Processors(Vec<usize>);

#[cfg(target_os = "linux")]
impl Processors {
    pub(super) fn here() -> Self {
        use rustix::thread::{CpuSet, sched_getaffinity};
        let set = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
        Processors((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
    }

    /// Keeps the calling thread on the `n`th processor, from 0. Where the system does not let it,
    /// or there are fewer, the thread stays where it is: the figures only vary more.
    pub(super) fn pin(&self, n: usize) {
        use rustix::thread::{CpuSet, sched_setaffinity};
        if let Some(&cpu) = self.0.get(n) {
            let mut set = CpuSet::new();
            set.set(cpu);
            let _ = sched_setaffinity(None, &set);
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Processors {
    pub(super) fn here() -> Self {
        Processors(Vec::new())
    }

    pub(super) fn pin(&self, _: usize) {
        let _ = &self.0;
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Processors;

    #[test]
    fn a_pinned_thread_stays_and_others_are_free() {
        let all = Processors::here();
        let pinned = || {
            all.pin(0);
            Processors::here().0
        };
        let one = std::thread::scope(|s| s.spawn(pinned).join()).expect("the thread ends");
        assert_eq!(one, all.0[..1]);
        assert_eq!(Processors::here().0, all.0);
        all.pin(1 << 20);
    }
}
