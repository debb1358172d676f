//! Chains whose answers are known in closed form.

mod common;

use std::cell::Cell;
use std::time::{Duration, Instant};

use common::{near, solved, space, system};
use forerun_pepa::chain::Chain;
use forerun_pepa::export::{dot, matrix_market, prism, states_csv, transitions_csv};
use forerun_pepa::fluid::{Fluid, fluid};
use forerun_pepa::measures::{Measures, response};
use forerun_pepa::simulate::{Simulation, simulate};
use forerun_pepa::solve::{LongRun, Solving, steady};
use forerun_pepa::transient::{PassageError, Start, Targets, events, passage, transient, until};
use proptest::prelude::*;

/// A queue with places for `k`, as one component.
fn queue(k: usize, arrive: f64, serve: f64) -> String {
    let mut text = String::new();
    for n in 0..=k {
        let up = (n < k).then(|| format!("(arrive, {arrive:?}).Q{}", n + 1));
        let down = (n > 0).then(|| format!("(serve, {serve:?}).Q{}", n - 1));
        let both: Vec<String> = up.into_iter().chain(down).collect();
        text.push_str(&format!("Q{n} = {};\n", both.join(" + ")));
    }
    text + "Q0"
}

#[test]
fn a_queue_that_mixes_slowly_is_solved_to_what_the_formula_says() {
    // The load is all but 1, so the chain takes millions of steps to forget where it began.
    let (k, arrive, serve) = (3000usize, 0.9999, 1.0);
    let (_, found, measures) = solved(&queue(k, arrive, serve));
    let load: f64 = arrive / serve;
    let empty = (1.0 - load) / (1.0 - load.powi(k as i32 + 1));
    assert!(near(found.x[0], empty, 1e-6), "{} {empty} {}", found.x[0], found.solver);
    let served = serve * (1.0 - empty);
    assert!(near(measures.throughput_of("serve").unwrap(), served, 1e-7));
    assert!(found.residual <= 1e-10);
}

#[test]
fn sets_of_states_that_hardly_lead_to_each_other_get_their_shares() {
    // A thousandth of a billionth as often as anything else, it becomes another system. Any mixture of the two is balanced to
    // twelve digits.
    for rare in [1e-7, 1e-10, 1e-13] {
        let text = format!(
            "A = (fail, {rare:?}).B + (slow, infty).A; B = (fix, {:?}).A + (fast, infty).B;
             C = (slow, 1).D + (fast, 3).D; D = (rest, 0.5).E; E = (wake, 0.7).C; A <slow, fast> C[120]",
            2.0 * rare
        );
        let (_, found, measures) = solved(&text);
        let rest = 2.0 + 1.0 / 0.7;
        let slow = 2.0 / 3.0 * 120.0 / (1.0 + rest);
        let fast = 1.0 / 3.0 * 120.0 / (1.0 / 3.0 + rest);
        for (action, exact) in [("slow", slow), ("fast", fast)] {
            let value = measures.throughput_of(action).unwrap();
            assert!(near(value, exact, 1e-5), "{rare} {action}: {value}, not {exact}: {}", found.solver);
        }
    }
}

