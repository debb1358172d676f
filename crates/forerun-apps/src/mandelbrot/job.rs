//! The picture of a view as a farm: a task is a row.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use forerun_platform::file::shown;
use forerun_skeleton::farm::Answer;
use forerun_skeleton::wire::Plain;
use forerun_skeleton::{AppError, Codec, memory};

use super::picture::encoded;
use super::{Mandelbrot, Row, View, write_png};
use crate::FarmJob;
use crate::whole::rehearse_whole;

/// The picture of a view, that becomes a PNG file.
#[derive(Debug)]
pub struct Picture {
    set: Mandelbrot,
    out: PathBuf,
    /// Iterations of all points, row by row.
    iterations: Mutex<Vec<u32>>,
}

impl Picture {
    /// The picture of `view`, to be written to `out`.
    ///
    /// # Errors
    /// That there is no memory for so many points.
    pub fn new(view: View, out: &Path) -> Result<Picture, AppError> {
        let (width, height) = view.size();
        let points = memory::zeroed(width as usize * height as usize)
            .map_err(|e| AppError::new(format!("--size {width}x{height}: {e}")))?;
        Ok(Picture { set: Mandelbrot::new(view), out: out.into(), iterations: Mutex::new(points) })
    }
}

impl Answer for Picture {
    type Answer = Row;

    fn tasks(&self) -> u64 {
        self.set.tasks()
    }

    fn answer(&self, index: u64) -> Result<Row, AppError> {
        self.set.answer(index)
    }
}

impl FarmJob for Picture {
    fn name(&self) -> &'static str {
        "mandelbrot"
    }

    fn summary(&self) -> String {
        let view = self.set.view();
        let (width, height) = view.size();
        let deep = if view.is_deep() { ", by perturbation" } else { "" };
        format!(
            "{width} x {height} points, {:.3e} apart, at most {} iterations{deep}",
            view.step(),
            view.most()
        )
    }

    fn deliver(&self, index: u64, Row(row): Row) -> Result<(), AppError> {
        let mut all = self.iterations.lock().unwrap_or_else(PoisonError::into_inner);
        let from = index as usize * row.len();
        if let Some(place) = all.get_mut(from..from + row.len()) {
            place.copy_from_slice(&row);
        }
        Ok(())
    }

    fn codec(&self) -> impl Codec<Row> + Sync {
        Plain
    }

    fn input_name(&self, index: u64) -> String {
        format!("row {index}")
    }

    fn rehearses(&self) -> bool {
        true
    }

    fn rehearse_finish(&self, tasks: &[u64]) -> Result<(), AppError> {
        let all = self.iterations.lock().unwrap_or_else(PoisonError::into_inner);
        let view = self.set.view();
        let width = view.size().0 as usize;
        let row = |&task: &u64| all.get(task as usize * width..(task as usize + 1) * width);
        let some: Vec<u32> = tasks.iter().filter_map(row).flatten().copied().collect();
        let file = encoded(view, &some);
        let file = file.map_err(|e| AppError::new(format!("a picture cannot be made: {e}")))?;
        rehearse_whole(&self.out, &file);
        Ok(())
    }

    fn finish(&self) -> Result<String, AppError> {
        let all = self.iterations.lock().unwrap_or_else(PoisonError::into_inner);
        write_png(self.set.view(), &all, &self.out)?;
        let iterations: u64 = all.iter().map(|n| u64::from(*n)).sum();
        let inside = all.iter().filter(|n| **n >= self.set.view().most()).count();
        let part = 100.0 * inside as f64 / all.len().max(1) as f64;
        Ok(format!(
            "{}: {:.3e} iterations, {part:.1} % of the points do not escape",
            shown(&self.out),
            iterations as f64
        ))
    }
}
