//! Orthonormal vectors that grow by blocks, and what is done with all of them at once.
//!
//! Rows are taken in chunks of a size that depends on nothing but their number, and sums over chunks are
//! made in their order: so results do not depend on the number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Least rows of a chunk, and most chunks.
const CHUNK: (usize, usize) = (1024, 64);

/// The vectors, columns of a matrix with room for more.
pub(super) struct Basis {
    /// Row by row, `room` to a row.
    values: Vec<f64>,
    rows: usize,
    room: usize,
    used: usize,
    threads: usize,
}

impl Basis {
    /// No vectors of `rows` elements yet, with room for `room`.
    pub(super) fn new(rows: usize, room: usize, threads: usize) -> Self {
        Basis { values: vec![0.0; rows * room], rows, room, used: 0, threads: threads.max(1) }
    }

    /// Number of vectors.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    fn chunk(&self) -> usize {
        CHUNK.0.max(self.rows.div_ceil(CHUNK.1))
    }

    /// The first `columns` vectors in rows from `at` on, as many as `rows`.
    fn part(&self, at: usize, rows: usize) -> MatRef<'_, f64> {
        let values = &self.values[at * self.room..(at + rows) * self.room];
        MatRef::from_row_major_slice(values, rows, self.room).subcols(0, self.used)
    }

    /// Adds the columns of a block (row by row, `width` to a row).
    pub(super) fn push(&mut self, block: &[f64], width: usize) {
        for (row, new) in self.values.chunks_exact_mut(self.room).zip(block.chunks_exact(width)) {
            row[self.used..self.used + width].copy_from_slice(new);
        }
        self.used += width;
    }

    /// What of each vector is in each column of the block: vectors × width.
    pub(super) fn project(&self, block: &[f64], width: usize) -> Mat<f64> {
        let chunk = self.chunk();
        sum_of(self.threads, self.used, width, block.chunks(chunk * width).enumerate(), |(at, block), sum| {
            let rows = block.len() / width;
            let block = MatRef::from_row_major_slice(block, rows, width);
            let vectors = self.part(at * chunk, rows);
            matmul(sum, Accum::Replace, vectors.transpose(), block, 1.0, Par::Seq);
        })
    }

    /// Takes from each column of the block what `project` found of each vector.
    pub(super) fn subtract(&self, block: &mut [f64], width: usize, found: MatRef<'_, f64>) {
        let chunk = self.chunk();
        each(self.threads, block.chunks_mut(chunk * width).enumerate(), |(at, block)| {
            let rows = block.len() / width;
            let block = MatMut::from_row_major_slice_mut(block, rows, width);
            matmul(block, Accum::Add, self.part(at * chunk, rows), found, -1.0, Par::Seq);
        });
    }

    /// The vectors times a matrix of one row a vector: row by row.
    pub(super) fn times(&self, right: MatRef<'_, f64>) -> Vec<f64> {
        let width = right.ncols();
        let mut out = vec![0.0; self.rows * width];
        let chunk = self.chunk();
        each(self.threads, out.chunks_mut(chunk * width.max(1)).enumerate(), |(at, out)| {
            let rows = out.len() / width;
            let out = MatMut::from_row_major_slice_mut(out, rows, width);
            matmul(out, Accum::Replace, self.part(at * chunk, rows), right, 1.0, Par::Seq);
        });
        out
    }

    /// Puts these columns in the place of all vectors.
    pub(super) fn replace(&mut self, block: &[f64], width: usize) {
        self.used = 0;
        self.push(block, width);
    }
}

/// The columns' products with each other: width × width.
pub(super) fn gram(block: &[f64], width: usize, threads: usize) -> Mat<f64> {
    let chunk = CHUNK.0.max((block.len() / width.max(1)).div_ceil(CHUNK.1));
    sum_of(threads, width, width, block.chunks(chunk * width), |block, sum| {
        let block = MatRef::from_row_major_slice(block, block.len() / width, width);
        matmul(sum, Accum::Replace, block.transpose(), block, 1.0, Par::Seq);
    })
}

/// The block (row by row, as many columns as `right` has rows) times `right`, in its place.
pub(super) fn turn(block: &mut [f64], right: MatRef<'_, f64>, threads: usize) {
    let width = right.nrows();
    let chunk = CHUNK.0.max((block.len() / width.max(1)).div_ceil(CHUNK.1));
    each(threads, block.chunks_mut(chunk * width), |block| {
        let rows = block.len() / width;
        let before = block.to_vec();
        let before = MatRef::from_row_major_slice(&before, rows, width);
        let after = MatMut::from_row_major_slice_mut(block, rows, width);
        matmul(after, Accum::Replace, before, right, 1.0, Par::Seq);
    });
}

/// Does `work` on every item, on several threads.
fn each<T: Send>(threads: usize, items: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    if threads <= 1 {
        return items.for_each(work);
    }
    let items = Mutex::new(items);
    let run = || {
        loop {
            let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Some(item) => work(item),
                None => break,
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
}

/// The sum of what `work` makes of every item, in their order, however many threads there are.
fn sum_of<T: Send>(
    threads: usize,
    rows: usize,
    columns: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T, MatMut<'_, f64>) + Sync,
) -> Mat<f64> {
    let parts = Mutex::new(Vec::new());
    let number = AtomicUsize::new(0);
    // Numbers are given under the lock of `each`, as items are drawn, so they are those of the items.
    let items = items.map(|item| (number.fetch_add(1, Ordering::Relaxed), item));
    each(threads, items, |(number, item)| {
        let mut part = Mat::zeros(rows, columns);
        work(item, part.as_mut());
        parts.lock().unwrap_or_else(PoisonError::into_inner).push((number, part));
    });
    let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
    parts.sort_by_key(|(number, _)| *number);
    parts.into_iter().fold(Mat::zeros(rows, columns), |sum, (_, part)| sum + part)
}
