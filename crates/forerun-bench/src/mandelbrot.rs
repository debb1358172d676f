//! Iterations of the Mandelbrot set, beside the plain loop.

use std::cell::RefCell;
use std::io;
use std::time::Instant;

use forerun_apps::mandelbrot::escape_all;

use crate::record::Record;
use crate::table::{Contender, Table};

/// Points a row, and rows.
const SIZE: usize = 1024;
/// Parts of the plane: name, middle, width, most iterations.
const VIEWS: [(&str, (f64, f64), f64, u32); 3] = [
    ("the whole set", (-0.75, 0.0), 3.0, 1000),
    ("seahorse valley", (-0.745, 0.113), 0.01, 1000),
    ("points that escape at once", (0.0, 0.0), 40.0, 1000),
];

/// Measures one thread.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    record.note(&format!(
        "{SIZE} x {SIZE} points, row by row, on one thread. The plain loop is z² + c in 64-bit numbers, point by point, until \
         |z|² > 4. Iterations are those that the points take to escape, at most 1000 each."
    ));
    for (name, centre, width, most) in VIEWS {
        let step = width / SIZE as f64;
        let offset = |i: usize| (i as f64 + 0.5 - SIZE as f64 / 2.0) * step;
        let re: Vec<f64> = (0..SIZE).map(|x| centre.0 + offset(x)).collect();
        let rows: Vec<Vec<f64>> = (0..SIZE).map(|y| vec![centre.1 - offset(y); SIZE]).collect();
        let (plain, lanes) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
        let rate = |counts: &RefCell<Vec<u32>>, row: &dyn Fn(&[f64], &mut Vec<u32>)| {
            let mut counts = counts.borrow_mut();
            counts.clear();
            let begun = Instant::now();
            rows.iter().for_each(|im| row(im, &mut counts));
            let taken = begun.elapsed().as_secs_f64();
            counts.iter().map(|n| f64::from(*n)).sum::<f64>() / taken / 1e6
        };
        let contenders = vec![
            Contender::new("forerun", || {
                rate(&lanes, &|im, counts| counts.extend(escape_all(&re, im, most)))
            }),
            Contender::new("plain loop", || {
                rate(&plain, &|im, counts| {
                    counts.extend(re.iter().zip(im).map(|(&re, &im)| plain_loop((re, im), most)))
                })
            }),
        ];
        let table = Table::measure(format!("Mandelbrot, {name}"), "million iterations/s", rounds, contenders);
        record.add(&table);
        let [ours, theirs] = [table.median(0), table.median(1)];
        if *lanes.borrow() != *plain.borrow() {
            return Err(io::Error::other(format!("{name}: the counts differ from the plain loop's")));
        }
        let all: f64 = plain.borrow().iter().map(|n| f64::from(*n)).sum();
        record.note(&format!(
            "{:.2} times the plain loop; the same count of each point, {:.3e} iterations in all.",
            ours / theirs,
            all
        ));
    }
    Ok(())
}

/// Iterations until `c` escapes: the loop that is in every textbook, with squares that are computed once.
fn plain_loop(c: (f64, f64), most: u32) -> u32 {
    let (mut re, mut im, mut re2, mut im2) = (0.0, 0.0, 0.0, 0.0);
    let mut n = 0;
    while n < most && re2 + im2 <= 4.0 {
        im = 2.0 * re * im + c.1;
        re = re2 - im2 + c.0;
        re2 = re * re;
        im2 = im * im;
        n += 1;
    }
    n
}
