//! Laws of the models of jobs.

use forerun_pepa::check::check;
use forerun_pepa::job::{Activity, Farm, Form, JobError, Limits, Reduction, choose, predict, predict_farm};
use forerun_pepa::measures::Measures;
use forerun_pepa::model::{Settings, compile};
use forerun_pepa::solve::{LongRun, Solving, steady};
use forerun_pepa::space::{Exploration, Space};
use forerun_pepa::syntax::{Dialect, Severity, parse};
use forerun_pepa::transient::{Targets, Until, UntilError, until};
use forerun_platform::Strategy;
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

fn costs(activity: Activity) -> f64 {
    match activity {
        Activity::Task => 1.0,
        Activity::Merge(left, right) => 0.02 * (left + right) as f64,
        Activity::Move(results) => 0.003 + 0.001 * results as f64,
        Activity::Deliver(results) => 0.01 * results as f64,
        Activity::Open => 0.05,
    }
}

fn tasks_alone(activity: Activity) -> f64 {
    if activity == Activity::Task { 1.0 } else { 0.0 }
}

/// Arity and ranks on which a strategy runs.
fn shapes(strategy: Strategy, most: usize) -> Vec<(usize, usize)> {
    let power = |arity: usize, ranks: usize| ranks == 1 || arity.pow(ranks.ilog(arity)) == ranks;
    (2..=3)
        .flat_map(|arity| (1..=most).map(move |ranks| (arity, ranks)))
        .filter(|(arity, ranks)| strategy != Strategy::ParallelPipeline || power(*arity, *ranks))
        .collect()
}

/// Whether a model's states are few enough to be looked at in every case.
fn is_small(of: &Reduction<'_>) -> bool {
    let alike = of.strategy == Strategy::Adaptive || of.strategy == Strategy::MasterSlave && of.commutative;
    alike || of.ranks <= 5
}

