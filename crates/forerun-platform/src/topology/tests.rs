//! Topologies: what a good file gives, that a bad one points at its line, and what they add.

use proptest::prelude::*;

use super::*;
use crate::{Host, Network, Platform, preset};

const GOOD: &str = r#"format = 1
[[host]]
name = "node"
count = 64
cores = 2
background = { value = "25 %", low = "20 %", high = "30 %" }
[network]
latency = "7 us"
bandwidth = "1 GB/s"
[network.topology]
kind = "leaf-spine"
switching = "store-and-forward"
service = { scv = 0.5 }
[network.topology.leaf]
fan_in = 8
latency = "0.5 us"
background = "50 %"
background_message = "1500 B"
[network.topology.spine]
fan_in = 16
bandwidth = "2 GB/s"
background = "20 %"
"#;

fn read(text: &str) -> Platform {
    Platform::from_toml(text, "lab.toml").unwrap_or_else(|e| panic!("{e}"))
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
}

#[test]
fn a_topology_is_read() {
    let p = read(GOOD);
    near(p.hosts[0].free_speed(), 0.75);
    let t = p.network.topology.as_ref().unwrap();
    assert_eq!((t.kind, t.switching), (TopologyKind::LeafSpine, Switching::StoreAndForward));
    assert_eq!(t.service, Service::General { scv: 0.5 });
    let leaf = Level {
        latency: Seconds(5e-7).into(),
        background: Share(0.5).into(),
        background_message: Some(Bytes(1500)),
        ..Level::new(8, SecondsPerByte(1e-9))
    };
    let spine = Level { background: Share(0.2).into(), ..Level::new(16, SecondsPerByte(5e-10)) };
    assert_eq!(t.levels, [leaf, spine]);
    let json = serde_json::to_value(&p).unwrap();
    assert_eq!(json["network"]["topology"]["kind"], "leaf-spine");
    assert_eq!(json["network"]["topology"]["levels"][0]["latency_s"]["value"], 5e-7);
    assert_eq!(json["hosts"][0]["background"]["high"], 0.3);
    assert_eq!(serde_json::from_value::<Platform>(json).unwrap(), p);
    assert_eq!(read(&p.to_toml()), p);
}

#[test]
fn every_kind_of_fault_points_at_its_line() {
    let faults: &[(&str, &str, usize, usize, &str)] = &[
        ("kind = \"leaf-spine\"\n", "", 10, 1, "[topology] has no \"kind\": add kind = \"switch\""),
        ("leaf-spine", "spine-leaf", 11, 8, "write \"switch\" or \"leaf-spine\" or \"fat-tree\""),
        ("store-and-forward", "cut", 12, 13, "write \"cut-through\" or \"store-and-forward\""),
        ("service = { scv = 0.5 }", "service = \"poisson\"", 13, 11, "\"deterministic\" or \"exponential\""),
        ("scv = 0.5", "scv = -1", 13, 19, "\"scv\" is a number of 0 or more"),
        ("scv = 0.5", "cv = 0.5", 13, 13, "\"cv\" is no key of \"service\": did you mean \"scv\"?"),
        ("fan_in = 8\n", "", 14, 1, "[leaf] has no \"fan_in\": add fan_in = 8"),
        ("fan_in = 8", "fan_in = 0", 15, 10, "\"fan_in\" is a whole number, 1 or more"),
        ("fan_in = 8", "fanin = 8", 15, 1, "\"fanin\" is no key of [leaf]: did you mean \"fan_in\"?"),
        ("\"0.5 us\"", "\"0.5\"", 16, 11, "latency = \"0.5\" has no unit"),
        ("\"0.5 us\"", "0.5", 16, 11, "\"latency\" is a number without a unit"),
        ("\"50 %\"", "\"50\"", 17, 14, "background = \"50\" has no unit"),
        ("\"50 %\"", "\"100 %\"", 17, 14, "background is 100 %, which leaves nothing (it is saturated)"),
        ("high = \"30 %\"", "high = \"120 %\"", 6, 14, "background is 120 %, which leaves nothing"),
        ("\"1500 B\"", "\"1500\"", 18, 22, "background_message = \"1500\" has no unit"),
        ("bandwidth = \"2 GB/s\"", "bandwidth = \"0 B/s\"", 21, 13, "at which nothing ever arrives"),
        (
            "topology.spine",
            "topology.spines",
            19,
            19,
            "\"spines\" is no key of [topology]: did you mean \"spine\"?",
        ),
        ("kind = \"leaf-spine\"", "kind = \"fat-tree\"", 10, 1, "[topology] has no \"level\""),
    ];
    for (part, by, line, column, message) in faults {
        assert_eq!(GOOD.matches(part).count(), 1, "{part}");
        let Err(error) = Platform::from_toml(&GOOD.replace(part, by), "lab.toml") else {
            panic!("{by:?} was taken");
        };
        let all: Vec<_> = error.problems().iter().map(|p| (p.line, p.column, &p.message)).collect();
        let found = all.iter().any(|(l, c, m)| (l, c) == (line, column) && m.contains(message));
        assert!(
            found || *message == "not TOML",
            "{by:?} should give {line}:{column} {message:?}, gives {all:?}"
        );
    }
}

#[test]
fn paths_go_as_high_as_they_must() {
    let level = |fan_in| Level::new(fan_in, SecondsPerByte(1e-9));
    let tree = Topology::new(TopologyKind::FatTree, vec![level(4), level(4), level(4)]);
    assert_eq!(tree.path(1), [] as [usize; 0]);
    assert_eq!(tree.path(2), [0]);
    assert_eq!(tree.path(4), [0]);
    assert_eq!(tree.path(5), [0, 1, 0]);
    assert_eq!(tree.path(17), [0, 1, 2, 1, 0]);
    assert_eq!(tree.path(1000), [0, 1, 2, 1, 0]);
    let hosts = vec![Host::new("a", 3, 2), Host::new("b", 2, 4)];
    let p = Platform::new("p", hosts, Network { topology: Some(tree), ..Network::default() });
    assert_eq!([0, 1, 2, 3, 6, 7, 11, 14, 15, 99].map(|n| p.hosts_of(n)), [0, 1, 1, 2, 3, 4, 5, 5, 5, 5]);
}

