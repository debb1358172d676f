//! What models mean: rates by hand, counts by hand, and laws over random models.

mod common;

use common::{near, random, solved, space, system, try_space};
use forerun_pepa::chain::lump;
use forerun_pepa::measures::Measures;
use forerun_pepa::solve::{LongRun, Solving, irreducible, steady};
use forerun_pepa::space::{Exploration, Space, SpaceError};
use proptest::prelude::*;

fn throughput(text: &str, action: &str) -> f64 {
    solved(text).2.throughput_of(action).unwrap_or_else(|| panic!("{action} never happens in {text}"))
}

#[test]
fn equal_activities_count_twice() {
    let go = throughput("P = (a, 1).P1 + (a, 1).P1; P1 = (b, 1).P; P", "a");
    assert!(near(go, 2.0 / 3.0, 1e-14), "{go}");
}

#[test]
fn active_partners_share_the_smaller_apparent_rate() {
    // 2 in the first and 3 in the second: at 2, not at 6.
    let go = throughput("P = (a, 2).P1; P1 = (b, 1).P; Q = (a, 3).Q; P <a> Q", "a");
    assert!(near(go, 2.0 / 3.0, 1e-14), "{go}");
    // Three copies of 1 against 2.
    let go = throughput("P = (a, 1).P; Q = (a, 2).Q; P[3] <a> Q", "a");
    assert!(near(go, 2.0, 1e-14), "{go}");
    // Three partners at once.
    let go = throughput("P = (a, 5).P; Q = (a, 3).Q; R = (a, 4).R; P <a> Q <a> R", "a");
    assert!(near(go, 3.0, 1e-14), "{go}");
}

#[test]
fn passive_partners_share_the_active_rate_by_weight() {
    let text =
        "P = (a, 2).P1; P1 = (b, 1).P; Q = (a, 3*T).Q1 + (a, T).Q2; Q1 = (c, 9).Q; Q2 = (d, 9).Q; P <a> Q";
    let (c, d) = (throughput(text, "c"), throughput(text, "d"));
    assert!(near(c / d, 3.0, 1e-12), "{c} {d}");
    // Two passive copies do not make it twice as fast.
    let one = throughput("P = (a, 2).P; Q = (a, T).Q; P <a> Q", "a");
    let two = throughput("P = (a, 2).P; Q = (a, T).Q; P <a> (Q <> Q)", "a");
    assert!(near(one, two, 1e-14) && near(one, 2.0, 1e-14), "{one} {two}");
}

#[test]
fn hidden_actions_are_silent_and_need_no_partner() {
    let text = "P = (a, 2).P1; P1 = (b, 1).P; Q = (a, 3).Q; P / {a} <a> Q";
    let (_, _, measures) = solved(text);
    assert!(near(measures.throughput_of("tau").unwrap(), 2.0 / 3.0, 1e-14));
    assert_eq!(measures.throughput_of("a"), None, "its partner cannot do it any more");
}

#[test]
fn a_self_loop_counts_in_the_throughput_alone() {
    let text = "P = (a, 1).P + (b, 1).P1; P1 = (c, 1).P; P";
    let (space, _, measures) = solved(text);
    assert_eq!((space.states(), space.transitions()), (2, 3));
    assert!(near(measures.throughput_of("a").unwrap(), 0.5, 1e-14));
    assert!(near(measures.throughput_of("b").unwrap(), 0.5, 1e-14));
}

#[test]
fn states_are_counted_as_published_tools_do() {
    for (text, states) in [
        // An alias is a state of its own.
        ("P = (a, 1).P1; P1 = (b, 1).Q; Q = P; P", 3),
        // Rates that differ by the noise of reckoning make no second state.
        ("P = (a, 1).(b, 0.1 + 0.2).P + (c, 1).(b, 0.3).P; P", 2),
        // n copies of k states: C(n + k − 1, k − 1).
        ("P = (a, 1).(b, 1).(c, 1).P; P[10]", 66),
        ("P = (a, 1).(b, 1).(c, 1).P; P <> P <> P <> P", 81),
        ("P = (a, 1).Stop; P", 2),
    ] {
        assert_eq!(space(text).1.states(), states, "{text}");
    }
}