#[test]
fn models_have_nothing_to_be_said_about() {
    let cases = [
        (0, true, false),
        (1, true, true),
        (1, false, false),
        (13, true, false),
        (13, false, true),
        (37, true, true),
    ];
    let mut seen = 0;
    for strategy in Strategy::ALL {
        for (arity, ranks) in shapes(strategy, 16) {
            for (tasks, commutative, free) in cases {
                let seconds: &dyn Fn(Activity) -> f64 = if free { &tasks_alone } else { &costs };
                let of = Reduction { arity, tasks, commutative, ..Reduction::new(strategy, ranks, seconds) };
                for form in [Form::Run, Form::Stream] {
                    let model = of.model(form);
                    let parsed = parse(&model, Dialect::Any);
                    let read =
                        parsed.model.unwrap_or_else(|| panic!("{of:?}: {:?}\n{model}", parsed.diagnostics));
                    let compiled = compile(&read, &Settings::new());
                    assert!(compiled.system.is_some(), "{of:?}, {form:?}: {:?}\n{model}", compiled.problems);
                    if !is_small(&of) && (ranks, tasks) != (8, 13) {
                        continue;
                    }
                    seen += 1;
                    for d in check(&model, Dialect::Any) {
                        let fine = d.severity != Severity::Error && d.kind == "self-loop";
                        assert!(fine, "{of:?}, {form:?}: {} {}\n{model}", d.kind, d.message);
                    }
                }
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

fn predicted(of: &Reduction<'_>) -> f64 {
    let found = predict(of, &Limits { threads: 1, ..Limits::default() }, &|| false);
    found.unwrap_or_else(|e| panic!("{of:?}: {e}")).seconds
}

#[test]
fn one_rank_takes_the_sum() {
    for strategy in Strategy::ALL {
        for tasks in [0, 1, 2, 17, 500] {
            let of = Reduction { tasks, ..Reduction::new(strategy, 1, &costs) };
            let sum = 0.1 + tasks as f64 * 1.01;
            assert!(
                (predicted(&of) / sum - 1.0).abs() < 1e-9,
                "{strategy:?}, {tasks}: {} for {sum}",
                predicted(&of)
            );
        }
    }
}

fn harmonic(n: u64) -> f64 {
    (1..=n).map(|k| 1.0 / k as f64).sum()
}

#[test]
fn independent_tasks_end_with_the_slowest() {
    // One task each, nothing else: the largest of n exponential times, H_n means.
    for strategy in Strategy::ALL {
        for ranks in [2u64, 4, 8] {
            let tasks = if strategy == Strategy::MasterSlave { ranks - 1 } else { ranks };
            let of = Reduction { tasks, ..Reduction::new(strategy, ranks as usize, &tasks_alone) };
            let found = predicted(&of);
            assert!((found / harmonic(tasks) - 1.0).abs() < 1e-4, "{strategy:?} on {ranks}: {found} s");
        }
    }
    // Whoever is free takes the next: all busy at rate P until P - 1 are left.
    for (strategy, workers) in [(Strategy::Adaptive, 4u64), (Strategy::MasterSlave, 3)] {
        let of = Reduction { tasks: 40, ..Reduction::new(strategy, 4, &tasks_alone) };
        let expected = (40 - workers) as f64 / workers as f64 + harmonic(workers);
        assert!(
            (predicted(&of) / expected - 1.0).abs() < 1e-4,
            "{strategy:?}: {} for {expected}",
            predicted(&of)
        );
    }
}

/// The long run of a model, by another way than the mean time until its end.
fn throughput(model: &str, action: &str) -> f64 {
    let read = parse(model, Dialect::Any).model.expect("a model");
    let system = compile(&read, &Settings::new()).system.expect("a system");
    let how = Exploration { aggregate: true, threads: 1, ..Exploration::default() };
    let space = Space::explore(&system, &how, &mut |_| true).expect("states");
    let found = steady(&system, &space, &Solving::default(), &|| false).expect("a long run");
    assert_eq!(found.long_run, LongRun::Irreducible, "a run begins again");
    let measures = Measures::of(&system, &space, &found.x);
    measures.throughput.iter().filter(|(name, _)| name.starts_with(action)).map(|(_, often)| often).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A run begins again after `finish`, so that this happens once a makespan; and every task is run once.
    #[test]
    fn the_long_run_of_a_run_is_one_over_its_makespan(
        strategy in proptest::sample::select(Strategy::ALL.to_vec()),
        ranks in 1usize..5,
        tasks in 0u64..14,
        commutative in any::<bool>(),
        (gather, set) in (1u64..4, 1u64..4),
    ) {
        let ranks = if strategy == Strategy::ParallelPipeline { 1 << (ranks / 2) } else { ranks };
        let of = Reduction { tasks, commutative, set, gather: gather.min(set), ..Reduction::new(strategy, ranks, &costs) };
        let found = predict(&of, &Limits { threads: 1, ..Limits::default() }, &|| false).expect("a prediction");
        prop_assert_eq!(found.form, Form::Run);
        let often = throughput(&found.model, "finish");
        // The end takes a thousandth of a task, and each start of a rank of an array no more.
        let starts = match strategy {
            _ if ranks == 1 => 0,
            Strategy::Adaptive => tasks.min(ranks as u64),
            Strategy::MasterSlave if commutative => tasks.min(ranks as u64 - 1),
            _ => 0,
        };
        let between = 1.0 / often - found.seconds;
        let (least, most) = (1e-3 - 1e-9, 1e-3 * (1 + starts) as f64 + 1e-9);
        prop_assert!((least..most).contains(&between), "{} s, {} a second", found.seconds, often);
        let ran = throughput(&found.model, "task");
        prop_assert!((ran / often - tasks as f64).abs() < 1e-6, "{} of {} tasks", ran / often, tasks);
    }
}

#[test]
fn a_long_run_is_a_stream() {
    for (strategy, ranks) in [
        (Strategy::ParallelPipeline, 4),
        (Strategy::ReductionTree, 4),
        (Strategy::ReductionTree, 3),
        (Strategy::MasterSlave, 5),
        (Strategy::Adaptive, 4),
    ] {
        for commutative in [true, false] {
            let of = Reduction { tasks: 800, commutative, ..Reduction::new(strategy, ranks, &costs) };
            let run = predict(&of, &Limits { threads: 1, ..Limits::default() }, &|| false).expect("a run");
            let stream = Limits { tasks: 0, threads: 1, ..Limits::default() };
            let stream = predict(&of, &stream, &|| false).expect("a stream");
            assert_eq!((run.form, stream.form), (Form::Run, Form::Stream));
            let apart = stream.seconds / run.seconds - 1.0;
            assert!(apart.abs() < 0.02, "{of:?}: {} s and {} s", run.seconds, stream.seconds);
            assert!(run.deviation.is_some_and(|d| d > 0.0 && d < run.seconds / 5.0), "{run:?}");
        }
    }
}

#[test]
fn with_more_phases_waiting_comes_to_what_it_is_without_chance() {
    // Two rounds of two tasks of a second, merged in 0.04 s and delivered in 0.02 s by the first rank, which
    // has no message before 1.005 s, and opens and closes the sink in 0.05 s: of deviations nothing is left.
    for strategy in [Strategy::ReductionTree, Strategy::ParallelPipeline] {
        let of = |phases| Reduction { tasks: 4, phases, ..Reduction::new(strategy, 2, &costs) };
        let times: Vec<f64> = [1, 4, 16, 64].map(|phases| predicted(&of(phases))).to_vec();
        let without = match strategy {
            Strategy::ReductionTree => 2.0 * (1.0 + 0.004 + 0.04 + 0.02) + 0.1,
            // Every step the first rank has a task done, and the last one merges.
            _ => 0.05 + 1.0 + 0.004 + 0.04 + 0.02 + 2.0 * (1.0 - 0.06 + 0.004 + 0.02) + 0.05,
        };
        let off: Vec<f64> = times.iter().map(|t| t / without - 1.0).collect();
        assert!(off.windows(2).all(|two| two[1] < two[0]), "{strategy:?}: {off:?}");
        assert!(off[0] > 0.1 && off[3].abs() < 0.06, "{strategy:?}: {off:?}");
    }
}

#[test]
fn an_even_deal_of_whole_sets_leaves_nothing_to_be_merged() {
    // Eight tasks each, which four ranks gather by four: nothing is left over; of nine each, one result.
    let of = |tasks, dealt| Reduction {
        dealt,
        set: 8,
        gather: 4,
        tasks,
        ..Reduction::new(Strategy::Adaptive, 4, &costs)
    };
    let up = |tasks, dealt| of(tasks, dealt).model(Form::Run).contains("(merge_up, ");
    assert_eq!([up(32, true), up(36, true), up(32, false)], [false, true, true]);
    let seconds = |tasks, dealt| predicted(&of(tasks, dealt));
    assert!(seconds(32, true) < seconds(32, false));
    assert!(seconds(36, true) < seconds(36, false));
}

#[test]
fn what_has_too_many_states_is_simulated() {
    for strategy in [Strategy::ReductionTree, Strategy::ParallelPipeline] {
        // A whole run, and a stream where runs are not to be longer than 8 tasks.
        for tasks in [4096, 8] {
            let of = Reduction { tasks: 40, ..Reduction::new(strategy, 4, &costs) };
            let limits = Limits { tasks, ..Limits::default() };
            let exact = predict(&of, &limits, &|| false).expect("a prediction");
            let found = predict(&of, &Limits { states: 10, ..limits }, &|| false).expect("an estimate");
            let passages = found.simulated.as_ref().expect("simulated");
            assert_eq!((exact.simulated, found.form), (None, exact.form));
            let off = (found.seconds / exact.seconds - 1.0).abs();
            assert!(off < 0.04, "{strategy:?}, {tasks}: {} for {}", found.seconds, exact.seconds);
            assert!(passages.half <= 0.01 * passages.mean && passages.replications >= 16, "{passages:?}");
            if let (Some(exact), Some(found)) = (exact.deviation, found.deviation) {
                assert!((found / exact - 1.0).abs() < 0.5, "{found} for {exact}");
            }
        }
    }
}

#[test]
fn what_is_too_large_is_refused_soon() {
    let of = Reduction { tasks: 64, ..Reduction::new(Strategy::ReductionTree, 32, &costs) };
    let limits = Limits { states: 20_000, threads: 1, ..Limits::default() };
    match choose(&of, &limits, &|| false) {
        Err(JobError::TooLarge { limit, model }) => {
            assert_eq!(limit, 20_000);
            assert!(model.contains("Rank_32 ="), "{model}");
        }
        other => panic!("{other:?}"),
    }
    let larger = Reduction { tasks: 8000, ..Reduction::new(Strategy::ReductionTree, 4000, &costs) };
    let refused = predict(&larger, &limits, &|| false);
    assert!(matches!(refused, Err(JobError::TooLong { .. })), "{refused:?}");
    // Where there would be time for it, a state is too wide.
    let patient = Limits { looks: u64::MAX, ..limits };
    let refused = predict(&larger, &patient, &|| false);
    assert!(matches!(refused, Err(JobError::TooLarge { .. })), "{refused:?}");
    for (strategy, commutative) in [(Strategy::ReductionTree, true), (Strategy::MasterSlave, false)] {
        // Of a stream, in which many tasks go by before ranks are as they are in the long run.
        let of = Reduction { tasks: 1 << 40, commutative, ..Reduction::new(strategy, 1021, &costs) };
        let Err(JobError::TooLong { seconds, .. }) = predict(&of, &Limits::default(), &|| false) else {
            panic!("{of:?} is not refused");
        };
        assert!(seconds > 5.0, "{seconds}");
    }
    let farm = Farm {
        slaves: 1 << 30,
        tasks: 5,
        prefetch: 4,
        give_s: 1.0,
        work_s: 1.0,
        wire_s: 1.0,
        take_s: 1.0,
        hold_s: 0.0,
    };
    assert!(matches!(predict_farm(&farm, &limits, &|| false), Err(JobError::TooLarge { .. })));
    assert_eq!(predict(&of, &Limits { states: 1 << 20, ..limits }, &|| true), Err(JobError::Stopped));
}

#[test]
fn a_farm_is_a_closed_loop() {
    // One slave: give, work and take in turn. Two slaves and no time of the master's: twice as fast.
    let farm = |slaves, prefetch, give_s, take_s| Farm {
        slaves,
        tasks: 100,
        prefetch,
        give_s,
        work_s: 1.0,
        wire_s: 0.5,
        take_s,
        hold_s: 0.0,
    };
    let seconds = |farm: &Farm| {
        let found = predict_farm(farm, &Limits::default(), &|| false).expect("a prediction");
        assert_eq!(found.states as f64, farm.states(), "{farm:?}");
        assert_eq!(check(&found.model, Dialect::Any).iter().filter(|d| d.kind != "self-loop").count(), 0);
        found.seconds
    };
    assert!((seconds(&farm(1, 1, 0.25, 0.25)) / 200.0 - 1.0).abs() < 1e-9);
    assert!((seconds(&farm(2, 1, 1e-9, 1e-9)) / 75.0 - 1.0).abs() < 1e-4);
    // Mean value analysis of two stations (Reiser and Lavenberg, 1980): 20 slaves of 1.5 s, a master of 0.5 s.
    let mut queue = 0.0f64;
    let mut rate = 0.0;
    for slaves in 1..=20 {
        let stay = 0.5 * (1.0 + queue);
        rate = f64::from(slaves) / (1.5 + stay);
        queue = rate * stay;
    }
    let found = seconds(&farm(20, 1, 0.5, 1e-9));
    assert!((found / (100.0 / rate) - 1.0).abs() < 1e-4, "{found} and {}", 100.0 / rate);
    // Tasks under way hide the wire.
    assert!(seconds(&farm(2, 3, 0.01, 0.01)) < 0.85 * seconds(&farm(2, 1, 0.01, 0.01)));
    // However many slaves there are, a task every port's time; with one, whichever takes longer of port and work.
    let held = |slaves, prefetch| Farm { hold_s: 30.0, ..farm(slaves, prefetch, 1e-3, 1e-3) };
    for prefetch in [1, 2] {
        assert!((seconds(&held(8, prefetch)) / 3000.2 - 1.0).abs() < 1e-3);
    }
    assert!((seconds(&held(1, 1)) / 3007.3 - 1.0).abs() < 2e-3, "{}", seconds(&held(1, 1)));
}

/// A model's mean time until an action.
fn mean(model: &str, action: &str) -> Result<Until, UntilError> {
    let read = parse(model, Dialect::Any).model.expect("a model");
    let system = compile(&read, &Settings::new()).system.expect("a system");
    let space = Space::explore(&system, &Exploration::default(), &mut |_| true).expect("states");
    until(&system, &space, None, &Targets { from: None, to: action.into() }, &|| false)
}

#[test]
fn means_of_passages() {
    // Erlang's: three phases of rate 2.
    let found = mean("P = (a, 2).(a, 2).(b, 2).P; P", "b").expect("a mean");
    assert!((found.mean - 1.5).abs() < 1e-12 && (found.deviation.unwrap() - 0.75f64.sqrt()).abs() < 1e-12);
    // A walk that comes back: from 0 over 1 and 2 to 3, up at rate 1, down at rate 2. E2 = 7, E1 = 3 + E2, E0 = 1 + E1.
    let walk = "S0 = (up, 1).S1; S1 = (up, 1).S2 + (down, 2).S0; S2 = (end, 1).S3 + (down, 2).S1; S3 = (again, 1).S0; S0";
    let found = mean(walk, "end").expect("a mean");
    assert!((found.mean - 11.0).abs() < 1e-9, "{found:?}");
    // Second moments: V2 = (14 + 2 V1) / 3, V1 = 206, V0 = 22 + V1 = 228.
    assert!((found.deviation.unwrap() - 107f64.sqrt()).abs() < 1e-6, "{found:?}");
    let lost = "P = (a, 1).Q + (b, 1).P; Q = (c, 1).Q; P";
    assert!(matches!(mean(lost, "b"), Err(UntilError::Maybe(state)) if state == "Q"));
    assert!(matches!(
        mean("P = (a, 1).Q + (b, 1).R; Q = (c, 1).R; R = (a, 1).P; P", "d"),
        Err(UntilError::Passage(_))
    ));
}
