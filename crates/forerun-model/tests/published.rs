//! What Kuntraruk, Pottenger and Ross publish, from the equations and from the closed forms.

mod common;

use common::{cluster, costs, network};
use forerun_model::Load;
use forerun_model::kuntraruk::{
    Drain, Equation6, depth, largest_p, per_result, speedup, speedup_bound, t_comm, t_merge, t_par, t_seq,
    t_total,
};
use forerun_model::planner::{Divisible, Fixed, Request, plan};
use forerun_model::reduction::{balance, predict};
use forerun_platform::{Bytes, BytesPerSecond, Seconds, Strategy};
use forerun_skeleton::reduction::Shape;

/// T_comp of feature extraction, and the merge cost that explains tables VI to XI.
const TASK: f64 = 0.15;
const PER_RESULT: f64 = 0.0128;

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not within {tolerance} of {b}");
}

#[test]
fn speedup_model() {
    for (p, s) in [(8, 6.857), (16, 14.222), (32, 29.091), (64, 59.077), (128, 119.467)] {
        near(speedup(p), s, 5e-4);
        assert!(speedup(p) < speedup_bound(p));
    }
    assert_eq!(depth(8), 7.0);
}

#[test]
fn equations_one_two_and_six() {
    near(t_seq(4.0, 1.0, 0.5), 5.5, 1e-12);
    near(t_merge(4.0, 1.0, 5.5), 0.5, 1e-12);
    near(t_par(8.0, 8, 1.0, 0.5, 0.25), 2.0 + 2.0 * 0.75 * 3.0, 1e-12);
    // Equation 12 with the T_comm that its formula gives, and with the one its result follows from.
    near(t_total(512.0, 16, TASK, 0.0, 0.449e-3, Drain::Ignored), 9.478, 1e-3);
    near(t_total(512.0, 16, TASK, 0.0, 2.58e-3, Drain::Ignored), 9.61, 1e-2);
    // Equation 13.
    near(t_total(512.0, 8, 1.39, 0.0, 0.25, Drain::Ignored), 208.03, 1e-2);
    let drained = t_total(512.0, 8, 1.39, 0.5, 0.25, Drain::Counted);
    near(drained - t_total(512.0, 8, 1.39, 0.5, 0.25, Drain::Ignored), 3.0 * 0.75, 1e-12);
}

/// Tables I to IV and XVI: T_comm from equation 11, and the ones that the printed results follow from.
#[test]
fn predicted_times_of_feature_extraction_and_sorting() {
    let capacity: BytesPerSecond = "1.28 Gbit/s".parse().unwrap();
    let total = |tasks, processors, groups, t_comp, t_comm| {
        let e = Equation6 {
            tasks,
            processors,
            groups,
            arity: 2,
            t_comp: Seconds(t_comp),
            t_merge: Seconds(0.0),
            t_comm,
            drain: Drain::Ignored,
        };
        e.total().0
    };
    let t = t_comm(Bytes(23_720), capacity, Seconds(TASK)).unwrap();
    near(t.0, 0.449e-3, 5e-7);
    near(total(4096.0, 128, 8, TASK, t), 9.478, 5e-4);
    for (groups, tasks, seconds) in [
        (1, 4096.0, 77.97),
        (1, 8192.0, 156.09),
        (1, 16384.0, 312.33),
        (2, 4096.0, 38.91),
        (4, 4096.0, 19.38),
        (8, 4096.0, 9.61),
    ] {
        near(total(tasks, 16 * groups, groups, TASK, Seconds(2.58e-3)), seconds, 5e-3);
    }
    let t = t_comm(Bytes(8_000_000), capacity, Seconds(1.39)).unwrap();
    near(t.0, 0.2582, 5e-5);
    for (tasks, formula, rounded) in [
        (512.0, 209.06, 208.03),
        (1024.0, 420.03, 417.95),
        (2048.0, 841.97, 837.79),
        (4096.0, 1685.85, 1677.47),
    ] {
        near(total(tasks, 8, 1, 1.39, t), formula, 6e-3);
        near(total(tasks, 8, 1, 1.39, Seconds(0.25)), rounded, 6e-3);
    }
    // Where the formula would turn negative there is no T_comm.
    assert!(t_comm(Bytes(8_000_000), capacity, Seconds(0.8)).is_err());
}

