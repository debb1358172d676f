//! The names of series above a chart.

use super::{escape, n};

/// Width of a mark before a name, and room after the name, in pixels.
const MARK: f64 = 32.0;
const AFTER: f64 = 18.0;
/// Height of a line, and about how wide a character is.
const LINE: f64 = 18.0;
const CHARACTER: f64 = 6.6;

/// The legend as SVG from `(left, top)` to `right`, and its height in pixels. `names` come with the mark of
/// each, drawn around `(x, y)`.
pub(super) fn legend(
    names: &[&str],
    (left, top, right): (f64, f64, f64),
    mark: impl Fn(usize, f64, f64) -> String,
) -> (String, f64) {
    let (mut x, mut y) = (left, top);
    let mut out = String::new();
    for (at, name) in names.iter().enumerate() {
        let width = MARK + CHARACTER * name.chars().count() as f64;
        if x > left && x + width > right {
            (x, y) = (left, y + LINE);
        }
        out += &mark(at, x + 13.0, y - 4.0);
        out += &format!("<text x=\"{}\" y=\"{}\">{}</text>\n", n(x + MARK), n(y), escape(name));
        x += width + AFTER;
    }
    (out, if names.is_empty() { 0.0 } else { y - top + LINE })
}
