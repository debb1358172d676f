//! Runs as bytes, for ranks that share no memory.
//!
//! A result goes as its sorted runs, each with its length, and not copied: that in memory, then those of the spill file, which are read from
//! there for the first and last time. Whoever receives it keeps the first in memory if it may rest there, and spills the others.
//! The bytes under way are in no budget.

use forerun_skeleton::wire::{Incoming, Outgoing, plainly};
use forerun_skeleton::{AppError, Codec, Wire as _, memory};

use super::desk::Desk;
use super::job::SortJob;
use super::run::{OfKind, Parts, Run, any_kind, for_element};
use super::sorted::{Form, Sorted};

/// Writes and reads the runs of a sort.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunCodec<'a>(pub(crate) &'a SortJob);

impl Codec<Run> for RunCodec<'_> {
    fn encode(&self, run: &Run, out: &mut Vec<u8>) -> Result<(), AppError> {
        any_kind!(&run.0, parts => put(self.0.desk(), parts, out))
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Run, AppError> {
        plainly(bytes, |from| self.take(from))
    }

    fn give(&self, run: Run, out: &mut Outgoing) -> Result<(), AppError> {
        any_kind!(run.0, parts => give(self.0.desk(), parts, out))
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Run, AppError> {
        for_element!(self.0.element(), R => take::<R>(self.0.desk(), from).map(R::wrap))
    }
}

impl Codec<Vec<Run>> for RunCodec<'_> {
    fn encode(&self, runs: &Vec<Run>, out: &mut Vec<u8>) -> Result<(), AppError> {
        runs.len().encode(out)?;
        runs.iter().try_for_each(|run| self.encode(run, out))
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Vec<Run>, AppError> {
        plainly(bytes, |from| self.take(from))
    }

    fn give(&self, runs: Vec<Run>, out: &mut Outgoing) -> Result<(), AppError> {
        runs.len().encode(&mut out.bytes)?;
        runs.into_iter().try_for_each(|run| self.give(run, out))
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Vec<Run>, AppError> {
        let runs = usize::decode(&mut from.bytes)?;
        (0..runs).map(|_| self.take(from)).collect()
    }
}

fn count<R>(parts: &Parts<R>) -> usize {
    usize::from(parts.memory.is_some()) + parts.disk.len()
}

fn put<R: Sorted>(desk: &Desk, parts: &Parts<R>, out: &mut Vec<u8>) -> Result<(), AppError> {
    desk.go_on()?;
    count(parts).encode(out)?;
    if let Some((run, _)) = &parts.memory {
        put_run(run, out)?;
    }
    for extent in &parts.disk {
        units::<R>(extent.length).encode(out)?;
        let start = out.len();
        out.resize(start + extent.length as usize, 0);
        desk.spill.take(*extent, 0, &mut out[start..])?;
    }
    Ok(())
}

fn give<R: Sorted>(desk: &Desk, parts: Parts<R>, out: &mut Outgoing) -> Result<(), AppError> {
    desk.go_on()?;
    count(&parts).encode(&mut out.bytes)?;
    if let Some((run, lease)) = parts.memory {
        out.vector(run.into_units())?;
        drop(lease);
    }
    for extent in &parts.disk {
        let mut run = memory::zeroed::<R::Unit>(units::<R>(extent.length))?;
        desk.spill.take(*extent, 0, bytemuck::cast_slice_mut(&mut run))?;
        out.vector(run)?;
    }
    Ok(())
}

fn take<R: Sorted>(desk: &Desk, from: &mut Incoming<'_>) -> Result<Parts<R>, AppError> {
    let mut parts = Parts::default();
    for _ in 0..usize::decode(&mut from.bytes)? {
        desk.go_on()?;
        let run: Vec<R::Unit> = from.vector()?;
        let bytes = size_of_val(&run[..]) as u64;
        let room = if parts.memory.is_none() { desk.budget.try_lease(bytes) } else { None };
        if let Some(lease) = room {
            let settled = desk.settle(R::of_units(run)?, lease)?;
            parts.memory = settled.memory;
            parts.disk.extend(settled.disk);
        } else {
            parts.disk.push(desk.spill.write(bytes, |out| out(bytemuck::cast_slice(&run)))?);
        }
    }
    Ok(parts)
}

/// How many units a run of so many bytes is.
fn units<R: Sorted>(bytes: u64) -> usize {
    bytes as usize / size_of::<R::Unit>()
}

/// Appends a run in memory.
pub(super) fn put_run<R: Sorted>(run: &R, out: &mut Vec<u8>) -> Result<(), AppError> {
    units::<R>(run.bytes()).encode(out)?;
    run.write(Form::Spill, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use forerun_skeleton::reduction::Reduce as _;
    use forerun_skeleton::wire::{Block, received, whole};
    use proptest::prelude::*;

    use super::super::{ElementType, SortOptions};
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// A run is read as it was written or given, in memory or spilled; bytes cut short, and any others, are an error and no panic.
        #[test]
        fn runs_go_there_and_back(
            mut values in proptest::collection::vec(any::<i32>(), 0..40_000),
            element in prop::sample::select(vec![ElementType::I32, ElementType::F64, ElementType::Lines]),
            cut in any::<prop::sample::Index>(),
            noise in any::<Vec<u8>>(),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let (from, to) = (dir.path().join("from"), dir.path().join("to"));
            let file = |values: &[i32]| -> Vec<u8> {
                match element {
                    ElementType::F64 => values.iter().flat_map(|v| f64::from(*v).to_le_bytes()).collect(),
                    ElementType::Lines => values.iter().flat_map(|v| format!("{v}\n").into_bytes()).collect(),
                    _ => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
                }
            };
            let bytes = file(&values);
            std::fs::write(&from, &bytes).unwrap();
            let options = SortOptions { output: Some(to.clone()), memory: 64 << 10, element, ..SortOptions::default() };
            let job = SortJob::open(&[from], options).unwrap();
            let codec = RunCodec(&job);
            let run = || job.task(0, job.sample(0.0, bytes.len() as u64)).unwrap();
            let size = forerun_skeleton::Message::bytes(&run());
            let mut sent = Vec::new();
            codec.encode(&run(), &mut sent).unwrap();
            prop_assert!(whole::<Run>(&codec, &sent[..cut.index(sent.len())]).is_err());
            let _ = whole::<Run>(&codec, &noise);
            let again: Run = whole(&codec, &sent).unwrap();
            prop_assert_eq!(forerun_skeleton::Message::bytes(&again), size);
            let (head, blocks) = given(&codec, again);
            prop_assert!(received::<Run>(&codec, &head[..cut.index(head.len())], blocks).is_err());
            let (head, mut blocks) = given(&codec, run());
            if blocks.pop().is_some() {
                prop_assert!(received::<Run>(&codec, &head, blocks).is_err());
            }
            let (head, blocks) = given(&codec, run());
            let beside: usize = blocks.iter().map(|block| block.bytes().len()).sum();
            prop_assert_eq!(head.len() + beside, sent.len());
            let again: Run = received(&codec, &head, blocks).unwrap();
            prop_assert_eq!(forerun_skeleton::Message::bytes(&again), size);
            job.finish(vec![vec![again]]).unwrap();
            values.sort_unstable();
            prop_assert!(std::fs::read(&to).unwrap() == file(&values));
        }
    }

    fn given(codec: &RunCodec<'_>, run: Run) -> (Vec<u8>, Vec<Block>) {
        let mut out = Outgoing::default();
        codec.give(run, &mut out).unwrap();
        out.into_parts()
    }
}
