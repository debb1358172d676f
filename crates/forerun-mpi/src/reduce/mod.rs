//! A reduction of large values, one of each rank: in segments, up a tree, in the order of the ranks.
//!
//! `MPI_Reduce` combines whole values by default, and where its segmented algorithms are forced on operators that do not
//! commute, libraries fall back to others. Here every subtree is a run of consecutive ranks, so what is
//! combined is always left of, or right of, what it is combined with, and the tree may have any root. A rank
//! combines a segment as soon as it has it from below, and sends it on while it receives the next ones: with n bytes in
//! segments of s, a chain of P ranks takes (P − 1 + n/s) steps of one segment, a binary tree
//! (log₂ P + 2·n/s), where a tree that is not segmented takes log₂ P steps of n bytes.

mod tree;

use std::collections::VecDeque;

use bytemuck::Pod;
use mpi::request::{LocalScope, Request, scope};
use mpi::traits::{Communicator, Destination as _};

use self::tree::Place;
pub use self::tree::Tree;
use crate::Waiting;
use crate::patience::{Patience, Wait};
use crate::raw::{Filling, fill};

/// The tag of segments.
const TAG: i32 = 1510;
/// Segments that a rank asks for ahead from below, and may have under way upwards.
const AHEAD: usize = 3;
/// Bytes of a segment of a long value, unless it is said otherwise: measured, see benches/runs.
const SEGMENT: usize = 64 << 10;
/// Values of so many segments for every rank go through a chain.
const CHAIN: usize = 4;

/// How a value is reduced. All ranks must say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segmented {
    /// How ranks hang together; a chain where nothing is said and values are long, else a binary tree.
    pub tree: Option<Tree>,
    /// Bytes of a segment, rounded down to whole elements, but at least one.
    pub segment: usize,
    /// How ranks wait.
    pub waiting: Waiting,
}

impl Default for Segmented {
    fn default() -> Self {
        Segmented { tree: None, segment: SEGMENT, waiting: Waiting::default() }
    }
}

/// Combines the `values` of all ranks, element by element, as `combine(combine(v₀, v₁), v₂)` … in the order of the
/// ranks; associativity is made use of, commutativity is not. The result is in `values` of rank `root`; those of the other ranks are left in between.
/// Every rank calls it, with as many values. Its messages have the tag 1510 in `communicator`: use another, or a duplicate of it.
///
/// Cost: memory for a few segments of each of at most two ranks below; a rank that waits sleeps as [`Waiting`] says.
///
/// # Panics
/// Where `root` is no rank.
pub fn reduce<T, C, F>(communicator: &C, root: usize, values: &mut [T], how: &Segmented, mut combine: F)
where
    T: Pod,
    C: Communicator + mpi::raw::AsRaw<Raw = mpi::ffi::MPI_Comm>,
    F: FnMut(&T, &T) -> T,
{
    let (rank, ranks) = (communicator.rank() as usize, communicator.size() as usize);
    assert!(root < ranks, "rank {root} of {ranks} is to have the result: expected less than {ranks}");
    if ranks == 1 || values.is_empty() {
        return;
    }
    let size = size_of::<T>().max(1);
    let length = (how.segment.min(i32::MAX as usize) / size).max(1);
    let segments = values.len().div_ceil(length);
    let tree = how.tree.unwrap_or(if segments >= CHAIN * ranks { Tree::Chain } else { Tree::Binary });
    let Place { parent, before, after } = tree.place(rank, ranks, root);
    let patience = Patience::new(how.waiting, ranks);
    let below = |from: Option<usize>| from.map(|from| Below::new(communicator, from, values, length));
    let (mut before, mut after) = (below(before), below(after));
    let up = parent.map(|parent| communicator.process_at_rank(parent as i32));
    scope(|scope: &LocalScope<'_>| {
        let mut going: VecDeque<Request<'_, [u8], _>> = VecDeque::with_capacity(AHEAD);
        for segment in values.chunks_mut(length) {
            if let Some(below) = &mut before {
                let left = below.next(patience);
                segment.iter_mut().zip(&left).for_each(|(own, left)| *own = combine(left, own));
                below.ask(left);
            }
            if let Some(below) = &mut after {
                let right = below.next(patience);
                segment.iter_mut().zip(&right).for_each(|(own, right)| *own = combine(own, right));
                below.ask(right);
            }
            if let Some(up) = &up {
                if going.len() == AHEAD
                    && let Some(first) = going.pop_front()
                {
                    finish(first, &mut patience.wait());
                }
                going.push_back(up.immediate_send_with_tag(scope, bytemuck::cast_slice(segment), TAG));
            }
        }
        going.into_iter().for_each(|request| finish(request, &mut patience.wait()));
    });
}

/// Waits until a segment is sent.
fn finish<'a>(mut request: Request<'a, [u8], &LocalScope<'a>>, wait: &mut Wait) {
    while let Err(again) = request.test() {
        request = again;
        wait.pause(true);
    }
}

/// The segments that come from one rank below.
struct Below<'c, T, C> {
    communicator: &'c C,
    from: usize,
    coming: VecDeque<Filling<T>>,
    /// Elements that are not asked for yet, and of a segment.
    rest: usize,
    length: usize,
}

impl<'c, T, C> Below<'c, T, C>
where
    T: Pod,
    C: Communicator + mpi::raw::AsRaw<Raw = mpi::ffi::MPI_Comm>,
{
    /// Asks for the first segments of as many values as `like`.
    fn new(communicator: &'c C, from: usize, like: &[T], length: usize) -> Self {
        let rest = like.len();
        let mut below = Below { communicator, from, coming: VecDeque::with_capacity(AHEAD), rest, length };
        for _ in 0..AHEAD.min(like.len().div_ceil(length)) {
            below.ask(like[..length.min(like.len())].to_vec());
        }
        below
    }

    /// Asks for the next segment, if there is one, to be put where `values` are.
    fn ask(&mut self, mut values: Vec<T>) {
        let next = self.length.min(self.rest);
        if next > 0 {
            self.rest -= next;
            values.truncate(next);
            self.coming.push_back(fill(self.communicator, self.from, TAG, values));
        }
    }

    /// Waits for the next segment.
    fn next(&mut self, patience: Patience) -> Vec<T> {
        let mut wait = patience.wait();
        let Some(mut first) = self.coming.pop_front() else { return Vec::new() };
        loop {
            match first.values() {
                Ok(values) => return values,
                Err(again) => first = again,
            }
            wait.pause(true);
        }
    }
}
