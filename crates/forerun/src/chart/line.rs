//! A line chart as a file of its own.

use super::legend::legend;
use super::{Axis, Scale, Spacing, escape, n};

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// A line with a dot at each point.
    #[default]
    Line,
    /// The same, dashed.
    Dashed,
    /// A dot at each point, larger and in ink: measured values.
    Points,
}

/// Values over an axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// Points in the order in which a line joins them. One that is not finite leaves a gap.
    pub points: Vec<(f64, f64)>,
    /// An interval for each point, drawn as a band; none if empty.
    pub band: Vec<(f64, f64)>,
}

/// Series over one pair of axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineChart {
    /// What it shows, in a line.
    pub title: String,
    /// What the horizontal axis counts, with its unit.
    pub x: String,
    /// What the vertical axis counts, with its unit.
    pub y: String,
    /// How the horizontal axis is divided.
    pub x_spacing: Spacing,
    /// How the vertical axis is divided.
    pub y_spacing: Spacing,
    /// The series, at most eight of which are told apart by colour.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 760.0;
const PLOT: f64 = 320.0;
/// Room for the labels of the vertical axis at least, and about what a character takes of a label and of the title.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const LABEL: f64 = 7.5;
const TITLE: f64 = 9.2;
const TITLE_LINE: f64 = 20.0;

const COLOURS: usize = 8;
const CSS: &str = include_str!("line.css");

impl LineChart {
    /// The chart as an SVG file: it needs no other, has no script, and reads on light and dark pages.
    /// Cost: linear in the points.
    pub fn svg(&self) -> String {
        self.drawn(0.0).0
    }

    /// The chart as an SVG file, or `down` pixels down in another, and its height.
    fn drawn(&self, down: f64) -> (String, f64) {
        let all = || self.series.iter().flat_map(|s| s.points.iter());
        let bands = self.series.iter().flat_map(|s| s.band.iter().flat_map(|b| [b.0, b.1]));
        let x = Axis::at(all().map(|p| p.0), self.x_spacing, 8);
        let y = Axis::of(all().map(|p| p.1).chain(bands), self.y_spacing, 6);
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        let titles = broken(&self.title, ((WIDTH - 16.0 - RIGHT) / TITLE) as usize);
        let below = TITLE_LINE * titles.len().saturating_sub(1) as f64;
        let (legend, legend_height) =
            legend(&names, (16.0, 46.0 + below, WIDTH - RIGHT), |at, x, y| self.key(at, x, y));
        let top = 40.0 + below + legend_height + 22.0;
        let height = top + PLOT + 46.0;
        let longest = y.ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
        let left = LEFT.max(14.0 + LABEL * longest as f64);
        let (x_scale, y_scale) = (
            Scale::new(x.range, (left + 10.0, WIDTH - RIGHT - 10.0), x.log),
            Scale::new(y.range, (top + PLOT, top), y.log),
        );
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" y=\"{3}\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n\
             <title>{2}</title>\n<style>\n{CSS}</style>\n<rect class=\"page\" width=\"{0}\" height=\"{1}\"/>\n",
            n(WIDTH),
            n(height),
            escape(&self.title),
            n(down),
        );
        for (line, title) in titles.iter().enumerate() {
            let at = 24.0 + TITLE_LINE * line as f64;
            out += &format!("<text class=\"strong\" x=\"16\" y=\"{}\">{}</text>\n", n(at), escape(title));
        }
        out += &legend;
        out += &self.frame((&x, &x_scale), (&y, &y_scale), (left, top));
        for (at, series) in self.series.iter().enumerate() {
            out += &draw(series, at, &x_scale, &y_scale);
        }
        (out + "</svg>\n", height)
    }

    fn key(&self, at: usize, x: f64, y: f64) -> String {
        let (style, class) = (self.series[at].style, class(at));
        let dot = circle(style, &class, x, y, "");
        match style {
            Style::Points => dot,
            _ => format!(
                "<path class=\"line{} {class}\" d=\"M{} {}h26\"/>{dot}",
                dashed(style),
                n(x - 13.0),
                n(y)
            ),
        }
    }

    fn frame(
        &self,
        (x, x_scale): (&Axis, &Scale),
        (y, y_scale): (&Axis, &Scale),
        (left, top): (f64, f64),
    ) -> String {
        let mut out = String::new();
        let base = top + PLOT;
        for (value, label) in &y.ticks {
            let at = y_scale.at(*value);
            out += &format!("<path class=\"grid\" d=\"M{} {}H{}\"/>", n(left), n(at), n(WIDTH - RIGHT));
            out += &format!(
                "<text class=\"end\" x=\"{}\" y=\"{}\">{label}</text>\n",
                n(left - 7.0),
                n(at + 4.0)
            );
        }
        let log = |axis: &Axis| if axis.log { " (log)" } else { "" };
        out += &format!("<text x=\"16\" y=\"{}\">{}{}</text>\n", n(top - 12.0), escape(&self.y), log(y));
        let mut last = f64::NEG_INFINITY;
        for (value, label) in &x.ticks {
            let (at, half) = (x_scale.at(*value), 3.6 * label.chars().count() as f64);
            if at - half < last {
                continue;
            }
            last = at + half + 6.0;
            out += &format!("<path class=\"tick\" d=\"M{} {}v4\"/>", n(at), n(base));
            out += &format!("<text class=\"mid\" x=\"{}\" y=\"{}\">{label}</text>\n", n(at), n(base + 17.0));
        }
        out += &format!(
            "<text class=\"end\" x=\"{}\" y=\"{}\">{}{}</text>\n",
            n(WIDTH - RIGHT),
            n(base + 36.0),
            escape(&self.x),
            log(x)
        );
        out + &format!("<path class=\"axis\" d=\"M{} {}H{}\"/>\n", n(left), n(base), n(WIDTH - RIGHT))
    }
}

