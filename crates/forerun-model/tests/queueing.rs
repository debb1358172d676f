//! Queueing stations, paths and closed networks: identities that hold for any figures.

use forerun_model::queueing::{Centre, Closed, Path, PerSecond, Point, Saturated, Servers, Service, Station};
use forerun_platform::{Bytes, BytesPerSecond, Seconds, Switching};
use proptest::prelude::*;

fn services() -> impl Strategy<Value = Service> {
    prop_oneof![
        Just(Service::Deterministic),
        Just(Service::Exponential),
        (0.0..9.0f64).prop_map(|scv| Service::General { scv }),
    ]
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) + 1e-300
}

proptest! {
    /// Little's law, the utilisation law, and M/M/1 in the form of the textbooks.
    #[test]
    fn station_laws(mean in 1e-9..1e3f64, rho in 0.0..0.99f64, others in 0.0..0.999f64, service in services()) {
        let others = 0.99 * others * (1.0 - rho);
        let station = Station { background: (others, Seconds(mean)), ..Station::new("s", Seconds(mean), service) };
        let arrivals = PerSecond(rho / mean);
        let f = station.at(arrivals).unwrap();
        prop_assert!(near(f.utilisation, rho + others));
        prop_assert!(near(f.number, arrivals * f.sojourn) && near(f.queue, arrivals * f.waiting));
        prop_assert!(near(f.number - f.queue, rho));
        prop_assert!(f.waiting.0 >= 0.0 && f.sojourn.0 >= mean);
        if service == Service::Exponential {
            prop_assert!(near(f.sojourn.0, mean / (1.0 - rho - others)));
        }
        // More load, more wait; more variation, more wait.
        let more = station.at(PerSecond(rho * 1.0001 / mean)).unwrap();
        prop_assert!(more.waiting >= f.waiting);
        let wilder = Station { service: Service::General { scv: service.scv() + 0.5 }, ..station.clone() };
        prop_assert!(wilder.at(arrivals).unwrap().waiting >= f.waiting);
        // It saturates exactly where it says, and there is no figure beyond.
        let limit = station.limit();
        prop_assert!(station.at(limit * 0.999_999).is_ok());
        let saturated = station.at(limit * 1.000_001).unwrap_err();
        prop_assert!(saturated.utilisation >= 1.0 && saturated.limit == limit);
    }

    /// A path is the sum of its stations.
    #[test]
    fn path_laws(
        fan_ins in proptest::collection::vec(1.0..64.0f64, 1..5), size in 1u64..1 << 24, over in 1.0001..50.0f64,
        service in services(),
    ) {
        let capacity = BytesPerSecond(1.6e8);
        let path = Path { propagation: Seconds(3e-6), ..Path::fat_tree(&fan_ins, capacity, service) };
        prop_assert_eq!(path.points.len(), 2 * fan_ins.len() - 1);
        let shortest = path.shortest_interval(Bytes(size));
        let interval = shortest * over;
        let passage = path.delay(Bytes(size), interval).unwrap();
        let x = size as f64 / capacity.0;
        let stations: f64 = path.points.iter().map(|p| {
            let s = Station::new("", Seconds(x), service).at(PerSecond(p.fan_in / interval.0)).unwrap();
            s.sojourn.0
        }).sum();
        prop_assert!(near(passage.total.0, 3e-6 + stations));
        prop_assert!(near(passage.total.0, 3e-6 + passage.waiting.0 + x * path.points.len() as f64));
        // Hosts that send less often wait less; those that send more often than they can, for ever.
        prop_assert!(path.delay(Bytes(size), interval * 2.0).unwrap().total <= passage.total);
        let saturated = path.delay(Bytes(size), shortest * 0.999).unwrap_err();
        prop_assert!(near(saturated.interval.unwrap().0, shortest.0));
    }
}

