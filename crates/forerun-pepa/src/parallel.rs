//! Work on parts of an array by all cores. What comes out does not depend on how many there are.

use std::ops::Range;
use std::sync::OnceLock;
use std::thread;

fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| thread::available_parallelism().map_or(1, |n| n.get()))
}

/// Does `work` for the numbers below `n`, in ranges of `size` (the last may be shorter); gives the results in order.
pub(crate) fn parts<T: Send>(n: usize, size: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let count = n.div_ceil(size);
    let run =
        |those: Range<usize>| -> Vec<T> { those.map(|at| work(at * size..n.min((at + 1) * size))).collect() };
    let threads = threads().min(count);
    if threads < 2 {
        return run(0..count);
    }
    let each = count.div_ceil(threads);
    thread::scope(|scope| {
        let run = &run;
        let others: Vec<_> = (1..threads)
            .map(|t| scope.spawn(move || run((t * each).min(count)..((t + 1) * each).min(count))))
            .collect();
        let mut all = run(0..each);
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}

/// Sets values; `work` gets some of them and the number of the first. Threads take at least `least` of them.
pub(crate) fn fill<T: Send>(out: &mut [T], least: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let threads = threads().min(out.len() / least.max(1));
    if threads < 2 {
        return work(0, out);
    }
    let each = out.len().div_ceil(threads);
    thread::scope(|scope| {
        let work = &work;
        let mut parts = out.chunks_mut(each).enumerate();
        let first = parts.next();
        for (at, part) in parts {
            scope.spawn(move || work(at * each, part));
        }
        if let Some((_, part)) = first {
            work(0, part);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{fill, parts};

    #[test]
    fn every_part_is_done_once_and_in_order() {
        for (n, size) in [(0, 3), (1, 3), (10, 3), (9, 3), (100, 1), (5, 100)] {
            let all: Vec<usize> = parts(n, size, |range| range.collect::<Vec<_>>()).concat();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
            let mut out = vec![0; n];
            fill(&mut out, size, |first, part| {
                part.iter_mut().enumerate().for_each(|(at, o)| *o = first + at);
            });
            assert_eq!(out, all);
        }
    }
}
