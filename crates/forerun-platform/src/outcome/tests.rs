//! Outcomes: the sums over ranks, the names other programs rely on, and that they can be read back.

use super::*;
use crate::{Deal, Grain, Interval, Machine, Skeleton, Strategy};

fn rank(task_s: f64, count: u64, messages: u64) -> RankTimes {
    let task = StageTotal { count, total_s: task_s };
    RankTimes {
        stages: BTreeMap::from([(Stage::Task, task)]),
        end_s: task_s,
        messages,
        bytes: messages * 10,
        ..Default::default()
    }
}

fn outcome() -> Outcome {
    let plan = Plan {
        skeleton: Skeleton::Reduction,
        shares: Vec::new(),
        ahead: 0,
        strategy: Strategy::ParallelPipeline,
        processors: 2,
        groups: 1,
        arity: 2,
        set: 1,
        gather: 1,
        deal: Deal::default(),
        grain: Grain { tasks: Some(6), bytes: 4096 },
        farm: None,
        window: 4,
        predicted: Some(Interval { makespan_s: 9.6, low_s: 9.0, high_s: 11.0 }),
        reason: "tasks bound it".into(),
    };
    let ranks = vec![rank(9.0, 4, 3), rank(8.0, 2, 1)];
    let machine = Machine { cpu: "X".into(), cores: 2, memory: None, os: "linux".into() };
    Outcome { machine: Some(machine), ..Outcome::from_ranks(Way::Threads, plan, 10.0, ranks, 6) }
}

#[test]
fn totals_are_sums_over_ranks() {
    let o = outcome();
    assert_eq!((o.messages, o.bytes, o.processors), (4, 40, 2));
    assert_eq!(o.stages, BTreeMap::from([(Stage::Task, StageTotal { count: 6, total_s: 17.0 })]));
    assert_eq!(o.throughput, 0.6);
    assert_eq!(o.relative_error(), Some((9.6 - 10.0) / 10.0));
    let none = Outcome::from_ranks(Way::Simulated, o.plan, 0.0, Vec::new(), 0);
    assert_eq!((none.throughput, none.relative_error()), (0.0, None));
}

#[test]
fn what_came_before_a_rank_began_is_waiting_for_inputs() {
    let mut rank = rank(9.0, 4, 3);
    rank.timeline = vec![Span { stage: Stage::Task, item: 0, start_s: 0.5, end_s: 9.0 }];
    rank.waited_before(2.0);
    assert_eq!((rank.end_s, rank.stages[&Stage::Input].total_s), (11.0, 2.0));
    let times: Vec<_> = rank.timeline.iter().map(|s| (s.stage, s.start_s, s.end_s)).collect();
    assert_eq!(times, [(Stage::Input, 0.0, 2.0), (Stage::Task, 2.5, 11.0)]);
}

#[test]
fn json_has_the_stable_names() {
    let json = serde_json::to_value(outcome()).unwrap();
    for (path, value) in [
        ("/way", serde_json::json!("threads")),
        ("/strategy", "parallel-pipeline".into()),
        ("/processors", 2.into()),
        ("/makespan_s", 10.0.into()),
        ("/predicted/makespan_s", 9.6.into()),
        ("/predicted/low_s", 9.0.into()),
        ("/predicted/high_s", 11.0.into()),
        ("/messages", 4.into()),
        ("/bytes", 40.into()),
        ("/stages/task/count", 6.into()),
        ("/stages/task/total_s", 17.0.into()),
        ("/ranks/1/messages", 1.into()),
        ("/platform", "".into()),
        ("/machine/cores", 2.into()),
        ("/plan/strategy", "parallel-pipeline".into()),
        ("/plan/processors", 2.into()),
        ("/plan/groups", 1.into()),
        ("/plan/arity", 2.into()),
        ("/plan/grain/tasks", 6.into()),
        ("/plan/predicted/makespan_s", 9.6.into()),
        ("/plan/reason", "tasks bound it".into()),
    ] {
        assert_eq!(json.pointer(path), Some(&value), "{path}");
    }
}

#[test]
fn names_are_those_that_serde_writes() {
    for stage in Stage::ALL {
        assert_eq!(serde_json::to_value(stage).unwrap(), stage.name());
    }
    for way in Way::ALL {
        assert_eq!(serde_json::to_value(way).unwrap(), way.name());
    }
    for strategy in Strategy::ALL {
        assert_eq!(serde_json::to_value(strategy).unwrap(), strategy.name());
    }
}

#[test]
fn an_outcome_reads_back_and_keys_that_are_not_known_are_passed_over() {
    let text = serde_json::to_string(&outcome()).unwrap().replacen('{', "{\"added_later\": 1,", 1);
    assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome());
}
