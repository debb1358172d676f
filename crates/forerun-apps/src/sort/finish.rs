//! Merging all runs into the output.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;

use forerun_platform::merged_next;
use forerun_skeleton::AppError;

use super::budget::Lease;
use super::desk::Desk;
use super::output::write_behind;
use super::run::{OfKind, Parts, Run};
use super::sorted::{Form, Sorted, Supply};
use super::spill::{Extent, Spill};
use crate::pieces::PIECE;

/// Largest and smallest buffer of a run on disk, in bytes.
const BUFFERS: (u64, u64) = (1 << 20, 4 << 10);
/// Blocks that are in use beside the buffers of the runs: that which is merged to and those that
/// are written.
const BLOCKS: u64 = 5;
/// Bytes that are handed to the thread that writes at a time, where there is memory for it.
const HANDED: u64 = 64 << 10;
/// Runs in memory of fewer bytes are brought together before all are merged: what merging takes beside a run's bytes,
/// its buffers, it takes for every one.
const SMALL: u64 = 64 << 10;

/// What the end of a sort did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The output.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Runs that were merged into it from memory.
    pub runs_in_memory: usize,
    /// Runs that were merged into it from disk.
    pub runs_on_disk: usize,
    /// Bytes of them that went to the spill file, those that were merged there before the end as often as they did.
    pub spilled: u64,
}

/// What was merged.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Merged {
    pub(crate) in_memory: usize,
    pub(crate) on_disk: usize,
    /// As in [`Finished`]; nothing of other runs, such as those of a pilot.
    pub(crate) spilled: u64,
}

/// Merges `outs` into `file`.
pub(crate) fn merge_to<R: OfKind>(
    desk: &Desk,
    outs: Vec<Run>,
    file: &File,
    error: &dyn Fn(&io::Error) -> AppError,
) -> Result<Merged, AppError> {
    let mut memory = Vec::new();
    let mut disk = Vec::new();
    for run in outs {
        let parts: Parts<R> = R::unwrap(run)
            .ok_or_else(|| AppError::new("a run of another sort was given to finish this one"))?;
        memory.extend(parts.memory);
        disk.extend(parts.disk);
    }
    let memory = gathered(memory)?;
    let spilled = disk.iter().map(|extent| extent.length).sum();
    let mut merged = Merged { in_memory: memory.len(), on_disk: disk.len(), spilled };
    if let ([(run, _)], []) = (&memory[..], &disk[..]) {
        run.write(Form::File, &mut |bytes| {
            bytes.chunks(PIECE).try_for_each(|chunk| {
                desk.go_on()?;
                let mut file = file;
                file.write_all(chunk).map_err(|e| error(&e))
            })
        })?;
        return Ok(merged);
    }
    let before = desk.spill.bytes();
    let buffer = shrink::<R>(desk, &mut disk, memory.len() as u64)?;
    merged.spilled += desk.spill.bytes() - before;
    let runs: Vec<Supply<'_, R>> = memory
        .iter()
        .map(|(run, _)| Supply::Memory(run))
        .chain(disk.iter().map(|&extent| Supply::Disk(extent)))
        .collect();
    // The fifth of the memory that is no part of the budget, a fourth of that, is for nobody else at the end.
    let hand = HANDED.min(desk.budget.limit() / 4 / BLOCKS) as usize;
    write_behind(file, hand, error, |out| {
        R::write_merged(&runs, &desk.spill, buffer, Form::File, &mut |bytes| {
            desk.go_on()?;
            out(bytes)
        })
    })?;
    Ok(merged)
}

/// Brings small runs together, two of about the same size at a time, until there is at most one that is small. Each
/// element moves as often as in a merge of all. Beside the runs this takes twice [`SMALL`] bytes.
///
/// # Errors
/// That there is no memory for that.
pub(crate) fn gathered<R: Sorted>(
    runs: impl IntoIterator<Item = (R, Lease)>,
) -> Result<Vec<(R, Lease)>, AppError> {
    let join = |(a, mut lease): (R, Lease), (b, other): (R, Lease)| {
        let run = R::merge(&a, &b, 1)?;
        drop((a, b, other));
        lease.resize(run.footprint());
        Ok::<_, AppError>((run, lease))
    };
    let (mut large, mut small): (Vec<_>, Vec<(R, Lease)>) = (Vec::new(), Vec::new());
    for mut run in runs {
        while run.0.bytes() < SMALL
            && let Some(last) = small.pop_if(|last| last.0.bytes() <= run.0.bytes())
        {
            run = join(last, run)?;
        }
        if run.0.bytes() < SMALL { &mut small } else { &mut large }.push(run);
    }
    let mut rest = None;
    for next in small.into_iter().rev() {
        rest = Some(match rest {
            Some(rest) => join(next, rest)?,
            None => next,
        });
    }
    large.extend(rest);
    Ok(large)
}

