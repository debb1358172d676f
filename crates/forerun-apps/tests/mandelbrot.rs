//! The Mandelbrot set beside iterations in arbitrary precision, and pictures.

use std::str::FromStr as _;

use dashu_float::round::mode::Zero;
use dashu_float::{DBig, FBig};
use forerun_apps::mandelbrot::{Mandelbrot, View, write_png};
use forerun_skeleton::farm::Answer as _;

/// A number of 320 bits.
fn number(text: &str) -> FBig<Zero, 2> {
    let decimal = DBig::from_str(text).expect("a number");
    decimal.with_base_and_precision::<2>(320).value().with_rounding()
}

/// Iterations by the definition.
fn exactly(centre: (&str, &str), offset: (f64, f64), most: u32) -> u32 {
    let of = |centre: &str, offset: f64| number(centre) + number(&format!("{offset:e}"));
    let (c_re, c_im) = (of(centre.0, offset.0), of(centre.1, offset.1));
    let (mut re, mut im) = (number("0"), number("0"));
    for n in 0..most {
        let product = &re * &im;
        (re, im) = (&re * &re - &im * &im + &c_re, &product + &product + &c_im);
        if (&re * &re + &im * &im).to_f64().value() > 4.0 {
            return n + 1;
        }
    }
    most
}

/// The offset of a point from the middle.
fn offset(view: &View, (x, y): (usize, usize)) -> (f64, f64) {
    let (width, height) = view.size();
    let middle = |at: usize, count: u32| (at as f64 + 0.5 - f64::from(count) / 2.0) * view.step();
    (middle(x, width), -middle(y, height))
}

#[test]
fn deep_zooms_are_those_of_arbitrary_precision() {
    // Points around which the set looks alike at every scale, and points nearby, whose own orbits end.
    // Around -2 orbits stay on the circle of escape for long, so that rounding tells with which iteration they leave it.
    for (centre, width, off) in [
        (("0", "1"), 1e-18, 0),
        (("0", "1"), 1e-50, 0),
        (("3e-51", "1.00000000000000000000000000000000000000000000000000001"), 1e-50, 0),
        (("-2", "0"), 1e-50, 1),
        (("-2.00000000000000000000000000000000000000000000000001", "0"), 1e-49, 1),
        (
            (
                "-1.5436890126920763615708559718017479865252032976509839352408040378311686739279738664851579",
                "0",
            ),
            1e-60,
            0,
        ),
    ] {
        let most = 1500;
        let view = View::new(centre, width, (24, 16), most).expect("valid");
        assert!(view.is_deep());
        let set = Mandelbrot::new(view.clone());
        let mut seen = std::collections::BTreeSet::new();
        for y in 0..16 {
            let row = set.answer(y as u64).expect("a row").0;
            seen.extend(row.iter().copied());
            for x in (y % 6..24).step_by(6) {
                let expected = exactly(centre, offset(&view, (x, y)), most);
                let case =
                    format!("{centre:?}, {width:e} wide, point {x}, {y}: {}, exactly {expected}", row[x]);
                assert!(row[x].abs_diff(expected) <= off, "{case}");
            }
        }
        assert!(seen.len() > 2, "{centre:?}, {width:e} wide: {seen:?}");
    }
}

#[test]
fn a_picture_is_a_png_of_its_size() {
    let view = View::new(("-0.75", "0"), 3.5, (80, 40), 100).expect("valid");
    let set = Mandelbrot::new(view.clone());
    let rows = (0..40).flat_map(|row| set.answer(row).expect("a row").0);
    let iterations: Vec<u32> = rows.collect();
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("set.png");
    write_png(&view, &iterations, &path).expect("written");
    let file = std::io::BufReader::new(std::fs::File::open(&path).expect("it is there"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
    reader.next_frame(&mut pixels).expect("a picture");
    assert_eq!((reader.info().width, reader.info().height), (80, 40));
    // The middle is in the set, the corner is not.
    let at = |x: usize, y: usize| &pixels[3 * (80 * y + x)..][..3];
    assert_eq!(at(40, 20), [0, 0, 0]);
    assert_ne!(at(0, 0), [0, 0, 0]);
    assert_eq!(std::fs::read_dir(directory.path()).expect("there").count(), 1);
    let missing = directory.path().join("no/such.png");
    assert!(write_png(&view, &iterations, &missing).expect_err("no").to_string().contains("no/such.png"));
}

#[test]
fn views_that_cannot_be_are_refused() {
    let message =
        |centre, width, size, most| View::new(centre, width, size, most).expect_err("no").to_string();
    assert!(message(("a", "0"), 1.0, (9, 9), 9).contains("`a` is no number"));
    assert!(message(("0", "1e9999999"), 1.0, (9, 9), 9).contains("is no number"));
    assert!(message(("0", "0"), 0.0, (9, 9), 9).starts_with("--width 0: "));
    assert!(message(("0", "0"), f64::NAN, (9, 9), 9).starts_with("--width NaN: "));
    assert!(message(("0", "0"), 1.0, (0, 9), 9).starts_with("--size 0x9: "));
    assert!(message(("0", "0"), 1.0, (9, 9), 0).starts_with("--iterations 0: "));
}