/// A text in lines of about so many characters, between words.
fn broken(text: &str, characters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > characters {
            lines.push(word.into());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Charts below each other, as one SVG file. Cost: linear in the points.
pub fn stacked(charts: &[LineChart]) -> String {
    let (mut inside, mut height) = (String::new(), 0.0);
    for chart in charts {
        let (svg, more) = chart.drawn(height);
        inside += &svg;
        height += more;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n{inside}</svg>\n",
        n(WIDTH),
        n(height)
    )
}

fn class(at: usize) -> String {
    format!("c{}", at % COLOURS)
}

fn dashed(style: Style) -> &'static str {
    if style == Style::Dashed { " dashed" } else { "" }
}

fn circle(style: Style, class: &str, x: f64, y: f64, inside: &str) -> String {
    let (mark, r) = if style == Style::Points { ("point", "4") } else { ("dot", "2.5") };
    format!("<circle class=\"{mark} {class}\" cx=\"{}\" cy=\"{}\" r=\"{r}\">{inside}</circle>", n(x), n(y))
}

/// The stretches of a series between what is not finite, as paths.
fn path(points: &[(f64, f64)], x: &Scale, y: &Scale) -> String {
    let mut out = String::new();
    let mut pen = 'M';
    for (a, b) in points {
        if !a.is_finite() || !b.is_finite() {
            pen = 'M';
            continue;
        }
        out += &format!("{pen}{} {}", n(x.at(*a)), n(y.at(*b)));
        pen = 'L';
    }
    out
}

fn draw(series: &Series, at: usize, x: &Scale, y: &Scale) -> String {
    let class = class(at);
    let mut out = String::new();
    if !series.band.is_empty() {
        let ends = series.points.iter().zip(&series.band);
        let upper = ends.clone().map(|((a, _), band)| (*a, band.1));
        let lower = ends.rev().map(|((a, _), band)| (*a, band.0));
        let outline: Vec<_> = upper.chain(lower).filter(|(a, b)| a.is_finite() && b.is_finite()).collect();
        out += &format!("<path class=\"band {class}\" d=\"{}z\"/>\n", path(&outline, x, y));
    }
    if series.style != Style::Points {
        let line = path(&series.points, x, y);
        out += &format!("<path class=\"line{} {class}\" d=\"{line}\"/>\n", dashed(series.style));
    }
    for (a, b) in series.points.iter().filter(|(a, b)| a.is_finite() && b.is_finite()) {
        let title = format!("<title>{}: {b} at {a}</title>", escape(&series.name));
        out += &circle(series.style, &class, x.at(*a), y.at(*b), &title);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> LineChart {
        let line = Series { name: "a < b".into(), points: vec![(1.0, 4.0), (2.0, 2.0)], ..Series::default() };
        let gap = Series {
            name: "gap".into(),
            style: Style::Dashed,
            points: vec![(1.0, 1.0), (2.0, f64::NAN), (4.0, 1.0)],
            band: vec![(0.5, 1.5), (f64::NAN, f64::NAN), (0.5, 1.5)],
        };
        LineChart {
            title: "T & t".into(),
            x: "P".into(),
            y: "s".into(),
            series: vec![line, gap],
            ..LineChart::default()
        }
    }

    #[test]
    fn every_series_is_drawn_and_named() {
        let svg = chart().svg();
        assert!(svg.contains("<title>T &amp; t</title>") && svg.contains(">a &lt; b</text>"));
        assert_eq!(svg.matches("class=\"dot c0\"").count(), 1 + 2);
        assert_eq!(svg.matches("class=\"dot c1\"").count(), 1 + 2);
        assert_eq!(svg.matches("class=\"band c1\"").count(), 1);
        assert!(svg.contains("prefers-color-scheme: dark"));
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn charts_below_each_other_are_one_file() {
        let svg = stacked(&[chart(), chart()]);
        assert_eq!(svg.matches("<svg ").count(), 3);
        assert_eq!(svg.matches("</svg>").count(), 3);
        let one = chart().drawn(0.0).1;
        assert!(
            svg.contains(&format!("y=\"{}\" width", n(one)))
                && svg.contains(&format!("height=\"{}\"", n(2.0 * one)))
        );
    }

    #[test]
    fn what_is_long_has_room() {
        let long = "A title of many words that goes on for longer than one line of a chart is wide, which is some ninety";
        let wide = Series { points: vec![(1.0, 1e-1), (2.0, 1e6)], ..Series::default() };
        let svg = LineChart { title: long.into(), series: vec![wide], ..LineChart::default() }.svg();
        assert_eq!(svg.matches("class=\"strong\"").count(), 2);
        let label = svg.split("<text class=\"end\" x=\"").find(|t| t.contains(">1,000,000<")).unwrap();
        assert!(label.split('"').next().unwrap().parse::<f64>().unwrap() > 65.0, "{label}");
    }

    #[test]
    fn nothing_to_show_is_still_a_chart() {
        let svg = LineChart::default().svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }
}