/// Equation 6 with its drain is what the program takes where stages are equal, up to what the paper
/// does not count: the first set's task beside it, and the last rank, which does not merge.
#[test]
fn equation_six_beside_the_closed_form() {
    for (groups, arity, size) in [(1usize, 2usize, 16usize), (4, 2, 8), (2, 3, 27), (1, 4, 64)] {
        let cohort = size - size / arity;
        let tasks = (groups * (size + 50 * cohort)) as u64;
        let (merge, latency) = (0.1, 0.02);
        let profile = costs(1.0, merge, 0.0, 0.0);
        let shape = Shape { arity, groups, ..Shape::new(Strategy::ParallelPipeline, groups * size) };
        let load = Load::new(tasks, 1.0);
        let p = predict(&shape, &load, &profile, &cluster(network(latency, 0.0, 0.0))).unwrap();
        let e = Equation6 {
            tasks: tasks as f64,
            processors: (groups * size) as u64,
            groups: groups as u64,
            arity: arity as u64,
            t_comp: Seconds(1.0),
            t_merge: Seconds(merge * (arity - 1) as f64),
            t_comm: Seconds(latency),
            drain: Drain::Counted,
        };
        // Transit is hidden behind the next task but while draining; the last rank merges one piece less.
        let hidden = 50.0 * latency;
        near(p.makespan_s - p.finish_s, e.total().0 - hidden - merge, 1e-9);
    }
}

#[test]
fn tables_six_to_eleven_in_step() {
    let rows = [(8, 1.4, 1.10), (16, 5.5, 1.78), (32, 16.0, 2.30)];
    for (p, slaves, tree) in rows {
        let r = per_result(p, TASK, PER_RESULT);
        near(r.master_slave / r.parallel_pipeline, slaves, 0.05);
        near(r.reduction_tree / r.parallel_pipeline, tree, 0.005);
    }
}

/// The programs are not held in step, and a master's first result costs it no merge: a set of 32
/// is faster than the longest stage, since no rank is in it at every step.
#[test]
fn tables_six_to_eleven_as_the_programs_run() {
    let profile = costs(TASK, 0.0, PER_RESULT, 0.0);
    let platform = cluster(network(0.0, 0.0, 0.0));
    for (p, slaves, tree) in [(8, 1.32, 1.10), (16, 5.42, 1.78), (32, 21.8, 3.15)] {
        let load = Load::new(1_000_000, 5000.0);
        let s = |strategy| predict(&Shape::new(strategy, p), &load, &profile, &platform).unwrap().makespan_s;
        let pipeline = s(Strategy::ParallelPipeline);
        near(s(Strategy::MasterSlave) / pipeline, slaves, 0.05);
        near(s(Strategy::ReductionTree) / pipeline, tree, 0.01);
    }
}

#[test]
fn the_bound_on_p_follows_from_the_costs() {
    assert_eq!(largest_p(TASK, PER_RESULT), 16);
    // Sorting: T_merge from equation 1 and table XVI's sequential times, for every array in the
    // merged list. (Its last row, 7254 s for 4096 arrays, is 4 % above the others and gives 4.)
    for (n, seconds) in [(512.0, 886.0), (1024.0, 1770.0), (2048.0, 3544.0)] {
        assert_eq!(largest_p(1.39, t_merge(n, 1.39, seconds)), 8);
    }
    let platform = cluster(network(0.0, 0.0, 0.0));
    let load = Load::new(4096, 5000.0);
    for (task, each, bound) in [(TASK, PER_RESULT, 16usize), (1.39, 0.341, 8)] {
        let profile = costs(task, 0.0, each, 0.0);
        for p in [2usize, 4, 8, 16, 32, 64] {
            let holds = balance(p, 2, &load, &profile, &platform).unwrap().holds();
            assert_eq!(holds, p <= bound, "{p} processors, bound {bound}");
        }
        let fixed = Fixed { strategy: Some(Strategy::ParallelPipeline), arity: Some(2), ..Fixed::default() };
        let input = Divisible::Tasks { tasks: 1 << 20, bytes: 5000.0 };
        let request = Request { max_processors: 128, fixed, ..Request::new(&platform, &profile, input) };
        let planned = plan(&request).unwrap();
        assert!(planned.best.plan.group_size() <= bound, "{:?}", planned.best.plan);
        assert!(planned.warnings.is_empty());
        // Fixed against the bound, it is planned and warned of.
        let fixed = Fixed { processors: Some(2 * bound), groups: Some(1), ..fixed };
        let planned = plan(&Request { fixed, ..request }).unwrap();
        assert_eq!(planned.best.plan.group_size(), 2 * bound);
        assert!(planned.warnings[0].contains("largest merge"), "{:?}", planned.warnings);
    }
}
