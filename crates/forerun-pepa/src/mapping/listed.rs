//! Mappings that are named, each solved.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::search::Objective;
use super::shape::Shapes;
use super::{Grid, Mapping, MappingError, Ranked, Solved};

/// Solves every one of `mappings`, on so many threads, and puts the best first; equally good ones (to eleven digits)
/// stay in their order. `done` is told of each. `stop` ends it early. Cost: one model each.
///
/// # Errors
/// A model that cannot be solved, with its mapping; that it was stopped.
pub fn rank(
    grid: &Grid,
    mappings: &[Mapping],
    objective: Objective,
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Ranked>, MappingError> {
    let shapes = Shapes::default();
    let solved = shared(mappings, threads, &|mapping| {
        if stop() {
            return Err(MappingError::Stopped);
        }
        let solved = solve(grid, mapping, &shapes, stop);
        done();
        solved
    });
    let one = |(mapping, solved): (&Mapping, Result<Solved, MappingError>)| {
        Ok(Ranked { mapping: mapping.clone(), solved: solved?, alike: 1.0 })
    };
    let mut all = mappings.iter().zip(solved).map(one).collect::<Result<Vec<Ranked>, MappingError>>()?;
    // Stable, so that equal ones stay in their order.
    all.sort_by(|a, b| objective.digits(&b.solved).total_cmp(&objective.digits(&a.solved)));
    Ok(all)
}

/// Solves one mapping.
pub(super) fn solve(
    grid: &Grid,
    mapping: &Mapping,
    shapes: &Shapes,
    stop: &dyn Fn() -> bool,
) -> Result<Solved, MappingError> {
    let line = grid.line(mapping);
    let solved = shapes.of(&line).and_then(|shape| shape.solve(&line, stop));
    solved.map_err(|why| match stop() {
        true => MappingError::Stopped,
        false => MappingError::Unsolved { mapping: mapping.clone(), why },
    })
}

/// Does something with each of some items on so many threads; the results in the order of the items.
pub(super) fn shared<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: &(dyn Fn(&T) -> R + Sync),
) -> Vec<R> {
    let threads = threads.clamp(1, items.len().max(1));
    if threads == 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let result = work(item);
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, result)| result).collect()
}
