//! What `forerun calibrate` adds to a platform survives its file and its JSON, and is checked.

use forerun_platform::{Contention, Host, Measured, Network, Platform, Seconds, Share, StartUp};

fn calibrated() -> Platform {
    let host = Host {
        kernel: Some(Measured::within(Seconds(4.1e-3), Seconds(4.05e-3), Seconds(4.2e-3))),
        contention: Contention {
            compute: Measured::stated(Share(0.0)),
            memory: Measured::within(Share(0.123), Share(0.1), Share(0.15)),
        },
        ..Host::new("here", 1, 2)
    };
    let start_up = StartUp {
        base: Measured::within(Seconds(1e-4), Seconds(9e-5), Seconds(2e-4)),
        per_rank: Measured::stated(Seconds(4e-5)),
    };
    let wake_up = Measured::stated(Seconds(31e-6));
    let network = Network { wake_up, start_up: Some(start_up), ..Network::default() };
    Platform::new("here", vec![host], network)
}

#[test]
fn a_calibrated_platform_is_read_back_as_the_same() {
    let platform = calibrated();
    let text = platform.to_toml();
    assert!(text.contains("memory = { value = \"12.3 %\", low = \"10 %\", high = \"15 %\" }"), "{text}");
    assert_eq!(Platform::from_toml(&text, "here.toml"), Ok(platform.clone()));
    let json = serde_json::to_value(&platform).expect("a platform is JSON");
    assert_eq!(json["hosts"][0]["contention"]["memory"]["value"], 0.123);
    assert_eq!(json["hosts"][0]["kernel_s"]["high"], 4.2e-3);
    assert_eq!(json["network"]["wake_up_s"]["value"], 31e-6);
    assert_eq!(json["network"]["start_up"]["base_s"]["low"], 9e-5);
    assert_eq!(serde_json::from_value::<Platform>(json).ok(), Some(platform));
}

#[test]
fn starting_ranks_takes_a_time_or_one_that_grows_with_them() {
    let file = |line: &str| {
        let host = "[[host]]\nname = \"n\"\n";
        let text =
            format!("format = 1\n{host}[network]\n{line}\nlatency = \"1 us\"\nbandwidth = \"1 Gbit/s\"\n");
        Platform::from_toml(&text, "n.toml").map(|p| p.network.start_up).map_err(|e| e.to_string())
    };
    let of = |line: &str, ranks| file(line).expect(line).map(|start_up| start_up.of(ranks));
    assert_eq!(of("", 4), None);
    for line in ["start_up = \"2 ms\"", "start_up = { value = \"2 ms\", low = \"1 ms\", high = \"3 ms\" }"] {
        assert_eq!([1, 2, 4].map(|ranks| of(line, ranks)), [0.0, 2e-3, 2e-3].map(|s| Some(Seconds(s))));
    }
    let line = "start_up = { base = \"2 ms\", per_rank = \"1 ms\" }";
    assert_eq!([1, 2, 4].map(|ranks| of(line, ranks)), [0.0, 3e-3, 5e-3].map(|s| Some(Seconds(s))));
    for (wrong, says) in [
        ("start_up = { base = \"2 ms\", per_byte = \"1 ns/B\" }", "per_byte"),
        ("start_up = { base = \"-2 ms\" }", "negative"),
        ("start_up = 2", "without a unit"),
    ] {
        let error = file(wrong).expect_err(wrong);
        assert!(error.contains("n.toml:5:") && error.contains(says), "{error}");
    }
}

#[test]
fn contention_is_checked() {
    let file = |contention: &str| {
        let host = format!("[[host]]\nname = \"n\"\ncontention = {contention}\n");
        let text = format!("format = 1\n{host}[network]\nlatency = \"1 us\"\nbandwidth = \"1 Gbit/s\"\n");
        Platform::from_toml(&text, "n.toml").map_err(|e| e.to_string())
    };
    let read = file("{ memory = \"7 %\" }").expect("it is right");
    assert_eq!(read.hosts[0].contention.memory, Measured::stated(Share(0.07)));
    for (wrong, says) in [
        ("{ memory = \"7\" }", "no unit"),
        ("{ memory = \"-7 %\" }", "negative"),
        ("{ memory = 0.07 }", "without a unit"),
        ("{ memroy = \"7 %\" }", "did you mean \"memory\""),
        ("\"7 %\"", "a table"),
    ] {
        let error = file(wrong).expect_err(wrong);
        assert!(error.contains("n.toml:4:") && error.contains(says), "{error}");
    }
}

#[test]
fn speeds_become_relative_to_where_a_profile_was_measured() {
    let of = |ms: f64| {
        let mut platform = calibrated();
        platform.hosts[0].kernel = Some(Measured::stated(Seconds(ms / 1e3)));
        platform
    };
    let (fast, slow) = (of(2.0), of(5.0));
    assert_eq!(fast.relative_to(&slow).hosts[0].speed, 2.5);
    assert_eq!(slow.relative_to(&fast).hosts[0].speed, 0.4);
    assert_eq!(fast.relative_to(&fast), fast);
    let stated = Platform::new("stated", vec![Host::new("node", 4, 2)], Network::default());
    assert_eq!(stated.relative_to(&fast), stated);
    assert_eq!(fast.relative_to(&stated), fast);
}