#[test]
fn the_papers_message_delays() {
    let capacity = BytesPerSecond(1.6e8);
    let path = Path::leaf_spine(8.0, 16.0, capacity, Service::Exponential);
    let t = |bytes, interval| path.delay(Bytes(bytes), Seconds(interval)).map(|p| p.total.0);
    // Equations 12 and 13: 0.449 ms and 0.2582 s.
    assert!((t(23_720, 0.15).unwrap() - 0.449e-3).abs() < 5e-7);
    assert!((t(8_000_000, 1.39).unwrap() - 0.2582).abs() < 5e-5);
    let x = 8e6 / 1.6e8;
    let formula = 2.0 * x / (1.0 - 8.0 * x / 1.39) + x / (1.0 - 16.0 * x / 1.39);
    assert!((t(8_000_000, 1.39).unwrap() - formula).abs() < 1e-12);
    // Where the formula turns negative there is no figure, but the load at which that begins.
    let Err(Saturated { station, interval, limit, .. }) = path.delay(Bytes(8_000_000), Seconds(0.79)) else {
        panic!("saturated")
    };
    assert_eq!((station.as_str(), interval), ("spine", Some(Seconds(0.8))));
    assert!((limit.0 - 20.0).abs() < 1e-9);
    let sentence = path.delay(Bytes(8_000_000), Seconds(0.79)).unwrap_err().to_string();
    assert!(sentence.contains("the spine is saturated") && sentence.contains("every 800 ms"), "{sentence}");
}

#[test]
fn background_traffic_takes_its_share() {
    let link = |share| Point { background: share, ..Point::new("link", 1.0, BytesPerSecond(1e6)) };
    let path = |points| Path { points, ..Path::switch(1.0, BytesPerSecond(1e6), Service::Exponential) };
    let alone = path(vec![link(0.0)]).delay(Bytes(1000), Seconds(1e9)).unwrap();
    let shared = path(vec![link(0.5)]).delay(Bytes(1000), Seconds(1e9)).unwrap();
    assert!((shared.total.0 / alone.total.0 - 2.0).abs() < 1e-6);
    // Small messages behind large ones of others wait for those.
    let behind = Point { background_message: Some(Bytes(100_000)), ..link(0.5) };
    let behind = path(vec![behind]).delay(Bytes(1000), Seconds(1e9)).unwrap();
    assert!((behind.waiting.0 - 0.1).abs() < 1e-6);
    let error = path(vec![link(1.0)]).delay(Bytes(1000), Seconds(1.0)).unwrap_err();
    assert!(error.to_string().contains("background traffic alone"), "{error}");
}

#[test]
fn what_cuts_through_is_transmitted_once() {
    let stored = Path::leaf_spine(2.0, 3.0, BytesPerSecond(1e6), Service::Exponential);
    let cut = Path { switching: Switching::CutThrough, ..stored.clone() };
    let of = |path: &Path| path.delay(Bytes(1000), Seconds(0.1)).unwrap();
    assert_eq!(of(&stored).waiting, of(&cut).waiting);
    assert!((of(&stored).total.0 - of(&cut).total.0 - 2e-3).abs() < 1e-12);
}

fn centres() -> impl Strategy<Value = Vec<Centre>> {
    let centre = (0.0..2.0f64, 0u64..6).prop_map(|(demand, servers)| Centre {
        name: String::new(),
        demand: Seconds(demand),
        servers: if servers == 0 { Servers::Delay } else { Servers::Queue(servers) },
    });
    proptest::collection::vec(centre, 1..6)
}

/// Throughput by the normalisation constants of product form: G(N − 1) / G(N), each the sum over
/// all ways to place the ranks. (Slow, and overflows for many ranks: an independent check.)
fn by_normalisation(centres: &[Centre], think: f64, n: usize) -> f64 {
    let mut g = vec![0.0; n + 1];
    g[0] = 1.0;
    let think = Centre::delay("think", Seconds(think));
    for c in centres.iter().chain([&think]) {
        let mut f = vec![1.0; n + 1];
        for k in 1..=n {
            let busy = match c.servers {
                Servers::Queue(m) => k.min(m as usize),
                Servers::Delay => k,
            };
            f[k] = f[k - 1] * c.demand.0 / busy as f64;
        }
        g = (0..=n).map(|m| (0..=m).map(|k| f[k] * g[m - k]).sum()).collect();
    }
    g[n - 1] / g[n]
}

