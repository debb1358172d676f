//! Prices on described platforms.

use std::time::{Duration, Instant};

use forerun_platform::{Cost, Host, Platform, ReductionProfile, Seconds, Share, Stage, Throttle, Wait};
use forerun_skeleton::Charge;

use super::{Measured, Pricing, Profiled};
use crate::Time;
use crate::tests::Wire;

fn host(name: &str, count: usize, cores: usize, speed: f64, availability: &[(f64, f64)]) -> Host {
    let availability = availability.iter().map(|&(at, factor)| (Seconds(at), factor)).collect();
    Host { speed, availability, ..Host::new(name, count, cores) }
}

fn platform(hosts: Vec<Host>) -> Platform {
    let network = Wire::FREE.network();
    Platform::new("test", hosts, network)
}

fn charge(stage: Stage, bytes: u64, results: u64) -> Charge {
    Charge { stage, item: 0, bytes, results }
}

fn profile() -> ReductionProfile {
    ReductionProfile {
        task: Cost { fixed: 15.0, spread: 0.25, ..Cost::default() },
        merge: Cost { fixed: 1.0, per_byte: 1e-9, per_result: 0.5, ..Cost::default() },
        ..ReductionProfile::default()
    }
}

fn seconds(prices: &impl Pricing, rank: usize, now: f64, charge: Charge) -> f64 {
    prices.price(rank, Time::from_seconds(now).expect("a time"), charge, || ()).1.seconds()
}

#[test]
fn a_cost_is_divided_by_the_speed_of_the_core_that_the_rank_is_on() {
    let hosts = vec![host("slow", 1, 2, 0.5, &[]), host("fast", 2, 1, 2.0, &[])];
    let prices = Profiled::new(&profile(), &platform(hosts), 6).expect("a valid platform");
    let merge = charge(Stage::Merge, 1_000_000_000, 4);
    let at: Vec<f64> = (0..6).map(|rank| seconds(&prices, rank, 0.0, merge)).collect();
    assert_eq!(at, [8.0, 8.0, 2.0, 2.0, 8.0, 8.0]);
    assert_eq!(seconds(&prices, 0, 0.0, charge(Stage::Input, 1 << 40, 1)), 0.0);
}

#[test]
fn tasks_that_are_done_cost_nothing() {
    let prices = Profiled::new(&profile(), &platform(vec![host("h", 1, 1, 1.0, &[])]), 1).expect("valid");
    let prices = prices.with_done(vec![0, 2]);
    let all = |stage| [0, 1, 2].map(|item| seconds(&prices, 0, 0.0, Charge { item, ..charge(stage, 0, 1) }));
    assert_eq!(all(Stage::Task), [0.0, 15.0, 0.0]);
    assert_eq!(all(Stage::Merge), [1.5; 3]);
}

#[test]
fn availability_slows_work_down_while_it_lasts() {
    let task = charge(Stage::Task, 0, 1);
    let price = |availability: &[(f64, f64)], now| {
        let hosts = vec![host("h", 1, 1, 1.0, availability)];
        let prices = Profiled::new(&profile(), &platform(hosts), 1).expect("a valid platform");
        seconds(&prices, 0, now, task)
    };
    assert_eq!(price(&[(10.0, 0.5)], 0.0), 20.0);
    assert_eq!(price(&[(10.0, 0.5)], 10.0), 30.0);
    assert_eq!(price(&[(10.0, 0.5), (14.0, 1.0)], 0.0), 17.0);
    assert_eq!(price(&[(14.0, 1.0), (10.0, 0.0)], 0.0), 19.0);
    assert_eq!(price(&[(0.0, 3.0)], 7.0), 5.0);
    // It never comes back: past the end of time.
    assert_eq!(price(&[(10.0, 0.0)], 0.0), Time::MAX.seconds());
}

#[test]
fn spread_keeps_the_mean_and_is_drawn_for_every_item() {
    let prices = Profiled::at_speed_one(&profile()).expect("a valid profile").with_spread(1);
    let drawn: Vec<f64> = (0..10_000)
        .map(|item| seconds(&prices, 0, 0.0, Charge { item, ..charge(Stage::Task, 0, 1) }))
        .collect();
    let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
    assert!((mean / 15.0 - 1.0).abs() < 0.01, "{mean}");
    assert!(drawn.windows(2).all(|w| w[0] != w[1]));
    // Merges have none.
    assert_eq!(seconds(&prices, 0, 0.0, charge(Stage::Merge, 0, 2)), 2.0);
}

