//! What comes of the outcomes.

use forerun_platform::statistics::median;
use forerun_platform::{Outcome, Strategy, Way};

use super::{All, HOSTS};

/// What tables VI to XI have by sets of 8, 16 and 32: how many times the parallel pipeline's time master-slave took, and the reduction tree.
const PRINTED: [(usize, f64, f64); 3] = [(8, 1.5, 1.07), (16, 5.4, 1.67), (32, 16.0, 2.3)];

/// How many times the parallel pipeline's time the other strategies took, beside the paper's.
pub(super) fn ratios(all: &All) -> String {
    let mut text = String::from(
        "## Times as long as by the parallel pipeline\n\n\
         | job | hosts | reduction-tree (paper) | master-slave (paper) | adaptive |\n|---|---|---|---|---|\n",
    );
    let middle = |job, hosts, strategy: Strategy| {
        let runs = all.get(&(job, hosts, strategy.name()))?;
        median(&runs.iter().filter(|o| o.way == Way::Mpi).map(|o| o.makespan_s).collect::<Vec<_>>())
    };
    for job in ["tasks", "sort"] {
        for (hosts, ..) in HOSTS {
            let Some(pipeline) = middle(job, hosts, Strategy::ParallelPipeline) else { continue };
            let printed = PRINTED.iter().find(|p| p.0 == hosts && job == "tasks");
            let of = |strategy, paper: Option<f64>| {
                let ratio = middle(job, hosts, strategy).map_or(f64::NAN, |s| s / pipeline);
                format!("{ratio:.2}") + &paper.map_or(String::new(), |p| format!(" ({p})"))
            };
            text += &format!(
                "| {job} | {hosts} | {} | {} | {} |\n",
                of(Strategy::ReductionTree, printed.map(|p| p.2)),
                of(Strategy::MasterSlave, printed.map(|p| p.1)),
                of(Strategy::Adaptive, None)
            );
        }
    }
    text
}

/// Every time of configurations, by job, hosts and strategy: rows of `docs/testbed/outcomes.csv`.
pub(crate) fn raw<'o>(
    all: impl IntoIterator<Item = ((&'o str, usize, &'o str), Vec<&'o Outcome>)>,
) -> String {
    let mut text =
        String::from("## Every time, in seconds\n\n```csv\njob,hosts,strategy,way,makespan_s,low_s,high_s\n");
    for ((job, hosts, strategy), outcomes) in all {
        for o in outcomes {
            // A run has that of the prediction that it was started with.
            let interval = o.predicted.filter(|_| o.way != Way::Mpi);
            let ends = interval.map_or(",".into(), |i| format!("{:.4},{:.4}", i.low_s, i.high_s));
            text += &format!("{job},{hosts},{strategy},{},{:.4},{ends}\n", o.way.name(), o.makespan_s);
        }
    }
    text + "```\n"
}
