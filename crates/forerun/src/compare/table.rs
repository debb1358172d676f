//! The table for the terminal.

use forerun_platform::Outcome;

use super::{Compared, Configuration, Prediction, Runs, Summary, compare, relative_error, summaries};
use crate::text::{self, Align, Table};

/// The table that `forerun compare` prints: one block a job, input and platform, one line a measurement and
/// prediction, and how far off each predictor was over all.
pub fn table(outcomes: &[Outcome], colour: bool) -> String {
    let all = compare(outcomes);
    let mut out = String::new();
    let same = |a: &Compared, b: &Compared| a.configuration.subject() == b.configuration.subject();
    for block in all.chunk_by(same) {
        let of: &Configuration = &block[0].configuration;
        let (job, platform) = (text::printable(&of.job_label()), text::printable(&of.platform));
        let title = match (job.is_empty(), platform.is_empty()) {
            (false, false) => format!("{job} on {platform}"),
            _ => format!("{job}{platform}"),
        };
        out.push_str(&if title.is_empty() { String::new() } else { format!("{title}\n\n") });
        out.push_str(&rows(block).render(colour));
        let several: Vec<String> =
            block.iter().flat_map(|c| &c.several).map(|line| format!("{line}\n")).collect();
        if !several.is_empty() {
            out.push_str(&format!("\n{}", several.concat()));
        }
        let lines: Vec<String> = summaries(block).iter().map(summary_line).collect();
        out.push_str(&if lines.is_empty() {
            "\nNothing here was both predicted and measured, so there is no error to show.\n\n".to_string()
        } else {
            format!("\n{}\n", lines.concat())
        });
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn summary_line(s: &Summary) -> String {
    let (pairs, worst) = (text::plural(s.pairs as u64, "configuration"), text::percent(s.worst));
    let at = format!(
        "{}, {}",
        s.worst_at.strategy_label(),
        text::plural(s.worst_at.processors as u64, "processor")
    );
    match s.pairs {
        1 => format!("{}: off by {worst} ({at})\n", s.by.name()),
        _ => format!(
            "{}: off by {} in the median of {pairs}, at worst {worst} ({at})\n",
            s.by.name(),
            text::share(s.median)
        ),
    }
}

fn rows(block: &[Compared]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("strategy", Left),
        ("P", Right),
        ("run by", Left),
        ("runs", Right),
        ("measured", Right),
        ("min", Right),
        ("max", Right),
        ("predicted by", Left),
        ("predicted", Left),
        ("error", Right),
        ("worst run", Right),
    ]);
    for c in block {
        let name = vec![c.configuration.strategy_label(), c.configuration.processors.to_string()];
        let blank = |n| vec![String::new(); n];
        let predicted = |p: &Prediction| vec![p.by.name().to_string(), text::interval(&p.makespan)];
        if c.measured.is_empty() {
            for (at, p) in c.predictions.iter().enumerate() {
                table.row([if at == 0 { name.clone() } else { blank(2) }, blank(5), predicted(p)].concat());
            }
        }
        for (nth, runs) in c.measured.iter().enumerate() {
            let mut start = [if nth == 0 { name.clone() } else { blank(2) }, measured(runs)].concat();
            if c.predictions.is_empty() {
                table.row(start.clone());
            }
            for p in &c.predictions {
                let cell = |error: Option<f64>| error.map_or("—".into(), text::percent);
                let error = cell(relative_error(p.makespan.makespan_s, runs.median()));
                let worst = if runs.makespans_s.len() > 1 { cell(worst(p, runs)) } else { String::new() };
                table.row(
                    [std::mem::replace(&mut start, blank(7)), predicted(p), vec![error, worst]].concat(),
                );
            }
        }
    }
    table
}

fn measured(runs: &Runs) -> Vec<String> {
    let n = runs.makespans_s.len();
    let ends =
        if n > 1 { [text::seconds(runs.min()), text::seconds(runs.max())] } else { Default::default() };
    let [min, max] = ends;
    vec![runs.way.name().into(), n.to_string(), text::seconds(runs.median()), min, max]
}

/// The prediction's error against the single run that it misses most.
fn worst(prediction: &Prediction, runs: &Runs) -> Option<f64> {
    let ends = [runs.min(), runs.max()].map(|run| relative_error(prediction.makespan.makespan_s, run));
    ends.into_iter().flatten().max_by(|a, b| a.abs().total_cmp(&b.abs()))
}