/// The same where states are swept in an order of their own: a server that goes round, and customers who come more often in one
/// of two times that hardly ever change.
#[test]
fn sets_that_hardly_lead_to_each_other_get_their_shares_in_any_order() {
    const STATIONS: usize = 9;
    let model = |modes: &str| {
        let mut text = String::from(modes);
        let (mut set, mut all, mut arrive) = (Vec::new(), Vec::new(), Vec::new());
        for s in 1..=STATIONS {
            let next = s % STATIONS + 1;
            text += &format!(
                "At_{s} = (skip_{s}, 20).At_{next} + (serve_{s}, 1).At_{next};
                 Empty_{s} = (arrive_{s}, infty).Full_{s} + (skip_{s}, infty).Empty_{s}; Full_{s} = (serve_{s}, infty).Empty_{s};"
            );
            set.push(format!("skip_{s}, serve_{s}"));
            arrive.push(format!("arrive_{s}"));
            all.push(format!("Empty_{s}"));
        }
        text + &format!("(At_1 <{}> ({})) <{}> A", set.join(", "), all.join(" <> "), arrive.join(", "))
    };
    let mode = |name: &str, rate: f64| {
        let all: Vec<String> = (1..=STATIONS).map(|s| format!("(arrive_{s}, {rate}).{name}")).collect();
        all.join(" + ")
    };
    let alone = |rate: f64| {
        let (_, _, measures) = solved(&model(&format!("A = {};", mode("A", rate))));
        measures.throughput_of("serve_1").unwrap()
    };
    let exact = 2.0 / 3.0 * alone(0.05) + 1.0 / 3.0 * alone(0.2);
    for rare in [1e-7, 1e-11] {
        let modes = format!(
            "A = {} + (fail, {rare:?}).B; B = {} + (fix, {:?}).A;",
            mode("A", 0.05),
            mode("B", 0.2),
            2.0 * rare
        );
        let (_, found, measures) = solved(&model(&modes));
        assert!(found.solver.contains("Seidel"), "{}", found.solver);
        let value = measures.throughput_of("serve_1").unwrap();
        assert!(near(value, exact, 1e-5), "{rare}: {value}, not {exact}: {}", found.solver);
    }
}

#[test]
fn two_queues_one_behind_the_other_are_solved_though_arrivals_are_much_faster() {
    // The tandem queue of Hermanns, Meyer-Kayser and Siegle, 1999, with 100 places each. The first is as good as full.
    let c = 100;
    let mut text = String::new();
    for n in 0..=c {
        let mut first = Vec::new();
        let mut second = Vec::new();
        if n < c {
            first.push(format!("(arrive, 400).A{}", n + 1));
            second.push(format!("(arrive, 400).B{}", n + 1));
        }
        if n > 0 {
            first.push(format!("(phase, 0.2).B{n} + (route, 1.8).A{}", n - 1));
            second.push(format!("(route, 2).A{}", n - 1));
            text += &format!("B{n} = {};", second.join(" + "));
        }
        let up = (n < c).then(|| format!("(route, infty).Q{}", n + 1));
        let down = (n > 0).then(|| format!("(leave, 4).Q{}", n - 1));
        let queue: Vec<String> = up.into_iter().chain(down).collect();
        text += &format!("A{n} = {}; Q{n} = {};", first.join(" + "), queue.join(" + "));
    }
    let (system, space) = space(&format!("{text} A0 <route> Q0"));
    let swept = Solving { direct: 0, ..Solving::default() };
    let found = steady(&system, &space, &swept, &|| false).unwrap();
    let measures = Measures::of(&system, &space, &found.x);
    // Service takes 1/2, and one time in ten 1/2 more.
    let value = measures.throughput_of("leave").unwrap();
    assert!(near(value, 1.0 / 0.55, 1e-6), "{value} {}", found.solver);
    assert!(found.solver.starts_with("Gauss"), "{}", found.solver);
}

#[test]
fn very_many_copies_are_solved_whatever_their_probabilities() {
    // As many states as copies; those far from a third of them in Q are rarer than any number can tell.
    let (_, found, measures) = solved("P = (a, 1).Q; Q = (b, 2).P; P[60000]");
    assert!(near(measures.population_of("Q").unwrap(), 20_000.0, 1e-9), "{}", found.solver);
    assert!(near(measures.throughput_of("a").unwrap(), 40_000.0, 1e-9), "{}", found.solver);
}

