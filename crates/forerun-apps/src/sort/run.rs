//! What tasks and merges give.

use forerun_skeleton::Message;

use super::budget::Lease;
use super::element::TotalF64;
use super::lines::Lines;
use super::sorted::Sorted;
use super::spill::Extent;

/// Sorted elements: a run in memory, runs that were spilled, or both.
#[derive(Debug)]
pub struct Run(pub(crate) Kind);

/// A [`Run`] by type of element.
#[derive(Debug)]
pub(crate) enum Kind {
    I32(Parts<Vec<i32>>),
    I64(Parts<Vec<i64>>),
    U32(Parts<Vec<u32>>),
    U64(Parts<Vec<u64>>),
    F64(Parts<Vec<TotalF64>>),
    Lines(Parts<Lines>),
}

/// Sorted runs that make up one result.
#[derive(Debug)]
pub(crate) struct Parts<R> {
    /// At most one rests in memory.
    pub(crate) memory: Option<(R, Lease)>,
    pub(crate) disk: Vec<Extent>,
}

impl<R> Default for Parts<R> {
    fn default() -> Self {
        Parts { memory: None, disk: Vec::new() }
    }
}

impl<R: Sorted> Parts<R> {
    fn in_memory(&self) -> u64 {
        self.memory.as_ref().map_or(0, |(run, _)| run.bytes())
    }

    fn on_disk(&self) -> u64 {
        self.disk.iter().map(|extent| extent.length).sum()
    }
}

/// A run of one type of element, as the enum and back.
pub(crate) trait OfKind: Sorted {
    fn wrap(parts: Parts<Self>) -> Run;
    fn unwrap(run: Run) -> Option<Parts<Self>>;
}

macro_rules! of_kind {
    ($($run:ty => $variant:ident),*) => {$(
        impl OfKind for $run {
            fn wrap(parts: Parts<Self>) -> Run {
                Run(Kind::$variant(parts))
            }

            fn unwrap(run: Run) -> Option<Parts<Self>> {
                match run.0 {
                    Kind::$variant(parts) => Some(parts),
                    _ => None,
                }
            }
        }
    )*};
}

of_kind!(Vec<i32> => I32, Vec<i64> => I64, Vec<u32> => U32, Vec<u64> => U64, Vec<TotalF64> => F64, Lines => Lines);

/// Evaluates `$body` with `$parts` bound to the parts of a run, whatever its element.
macro_rules! any_kind {
    ($kind:expr, $parts:ident => $body:expr) => {
        match $kind {
            $crate::sort::run::Kind::I32($parts) => $body,
            $crate::sort::run::Kind::I64($parts) => $body,
            $crate::sort::run::Kind::U32($parts) => $body,
            $crate::sort::run::Kind::U64($parts) => $body,
            $crate::sort::run::Kind::F64($parts) => $body,
            $crate::sort::run::Kind::Lines($parts) => $body,
        }
    };
}

/// Evaluates `$body` with `$run` naming the type of a run of the [`super::ElementType`] `$element`.
macro_rules! for_element {
    ($element:expr, $run:ident => $body:expr) => {{
        use $crate::sort::element::{ElementType, TotalF64};
        match $element {
            ElementType::I32 => {
                type $run = Vec<i32>;
                $body
            }
            ElementType::I64 => {
                type $run = Vec<i64>;
                $body
            }
            ElementType::U32 => {
                type $run = Vec<u32>;
                $body
            }
            ElementType::U64 => {
                type $run = Vec<u64>;
                $body
            }
            ElementType::F64 => {
                type $run = Vec<TotalF64>;
                $body
            }
            ElementType::Lines => {
                type $run = $crate::sort::lines::Lines;
                $body
            }
        }
    }};
}

pub(crate) use {any_kind, for_element};

impl Run {
    /// Bytes of its elements that are in memory.
    pub fn in_memory(&self) -> u64 {
        any_kind!(&self.0, parts => parts.in_memory())
    }

    /// Bytes of its elements that are on disk.
    pub fn on_disk(&self) -> u64 {
        any_kind!(&self.0, parts => parts.on_disk())
    }

    /// Number of sorted runs that it consists of.
    pub fn runs(&self) -> usize {
        any_kind!(&self.0, parts => parts.disk.len() + usize::from(parts.memory.is_some()))
    }
}

impl Message for Run {
    /// Bytes of its elements, wherever they are.
    fn bytes(&self) -> u64 {
        self.in_memory() + self.on_disk()
    }
}
