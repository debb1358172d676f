//! The singular value decomposition of a collection's matrix, beside scikit-learn's.

mod peers;

use std::cell::{Cell, RefCell};
use std::io;
use std::time::Instant;

use forerun_lsi::svd::{SvdOptions, decompose};

use self::peers::{Peers, Solver};
use crate::record::Record;
use crate::reuters;
use crate::table::{Contender, Table};

/// Singular values that are looked for.
const RANK: usize = 100;
/// Those that are compared.
const LEADING: usize = 50;
/// The rivals: iterations of the randomized solver, and ARPACK, which goes on until it has all digits.
const RIVALS: [Solver; 3] = [
    Solver { name: "scikit-learn, randomized, 5 iterations", algorithm: "randomized", iterations: 5 },
    Solver { name: "scikit-learn, randomized, 20 iterations", algorithm: "randomized", iterations: 20 },
    Solver { name: "scikit-learn, ARPACK", algorithm: "arpack", iterations: 5 },
];

/// Measures the decomposition, on all cores.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let Some(texts) = reuters::texts(usize::MAX, record)? else { return Ok(()) };
    let peers = match Peers::start(&texts) {
        Ok(peers) => peers,
        Err(e) => {
            record
                .note(&format!("Nothing is measured: the matrix is scikit-learn's, which is not here: {e}."));
            return Ok(());
        }
    };
    let matrix = peers.matrix.clone();
    record.note(&format!(
        "Tf-idf of the {} documents of Reuters-21578 with a body, by scikit-learn {} ({} terms, {} values); {RANK} \
         singular values and vectors, on all cores.",
        matrix.rows(),
        peers.version,
        matrix.columns(),
        matrix.stored()
    ));
    let peers = RefCell::new(peers);
    let values = RefCell::new(Vec::new());
    let residual = Cell::new(0.0f64);
    let ours = || {
        let begun = Instant::now();
        let found = decompose(&matrix, &SvdOptions::new(RANK)).expect("a decomposition");
        let taken = begun.elapsed().as_secs_f64() * 1e3;
        residual.set(found.residuals.iter().copied().fold(0.0, f64::max));
        values.replace(found.values);
        taken
    };
    let mut contenders = vec![Contender::new("forerun", ours)];
    for solver in RIVALS {
        let peers = &peers;
        contenders.push(Contender::new(solver.name, move || {
            peers.borrow_mut().run(solver, RANK).expect("the rival answers")
        }));
    }
    record.add(&Table::measure(format!("{RANK} singular values"), "ms", rounds, contenders));
    let [fast, slow, exact] = RIVALS.map(|solver| peers.borrow_mut().values(solver, RANK));
    let (fast, slow, exact) = (fast?, slow?, exact?);
    let off = |values: &[f64]| {
        let leading = values.iter().zip(&exact).take(LEADING);
        leading.map(|(ours, exact)| (ours / exact - 1.0).abs()).fold(0.0, f64::max)
    };
    record.note(&format!(
        "Of the leading {LEADING} values the one that is farthest from ARPACK's is off by {:.1e} relative for forerun (largest \
         residual of all: {:.1e}), {:.1e} for 5 iterations of the randomized solver, {:.1e} for 20.",
        off(&values.borrow()),
        residual.get(),
        off(&fast),
        off(&slow)
    ));
    Ok(())
}