#[test]
fn response_time_is_that_of_the_formula() {
    let (k, arrive, serve) = (50usize, 0.5, 1.0);
    let (system, space) = space(&queue(k, arrive, serve));
    let found = steady(&system, &space, &Solving::default(), &|| false).unwrap();
    // One customer at most: the server's busy periods of M/M/1.
    let busy: Vec<String> = (1..=k).map(|n| format!("Q{n}")).collect();
    let busy: Vec<&str> = busy.iter().map(String::as_str).collect();
    let stay = response(&system, &space, &found.x, &busy).unwrap();
    assert!(near(stay.time, 1.0 / (serve - arrive), 1e-9), "{stay:?}");
    // Little's law over clients that wait.
    let text = "C = (join, 1).W; W = (serve, infty).C; S = (serve, 2).S; C[3] <serve> S";
    let (system, space) = common::space(text);
    let found = steady(&system, &space, &Solving::default(), &|| false).unwrap();
    let stay = response(&system, &space, &found.x, &["W"]).unwrap();
    assert!(near(stay.arrivals, stay.number / stay.time, 1e-12));
    // A machine repairman's closed form: number waiting by probabilities 1, 3/2, 6/4, 6/8.
    let weights = [1.0, 1.5, 1.5, 0.75];
    let mean =
        weights.iter().enumerate().map(|(n, w)| n as f64 * w).sum::<f64>() / weights.iter().sum::<f64>();
    assert!(near(stay.number, mean, 1e-12), "{stay:?} {mean}");
}

#[test]
fn where_chance_decides_the_probabilities_of_the_ends_are_found() {
    // A walk from 2 among 0 to 5, up with 1/3: the gambler's ruin.
    let text = "W0 = (stay0, 1).W0; W1 = (down, 2).W0 + (up, 1).W2; W2 = (down, 2).W1 + (up, 1).W3;
        W3 = (down, 2).W2 + (up, 1).W4; W4 = (down, 2).W3 + (up, 1).W5; W5 = (stay5, 1).W5; W2";
    let (_, found, measures) = solved(text);
    assert_eq!(found.long_run, LongRun::Several { transient: 4, closed: 2, absorbing: 0 });
    let top = (1.0 - 2f64.powi(2)) / (1.0 - 2f64.powi(5));
    assert!(near(measures.throughput_of("stay5").unwrap(), top, 1e-12), "{:?}", measures.throughput);
    assert!(near(measures.population_of("W0").unwrap(), 1.0 - top, 1e-12));
    let (_, found, measures) = solved("P = (a, 1).P1; P1 = (b, 1).P2; P2 = (c, 1).P1; P");
    assert_eq!(found.long_run, LongRun::Transient { transient: 1, absorbing: false });
    assert_eq!(measures.population_of("P"), Some(0.0));
    let (_, found, _) = solved("P = (a, 1).Stop; P");
    assert_eq!(found.long_run, LongRun::Transient { transient: 1, absorbing: true });
}

#[test]
fn components_of_one_local_state_are_counted() {
    for (text, of) in [
        ("P = (a, 1).P; P", &[("P", 1.0)][..]),
        ("P = (a, 1).P; Q = (a, infty).Q; P <a> Q", &[("P", 1.0), ("Q", 1.0)]),
        ("P = (a, 1).P; P[3]", &[("P", 3.0)]),
        ("P = (a, 1).P; P || P || P", &[("P", 3.0)]),
        ("P = (a, 1).P; Q = (b, 1).R; R = (b, 1).Q; P || Q", &[("P", 1.0), ("Q", 0.5)]),
    ] {
        let (_, _, measures) = solved(text);
        for (name, number) in of {
            let found = measures.population_of(name).unwrap_or_default();
            assert!((found - number).abs() < 1e-9, "{text}: {found} of {name}");
        }
        let shares: f64 = measures.utilisation.iter().flat_map(|u| &u.shares).map(|(_, share)| share).sum();
        assert!((shares - measures.utilisation.len() as f64).abs() < 1e-9, "{text}");
    }
}

