//! The language: text to model and back.
//!
//! [`parse`] reads what the PEPA Workbench, the Eclipse plug-in, ipc and pypepa read, where they mean
//! the same by it; where they do not, a [`Dialect`] says whose meaning is meant. [`print()`] writes
//! a model in the one form that all but the Workbench read.

mod ast;
mod cursor;
mod definitions;
mod diagnostic;
mod dialect;
mod expression;
mod kinds;
mod lexer;
mod print;
mod process;
mod token;

pub use ast::{
    Action, ActionSet, Activity, Definition, Expr, Model, Name, Operator, Process, Rate, Remarks, Span,
};
pub use definitions::{Parsed, parse, parse_expression};
pub use diagnostic::{Diagnostic, Severity};
pub use dialect::Dialect;
pub use print::{print, print_expr, print_process};