/// Merges runs on disk, as many at a time as [`merged_next`] says, until there is memory for a buffer each; returns the
/// buffer's size.
pub(crate) fn shrink<R: Sorted>(
    desk: &Desk,
    disk: &mut Vec<Extent>,
    in_memory: u64,
) -> Result<usize, AppError> {
    let room = desk.budget.available();
    let ways = ways_in(room, in_memory);
    // The shortest first, and of those the first in the file.
    let mut left: BinaryHeap<_> =
        disk.drain(..).map(|Extent { start, length }| Reverse((length, start))).collect();
    loop {
        let taken = merged_next(left.len() as u64, ways);
        if taken == 0 {
            break;
        }
        desk.go_on()?;
        let taken: Vec<Extent> = (0..taken)
            .filter_map(|_| left.pop())
            .map(|Reverse((length, start))| Extent { start, length })
            .collect();
        let Extent { start, length } = merge_again::<R>(&desk.spill, &taken, BUFFERS.1 as usize)?;
        left.push(Reverse((length, start)));
    }
    disk.extend(left.into_iter().map(|Reverse((length, start))| Extent { start, length }));
    Ok(buffer_in(room, disk.len() as u64, in_memory).clamp(BUFFERS.1, BUFFERS.0) as usize)
}

/// Merges runs on disk to another one there, of each of which so many bytes are read at once.
pub(crate) fn merge_again<R: Sorted>(
    spill: &Spill,
    runs: &[Extent],
    buffer: usize,
) -> Result<Extent, AppError> {
    let length = runs.iter().map(|extent| extent.length).sum();
    let runs: Vec<Supply<'_, R>> = runs.iter().map(|&extent| Supply::Disk(extent)).collect();
    spill.write(length, |out| R::write_merged(&runs, spill, buffer, Form::Spill, out))
}

/// Runs on disk, at most, that have a buffer each where they are merged in `room` bytes with so many in memory.
fn ways_in(room: u64, in_memory: u64) -> u64 {
    (room / BUFFERS.1).saturating_sub(in_memory + BLOCKS) / 2
}

/// Runs on disk that are merged at a time, where all rests in memory that may, brought together from small runs.
pub(crate) fn merged_at_once(desk: &Desk) -> u64 {
    let room = desk.budget.limit() / 2;
    ways_in(room, room.div_ceil(SMALL)).max(2)
}

/// Bytes of the buffer of a run where so many on disk and in memory are merged in `room` bytes: one on disk
/// has a buffer and, as one side of a merge, a node's; one in memory the latter.
fn buffer_in(room: u64, on_disk: u64, in_memory: u64) -> u64 {
    room / (2 * on_disk + in_memory + BLOCKS)
}

/// Runs on disk of which each has a buffer where `ranks` merge at a time and all rests in memory that may, without a run there.
pub(crate) fn fan_in(desk: &Desk, ranks: u64) -> u64 {
    ways_in(desk.budget.limit() / 2 / ranks.max(1), 0)
}

/// Bytes that are read at once of each of so many runs on disk, where all rests in memory that may.
pub(crate) fn read_at_once(desk: &Desk, on_disk: u64) -> usize {
    buffer_in(desk.budget.limit() / 2, on_disk, 0).clamp(BUFFERS.1, BUFFERS.0) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{SMALL, gathered};
    use crate::sort::budget::Budget;

    proptest! {
        /// However runs are cut, at most one that is small is left, and all that was in them.
        #[test]
        fn small_runs_are_brought_together(lengths in prop::collection::vec(0usize..30_000, 0..60), tiny in 0usize..3000) {
            let budget = Budget::new(u64::MAX);
            let lengths: Vec<usize> = lengths.into_iter().chain(std::iter::repeat_n(1, tiny)).collect();
            let run = |n: &usize| ((0..*n as i32).collect::<Vec<i32>>(), budget.lease(4 * *n as u64));
            let runs = gathered(lengths.iter().map(run)).expect("memory");
            let small = runs.iter().filter(|(run, _)| 4 * (run.len() as u64) < SMALL).count();
            prop_assert!(small <= 1, "{} small of {}", small, runs.len());
            let all: usize = lengths.iter().sum();
            prop_assert_eq!(runs.iter().map(|(run, _)| run.len()).sum::<usize>(), all);
            prop_assert_eq!(budget.limit() - budget.available(), 4 * all as u64);
            for (run, _) in &runs {
                prop_assert!(run.is_sorted());
            }
            drop(runs);
            prop_assert_eq!(budget.available(), budget.limit());
        }
    }
}