#[test]
fn two_states_go_to_equilibrium_exponentially() {
    let (_, space) = space("P = (a, 2).P1; P1 = (b, 3).P; P");
    let times = [0.01, 0.1, 1.0, 10.0, 1000.0];
    let mut seen = 0;
    transient(&Chain::of(&space), &Start::Initial, &times, 1e-10, &|| false, &mut |time, x| {
        let expected = 0.6 + 0.4 * (-5.0 * time).exp();
        assert!((x[0] - expected).abs() < 1e-9, "{time}: {} {expected}", x[0]);
        seen += 1;
    })
    .unwrap();
    assert_eq!(seen, times.len());
}

#[test]
fn what_has_settled_costs_nothing_and_what_would_take_for_ever_is_refused() {
    let (system, space) = space("P = (a, 2e5).P1; P1 = (b, 3e5).P; P");
    let chain = Chain::of(&space);
    let mut at = 0.0;
    transient(&chain, &Start::Initial, &[1e4], 1e-10, &|| false, &mut |_, x| at = x[0]).unwrap();
    assert!((at - 0.6).abs() < 1e-9, "{at}");
    for until in [1e5, 1e300, f64::INFINITY] {
        let refused = transient(&chain, &Start::Initial, &[1.0, until], 1e-10, &|| false, &mut |_, _| {
            panic!("nothing can be said")
        });
        assert!(refused.unwrap_err().to_string().contains("left at rate 3e5"), "{until}");
        let targets = Targets { from: None, to: "b".into() };
        let refused = passage(&system, &space, None, &targets, &[until], &[0.5], &|| false);
        assert!(matches!(refused, Err(PassageError::TooLong(_))), "{until}: {refused:?}");
    }
}

