//! What a core does alone, and beside others.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use forerun_platform::random::Random;
use forerun_skeleton::RunError;

use super::clock::thread_seconds;
use super::pin::Processors;

/// Words of the table that the compute kernel walks: 256 KiB, which a core's own cache holds.
const TABLE: usize = 1 << 15;
/// Steps of the compute kernel.
const STEPS: usize = 1 << 17;
/// Bytes that the memory kernel copies, where memory allows: more than a core's own cache.
const COPIED: usize = 8 << 20;

/// The data of one core.
struct Bench {
    table: Vec<u64>,
    from: Vec<u8>,
    to: Vec<u8>,
}

/// A fixed piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Integer arithmetic, unpredictable branches and dependent loads from the core's own cache.
    Compute,
    /// Copying from memory to memory.
    Memory,
}

impl Bench {
    fn new(copied: usize) -> Self {
        let mut random = Random::new(1);
        Bench {
            table: (0..TABLE).map(|_| random.bits()).collect(),
            from: vec![1; copied],
            to: vec![2; copied],
        }
    }

    /// Runs a kernel; gives the processor time it took.
    fn run(&mut self, kernel: Kernel) -> f64 {
        let begun = thread_seconds();
        match kernel {
            Kernel::Compute => black_box(compute(&mut self.table)),
            Kernel::Memory => {
                self.to.copy_from_slice(black_box(&self.from));
                u64::from(black_box(&self.to)[0])
            }
        };
        thread_seconds() - begun
    }

    /// The best of a few times, after one to bring the data near: what else the machine does
    /// disturbs it the least. Adds to `got` what all of them took, of the processor and of time.
    fn best(&mut self, kernel: Kernel, got: &Mutex<(f64, f64)>) -> f64 {
        self.run(kernel);
        let begun = Instant::now();
        let times = [(); 3].map(|()| self.run(kernel));
        let passed = begun.elapsed().as_secs_f64();
        let mut got = got.lock().unwrap_or_else(PoisonError::into_inner);
        *got = (got.0 + times.iter().sum::<f64>(), got.1 + passed);
        times.into_iter().fold(f64::INFINITY, f64::min)
    }
}

/// The compute kernel, always the same work.
fn compute(table: &mut [u64]) -> u64 {
    let mut x = 0x9e37_79b9_7f4a_7c15u64;
    let mut sum = 0u64;
    for _ in 0..STEPS {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        let slot = &mut table[(x ^ sum) as usize % TABLE];
        if *slot & 1 == 0 {
            sum = sum.wrapping_add(*slot);
        } else {
            sum = sum.rotate_left(5) ^ x;
        }
        *slot = slot.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(1);
    }
    sum
}

/// Bytes that the memory kernel copies on each of so many cores.
fn copied(cores: usize, memory: Option<u64>) -> usize {
    let share = memory.unwrap_or(1 << 30) / 16 / cores as u64;
    COPIED.min(usize::try_from(share).unwrap_or(COPIED)).max(1 << 16)
}

/// Bytes that [`Cores::new`] takes.
pub(super) fn taken(cores: usize, memory: Option<u64>) -> u64 {
    cores as u64 * (2 * copied(cores, memory) + TABLE * size_of::<u64>()) as u64
}

/// The data of all cores, kept from one measurement to the next so that its pages are there.
pub(super) struct Cores {
    benches: Vec<Mutex<Bench>>,
    processors: Processors,
    /// Processor time of all kernels that were timed, and the time that went by meanwhile.
    got: Mutex<(f64, f64)>,
}

impl Cores {
    /// For so many cores; takes at most an eighth of `memory`.
    pub(super) fn new(cores: usize, memory: Option<u64>) -> Self {
        let copied = copied(cores, memory);
        let benches = (0..cores).map(|_| Mutex::new(Bench::new(copied))).collect();
        Cores { benches, processors: Processors::here(), got: Mutex::default() }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.benches.len()
    }

