//! The lines that a person reads.

use forerun_model::planner::{Divisible, Planned};
use forerun_platform::{Bytes, Cost, JoinAt, Outcome, Plan, Platform, ReductionProfile, Strategy, Wait};

use crate::pilot::Pilot;
use crate::planning::Facts;
use crate::text;

/// A platform in a line.
pub fn platform(platform: &Platform) -> String {
    let what = platform.machine.as_deref().unwrap_or(&platform.name);
    let network = &platform.network;
    let latency = text::seconds(network.latency.value.0 + network.send_overhead.base.value.0);
    let measured = platform.measured.as_deref().map(|d| format!(", measured {d}")).unwrap_or_default();
    format!("{what}; a message takes {latency}{measured}")
}

/// A profile, in a line for every stage that costs something.
pub fn profile(costs: &ReductionProfile, pilot: Option<&Pilot>) -> String {
    let result = costs.result_of(costs.tried);
    let stages = [
        ("task", &costs.task, costs.tried),
        ("merge", &costs.merge, 2.0 * result),
        ("sink", &costs.sink, result),
        ("finish", &costs.finish, result),
    ];
    // Of a few bytes nobody knows what a million take.
    let few = pilot.is_some() && costs.tried > 0.0 && costs.tried < LEAST;
    let shown = |c: &Cost, bytes: f64| if few { cost(&of_bytes(c, bytes)) } else { cost(c) };
    let mut parts: Vec<String> = stages
        .into_iter()
        .filter(|(_, c, _)| c.seconds(1.0, 1.0) > 0.0)
        .map(|(name, c, bytes)| format!("{name} {}", shown(c, bytes)))
        .collect();
    if costs.new_memory > 0.0 && costs.merge.seconds(1.0, 1.0) > 0.0 {
        parts.push(format!("merging into new memory {} more", per_byte(costs.new_memory)));
    }
    if let Some(join) =
        costs.join.filter(|join| join.at == JoinAt::Finish && join.cost.seconds(1.0, 1.0) > 0.0)
    {
        parts.push(format!("joining {} a level", shown(&join.cost, 2.0 * result)));
    }
    if let Some(spill) = &costs.spill {
        let both = Cost { per_byte: spill.write.per_byte + spill.read.per_byte, ..spill.write };
        let both = Cost { fixed: both.fixed + spill.read.fixed, ..both };
        parts.push(format!("to the disk and back {}", self::cost(&both)));
    }
    if parts.is_empty() {
        if pilot.is_some_and(|pilot| pilot.tasks == 0) {
            return "nothing to measure: there is no task".into();
        }
        parts.push("nothing costs anything".into());
    }
    let mut line = parts.join(", ");
    if let Some(pilot) = pilot {
        let tasks = text::plural(pilot.tasks as u64, "task");
        line.push_str(&format!(" ({tasks} timed in {})", text::seconds(pilot.seconds)));
    }
    line
}

/// Bytes of the largest task that was tried, from which on a rate by the byte is said: a thousandth of those that it is said of.
const LEAST: f64 = 1000.0;

/// The cost of so many bytes, as one that does not depend on them.
fn of_bytes(c: &Cost, bytes: f64) -> Cost {
    let wait = Wait { fixed: c.wait.fixed + c.wait.per_byte * bytes, per_byte: 0.0, ..c.wait };
    Cost { fixed: c.fixed + c.per_byte * bytes, per_byte: 0.0, wait, ..*c }
}

fn cost(c: &Cost) -> String {
    let Wait { fixed, per_byte, per_result } = c.wait;
    let mut parts = line(c.fixed, c.per_byte, c.per_result);
    let waits = line(fixed, per_byte, per_result);
    if !waits.is_empty() {
        parts.push(format!("waiting {}", waits.join(" + ")));
    }
    let spread = if c.spread > 0.0 { format!(" ±{}", text::share(c.spread)) } else { String::new() };
    parts.join(" + ") + &spread
}

fn line(fixed: f64, each_byte: f64, per_result: f64) -> Vec<String> {
    let mut parts = Vec::new();
    if fixed > 0.0 {
        parts.push(text::seconds(fixed));
    }
    if each_byte > 0.0 {
        parts.push(per_byte(each_byte));
    }
    if per_result > 0.0 {
        parts.push(format!("{}/result", text::seconds(per_result)));
    }
    parts
}