/// The pipeline of section 2 of Benoit, Cole, Gilmore and Hillston (2005) with stages 1 and 2 on one
/// processor: states, transitions and throughput.
#[test]
fn the_pipeline_has_27_states_and_51_transitions() {
    let text = "
        Stage1 = (move1, T).(process1, T).(move2, T).Stage1;
        Stage2 = (move2, T).(process2, T).(move3, T).Stage2;
        Stage3 = (move3, T).(process3, T).(move4, T).Stage3;
        P1 = (process1, 10/2).P1 + (process2, 10/2).P1;
        P2 = (process3, 10).P2;
        Network = (move1, 10000).Network + (move2, 10000).Network + (move3, 1/0.1).Network + (move4, 10000).Network;
        Network <move1, move2, move3, move4> ((Stage1 <move2> (Stage2 <move3> Stage3)) <process1, process2, process3> (P1 <> P2))";
    let (space, _, measures) = solved(text);
    assert_eq!((space.states(), space.transitions()), (27, 51));
    let rates: Vec<f64> = measures.throughput.iter().map(|t| t.1).collect();
    assert!(rates.iter().all(|r| near(*r, rates[0], 1e-12)), "what goes in comes out: {rates:?}");
}

#[test]
fn a_passive_action_without_partner_and_a_mixed_one_are_named() {
    let alone = system("P = (a, 1).P1; P1 = (b, infty).P; P");
    assert_eq!(
        try_space(&alone, false).unwrap_err(),
        SpaceError::Unpartnered { action: "b".into(), state: "P1".into() }
    );
    let mixed = system("P = (a, 1).P; Q = (a, infty).Q; R = (a, 1).R; (P <> Q) <a> R");
    assert!(matches!(try_space(&mixed, false), Err(SpaceError::Mixed { .. })));
}

#[test]
fn a_limit_on_states_is_kept_and_said() {
    let how = Exploration { limit: 100, ..common::exploration(false) };
    let system = system("P = (a, 1).(b, 1).(c, 1).P; P[100]");
    let error = Space::explore(&system, &how, &mut |_| true).unwrap_err();
    assert_eq!(error, SpaceError::TooMany(100));
    assert!(error.to_string().contains("--aggregate"));
    let mut rounds = 0;
    let stopped = Space::explore(&system, &common::exploration(false), &mut |_| {
        rounds += 1;
        false
    });
    assert_eq!((stopped.unwrap_err(), rounds), (SpaceError::Stopped, 1));
}

#[test]
fn states_may_be_wider_than_a_word() {
    // 40 components of 2 bits: three fields' worth of words, all cooperating so that few states are reached.
    let all = vec!["P"; 40].join(" <a, b, c> ");
    let (space, _, measures) = solved(&format!("P = (a, 1).(b, 1).(c, 1).P; {all}"));
    assert_eq!(space.states(), 3);
    assert!(near(measures.throughput_of("a").unwrap(), 1.0 / 3.0, 1e-12));
}