proptest! {
    #[test]
    fn closed_networks_are_exact_and_within_their_bounds(
        centres in centres(), think in 0.0..5.0f64, n in 1u64..40,
    ) {
        let network = Closed::new(centres.clone(), Seconds(think)).unwrap();
        let s = network.solve(n);
        let x = s.throughput.0;
        prop_assert!((x / by_normalisation(&centres, think, n as usize) - 1.0).abs() < 1e-9);
        // Little's law, for every centre and for the whole; the utilisation law.
        let inside: f64 = s.centres.iter().map(|c| c.number).sum();
        prop_assert!((inside + x * think - n as f64).abs() < 1e-8 * n as f64, "{inside} {x} {think}");
        prop_assert!((x * (s.response.0 + think) - n as f64).abs() < 1e-8 * n as f64);
        for (c, f) in centres.iter().zip(&s.centres) {
            prop_assert!((f.number - x * f.residence.0).abs() < 1e-9 * n as f64);
            prop_assert!(f.residence.0 >= c.demand.0 * (1.0 - 1e-9));
            if let Servers::Queue(m) = c.servers {
                prop_assert!((f.utilisation - x * c.demand.0 / m as f64).abs() < 1e-9);
                prop_assert!(f.utilisation <= 1.0 + 1e-9);
            }
        }
        let b = network.bounds(n);
        let over = 1.0 + 1e-9;
        prop_assert!(b.throughput.0.0 <= x * over && x <= b.throughput.1.0 * over);
        prop_assert!(b.response.0.0 <= s.response.0 * over && s.response.0 <= b.response.1.0 * over);
        // More ranks, more throughput and more waiting.
        let more = network.solve(n + 1);
        prop_assert!(more.throughput.0 >= x / over && more.response.0 >= s.response.0 / over);
        prop_assert_eq!(network.curve(n).last().copied(), Some(s.throughput));
    }
}

/// Where the recursion that subtracts probabilities gives negative ones.
#[test]
fn many_servers_and_many_ranks_stay_exact() {
    let centres = vec![Centre::servers("workers", Seconds(30.0), 32), Centre::queue("master", Seconds(0.9))];
    let network = Closed::new(centres, Seconds(0.0)).unwrap();
    let s = network.solve(5000);
    // The workers are slower by a little: 32 / 30 a second against 1 / 0.9.
    assert!((s.throughput.0 - 32.0 / 30.0).abs() < 1e-9);
    let master = &s.centres[1];
    let rho = 0.9 * 32.0 / 30.0;
    assert!((master.number - rho / (1.0 - rho)).abs() < 1e-6, "{}", master.number);
    assert!((s.centres[0].number + master.number - 5000.0).abs() < 1e-6);
    let curve = network.curve(5000);
    assert!(curve.windows(2).all(|w| w[1].0 >= w[0].0 * (1.0 - 1e-12) && w[1].0.is_finite()));
}

#[test]
fn networks_that_cannot_be_are_refused() {
    let error = |centres, think| Closed::new(centres, Seconds(think)).unwrap_err().to_string();
    assert!(error(vec![Centre::queue("disk", Seconds(-1.0))], 0.0).contains("the demand at disk is -1 s"));
    assert!(error(vec![Centre::servers("disk", Seconds(1.0), 0)], 0.0).contains("0 servers"));
    assert!(error(vec![Centre::queue("disk", Seconds(0.0))], 0.0).contains("nothing in the closed network"));
    assert!(error(vec![], f64::NAN).contains("think time"));
    let empty = Closed::new(vec![Centre::queue("disk", Seconds(1.0))], Seconds(0.0)).unwrap().solve(0);
    assert_eq!((empty.throughput, empty.centres[0].number), (PerSecond(0.0), 0.0));
}
