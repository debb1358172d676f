//! Laws of the models of jobs.

use forerun_pepa::check::check;
use forerun_pepa::job::{Activity, Farm, Form, Limits, Reduction, predict, predict_farm};
use forerun_pepa::syntax::{Dialect, Severity};
use forerun_platform::Strategy;

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

#[test]
fn models_have_nothing_to_be_said_about() {
    let mut seen = 0;
    for strategy in Strategy::ALL {
        for (arity, ranks) in shapes(strategy, 16) {
            for (tasks, commutative, free) in [
                (0, true, false),
                (1, true, true),
                (1, false, false),
                (13, true, false),
                (13, false, true),
                (37, true, true),
            ] {
                let seconds: &dyn Fn(Activity) -> f64 = if free { &tasks_alone } else { &costs };
                let of = Reduction { arity, tasks, commutative, ..Reduction::new(strategy, ranks, seconds) };
                for form in [Form::Run, Form::Stream] {
                    let model = of.model(form);
                    // States of large ones are looked at for a second each: of those, some.
                    if ranks > 6 && (tasks != 13 || form == Form::Run && ranks % 4 != 0) {
                        let parsed = forerun_pepa::syntax::parse(&model, Dialect::Any);
                        assert!(
                            parsed.model.is_some(),
                            "{of:?}, {form:?}: {:?}\n{model}",
                            parsed.diagnostics
                        );
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
    assert!(seen > 300, "{seen}");
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

#[test]
fn show() {
    for strategy in Strategy::ALL {
        for ranks in [2, 4, 8, 16] {
            for tasks in [16, 64, 256] {
                let of = Reduction { tasks, ..Reduction::new(strategy, ranks, &costs) };
                let t = std::time::Instant::now();
                match predict(&of, &Limits::default(), &|| false) {
                    Ok(p) => println!(
                        "{:?} P{ranks} N{tasks}: {:.3} s ±{:?} {:?} {} states {:.2?}",
                        strategy,
                        p.seconds,
                        p.deviation,
                        p.form,
                        p.states,
                        t.elapsed()
                    ),
                    Err(e) => println!("{:?} P{ranks} N{tasks}: {e} {:.2?}", strategy, t.elapsed()),
                }
            }
        }
        let of = Reduction { tasks: 6, ..Reduction::new(strategy, 4, &costs) };
        println!("{}", of.model(Form::Run));
        println!("{}", of.model(Form::Stream));
    }
    let farm =
        Farm { slaves: 4, tasks: 100, prefetch: 1, give_s: 0.1, work_s: 1.0, wire_s: 0.0, take_s: 0.1 };
    println!("{}", farm.model());
    println!("{:?}", predict_farm(&farm, &Limits::default(), &|| false));
}