/// The distribution by Gaussian elimination with pivoting, from the transitions alone.
fn dense(space: &Space) -> Option<Vec<f64>> {
    let n = space.states();
    let mut a = vec![vec![0.0; n + 1]; n];
    for (from, to, rate) in (0..n).flat_map(|s| space.from(s).map(move |t| (s, t.to as usize, t.rate))) {
        a[to][from] += rate;
        a[from][from] -= rate;
    }
    // One equation says that the sum is 1.
    a[n - 1] = vec![1.0; n + 1];
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))?;
        a.swap(k, pivot);
        let row = a[k].clone();
        if row[k].abs() < 1e-9 {
            return None;
        }
        for (_, other) in a.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = other[k] / row[k];
            other.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    Some((0..n).map(|i| a[i][n] / a[i][i]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_long_run_is_that_of_dense_equations(model in random()) {
        let system = system(&model.write(true));
        // Passive actions may stay without a partner: refused, and nothing to compare.
        let Ok(space) = try_space(&system, false) else { return Ok(()) };
        prop_assume!(space.states() <= 120);
        let Some(expected) = dense(&space) else { return Ok(()) };
        let found = steady(&system, &space, &Solving::default(), &|| false).unwrap();
        for (x, e) in found.x.iter().zip(&expected) {
            prop_assert!((x - e).abs() < 1e-9, "{x} {e}\n{}", model.write(true));
        }
    }

    #[test]
    fn iterative_solvers_agree_with_the_direct_one(model in random()) {
        let system = system(&model.write(false));
        let Ok(space) = try_space(&system, false) else { return Ok(()) };
        let stop = || false;
        let direct = steady(&system, &space, &Solving { direct: 5000, orbits: false, ..Solving::default() }, &stop).unwrap();
        let iterative = Solving { direct: 1, orbits: false, tolerance: 1e-12, levels: true };
        let iterative = steady(&system, &space, &iterative, &stop).unwrap();
        prop_assert_eq!(direct.long_run, iterative.long_run);
        for (x, y) in direct.x.iter().zip(&iterative.x) {
            prop_assert!((x - y).abs() < 1e-8, "{x} {y} {}\n{}", iterative.solver, model.write(false));
        }
    }

    #[test]
    fn exchanging_equal_components_changes_no_figure(model in random()) {
        let written = system(&model.write(false));
        let arrays = system(&model.write(true));
        let Ok(full) = try_space(&written, false) else {
            prop_assert!(try_space(&arrays, true).is_err());
            return Ok(());
        };
        let solve = |of: &forerun_pepa::model::System, space: &Space, orbits: bool| {
            let how = Solving { direct: if orbits { 1 } else { 5000 }, orbits, tolerance: 1e-12, levels: true };
            let found = steady(of, space, &how, &|| false).unwrap();
            Measures::of(of, space, &found.x)
        };
        let expected = solve(&written, &full, false);
        let folded = try_space(&written, true).unwrap();
        let small = try_space(&arrays, false).unwrap();
        prop_assert!(folded.states() <= small.states() && small.states() <= full.states());
        prop_assert_eq!(folded.distinguished(), full.states() as f64, "{}", model.write(false));
        for (measures, how) in [
            (solve(&written, &folded, false), "aggregated"),
            (solve(&arrays, &small, false), "arrays"),
            (solve(&written, &full, true), "orbits"),
        ] {
            for (name, value) in &expected.throughput {
                let other = measures.throughput_of(name).unwrap_or(0.0);
                prop_assert!((value - other).abs() < 1e-7, "{how}: {name} {value} {other}\n{}", model.write(false));
            }
            for (name, value) in &expected.population {
                let other = measures.population_of(name).unwrap_or(0.0);
                prop_assert!((value - other).abs() < 1e-7, "{how}: {name} {value} {other}\n{}", model.write(false));
            }
        }
    }

    #[test]
    fn lumped_chains_have_the_same_throughputs(model in random()) {
        let system = system(&model.write(false));
        let Ok(space) = try_space(&system, false) else { return Ok(()) };
        let how = Solving { direct: 5000, ..Solving::default() };
        let full = steady(&system, &space, &how, &|| false).unwrap();
        prop_assume!(full.long_run == LongRun::Irreducible);
        let lumped = lump(&space);
        let classes = lumped.members.len();
        if let Some((_, orbits)) = space.orbits() {
            prop_assert!(classes <= orbits.len(), "exchanged components behave the same");
        }
        let small = irreducible(&lumped.chain, &how, &|x| x.to_vec(), &|| false).unwrap();
        let mut sums = vec![0.0; classes];
        for (class, p) in lumped.of.iter().zip(&full.x) {
            sums[*class as usize] += p;
        }
        for (sum, p) in sums.iter().zip(&small.x) {
            prop_assert!((sum - p).abs() < 1e-9, "{sum} {p}\n{}", model.write(false));
        }
    }

    #[test]
    fn numbers_of_states_do_not_depend_on_threads(copies in 5u32..40) {
        let system = system(&format!(
            "P = (a, 1).(b, 2).P; Q = (a, 1.5).(c, 1).(d, 1).Q; P[{copies}] <a> (Q[7] <> Q <> Q)"
        ));
        let explore = |threads| {
            Space::explore(&system, &Exploration { threads, ..common::exploration(false) }, &mut |_| true).unwrap()
        };
        let (one, three) = (explore(1), explore(3));
        prop_assert_eq!(one.states(), three.states());
        for state in 0..one.states() {
            prop_assert!(one.from(state).eq(three.from(state)));
        }
    }
}