#[test]
fn what_a_route_adds_by_hand() {
    let route = read(GOOD).route(128).unwrap();
    // Leaf, spine, leaf. At a leaf others' 1500 bytes at half load, C² = 0.5: W = 0.5 · 1.5 us ·
    // 0.75 / 0.5; at the spine a fifth of messages like ours: W = 0.2 c 0.75 / 0.8 a byte.
    near(route.latency.0, 2.0 * (0.5e-6 + 1.125e-6));
    // Passed on whole: the spine's and the second leaf's transmission.
    near(route.per_byte.0, 0.5e-9 * 0.1875 + 0.5e-9 + 1e-9);
    near(route.gap_per_byte.0, 1e-9);
    near(route.port_per_byte.0, 2e-9);
    // Under one leaf.
    let near_by = read(GOOD).route(16).unwrap();
    near(near_by.latency.0, 0.5e-6 + 1.125e-6);
    assert_eq!(near_by.per_byte, SecondsPerByte(0.0));
    assert_eq!(read(GOOD).route(2).unwrap(), Route::default());
    // Cut-through: the slowest link once.
    let cut = read(&GOOD.replace("store-and-forward", "cut-through").replace("2 GB/s", "0.5 GB/s"));
    near(cut.route(128).unwrap().gap_per_byte.0, 2e-9);
    near(cut.route(128).unwrap().port_per_byte.0, 2.5e-9);
    let mut full = read(GOOD);
    full.network.topology.as_mut().unwrap().levels[1].background = Share(1.0).into();
    let error = full.route(128).unwrap_err().to_string();
    assert!(error.contains("the links of the spine are saturated"), "{error}");
    assert!(full.route(16).is_ok());
}

#[test]
fn the_papers_topologies() {
    let of = |name| preset(name).unwrap().platform().unwrap().network.topology;
    let myrinet = of("ncsa-ia32-myrinet").unwrap();
    assert_eq!(myrinet.levels.iter().map(|l| l.fan_in).collect::<Vec<_>>(), [8, 16]);
    assert_eq!(myrinet.service, Service::Exponential);
    // A switch that adds nothing changes nothing.
    for name in ["bme-pc-cluster", "osaka-fast-ethernet"] {
        let p = preset(name).unwrap().platform().unwrap();
        let route = p.route(64).unwrap();
        assert_eq!((route.latency, route.per_byte), (Seconds(0.0), SecondsPerByte(0.0)), "{name}");
        assert!(route.port_per_byte <= p.network.gap_per_byte.value, "{name}");
    }
    assert!(of("lehigh-fire").is_none());
}

prop_compose! {
    fn levels()(
        fan_in in 1usize..99, c in 0.0..1e-3f64, latency in 0.0..1e-3f64, background in 0.0..0.99f64,
        message in proptest::option::of(0u64..1 << 40),
    ) -> Level {
        Level {
            latency: Seconds(latency).into(),
            background: Share(background).into(),
            background_message: message.map(Bytes),
            ..Level::new(fan_in, SecondsPerByte(c))
        }
    }
}

prop_compose! {
    fn topologies()(
        kind in prop_oneof![Just(TopologyKind::Switch), Just(TopologyKind::LeafSpine), Just(TopologyKind::FatTree)],
        switching in prop_oneof![Just(Switching::CutThrough), Just(Switching::StoreAndForward)],
        service in prop_oneof![
            Just(Service::Deterministic), Just(Service::Exponential),
            (0.0..9.0f64).prop_map(|scv| Service::General { scv }),
        ],
        levels in proptest::collection::vec(levels(), 3),
        count in 1usize..4,
    ) -> Topology {
        let count = match kind { TopologyKind::Switch => 1, TopologyKind::LeafSpine => 2, TopologyKind::FatTree => count };
        Topology { switching, service, ..Topology::new(kind, levels[..count].to_vec()) }
    }
}

proptest! {
    #[test]
    fn a_written_file_reads_back_as_the_same(t in topologies(), background in 0.0..0.99f64) {
        let host = Host { background: Share(background).into(), ..Host::new("h", 9, 2) };
        let p = Platform::new("p", vec![host], Network { topology: Some(t), ..Network::default() });
        let text = p.to_toml();
        let again = Platform::from_toml(&text, "x").map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(&again, &p);
        let json = serde_json::to_string(&p).unwrap();
        let again: Platform = serde_json::from_str(&json).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&again, &p);
    }

    /// More of other jobs' traffic, or more hosts between which messages go, never makes them faster.
    #[test]
    fn a_busier_or_longer_way_takes_no_less(t in topologies(), at in 0usize..3, hosts in 2usize..5000) {
        let route = t.route(hosts).unwrap();
        let mut busier = t.clone();
        let at = at % t.levels.len();
        let share = busier.levels[at].background.value.0;
        busier.levels[at].background = Share(share + (1.0 - share) / 2.0).into();
        for more in [busier.route(hosts).unwrap(), t.route(hosts * 2).unwrap()] {
            prop_assert!(more.latency >= route.latency * (1.0 - 1e-12));
            prop_assert!(more.per_byte >= route.per_byte * (1.0 - 1e-12));
            prop_assert!(more.gap_per_byte >= route.gap_per_byte && more.port_per_byte >= route.port_per_byte);
        }
    }
}
