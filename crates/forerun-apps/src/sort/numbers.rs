//! Sorted runs of fixed-width numbers.

use std::ops::Range;

use forerun_skeleton::{AppError, memory};

use super::element::Element;
use super::files::Files;
use super::merge::merge_on;
use super::sorted::{Form, Sorted, Supply, Write};
use super::spill::Spill;
use super::tree;

/// Elements written at once where the form in the file is another than that in memory.
const CHUNK: usize = 1 << 16;

impl<T: Element> Sorted for Vec<T> {
    type Unit = T;

    fn bytes(&self) -> u64 {
        size_of_val(self.as_slice()) as u64
    }

    fn footprint(&self) -> u64 {
        (self.capacity() * size_of::<T>()) as u64
    }

    fn need(_: &Files, bytes: u64, _: bool) -> u64 {
        bytes * (1 + T::SCRATCH)
    }

    fn resting(_: &Files, bytes: u64) -> u64 {
        bytes
    }

    fn read(files: &Files, range: Range<u64>, room: u64) -> Result<Option<Self>, AppError> {
        let bytes = range.end - range.start;
        if Self::need(files, bytes, true) > room {
            return Ok(None);
        }
        let mut run = memory::zeroed::<T>(bytes as usize / size_of::<T>())?;
        files.read(range, bytemuck::cast_slice_mut(&mut run))?;
        T::decode(&mut run);
        memory::check::<T>(run.len() * T::SCRATCH as usize)?;
        T::sort(&mut run);
        Ok(Some(run))
    }

    fn merge(left: &Self, right: &Self, threads: usize) -> Result<Self, AppError> {
        let mut merged = memory::zeroed::<T>(left.len() + right.len())?;
        merge_on(left, right, &mut merged, threads);
        Ok(merged)
    }

    fn write(&self, form: Form, out: &mut Write<'_>) -> Result<(), AppError> {
        if !T::CODED || form == Form::Spill {
            return out(bytemuck::cast_slice(self));
        }
        let mut coded = Vec::with_capacity(CHUNK);
        for chunk in self.chunks(CHUNK) {
            coded.clear();
            coded.extend_from_slice(chunk);
            T::encode(&mut coded);
            out(bytemuck::cast_slice(&coded))?;
        }
        Ok(())
    }

    fn into_units(self) -> Vec<T> {
        self
    }

    fn of_units(units: Vec<T>) -> Result<Self, AppError> {
        Ok(units)
    }

    fn write_merged(
        runs: &[Supply<'_, Self>],
        spill: &Spill,
        buffer: usize,
        form: Form,
        out: &mut Write<'_>,
    ) -> Result<(), AppError> {
        tree::merge(runs, spill, buffer, |block| {
            if form == Form::File {
                T::encode(block);
            }
            out(bytemuck::cast_slice(block))
        })
    }
}
