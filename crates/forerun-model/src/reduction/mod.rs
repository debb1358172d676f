//! The closed form of a reduction: [`predict()`].

mod adaptive;
mod alone;
mod bound;
mod climb;
mod costs;
mod effective;
mod efficiency;
mod exchange;
mod explain;
mod followed;
mod interval;
mod isoefficiency;
mod lines;
mod master_slave;
mod meeting;
mod pipeline;
mod predict;
mod rounds;
mod timing;
mod tree;

pub use bound::Bound;
pub use effective::effective;
pub use efficiency::{Efficiency, efficiency};
pub use isoefficiency::{Held, Isoefficiency, isoefficiency};
pub use predict::{Balance, Prediction, balance, predict};
pub(crate) use predict::{balanced_share, makespan};
