//! The Mandelbrot set: for every point of a part of the complex plane, how many iterations it takes to escape.
//!
//! A task is a row of points ([`Mandelbrot`]); its answer is the iterations of each ([`Row`]). Points are iterated as
//! many at a time as the processor's vectors hold ([`escape_all`]), or, where the part is too small for numbers of 53
//! bits, by perturbation of one orbit in arbitrary precision (`deep.rs`); down to 1e-280 wide.
//!
//! ```
//! use forerun_apps::mandelbrot::{Mandelbrot, View};
//! use forerun_skeleton::farm::Answer as _;
//!
//! let set = Mandelbrot::new(View::new(("-0.75", "0"), 3.5, (80, 40), 1000)?);
//! assert_eq!(set.tasks(), 40);
//! let row = set.answer(20)?;
//! assert_eq!(row.0.len(), 80);
//! assert!(row.0.contains(&1000) && row.0[0] < 5);
//! # Ok::<(), forerun_skeleton::AppError>(())
//! ```

mod deep;
mod escape;
mod job;
mod picture;
mod view;

use forerun_skeleton::farm::Answer;
use forerun_skeleton::wire::{Incoming, Outgoing};
use forerun_skeleton::{AppError, Message, Wire};

use deep::Reference;
pub use escape::{escape, escape_all};
pub use job::Picture;
pub use picture::write_png;
pub use view::View;

/// The rows of a view.
#[derive(Debug, Clone)]
pub struct Mandelbrot {
    view: View,
    /// What the points of a deep view are near.
    reference: Option<Reference>,
    /// The middle of any other.
    centre: (f64, f64),
}

impl Mandelbrot {
    /// The rows of `view`. Of a deep view, the middle's orbit is followed here.
    pub fn new(view: View) -> Mandelbrot {
        let centre = (view.centre.0.to_f64().value(), view.centre.1.to_f64().value());
        Mandelbrot { reference: view.is_deep().then(|| Reference::new(&view)), centre, view }
    }

    /// What is looked at.
    pub fn view(&self) -> &View {
        &self.view
    }
}

/// The iterations of a row's points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row(pub Vec<u32>);

impl Message for Row {
    fn bytes(&self) -> u64 {
        4 * self.0.len() as u64
    }
}

impl Wire for Row {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.0.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Wire::decode(bytes).map(Row)
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        self.0.give(out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        Wire::take(from).map(Row)
    }
}

impl Answer for Mandelbrot {
    type Answer = Row;

    fn tasks(&self) -> u64 {
        self.view.size().1.into()
    }

    fn answer(&self, index: u64) -> Result<Row, AppError> {
        let (right, up) = self.view.offsets(index);
        let most = self.view.most();
        let row = match &self.reference {
            Some(reference) => right.iter().map(|&right| reference.escape((right, up), most)).collect(),
            None => {
                let re: Vec<f64> = right.iter().map(|right| self.centre.0 + right).collect();
                escape_all(&re, &vec![self.centre.1 + up; re.len()], most)
            }
        };
        Ok(Row(row))
    }
}
