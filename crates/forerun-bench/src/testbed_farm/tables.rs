//! What came of it.

use forerun_platform::Way;
use forerun_platform::statistics::median;

use super::at::Kept;
use super::{All, Large, Small};

/// What errors are to be at most, as parts of what is measured: in the median and at worst.
const AIMS: (f64, f64) = (0.05, 0.15);
/// What dynamic masters may lose where tasks are large.
const LOSS: f64 = 0.02;
/// Ways of predicting.
const WAYS: [Way; 2] = [Way::Analytic, Way::Simulated];

fn middle(values: &[f64]) -> f64 {
    median(values).unwrap_or(f64::NAN)
}

fn seconds(kept: &[Kept], way: Way) -> Vec<f64> {
    kept.iter().filter_map(|one| one.seconds(way)).collect()
}

/// How far off the median of what was predicted is of the median of what was measured; none where nothing was predicted.
fn error(kept: &[Kept], way: Way) -> Option<f64> {
    Some(median(&seconds(kept, way))? / median(&seconds(kept, Way::Mpi))? - 1.0)
}

/// Measured times, their spread (the median deviation from the median), and a cell for each way of predicting.
fn cells(kept: &[Kept]) -> String {
    let measured = seconds(kept, Way::Mpi);
    let median = middle(&measured);
    let range = measured.iter().fold((f64::INFINITY, 0.0f64), |r, s| (r.0.min(*s), r.1.max(*s)));
    let off: Vec<f64> = measured.iter().map(|s| (s / median - 1.0).abs()).collect();
    let mut cells = format!("{median:.3} ({:.3}–{:.3}) | {:.1} %", range.0, range.1, 100.0 * middle(&off));
    for way in WAYS {
        let error = error(kept, way).map(|off| signed(100.0 * off));
        let predicted = middle(&seconds(kept, way));
        cells += &error.map_or(" | –".into(), |off| format!(" | {predicted:.3} ({off} %)"));
    }
    cells
}

/// With a minus of the width of a plus.
fn signed(value: f64) -> String {
    format!("{value:+.1}").replace('-', "−")
}

/// Whether an aim is met.
fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}

/// Errors in the median and at worst, and whether the aims are met.
fn summary(name: &str, errors: &[f64]) -> String {
    let sizes: Vec<f64> = errors.iter().map(|e| e.abs()).collect();
    let (median, worst) = (middle(&sizes), sizes.iter().copied().fold(0.0, f64::max));
    format!(
        "{name}: median error {:.1} % (aim of {:.0} % {}), worst {:.1} % (aim of {:.0} % {}) of {} configurations.\n",
        100.0 * median,
        100.0 * AIMS.0,
        met(median <= AIMS.0),
        100.0 * worst,
        100.0 * AIMS.1,
        met(worst <= AIMS.1),
        errors.len()
    )
}

/// Predicted beside measured, of every job on every number of hosts.
pub(super) fn accuracy(all: &All) -> String {
    let mut text = String::from(
        "## Predicted beside measured\n\n\
         | job | hosts | measured, s: median (range) | spread | analytic, s: median | simulated, s: median | right answers |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for ((job, hosts), kept) in all {
        let right = kept.iter().filter(|one| one.right).count();
        text += &format!("| {} | {hosts} | {} | {right} of {} |\n", job.name(), cells(kept), kept.len());
    }
    text.push('\n');
    for way in WAYS {
        let errors = |of: &dyn Fn(&str) -> bool| -> Vec<f64> {
            all.iter().filter(|((job, _), _)| of(&job.name())).filter_map(|(_, k)| error(k, way)).collect()
        };
        text += &summary(way.name(), &errors(&|_| true));
        for (name, is_of) in [("of farms", false), ("of reductions", true)] {
            text += &summary(&format!("- {name}"), &errors(&|job| job.starts_with("reduce") == is_of));
        }
        text.push('\n');
    }
    text
}

