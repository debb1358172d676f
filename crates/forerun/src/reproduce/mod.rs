//! The papers' tables beside ours: what `forerun reproduce` shows.
//!
//! | part | what it does |
//! |---|---|
//! | [`study`] | study files: printed numbers, constants, which model gives ours |
//! | [`models`] | the models that they name: published equations and arithmetic |
//! | [`quantity`], [`printed`] | numbers with units, and numbers as they are printed |
//! | [`evaluate`] | works rows out |
//! | [`predict`] | our closed form and our simulation of what was measured |
//! | [`outcome`] | rows worked out, and their sum |
//! | [`table`], [`drawing`] | what a person reads; CSV and SVG |

pub mod drawing;
pub mod evaluate;
pub mod models;
pub mod outcome;
pub mod predict;
pub mod printed;
pub mod quantity;
pub mod study;
pub mod table;
