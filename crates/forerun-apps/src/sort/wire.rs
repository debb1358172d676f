//! Runs as bytes, for ranks that share no memory.
//!
//! A result goes as its sorted runs, each with its length: that in memory, then those of the spill file, which are read from
//! there for the first and last time. Whoever receives it keeps the first in memory if it may rest there, and spills the others.
//! The bytes under way are in no budget.

use forerun_skeleton::wire::garbled;
use forerun_skeleton::{AppError, Codec, Wire as _};

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
        for_element!(self.0.element(), R => get::<R>(self.0.desk(), bytes).map(R::wrap))
    }
}

impl Codec<Vec<Run>> for RunCodec<'_> {
    fn encode(&self, runs: &Vec<Run>, out: &mut Vec<u8>) -> Result<(), AppError> {
        runs.len().encode(out)?;
        runs.iter().try_for_each(|run| self.encode(run, out))
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Vec<Run>, AppError> {
        let runs = usize::decode(bytes)?;
        (0..runs).map(|_| self.decode(bytes)).collect()
    }
}

fn put<R: Sorted>(desk: &Desk, parts: &Parts<R>, out: &mut Vec<u8>) -> Result<(), AppError> {
    desk.go_on()?;
    (usize::from(parts.memory.is_some()) + parts.disk.len()).encode(out)?;
    if let Some((run, _)) = &parts.memory {
        put_run(run, out)?;
    }
    for extent in &parts.disk {
        extent.length.encode(out)?;
        let start = out.len();
        out.resize(start + extent.length as usize, 0);
        desk.spill.take(*extent, 0, &mut out[start..])?;
    }
    Ok(())
}

fn get<R: Sorted>(desk: &Desk, bytes: &mut &[u8]) -> Result<Parts<R>, AppError> {
    let mut parts = Parts::default();
    for _ in 0..usize::decode(bytes)? {
        desk.go_on()?;
        let run = body(bytes)?;
        let room = if parts.memory.is_none() { desk.budget.try_lease(run.len() as u64) } else { None };
        if let Some(lease) = room {
            let settled = desk.settle(R::read_again(run)?, lease)?;
            parts.memory = settled.memory;
            parts.disk.extend(settled.disk);
        } else {
            parts.disk.push(desk.spill.write(run.len() as u64, |out| out(run))?);
        }
    }
    Ok(parts)
}

/// Appends a run in memory.
pub(super) fn put_run<R: Sorted>(run: &R, out: &mut Vec<u8>) -> Result<(), AppError> {
    run.bytes().encode(out)?;
    run.write(Form::Spill, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })
}

/// Takes the bytes of a run off the front.
pub(super) fn body<'b>(bytes: &mut &'b [u8]) -> Result<&'b [u8], AppError> {
    let length = usize::decode(bytes)?;
    bytes.split_off(..length).ok_or_else(|| garbled("complete"))
}

#[cfg(test)]
mod tests {
    use forerun_skeleton::reduction::Reduce as _;
    use forerun_skeleton::wire::whole;
    use proptest::prelude::*;

    use super::super::SortOptions;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// A run is read as it was written, in memory or spilled; bytes cut short, and any others, are an error and no panic.
        #[test]
        fn runs_go_there_and_back(
            mut values in proptest::collection::vec(any::<i32>(), 0..40_000),
            cut in any::<prop::sample::Index>(),
            noise in any::<Vec<u8>>(),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let (from, to) = (dir.path().join("from"), dir.path().join("to"));
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            std::fs::write(&from, &bytes).unwrap();
            let options = SortOptions { output: Some(to.clone()), memory: 64 << 10, ..SortOptions::default() };
            let job = SortJob::open(&[from], options).unwrap();
            let codec = RunCodec(&job);
            let run = job.task(0, job.sample(0.0, bytes.len() as u64)).unwrap();
            let size = forerun_skeleton::Message::bytes(&run);
            let mut sent = Vec::new();
            codec.encode(&run, &mut sent).unwrap();
            drop(run);
            prop_assert!(whole::<Run>(&codec, &sent[..cut.index(sent.len())]).is_err());
            let _ = whole::<Run>(&codec, &noise);
            let again: Run = whole(&codec, &sent).unwrap();
            prop_assert_eq!(forerun_skeleton::Message::bytes(&again), size);
            job.finish(vec![vec![again]]).unwrap();
            values.sort_unstable();
            let sorted: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            prop_assert!(std::fs::read(&to).unwrap() == sorted);
        }
    }
}
