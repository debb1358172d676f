//! The application `sort`, driven as a reduction by a plain sequential loop.

mod bad_input;
mod driver;
mod equals_sort;
mod files;
mod lines;