/// Seconds of each MB; of each byte where a MB would take minutes, as it does of results that are a few bytes; and of as much more as
/// takes a nanosecond, where that is anything.
pub(crate) fn per_byte(seconds: f64) -> String {
    const MORE: [(&str, f64); 5] = [("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15), ("EB", 1e18)];
    if seconds * 1e6 >= 60.0 {
        return format!("{}/B", text::seconds(seconds));
    }
    let (unit, bytes) = MORE.into_iter().find(|(_, bytes)| seconds * bytes >= 1e-9).unwrap_or(MORE[4]);
    format!("{}/{unit}", text::seconds(seconds * bytes))
}

/// A plan for a job and why.
pub fn plan(planned: &Planned, facts: &Facts) -> String {
    let plan = &planned.best.plan;
    let sizes = match is_each(&facts.input, plan.grain.bytes) {
        _ if !facts.has_sizes() => Sizes::Unsaid,
        true => Sizes::Each,
        false => Sizes::Most,
    };
    let shape = shape_of(plan, sizes);
    let mut lines = vec![shape + &done(facts.done.len())];
    if !plan.reason.is_empty() {
        lines.push(plan.reason.clone());
    }
    lines.extend(planned.warnings.iter().map(|w| format!("but {w}")));
    lines.join("\n")
}

/// That so many of a plan's tasks are done before the run: those of the results that a pilot kept, which are neither all that it
/// timed, nor only such.
fn done(tasks: usize) -> String {
    match tasks {
        0 => String::new(),
        1 => ", 1 of them done already (the pilot kept its result)".into(),
        tasks => {
            format!(", {} of them done already (the pilot kept their results)", text::count(tasks as u64))
        }
    }
}

/// Whether of an input of pieces no two are put together where tasks are of at most so many bytes: what a piece has beyond
/// them is no matter then.
fn is_each(input: &Divisible, grain: u64) -> bool {
    match input {
        Divisible::Pieces { sizes, .. } => {
            sizes.iter().any(|&size| size > grain) && sizes.windows(2).all(|two| two[0] + two[1] > grain)
        }
        Divisible::Anywhere { .. } | Divisible::Tasks { .. } => false,
    }
}

/// How large the tasks of a plan are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sizes {
    /// Up to its grain.
    Most,
    /// As each piece of the input is.
    Each,
    /// Nobody said.
    Unsaid,
}

/// The shape of the plan of a reduction.
pub fn shape(plan: &Plan) -> String {
    shape_of(plan, Sizes::Most)
}

/// The shape of a plan with such tasks.
fn shape_of(plan: &Plan, sizes: Sizes) -> String {
    let processors = text::plural(plan.processors as u64, "processor");
    let mut line = format!("{} on {processors}", plan.strategy.name());
    if plan.groups > 1 {
        line.push_str(&format!(" in {} groups of {}", plan.groups, plan.group_size()));
    }
    if plan.arity > 2 && plan.strategy != Strategy::MasterSlave {
        line.push_str(&format!(", arity {}", plan.arity));
    }
    let size = Bytes(plan.grain.bytes);
    match plan.grain.tasks {
        Some(1) if sizes == Sizes::Each => line.push_str(", 1 task"),
        Some(tasks) if sizes == Sizes::Each => {
            line.push_str(&format!(", {} tasks, one for each input", text::count(tasks)));
        }
        None if sizes == Sizes::Each => line.push_str(", a task for each input"),
        Some(tasks) if sizes == Sizes::Unsaid => line.push_str(&format!(", {}", text::plural(tasks, "task"))),
        Some(tasks) => line.push_str(&format!(", {} of at most {size}", text::plural(tasks, "task"))),
        None if size == Bytes(0) => line.push_str(", a task for each file"),
        None => line.push_str(&format!(", tasks of at most {size}")),
    }
    line
}

/// The best plan of every strategy, as a table; on 1 processor all are one.
pub fn alternatives(planned: &Planned) -> String {
    let mut rows = vec![["", "strategy", "processors", "tasks", "predicted", ""].map(String::from)];
    let best = planned.best.expected().makespan_s;
    for (i, (choice, several)) in planned.distinct().enumerate() {
        let plan = &choice.plan;
        rows.push([
            if i == 0 { "→".into() } else { String::new() },
            if several { "any".into() } else { plan.strategy.name().into() },
            plan.processors.to_string(),
            plan.grain.tasks.map_or("?".into(), text::count),
            text::interval(&choice.expected()),
            if i == 0 || best == 0.0 {
                String::new()
            } else {
                text::percent(choice.expected().makespan_s / best - 1.0)
            },
        ]);
    }
    columns(&rows)
}

/// Predicted outcomes, as a table.
pub fn predictions(outcomes: &[Outcome]) -> String {
    let mut rows =
        vec![["processors", "by", "strategy", "tasks", "makespan", "speedup", "messages"].map(String::from)];
    for outcome in outcomes {
        let like = |o: &&Outcome| o.way == outcome.way && o.plan.skeleton == outcome.plan.skeleton;
        let alone = outcomes.iter().filter(like).find(|o| o.processors == 1);
        let speedup = alone.filter(|_| outcome.makespan_s > 0.0).map(|a| a.makespan_s / outcome.makespan_s);
        rows.push([
            outcome.processors.to_string(),
            outcome.way.name().into(),
            pattern(&outcome.plan),
            outcome.plan.grain.tasks.map_or("?".into(), text::count),
            time(outcome),
            speedup.map_or("–".into(), text::ratio),
            text::count(outcome.messages),
        ]);
    }
    columns(&rows)
}

/// The makespan of an outcome, with its interval where it has one.
pub fn time(outcome: &Outcome) -> String {
    outcome.predicted.as_ref().map_or_else(|| text::seconds(outcome.makespan_s), text::interval)
}

/// A plan's pattern, and how many of a farm's ranks do its tasks, where others hand them out.
fn pattern(plan: &Plan) -> String {
    match plan.farm {
        Some(farm) if farm.masters > 0 => {
            format!("{}, {}", plan.pattern(), text::plural(plan.slaves() as u64, "slave"))
        }
        _ => plan.pattern().into(),
    }
}

/// Predicted outcomes of so many pages that a crawl fetches, as a table.
pub fn pages(rows: impl IntoIterator<Item = [String; 6]>, pages: u64) -> String {
    let time = format!("time of {}", text::plural(pages, "page"));
    let head = ["processors", "by", "strategy", "extracted/s", "crawled/s", &time].map(String::from);
    columns(&[head].into_iter().chain(rows).collect::<Vec<_>>())
}

/// Rows with their columns aligned, numbers to the right.
fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let numeric = |c: usize| {
        rows.iter().skip(1).all(|r| r[c].chars().next().is_none_or(|d| !d.is_alphabetic() && d != '→'))
    };
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = (0..N)
            .map(|c| {
                let pad = " ".repeat(widths[c] - row[c].chars().count());
                if numeric(c) { pad + &row[c] } else { row[c].clone() + &pad }
            })
            .collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use forerun_model::planner::Divisible;
    use forerun_platform::{Grain, Plan, Strategy};

    use super::{Sizes, done, is_each, per_byte, shape_of};

    #[test]
    fn tasks_of_one_piece_each_are_not_said_to_be_smaller_than_those() {
        let pieces = |sizes: &[u64]| Divisible::Pieces {
            sizes: sizes.to_vec(),
            breaks: Vec::new(),
            max_grain: 1 << 20,
        };
        for (sizes, grain, each) in [
            (&[7, 9, 8][..], 1, true),
            (&[7, 9, 8], 10, false),
            (&[7, 9, 0, 2, 8], 1, true),
            (&[7, 0, 1, 8], 1, false),
            (&[7, 9], 20, false),
            (&[7], 1, true),
            (&[7], 8, false),
            (&[], 1, false),
        ] {
            assert_eq!(is_each(&pieces(sizes), grain), each, "{sizes:?} {grain}");
        }
        assert!(!is_each(&Divisible::Anywhere { total_bytes: 9, min_grain: 1, max_grain: 9 }, 1));
        let said =
            |tasks, sizes| shape_of(&Plan::new(Strategy::Adaptive, 2, Grain { tasks, bytes: 1 }), sizes);
        assert_eq!(said(Some(20), Sizes::Each), "adaptive on 2 processors, 20 tasks, one for each input");
        assert_eq!(said(Some(1), Sizes::Each), "adaptive on 2 processors, 1 task");
        assert_eq!(said(None, Sizes::Each), "adaptive on 2 processors, a task for each input");
        assert_eq!(said(Some(20), Sizes::Most), "adaptive on 2 processors, 20 tasks of at most 1 B");
        assert_eq!(said(Some(20), Sizes::Unsaid), "adaptive on 2 processors, 20 tasks");
        let seven = said(Some(7), Sizes::Each);
        assert_eq!(seven.clone() + &done(0), "adaptive on 2 processors, 7 tasks, one for each input");
        let of_pilot = "adaptive on 2 processors, 7 tasks, one for each input, \
                        1 of them done already (the pilot kept its result)";
        assert_eq!(seven + &done(1), of_pilot);
        assert_eq!(done(12), ", 12 of them done already (the pilot kept their results)");
    }

    #[test]
    fn what_costs_minutes_a_megabyte_is_said_by_the_byte() {
        assert_eq!(per_byte(4.57e-9), "4.57 ms/MB");
        assert_eq!(per_byte(2.42e-15), "2.42 ns/MB");
        assert_eq!(per_byte(2.42e-16), "242 ns/GB");
        assert_eq!(per_byte(2.42e-23), "24.2 ns/PB");
        assert_eq!(per_byte(2.42e-25), "242 ns/EB");
        assert_eq!(per_byte(2.42e-35), "2.42e-8 ns/EB");
        assert_eq!(per_byte(4.59e-4), "459 µs/B");
    }

    #[test]
    fn no_rate_is_said_of_a_few_bytes() {
        use super::{Cost, Pilot, ReductionProfile, cost, of_bytes};
        let task = Cost { fixed: 1e-6, per_byte: 1e-6, ..Cost::default() };
        let costs = ReductionProfile { task, tried: 4.0, ..ReductionProfile::default() };
        assert_eq!(cost(&of_bytes(&task, 4.0)), "5.00 µs");
        let pilot = Pilot { profile: costs.clone(), seconds: 0.01, tasks: 1 };
        assert_eq!(super::profile(&costs, Some(&pilot)), "task 5.00 µs (1 task timed in 10.0 ms)");
        // One that was given is said as it is, and so is one of more.
        assert_eq!(super::profile(&costs, None), "task 1.00 µs + 1.00 s/MB");
        let more = Pilot { profile: ReductionProfile { tried: 1e6, ..costs }, ..pilot };
        assert!(super::profile(&more.profile, Some(&more)).contains("s/MB"));
    }
}
