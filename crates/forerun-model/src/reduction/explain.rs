//! What bounds a time, in a sentence.

use forerun_platform::{JoinAt, ReductionProfile};
use forerun_skeleton::reduction::Shape;

use super::Bound;
use super::costs::Costs;
use super::timing::Timing;
use crate::Load;
use crate::words::{bytes, seconds, times};

/// The sentence with the figures of the cycle, or of the finish.
pub(super) fn reason(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    c: &Costs,
    size: usize,
    t: &Timing,
    finish: f64,
) -> String {
    let per_result = |s: f64| seconds(s / t.results.max(1.0));
    match t.bound {
        Bound::Task if size == 1 => format!("every result takes a task of {}", seconds(c.task)),
        Bound::Task => {
            format!("tasks bound it: {} each, one result every {}", seconds(c.task), per_result(t.cycle))
        }
        Bound::Merge => format!(
            "merges bound it: one result every {}, where the tasks alone would allow {}",
            per_result(t.cycle),
            seconds(c.task / size as f64)
        ),
        Bound::Sink if joins(profile, c) => {
            format!("merging what is delivered bounds it: one result every {}", per_result(t.cycle))
        }
        Bound::Sink => format!("the sink bounds it: one result every {}", per_result(t.cycle)),
        Bound::Communication => format!(
            "messages bound it: a result of {} takes {} from rank to rank, a task {}",
            bytes(c.bytes(1)),
            seconds(c.hop(1)),
            seconds(c.task)
        ),
        Bound::Master => {
            let slaves = size as f64 - 1.0;
            format!(
                "the master merges {} for every set of tasks: {} a result, where the slaves give one every {}",
                times(slaves, "result"),
                per_result(t.cycle),
                seconds(c.task / slaves)
            )
        }
        Bound::First => {
            format!(
                "the first rank, which delivers every set, bounds it: one result every {}",
                seconds(t.cycle)
            )
        }
        Bound::Depth => format!(
            "{} on {}: merging them up the tree takes {} after the last task",
            times(load.tasks as f64 / shape.groups as f64, "task"),
            times(size as f64, "rank"),
            seconds(t.drain)
        ),
        Bound::Cores => format!("{} share fewer cores", times(shape.ranks as f64, "rank")),
        Bound::Finish => {
            let own = profile.finish.seconds(c.bytes(load.tasks), load.tasks as f64);
            let joins = profile.join.is_some_and(|join| join.at == JoinAt::Finish) && own < finish / 2.0;
            let what = if joins { "merging what is delivered at the end" } else { "the finish" };
            format!("{what} bounds it: that takes {}, all before it {}", seconds(finish), seconds(t.seconds))
        }
    }
}

/// Whether the sink takes most of its time to merge the sets that it is given.
fn joins(profile: &ReductionProfile, c: &Costs) -> bool {
    let own = profile.sink.seconds(c.bytes(1), 1.0);
    profile.join.as_ref().is_some_and(|join| join.at == JoinAt::Sink) && own < c.sink(1) / 2.0
}

/// What goes by way of the disk, as the rest of the sentence; nothing where all fits in memory.
pub(super) fn spilled(profile: &ReductionProfile, load: &Load) -> String {
    let Some(spill) = &profile.spill else { return String::new() };
    let result = profile.result_of(load.bytes);
    let results = spill.spilled(load.tasks, result) as f64;
    if results == 0.0 {
        return String::new();
    }
    let again = spill.again(load.tasks, result);
    let way = (results + again) * (spill.write.seconds(result, 1.0) + spill.read.seconds(result, 1.0));
    let passes = match again > 0.0 {
        true => format!(
            ", {} in all since only {} are merged at a time",
            bytes(spill.by_disk(load.tasks, result)),
            times(spill.ways.max(2.0), "result")
        ),
        false => String::new(),
    };
    format!(
        "; {} of {} have no room in memory and go by way of the disk{passes}, which takes {} of work",
        bytes(results * result),
        bytes(load.tasks as f64 * result),
        seconds(way)
    )
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Cost, Host, Join, JoinAt, Network, Platform, ReductionProfile, Strategy};
    use forerun_skeleton::reduction::Shape;

    use crate::Load;
    use crate::reduction::predict;

    /// Where most of the time is after the last delivery, that is said, with what it takes.
    #[test]
    fn a_long_finish_bounds_a_job() {
        let platform = Platform::new("p", vec![Host::new("h", 1, 2)], Network::default());
        let of = |finish: f64, join: Option<Join>, ranks| {
            let profile = ReductionProfile {
                task: Cost::constant(1.0),
                finish: Cost::constant(finish),
                join,
                ..ReductionProfile::default()
            };
            predict(&Shape::new(Strategy::Adaptive, ranks), &Load::new(16, 1.0), &profile, &platform).unwrap()
        };
        let join = |cost| Some(Join::new(JoinAt::Finish, Cost::constant(cost)));
        for ranks in [1, 2] {
            let tasks = 16.0 / ranks as f64;
            let said = of(74.8, None, ranks);
            assert_eq!(said.bound.name(), "finish");
            let expected = format!("the finish bounds it: that takes 74.8 s, all before it {tasks} s");
            assert_eq!(said.reason, expected);
            let said = of(1.0, join(5.0), ranks);
            let starts = "merging what is delivered at the end bounds it: that takes ";
            assert!(said.reason.starts_with(starts), "{}", said.reason);
            assert!(said.reason.contains(&format!(" s, all before it {tasks} s")), "{}", said.reason);
            // Merging is not what bounds a finish that is long by itself.
            assert_eq!(of(74.8, join(0.0), ranks).reason, expected);
            for less in [of(1.0, None, ranks), of(1.0, join(0.1), ranks)] {
                assert_eq!(less.bound.name(), "tasks", "{}", less.reason);
            }
        }
    }

    /// A sink that merges is not what bounds a job whose deliveries cost nothing themselves.
    #[test]
    fn merging_in_the_sink_is_called_merging() {
        let platform = Platform::new("p", vec![Host::new("h", 1, 2)], Network::default());
        let of = |sink: f64, join: f64, groups| {
            let profile = ReductionProfile {
                task: Cost::constant(1.0),
                sink: Cost::constant(sink),
                join: Some(Join::new(JoinAt::Sink, Cost::constant(join))),
                ..ReductionProfile::default()
            };
            let shape = Shape { groups, ..Shape::new(Strategy::Adaptive, groups) };
            predict(&shape, &Load::new(16, 1.0), &profile, &platform).unwrap().reason
        };
        for groups in [1, 2] {
            let said = of(0.001, 4.0, groups);
            assert!(said.starts_with("merging what is delivered bounds it: one result every "), "{said}");
            let said = of(4.0, 0.001, groups);
            assert!(said.starts_with("the sink bounds it: one result every "), "{said}");
            let said = of(0.001, 0.001, groups);
            assert!(said.starts_with("every result takes a task of "), "{said}");
        }
    }
}