#[test]
fn bad_costs_and_hosts_are_refused() {
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        for cost in [
            Cost::constant(bad),
            Cost { per_byte: bad, ..Cost::default() },
            Cost { per_result: bad, ..Cost::default() },
            Cost { spread: bad, ..Cost::default() },
            Cost { fixed: 1.0, wait: Wait::constant(bad), ..Cost::default() },
        ] {
            let profile = ReductionProfile { sink: cost, ..ReductionProfile::default() };
            assert!(Profiled::at_speed_one(&profile).is_err(), "{cost:?}");
        }
        let hosts = vec![host("h", 1, 1, bad, &[])];
        let e = Profiled::new(&profile(), &platform(hosts), 1).expect_err("refused");
        assert!(e.to_string().starts_with("host h of platform test has speed"), "{e}");
        assert!(Measured::new(&platform(vec![host("h", 1, 1, 1.0, &[(0.0, bad)])]), 1).is_err());
    }
    assert!(Measured::new(&platform(Vec::new()), 1).is_err());
}

/// Keeps the processor busy.
fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

#[test]
fn measured_work_costs_its_cpu_time_over_the_speed() {
    let on =
        |speed| Measured::new(&platform(vec![host("h", 1, 1, speed, &[])]), 1).expect("a valid platform");
    let price = |prices: &Measured, stage, f: &dyn Fn()| {
        prices.price(0, Time::ZERO, charge(stage, 0, 1), f).1.seconds()
    };
    let busy = || spin(Duration::from_millis(20));
    let idle = || std::thread::sleep(Duration::from_millis(20));
    // Other load on the machine can only make the CPU time of `busy` less.
    let one = price(&on(1.0), Stage::Task, &busy);
    assert!(one > 0.0 && one <= 0.025, "{one}");
    assert!(price(&on(4.0), Stage::Task, &busy) <= 0.025 / 4.0);
    assert!(price(&on(1.0), Stage::Task, &idle) < 0.01);
    assert!(price(&on(2.0).by_wall_clock(), Stage::Task, &idle) >= 0.01);
    assert_eq!(price(&on(1.0), Stage::Input, &idle), 0.0);
    assert!(price(&on(2.0).with_input(), Stage::Input, &idle) >= 0.02);
}

/// Whatever makes a host slow: what is waited for takes as long there.
#[test]
fn processor_time_alone_is_stretched() {
    let sink = Cost { fixed: 1e-3, wait: Wait { per_byte: 1e-9, ..Wait::constant(0.25) }, ..Cost::default() };
    let profile = ReductionProfile { sink, ..ReductionProfile::default() };
    let throttle = Some(Throttle { quota: Seconds(1e-3), period: Seconds(10e-3) });
    let plain = host("h", 1, 1, 1.0, &[]);
    let background = forerun_platform::Measured::stated(Share(0.9));
    let rest = 0.25 + 1e-3;
    for (of, work) in [
        (plain.clone(), 1e-3),
        (host("h", 1, 1, 0.1, &[]), 10e-3),
        (Host { background, ..plain.clone() }, 10e-3),
        (host("h", 1, 1, 1.0, &[(0.0, 0.1)]), 10e-3),
        // What fits into a quota is not stalled.
        (Host { throttle, ..plain }, 1e-3),
    ] {
        for hosts in [vec![of.clone()], vec![of.clone(), host("other", 1, 1, 7.0, &[])]] {
            let prices = Profiled::new(&profile, &platform(hosts), 2).expect("a valid platform");
            let took = seconds(&prices, 0, 0.0, charge(Stage::Sink, 1_000_000, 1));
            assert!((took - work - rest).abs() < 1e-9, "{of:?}: {took}");
        }
    }
}

#[test]
fn what_a_delivery_waits_for_is_charged_as_it_is() {
    let on =
        |speed| Measured::new(&platform(vec![host("h", 1, 1, speed, &[])]), 1).expect("a valid platform");
    let idle = || std::thread::sleep(Duration::from_millis(20));
    let price = |speed| on(speed).price(0, Time::ZERO, charge(Stage::Sink, 0, 1), idle).1.seconds();
    for speed in [0.5, 1.0, 50.0] {
        let took = price(speed);
        assert!(took >= 0.019, "at speed {speed}: {took}");
    }
}
