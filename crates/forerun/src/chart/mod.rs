//! What charts are made of, and a line chart that stands alone as an SVG file.
//!
//! | part | what it is |
//! |---|---|
//! | [`escape`], [`n`] | text and coordinates as they go into SVG |
//! | [`Scale`], [`nice`] | values to pixels, round steps |
//! | [`Axis`] | an axis with ticks that a person would choose |
//! | [`LineChart`], [`Series`] | series over one axis, drawn as one SVG file that reads on light and dark; [`stacked`]: several in one |

mod axis;
mod legend;
mod line;
mod mark;
mod scale;

pub(crate) use axis::log_ticks;
pub use axis::{Axis, Spacing};
pub use line::{LineChart, Series, Style, stacked};
pub use mark::{escape, n};
pub use scale::{Scale, nice};