/// Small tasks by the number of slaves and of masters, and how many slaves a master keeps up with.
pub(super) fn saturation(said: &str, small: &Small) -> String {
    let mut text = format!(
        "## Small tasks\n\nThe plan of {} ranks, before any was run: {said}.\n\n\
         | masters | ranks | slaves | measured, s: median (range) | spread | analytic, s | simulated, s | slaves' worth | predicted |\n\
         |---|---|---|---|---|---|---|---|---|\n",
        super::MOST
    );
    let of = |at, way| small.get(&at).map_or(f64::NAN, |kept| middle(&seconds(kept, way)));
    let worth = |at, way| of(("1", 2), way) / of(at, way);
    for ((masters, ranks), kept) in small {
        let slaves = masters.parse::<usize>().map_or("–".into(), |masters| (ranks - masters).to_string());
        let at = (*masters, *ranks);
        text += &format!(
            "| {masters} | {ranks} | {slaves} | {} | {:.2} | {:.2} |\n",
            cells(kept),
            worth(at, Way::Mpi),
            worth(at, Way::Simulated)
        );
    }
    let most = |way| super::SLAVES.iter().map(|slaves| worth(("1", slaves + 1), way)).fold(0.0, f64::max);
    text + &format!(
        "\nSlaves' worth: how many times as fast as one slave. One master keeps up with {:.1} slaves at most as measured, {:.1} by \
         virtual time, {:.1} in closed form.\n",
        most(Way::Mpi),
        most(Way::Simulated),
        most(Way::Analytic)
    ) + &right(small.values().flatten())
}

/// How many results were those of one process.
fn right<'k>(kept: impl Iterator<Item = &'k Kept>) -> String {
    let (mut right, mut all) = (0, 0);
    for one in kept {
        right += usize::from(one.right);
        all += 1;
    }
    format!("\nRight answers: {right} of {all}.\n")
}

/// Dynamic masters beside one.
pub(super) fn dynamic(small: &Small, large: &Large) -> String {
    let mut text = String::from(
        "## Dynamic masters beside one\n\n\
         | tasks | hosts | one master, s: median (range) | dynamic, s: median (range) | dynamic / one | |\n|---|---|---|---|---|---|\n",
    );
    let range = |kept: &[Kept]| cells(kept).split(" | ").next().unwrap_or_default().to_owned();
    let mut row = |tasks: &str,
                   hosts: usize,
                   (one, dynamic): (&[Kept], &[Kept]),
                   is_met: &dyn Fn(f64) -> &'static str| {
        let ratios: Vec<f64> = seconds(dynamic, Way::Mpi)
            .iter()
            .zip(seconds(one, Way::Mpi))
            .map(|(dynamic, one)| dynamic / one)
            .collect();
        let ratio = middle(&ratios);
        text += &format!(
            "| {tasks} | {hosts} | {} | {} | {ratio:.3} | {} |\n",
            range(one),
            range(dynamic),
            is_met(ratio)
        );
    };
    for ranks in super::RANKS {
        if let (Some(one), Some(dynamic)) = (small.get(&("1", ranks)), small.get(&("dynamic", ranks))) {
            row("small", ranks, (one, dynamic), &|ratio| if ratio < 1.0 { "faster" } else { "not faster" });
        }
    }
    for ((tasks, hosts), [one, dynamic]) in large {
        let name = if *tasks == super::EVEN { "large, all alike" } else { "large, of which many are small" };
        row(name, *hosts, (one, dynamic), &|ratio| {
            if ratio <= 1.0 + LOSS { "loses no more than 2 %" } else { "loses more than 2 %" }
        });
    }
    text + "\nRatio: the median of those of each round, in which both took their turns.\n"
        + &right(large.values().flatten().flatten())
}

/// Every time.
pub(super) fn raw(all: &All, small: &Small, large: &Large) -> String {
    let mut text = String::from(
        "## Every time, in seconds\n\n```csv\njob,hosts,masters,way,makespan_s,messages,bytes\n",
    );
    let mut add = |job: &str, hosts: usize, masters: &str, kept: &[Kept]| {
        for o in kept.iter().flat_map(|one| &one.outcomes) {
            let way = o.way.name();
            text +=
                &format!("{job},{hosts},{masters},{way},{:.4},{},{}\n", o.makespan_s, o.messages, o.bytes);
        }
    };
    for ((job, hosts), kept) in all {
        let name = job.name();
        add(&name, *hosts, if name.starts_with("reduce") { "" } else { "1" }, kept);
    }
    for ((masters, ranks), kept) in small {
        add("small", *ranks, masters, kept);
    }
    for ((tasks, hosts), [one, dynamic]) in large {
        add(tasks, *hosts, "1", one);
        add(tasks, *hosts, "dynamic", dynamic);
    }
    text + "```\n"
}
