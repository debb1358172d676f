//! The grains that a planner tries.

use super::request::{Divisible, Request};
use crate::{Load, ModelError};

/// A way to cut the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cut {
    /// Tasks, those that are done included.
    pub(super) tasks: u64,
    /// Mean bytes of a task.
    pub(super) bytes: f64,
    /// Most bytes of a task, as the plan says it.
    pub(super) grain: u64,
    /// How uneven the tasks are ([`Load::uneven`]).
    pub(super) uneven: f64,
}

impl Cut {
    pub(super) fn load(&self, request: &Request<'_>) -> Load {
        Load {
            commutative: request.commutative,
            known: request.known_length,
            uneven: self.uneven,
            done: request.done.0,
            done_bytes: request.done.1 as f64,
            ..Load::new(self.tasks, self.bytes)
        }
    }
}

/// Tasks of `grain` bytes of an input that can be cut anywhere.
fn even(total: u64, grain: u64) -> Cut {
    let tasks = total.div_ceil(grain.max(1));
    Cut { tasks, bytes: if tasks == 0 { 0.0 } else { total as f64 / tasks as f64 }, grain, uneven: 0.0 }
}

/// The tasks that a grain makes of pieces that cannot be cut: neighbours put together while they
/// fit into `grain` bytes and none of the `breaks` is between them, a larger piece by itself.
pub fn groups_of(sizes: &[u64], breaks: &[usize], grain: u64) -> Vec<u64> {
    let mut tasks: Vec<u64> = Vec::new();
    let mut breaks = breaks.iter().copied().peekable();
    for (at, &size) in sizes.iter().enumerate() {
        let mut apart = false;
        while breaks.next_if(|&b| b <= at).is_some() {
            apart = true;
        }
        match tasks.last_mut() {
            Some(held) if !apart && held.saturating_add(size) <= grain => *held += size,
            _ => tasks.push(size),
        }
    }
    tasks
}

fn grouped(sizes: &[u64], breaks: &[usize], total: u64, grain: u64) -> Cut {
    let groups = groups_of(sizes, breaks, grain);
    let tasks = groups.len() as u64;
    let bytes = if tasks == 0 { 0.0 } else { total as f64 / tasks as f64 };
    Cut { tasks, bytes, grain, uneven: Load::unevenness(&groups) }
}

/// The cuts worth trying for `ranks` ranks, with the tasks that are done.
pub(super) fn cuts(request: &Request<'_>, ranks: usize) -> Result<Vec<Cut>, ModelError> {
    let (done, done_bytes) = request.done;
    let mut cuts = undone(request, ranks)?;
    for cut in cuts.iter_mut().filter(|_| done > 0) {
        let bytes = cut.bytes * cut.tasks as f64 + done_bytes as f64;
        cut.tasks += done;
        cut.bytes = bytes / cut.tasks as f64;
    }
    Ok(cuts)
}

/// The cuts of what is not done: k tasks a rank for k = 1, 2, 3, 4, 6, 8, 12, … and a
/// geometric grid over all that is allowed.
fn undone(request: &Request<'_>, ranks: usize) -> Result<Vec<Cut>, ModelError> {
    let fixed = request.fixed.grain;
    if fixed == Some(0) {
        return Err(ModelError::new("a task of 0 bytes: expected a grain of at least 1 byte"));
    }
    match &request.input {
        &Divisible::Tasks { tasks, bytes } => {
            Ok(vec![Cut { tasks, bytes, grain: bytes.ceil() as u64, uneven: 0.0 }])
        }
        &Divisible::Anywhere { total_bytes, min_grain, max_grain } => {
            if min_grain.max(1) > max_grain {
                return Err(ModelError::new(format!(
                    "a task takes at least {min_grain} bytes and at most {max_grain}: expected the first to be smaller"
                )));
            }
            if let Some(grain) = fixed {
                if grain < min_grain || grain > max_grain {
                    return Err(ModelError::new(format!(
                        "a grain of {grain} bytes: the application can do with {min_grain} to {max_grain}"
                    )));
                }
                return Ok(vec![even(total_bytes, grain)]);
            }
            let range = (min_grain.max(1), max_grain.min(total_bytes.max(min_grain.max(1))));
            Ok(grains(total_bytes, ranks, range).into_iter().map(|g| even(total_bytes, g)).collect())
        }
        Divisible::Pieces { sizes, breaks, max_grain } => {
            let total: u64 = sizes.iter().fold(0, |a, &b| a.saturating_add(b));
            let grains = match fixed {
                Some(grain) if grain > *max_grain => {
                    return Err(ModelError::new(format!(
                        "a grain of {grain} bytes: the application can do with at most {max_grain}"
                    )));
                }
                Some(grain) => vec![grain],
                None => {
                    let mean = (total / sizes.len().max(1) as u64).min(*max_grain);
                    let mut all = grains(total, ranks, (mean.max(1), (*max_grain).min(total.max(1))));
                    all.push(1);
                    all
                }
            };
            let mut cuts: Vec<Cut> = grains.into_iter().map(|g| grouped(sizes, breaks, total, g)).collect();
            cuts.sort_by_key(|c| (c.tasks, c.grain));
            cuts.dedup_by_key(|c| c.tasks);
            Ok(cuts)
        }
    }
}

/// Grains of `range` for `total` bytes, ascending.
fn grains(total: u64, ranks: usize, (low, high): (u64, u64)) -> Vec<u64> {
    let high = high.max(low);
    let mut all = vec![low, high];
    for k in [1u64, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64] {
        all.push(total.div_ceil(k.saturating_mul(ranks as u64)));
    }
    // Four a decade, over everything.
    let mut g = low as f64;
    while g < high as f64 {
        all.push(g as u64);
        g *= 10f64.powf(0.25);
    }
    all.retain(|g| (low..=high).contains(g));
    all.sort_unstable();
    all.dedup();
    all
}