    /// The part of their processors that the threads got which timed kernels, 0 to 1; 1 where none did.
    pub(super) fn got(&self) -> f64 {
        let (processor, passed) = *self.got.lock().unwrap_or_else(PoisonError::into_inner);
        if passed > 0.0 { (processor / passed).min(1.0) } else { 1.0 }
    }

    /// Processor time of a kernel on one core while the others do nothing.
    pub(super) fn alone(&self, kernel: Kernel) -> f64 {
        let mut bench = self.benches[0].lock().unwrap_or_else(PoisonError::into_inner);
        bench.best(kernel, &self.got)
    }

    /// Mean processor time of a kernel on a core while all do the same.
    pub(super) fn together(&self, kernel: Kernel) -> Result<f64, RunError> {
        let (ready, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let all = self.benches.len();
        let arrive = |at: &AtomicUsize| at.fetch_add(1, Ordering::AcqRel);
        let life = |core: usize| {
            self.processors.pin(core);
            let mut bench = self.benches[core].lock().unwrap_or_else(PoisonError::into_inner);
            arrive(&ready);
            while ready.load(Ordering::Acquire) < all {
                thread::yield_now();
            }
            let time = bench.best(kernel, &self.got);
            arrive(&done);
            // The others are still timed beside work, not beside rest.
            while done.load(Ordering::Acquire) < all {
                bench.run(kernel);
            }
            time
        };
        let life = &life;
        let times: Option<Vec<f64>> = thread::scope(|scope| {
            let start = |core| {
                let spawned =
                    thread::Builder::new().name("calibrate".into()).spawn_scoped(scope, move || life(core));
                if spawned.is_err() {
                    // Nobody waits for one that never comes.
                    arrive(&ready);
                    arrive(&done);
                }
                spawned.ok()
            };
            let handles: Vec<_> = (0..all).map(start).collect();
            handles.into_iter().map(|h| h.and_then(|h| h.join().ok())).collect()
        });
        let times = times.ok_or_else(|| {
            RunError::Invalid(format!("{all} threads could not be started to measure cores"))
        })?;
        Ok(times.iter().sum::<f64>() / all as f64)
    }

    /// By which share of its time each further busy core makes a kernel longer; may come out below
    /// 0 where it does not. First the kernel's time alone.
    pub(super) fn contention(&self, kernel: Kernel, alone_first: bool) -> Result<(f64, f64), RunError> {
        let before = alone_first.then(|| self.alone(kernel));
        let together = self.together(kernel)?;
        let alone = before.unwrap_or_else(|| self.alone(kernel));
        let others = (self.benches.len() - 1).max(1) as f64;
        Ok((alone, if alone > 0.0 { (together / alone - 1.0) / others } else { 0.0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compute_kernel_is_always_the_same_work() {
        let result = |bench: &mut Bench| compute(&mut bench.table);
        let (mut a, mut b) = (Bench::new(1), Bench::new(1));
        assert_eq!(result(&mut a), result(&mut b));
        assert_eq!(a.table, b.table);
    }

    #[test]
    fn threads_that_share_processors_notice_it() {
        let cores = Cores::new(4, Some(64 << 20));
        assert_eq!(cores.got(), 1.0);
        // All on one processor, as many as there are benches.
        cores.processors.pin(0);
        let cores = Cores { processors: Processors::here(), ..cores };
        for _ in 0..5 {
            cores.together(Kernel::Compute).expect("threads start");
        }
        assert!(cores.got() < 0.6, "{}", cores.got());
    }

    #[test]
    fn both_kernels_take_processor_time() {
        let cores = Cores::new(2, Some(64 << 20));
        for kernel in [Kernel::Compute, Kernel::Memory] {
            assert!(cores.alone(kernel) > 1e-6);
            let (alone, share) = cores.contention(kernel, true).expect("threads start");
            assert!(alone > 1e-6 && share.is_finite());
        }
    }
}
