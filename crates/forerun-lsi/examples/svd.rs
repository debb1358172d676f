//! Times the decomposition of a matrix from a file, for comparison with other programs:
//! `svd FILE [RANK [THREADS [TIMES [BLOCK [TOLERANCE [OUT]]]]]]`.
//!
//! The file has little-endian words of 8 bytes: rows and columns, then for each row the number of its values, and
//! for each value its column and itself (f64). OUT gets the singular values, a line each.

use std::time::Instant;

use forerun_lsi::matrix::Sparse;
use forerun_lsi::svd::{SvdOptions, decompose};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&args[1]).expect("the matrix");
    let mut words = bytes.chunks_exact(8).map(|b| <[u8; 8]>::try_from(b).expect("8 bytes"));
    let mut word = || words.next().expect("a word");
    let (rows, columns) = (u64::from_le_bytes(word()) as usize, u64::from_le_bytes(word()) as usize);
    let mut list: Vec<Vec<(u32, f64)>> = vec![Vec::new(); rows];
    for row in &mut list {
        let count = u64::from_le_bytes(word());
        for _ in 0..count {
            row.push((u64::from_le_bytes(word()) as u32, f64::from_le_bytes(word())));
        }
    }
    let matrix = Sparse::from_rows(columns, list);
    let number = |i: usize, or: usize| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(or);
    for _ in 0..number(4, 5) {
        let mut options = SvdOptions::new(number(2, 100));
        options.threads = number(3, 1);
        options.block = number(5, 32);
        options.tolerance = args.get(6).and_then(|a| a.parse().ok()).unwrap_or(1e-4);
        let begin = Instant::now();
        let svd = decompose(&matrix, &options).expect("a decomposition");
        let time = begin.elapsed().as_secs_f64();
        let worst = svd.residuals.iter().copied().fold(0.0, f64::max);
        eprintln!("{time:.3} s, {} products, {} restarts, residual {worst:.1e}", svd.products, svd.restarts);
        if let Some(out) = args.get(7) {
            let text: Vec<String> = svd.values.iter().map(|v| format!("{v:.17e}")).collect();
            std::fs::write(out, text.join("\n")).expect("written");
        }
    }
}