/// With work for each pair of local states it would take a quarter of an hour.
#[test]
fn a_component_of_many_local_states_is_weighed_in_proportion() {
    let n = 150_000;
    let mut text = String::new();
    (0..n).for_each(|at| text.push_str(&format!("P{at} = (a, 1).P{};\n", (at + 1) % n)));
    let (system, space) = space(&(text + "P0"));
    let begun = Instant::now();
    let measures = Measures::of(&system, &space, &vec![1.0 / f64::from(n); n as usize]);
    assert!(near(measures.throughput_of("a").unwrap(), 1.0, 1e-9));
    assert!(near(measures.population_of("P77777").unwrap(), 1.0 / f64::from(n), 1e-9));
    let course = fluid(&system, &[1e-3], &Fluid { tolerance: 1e-2, ..Fluid::default() }, &|| true);
    assert_eq!(course.locals.len(), n as usize);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn events_are_about_as_many_as_are_said_and_each_may_be_the_last() {
    let (system, space) = space("P = (a, 3).P1 + (x, 9).P; P1 = (b, 1).P2; P2 = (c, 1).P; P");
    let (chain, until) = (Chain::of(&space), 400.0);
    let said = events(&space, until);
    assert!((said - 3.0 * until).abs() < 0.05 * said, "{said}");
    let asked = Cell::new(0.0);
    let count = || {
        asked.set(asked.get() + 1.0);
        asked.get() >= 100.0
    };
    transient(&chain, &Start::Initial, &[until], 1e-10, &count, &mut |_, _| ()).unwrap();
    assert!(asked.get() <= 101.0, "it went on to {}", asked.get());
    asked.set(-1e9);
    let targets = Targets { from: None, to: "c".into() };
    passage(&system, &space, None, &targets, &[until], &[0.5], &count).unwrap();
    let all = asked.get() + 1e9;
    assert!(all > 20.0 && all < 1.5 * said, "{all} of {said}");
}

#[test]
fn a_row_of_activities_takes_an_erlang_time() {
    let (system, space) = space("A = (begin, 1).B; B = (x, 2).C; C = (x, 2).D; D = (end, 2).A; A");
    let found = steady(&system, &space, &Solving::default(), &|| false).unwrap();
    let times: Vec<f64> = (1..=40).map(|i| f64::from(i) * 0.25).collect();
    let targets = Targets { from: Some("begin".into()), to: "end".into() };
    let passed =
        passage(&system, &space, Some(&found.x), &targets, &times, &[0.5, 0.9999999], &|| false).unwrap();
    for (i, t) in times.iter().enumerate() {
        let m = 2.0 * t;
        let cdf = 1.0 - (-m).exp() * (1.0 + m + m * m / 2.0);
        let pdf = 2.0 * (-m).exp() * m * m / 2.0;
        assert!((passed.distribution[i] - cdf).abs() < 1e-9, "{t}");
        assert!((passed.density[i] - pdf).abs() < 1e-8, "{t}");
    }
    let mean = until(&system, &space, Some(&found.x), &targets, &|| false).unwrap();
    assert!(near(mean.mean, 1.5, 1e-12) && near(mean.deviation.unwrap(), 0.75f64.sqrt(), 1e-12), "{mean:?}");
    let median = passed.quantiles[0].1.unwrap();
    let m = 2.0 * median;
    assert!(((-m).exp() * (1.0 + m + m * m / 2.0) - 0.5).abs() < 1e-6, "{median}");
    assert_eq!(passed.quantiles[1].1, None, "beyond the last time");
    let unknown = Targets { from: None, to: "nothing".into() };
    assert!(passage(&system, &space, None, &unknown, &times, &[], &|| false).is_err());
}

/// A passage from an action, in which states come again: its moments are those of its distribution.
#[test]
fn moments_are_those_of_the_distribution() {
    let text = "C = (request, 1).W; W = (serve, infty).T; T = (think, 2).C; S = (serve, 3).S1; S1 = (log, 9).S; C[4] <serve> S";
    let (system, space) = space(text);
    let found = steady(&system, &space, &Solving::default(), &|| false).unwrap();
    let (last, count) = (30.0, 6000);
    let times: Vec<f64> = (1..=count).map(|i| last * f64::from(i) / f64::from(count)).collect();
    let width = last / f64::from(count);
    for (from, to) in [("request", "serve"), ("serve", "request"), ("think", "think")] {
        let targets = Targets { from: Some(from.into()), to: to.into() };
        let passed = passage(&system, &space, Some(&found.x), &targets, &times, &[], &|| false).unwrap();
        assert!(passed.open < 1e-9);
        // By the trapezoidal rule: the mean is the integral of what is open, the second moment that of 2 t times it.
        let open = || times.iter().zip(&passed.distribution).map(|(t, f)| (*t, 1.0 - f));
        let mean = width * (0.5 + open().map(|(_, o)| o).sum::<f64>());
        let second = width * open().map(|(t, o)| 2.0 * t * o).sum::<f64>();
        let told = until(&system, &space, Some(&found.x), &targets, &|| false).unwrap();
        assert!(near(told.mean, mean, 1e-4), "{from} {to}: {told:?} {mean}");
        let deviation = (second - mean * mean).sqrt();
        assert!(near(told.deviation.unwrap(), deviation, 1e-4), "{from} {to}: {told:?} {deviation}");
    }
}

#[test]
fn a_simulation_agrees_with_the_chain_within_its_intervals() {
    let text = "C = (request, 1).W; W = (serve, infty).T; T = (think, 2).C; S = (serve, 3).S1; S1 = (log, 9).S; C[5] <serve> S[2]";
    let (_, _, measures) = solved(text);
    let how =
        Simulation { time: 2000.0, replications: 12, warm_up: None, confidence: 0.999, seed: 7, threads: 2 };
    let found = simulate(&system(text), &how, &|| false).unwrap();
    for estimate in found.throughput.iter().chain(&found.population) {
        let exact =
            measures.population_of(&estimate.name).or(measures.throughput_of(&estimate.name)).unwrap();
        assert!((estimate.mean - exact).abs() < 1.5 * estimate.half, "{estimate:?} {exact}");
        assert!(estimate.half < 0.05 * exact, "{estimate:?} {exact}");
    }
    let again = simulate(&system(text), &Simulation { threads: 1, ..how }, &|| false).unwrap();
    assert_eq!(found, again, "the number of threads does not matter");
}

#[test]
fn the_beginning_is_left_out_of_a_simulation() {
    // 300 components that all begin in a state that they leave slowly.
    let text = "P = (a, 0.01).P1; P1 = (b, 1).P2; P2 = (c, 1).P1; P[300]";
    let how =
        Simulation { time: 4000.0, replications: 4, warm_up: None, confidence: 0.95, seed: 3, threads: 2 };
    let found = simulate(&system(text), &how, &|| false).unwrap();
    assert!(found.warm_up > 200.0, "{}", found.warm_up);
    let left = found.population.iter().find(|e| e.name == "P").unwrap();
    assert!(left.mean < 3.0, "{left:?}");
}

#[test]
fn what_never_happened_is_known_as_well_as_it_was_looked_for() {
    let how = Simulation {
        time: 50.0,
        replications: 10,
        warm_up: Some(0.0),
        confidence: 0.95,
        seed: 1,
        threads: 1,
    };
    let found = simulate(&system("P = (a, 1e-9).Q; Q = (b, 1).P; P"), &how, &|| false).unwrap();
    let a = found.throughput.iter().find(|e| e.name == "a").unwrap();
    assert!(a.mean == 0.0 && near(a.half, 20f64.ln() / 500.0, 1e-6), "{a:?}");
}

#[test]
fn populations_are_numbers_from_0_on_or_are_not_given() {
    for (p, q) in [(1e-300, 1e300), (1e-8, 1e8), (1e7, 1.0), (1e3, 1e-3), (1.0, 50.0)] {
        let course = fluid(
            &system(&format!("P = (a, {p:e}).Q; Q = (b, {q:e}).P; P[2]")),
            &[1.0],
            &Fluid::default(),
            &|| false,
        );
        for point in &course.points {
            let whole: f64 = point.population.iter().sum();
            assert!(
                near(whole, 2.0, 1e-6) && point.population.iter().all(|x| *x >= 0.0),
                "{p} {q}: {point:?}"
            );
            // In equilibrium by then, or nearly.
            if p + q > 30.0 {
                let b = 2.0 * p * q / (p + q);
                assert!(near(*point.throughput.last().unwrap(), b, 1e-3), "{p} {q}: {point:?}");
            }
        }
        assert!(!course.points.is_empty() || course.ended.is_some(), "{p} {q}");
    }
}

#[test]
fn fluid_populations_are_those_of_the_chain_for_components_that_do_not_cooperate() {
    let text = "P = (a, 1).P1; P1 = (b, 2).P2 + (c, 1).P; P2 = (d, 0.5).P; P[6]";
    let (system, space) = space(text);
    let times: Vec<f64> = (1..=10).map(f64::from).collect();
    let course = fluid(&system, &times, &Fluid::default(), &|| false);
    let mut at = 0;
    transient(&Chain::of(&space), &Start::Initial, &times, 1e-12, &|| false, &mut |_, x| {
        let measures = Measures::of(&system, &space, x);
        for (label, value) in course.locals.iter().zip(&course.points[at].population) {
            assert!(near(*value, measures.population_of(label).unwrap(), 1e-6), "{label} {value}");
        }
        at += 1;
    })
    .unwrap();
    assert_eq!(at, 10);
}

#[test]
fn fluid_populations_come_nearer_the_chain_with_more_copies() {
    let error = |n: u32| {
        let text = format!(
            "C = (serve, 2).T; T = (think, 0.27).C; S = (serve, 4).L; L = (log, 1).S; C[{}] <serve> S[{n}]",
            3 * n
        );
        let (_, _, measures) = solved(&text);
        let course = fluid(&system(&text), &[200.0], &Fluid::default(), &|| false);
        let at = course.actions.iter().position(|a| a == "serve").unwrap();
        let exact = measures.throughput_of("serve").unwrap();
        (course.points[0].throughput[at] / exact - 1.0).abs()
    };
    let (few, many) = (error(5), error(80));
    assert!(many < few / 3.0 && many < 0.01, "{few} {many}");
    // Passive partners do not limit.
    let text = "C = (serve, infty).T; T = (think, 1).C; S = (serve, 50).S; C[1000000] <serve> S[100]";
    let course = fluid(&system(text), &[60.0], &Fluid::default(), &|| false);
    let waiting = course.locals.iter().position(|l| l == "C").unwrap();
    assert!(near(course.points[0].population[waiting], 995_000.0, 1e-4), "{:?}", course.points);
}

/// Some of it a hundred million times as fast as the rest: an explicit method would take 10¹⁰ steps.
#[test]
fn what_is_stiff_is_integrated_as_well() {
    let text = "P = (a, 1).Q; Q = (b, 1e8).R; R = (c, 2e8).Q + (d, 0.5).P; P[3000]";
    let course = fluid(&system(text), &[1.0, 200.0], &Fluid::default(), &|| false);
    assert_eq!(course.ended, None);
    assert!(course.steps < 100_000, "{}", course.steps);
    // Q and R share what is in them 2 to 1, so that it is left at a third of 0.5.
    let (up, down) = (1.0, 0.5 / 3.0);
    for point in &course.points {
        let share = down / (up + down) + up / (up + down) * (-(up + down) * point.time).exp();
        assert!(near(point.population[0], 3000.0 * share, 1e-5), "{point:?} {share}");
        assert!(near(point.population[1], 2.0 * point.population[2], 1e-5), "{point:?}");
    }
}

#[test]
fn exports_hold_the_whole_chain() {
    let text = "P = (a, 2).P1 + (x, 1).P; P1 = (b, 1).P; Q = (a, infty).Q1; Q1 = (c, 3).Q; P[2] <a> Q";
    let (system, space) = space(text);
    let chain = Chain::of(&space);
    let put = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    };
    let mtx = put(&|out| matrix_market(&chain, out).unwrap());
    let mut sums = vec![0.0; space.states()];
    for line in mtx.lines().skip(3) {
        let part: Vec<f64> = line.split(' ').map(|p| p.parse().unwrap()).collect();
        sums[part[0] as usize - 1] += part[2];
    }
    assert!(sums.iter().all(|s| s.abs() < 1e-12), "{sums:?}");
    let csv = put(&|out| transitions_csv(&system, &space, out).unwrap());
    assert_eq!(csv.lines().count(), 1 + space.transitions());
    let states = put(&|out| states_csv(&system, &space, None, out).unwrap());
    assert_eq!(states.lines().count(), 1 + space.states());
    let graph = put(&|out| dot(&system, &space, out).unwrap());
    assert_eq!(graph.matches("->").count(), space.transitions());
    let prism = prism(&system).unwrap();
    // Two ways for P's local states to do what they do, one of them with each of Q's.
    assert_eq!(prism.matches("\n  [").count() - prism.matches("true : 1").count(), 4, "{prism}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn queues_of_any_load_are_solved(k in 1100usize..1600, load in 0.7f64..1.4) {
        let (_, found, _) = solved(&queue(k, load, 1.0));
        let sum = if (load - 1.0).abs() < 1e-9 { (k + 1) as f64 } else { (load.powi(k as i32 + 1) - 1.0) / (load - 1.0) };
        let full = load.powi(k as i32) / sum;
        let last = found.x.len() - 1;
        prop_assert!((found.x[last] - full).abs() <= 1e-6 * full + 1e-9, "{} {full} {}", found.x[last], found.solver);
    }
}
