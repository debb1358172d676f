//! Platform files: what a good one gives, and that every kind of bad one points at its line.

use proptest::prelude::*;

use super::*;
use crate::FileError;
use crate::units::Quantity;

const GOOD: &str = r#"format = 1
name = "lab"
source = "by hand"
clock = "monotonic"
measured = 2026-03-04
[[host]]
name = "old"
count = 3
cores = 2
speed = 0.5
memory = "8 GiB"
availability = [{ at = "10 s", speed = 0.5 }, { at = "1 min", speed = 1 }]
[[host]]
name = "new"
[network]
latency = { value = "12.4 us", low = "12.1 us", high = "12.9 us" }
send_overhead = { base = "12.1 us", per_rank = "0.182 us", per_byte = "70.8 ns/B" }
receive_overhead = "3 us"
bandwidth = { value = "100 MB/s", low = "50 MB/s", high = "125 MB/s" }
rendezvous_threshold = "64 KiB"
[storage]
read = "95 MB/s"
write = { value = "80 MB/s", low = "70 MB/s", high = "90 MB/s" }
"#;

#[test]
fn a_file_is_read() {
    let p = Platform::from_toml(GOOD, "lab.toml").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((p.name.as_str(), p.source.as_str()), ("lab", "by hand"));
    assert_eq!((p.clock.as_deref(), p.measured.as_deref()), (Some("monotonic"), Some("2026-03-04")));
    assert_eq!(p.cores(), 7);
    assert_eq!(p.hosts[0].memory, Some(Bytes(8 << 30)));
    assert_eq!(p.hosts[0].availability, [(Seconds(10.0), 0.5), (Seconds(60.0), 1.0)]);
    assert_eq!(p.hosts[1], Host::new("new", 1, 1));
    let n = &p.network;
    assert_eq!(n.latency, Measured::within(Seconds(12.4e-6), Seconds(12.1e-6), Seconds(12.9e-6)));
    assert_eq!(n.receive_overhead, Overhead::constant(Seconds(3e-6)));
    // The interval of a cost is that of the rate turned round.
    assert_eq!(
        n.gap_per_byte,
        Measured::within(SecondsPerByte(1e-8), SecondsPerByte(8e-9), SecondsPerByte(2e-8))
    );
    assert_eq!((n.gap.value, n.rendezvous_threshold, n.segment), (Seconds(0.0), Some(Bytes(65_536)), None));
    assert_eq!(Platform::from_toml(&p.to_toml(), "again").unwrap_or_else(|e| panic!("{e}")), p);
}

#[test]
fn the_least_file_is_named_after_itself() {
    let text = "format = 1\n[[host]]\nname = 'a'\n[network]\nlatency = '1 us'\nbandwidth = '1 GB/s'\n";
    assert_eq!(Platform::from_toml(text, "some/where/tiny.toml").unwrap().name, "tiny");
}

/// The good file with one part replaced.
fn broken(part: &str, by: &str) -> FileError {
    assert_eq!(GOOD.matches(part).count(), 1, "{part}");
    match Platform::from_toml(&GOOD.replace(part, by), "lab.toml") {
        Err(error) => error,
        Ok(_) => panic!("{by} was taken"),
    }
}

#[test]
fn every_kind_of_fault_points_at_its_line() {
    let faults: &[(&str, &str, usize, usize, &str)] = &[
        ("format = 1", "", 1, 1, "begin it with format = 1 (this build of Forerun reads format 1)"),
        ("format = 1", "format = 7", 1, 10, "the file has format 7; this build of Forerun reads format 1"),
        ("format = 1", "format = '1'", 1, 10, "format is a whole number"),
        ("name = \"lab\"", "name = lab", 2, 8, "this is not TOML"),
        (
            "name = \"lab\"",
            "name = 5",
            2,
            8,
            "\"name\" is a number without a unit, where a text in quotes is expected",
        ),
        ("name = \"lab\"", "name = \"\"", 2, 8, "the platform's name is empty"),
        ("name = \"lab\"", "name = \"a\\u001b[31mb\"", 2, 8, "control characters"),
        ("name = \"new\"", "name = \"a\\nb\"", 14, 8, "control characters"),
        ("clock", "clokc", 4, 1, "\"clokc\" is no key of the file: did you mean \"clock\"?"),
        ("name = \"old\"", "", 6, 1, "host 1 has no \"name\": add name = \"node\""),
        ("name = \"new\"", "name = \"old\"", 14, 8, "two hosts called \"old\""),
        ("name = \"new\"", "name = \" \"", 14, 8, "name is empty"),
        ("count = 3", "count = 0", 8, 9, "\"count\" is a whole number, 1 or more"),
        ("count = 3", "count = -3", 8, 9, "\"count\" is a whole number, 1 or more"),
        ("count = 3", "count = 1.5", 8, 9, "where a whole number, 1 or more, is expected"),
        ("count = 3", "count = 9000000000", 8, 9, "more than 2^32 cores"),
        ("cores = 2", "cores = 0", 9, 9, "\"cores\" is a whole number, 1 or more"),
        ("cores = 2", "core = 2", 9, 1, "\"core\" is no key of host 1: did you mean \"cores\"?"),
        ("speed = 0.5\nmem", "speed = 0\nmem", 10, 9, "\"speed\" is a number above 0"),
        ("speed = 0.5\nmem", "speed = 1e300\nmem", 10, 9, "\"speed\" is more than 1e30"),
        ("speed = 0.5\nmem", "speed = 1e-300\nmem", 10, 9, "\"speed\" is less than 1e-30"),
        ("speed = 0.5\nmem", "speed = 1e9\nmem", 10, 9, "\"speed\" is a number above 0 and up to 1000000"),
        ("\"8 GiB\"", "\"0 B\"", 11, 10, "\"memory\" is 0 B, which is no size of a memory: leave it out"),
        (
            "speed = 0.5\nmem",
            "contention = { memory = \"5000 %\" }\nmem",
            10,
            25,
            "\"memory\" is 5000 %, and cannot be more than 1000 %",
        ),
        ("\"12.9 us\"", "\"40 h\"", 16, 11, "\"latency\" is 40 h, and cannot be more than 24 h"),
        ("speed = 0.5\nmem", "speed = nan\nmem", 10, 9, "\"speed\" is a number above 0"),
        ("\"8 GiB\"", "\"8 GB\"\nmemory = \"9 GB\"", 12, 1, "this is not TOML"),
        ("\"8 GiB\"", "8", 11, 10, "\"memory\" is a number without a unit, where a quantity with its unit"),
        (
            "speed = 0.5\nmem",
            "throttle = { quota = \"0 ms\", period = \"10 ms\" }\nmem",
            10,
            22,
            "the quota is 0 s, at which nothing ever runs",
        ),
        (
            "speed = 0.5\nmem",
            "throttle = { quota = \"1 ms\" }\nmem",
            10,
            12,
            "[throttle] has no \"period\": add period = \"10 ms\"",
        ),
        (
            "speed = 0.5\nmem",
            "throttle = \"10 %\"\nmem",
            10,
            12,
            "\"throttle\" is a text in quotes, where a table is expected",
        ),
        ("at = \"10 s\"", "at = \"100 s\"", 12, 55, "60 s does not come after 100 s"),
        ("at = \"10 s\", ", "", 12, 17, "availability 1 has no \"at\": add at = \"10 s\""),
        (
            "\"12.4 us\"",
            "\"13 us\"",
            16,
            21,
            "value is 13 µs, which is not within low = 12.1 µs and high = 12.9 µs",
        ),
        ("\"12.1 us\", high", "\"14 us\", high", 16, 38, "low is 14 µs, above high, which is 12.9 µs"),
        (", high = \"12.9 us\"", "", 16, 11, "\"latency\" has no \"high\": add high = "),
        (
            "low = \"12.1 us\"",
            "lo = \"12.1 us\"",
            16,
            32,
            "\"lo\" is no key of \"latency\": did you mean \"low\"?",
        ),
        ("latency =", "latancy =", 16, 1, "did you mean \"latency\"?"),
        ("\"0.182 us\"", "\"0.182\"", 17, 48, "per_rank = \"0.182\" has no unit: write one of ps, ns, us"),
        ("\"3 us\"", "\"-3 us\"", 18, 20, "receive_overhead = \"-3 us\" is negative"),
        ("\"100 MB/s\"", "\"100 Mb/s\"", 19, 23, "write \"100 Mbit/s\" or \"100 MB/s\""),
        ("\"50 MB/s\"", "\"0 B/s\"", 19, 13, "bandwidth is 0 B/s, at which nothing ever arrives"),
        (
            "rendezvous_threshold = \"64 KiB\"",
            "gap_per_byte = \"1 ns/B\"",
            19,
            13,
            "say the same: give one of them",
        ),
        ("rendezvous_threshold = \"64 KiB\"", "segment = \"0 B\"", 20, 11, "a segment of 0 bytes"),
        ("read = \"95 MB/s\"", "", 21, 1, "[storage] has no \"read\": add read = \"95 MB/s\""),
    ];
    for (part, by, line, column, message) in faults {
        let error = broken(part, by);
        let all: Vec<_> = error.problems().iter().map(|p| (p.line, p.column, &p.message)).collect();
        assert!(
            error
                .problems()
                .iter()
                .any(|p| p.line == *line && p.column == *column && p.message.contains(message)),
            "{by:?} should give {line}:{column} {message:?}, gives {all:?}"
        );
        assert!(error.problems().len() <= 2, "{by:?} gives {all:?}");
    }
}

#[test]
fn a_missing_part_is_named() {
    let error = |text: &str| Platform::from_toml(text, "x").unwrap_err().to_string();
    assert!(error("format = 1\n").contains("add [[host]] with its name"));
    assert!(error("format = 1\n").contains("add [network] with latency and bandwidth"));
    assert!(error("format = 1\nhost = []\n").contains("the file has no hosts"));
    let network = error("format = 1\n[[host]]\nname = 'a'\n[network]\n");
    assert!(network.contains("x:4:1: [network] has no \"latency\": add latency = \"50 us\""), "{network}");
    assert!(network.contains("[network] has no \"bandwidth\""), "{network}");
    assert!(error("format = 1\n[host]\nname = 'a'\n").contains("each under [[host]]"));
    assert!(error("").contains("begin it with format = 1"));
}

#[test]
fn all_faults_are_shown_as_compilers_do() {
    let text = "format = 1\n[[host]]\nname = \"a\"\n\tcount = 0\n[network]\nlatency = \"50\"\nbandwidth = \"1 GB/s\"\n";
    let error = Platform::from_toml(text, "lab.toml").unwrap_err();
    let expected = "lab.toml:4:10: \"count\" is a whole number, 1 or more
  |
4 | \tcount = 0
  | \t        ^
lab.toml:6:11: latency = \"50\" has no unit: write one of ps, ns, us, ms, s, min, h after the number, as in \"50 us\"
  |
6 | latency = \"50\"
  |           ^^^^";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.file(), "lab.toml");
}

#[test]
fn a_long_line_is_cut_around_the_fault() {
    let text = format!("format = 1\nname = {{ a = \"{}\", b = 1 }}\n", "x".repeat(1000));
    let error = Platform::from_toml(&text, "lab.toml").unwrap_err().to_string();
    assert!(error.lines().all(|line| line.chars().count() < 200), "{error}");
    let text = format!("format = 1\nsource = \"{}\" ]\n", "é".repeat(1000));
    let error = Platform::from_toml(&text, "lab.toml").unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].starts_with("lab.toml:2:1013: this is not TOML"), "{error}");
    let at = |line: &str, c| line.chars().position(|x| x == c);
    assert_eq!(at(lines[2], ']'), at(lines[3], '^'), "{error}");
    assert!(lines[2].starts_with("2 | …é"), "{error}");
}

#[test]
fn a_line_that_ends_as_on_windows_is_shown_without_its_end() {
    let error = Platform::from_toml("format = 1\r\nname = 5\r\n", "lab.toml").unwrap_err();
    assert_eq!((error.problems()[0].line, error.problems()[0].text.as_str()), (1, "format = 1"));
    assert!(!error.to_string().contains('\r'), "{error}");
}

#[test]
fn json_has_units_in_its_names_and_an_interval_beside_every_measured_figure() {
    let p = Platform::from_toml(GOOD, "lab.toml").unwrap();
    let json = serde_json::to_value(&p).unwrap();
    assert_eq!(
        json["network"]["latency_s"],
        serde_json::json!({"value": 12.4e-6, "low": 12.1e-6, "high": 12.9e-6})
    );
    assert_eq!(json["network"]["send_overhead"]["per_byte_s"], serde_json::json!({"value": 70.8e-9}));
    assert_eq!(json["network"]["gap_per_byte_s"]["high"], 2e-8);
    assert_eq!(json["network"]["rendezvous_threshold_bytes"], 65536);
    assert_eq!(json["storage"]["write_bytes_per_s"]["low"], 70e6);
    assert_eq!(json["hosts"][0]["memory_bytes"], 8_589_934_592u64);
    assert_eq!(json["hosts"][0]["availability"][1], serde_json::json!({"at_s": 60.0, "speed": 1.0}));
    assert!(json["hosts"][1].get("memory_bytes").is_none());
    assert_eq!(serde_json::from_value::<Platform>(json).unwrap(), p);
}

#[test]
fn json_figures_are_checked() {
    let figure = |json: &str| serde_json::from_str::<Measured<Seconds>>(json).map_err(|e| e.to_string());
    assert_eq!(figure(r#"{"value": 2}"#), Ok(Seconds(2.0).into()));
    for (json, part) in [
        (r#"{"value": -2}"#, "-2 is not a figure"),
        (r#"{"value": 2, "low": 1}"#, "give both or neither"),
        (r#"{"value": 2, "low": 3, "high": 4}"#, "not in ascending order"),
        (r#"{"value": 2, "unit": "s"}"#, "unknown field"),
    ] {
        let error = figure(json).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
    let good = serde_json::to_string(&Host::new("a", 1, 1)).unwrap();
    assert_eq!(serde_json::from_str::<Host>(&good).unwrap(), Host::new("a", 1, 1));
    for (part, by) in
        [("\"count\":1", "\"count\":0"), ("\"speed\":1.0", "\"speed\":-1"), ("\"cores\"", "\"core\"")]
    {
        assert!(serde_json::from_str::<Host>(&good.replace(part, by)).is_err(), "{by}");
    }
}

#[test]
fn ranks_fill_hosts_core_by_core_and_begin_again() {
    let hosts = vec![Host::new("a", 1, 2), Host::new("b", 2, 1)];
    let p = Platform::new("p", hosts, Network::default());
    assert_eq!(p.place(7), [0, 0, 1, 1, 0, 0, 1]);
    assert!(p.place(0).is_empty());
    assert!(Platform::default().place(3).is_empty());
}

fn figures<T: Quantity + std::fmt::Debug>() -> impl Strategy<Value = Measured<T>> {
    (0.0..1e4f64, 0.0..1.0f64, any::<bool>()).prop_map(|(x, width, interval)| {
        let at = |x| T::from_number(x * 1e-6).unwrap();
        let interval = interval.then(|| (at(x * (1.0 - width)), at(x * (1.0 + width))));
        Measured { value: at(x), interval }
    })
}

prop_compose! {
    fn overheads()(base in figures(), per_rank in figures(), per_byte in figures()) -> Overhead {
        Overhead { base, per_rank, per_byte }
    }
}

prop_compose! {
    fn platforms()(
        doubt in proptest::option::of("[a-z\"]{1,9}"), name in "\\PC{0,8}[a-z]\\PC{0,4}", source in "\\PC{0,30}", clock in proptest::option::of("[a-z\"\\\\\n]{1,9}"),
        count in 1usize..99, speed in 1e-3..9.0f64, memory in proptest::option::of(1u64..1 << 50),
        latency in figures(), send_overhead in overheads(), receive_overhead in overheads(), gap in figures(),
        gap_per_byte in figures(), receive_gap_per_byte in figures(), interference_per_byte in figures(), send_interference_per_byte in figures(), threshold in proptest::option::of(0u64..1 << 40), at in 0.0..1e9f64,
        throttle in proptest::option::of((1e-6..1.0f64, 1e-3..1.0f64)),
    ) -> Platform {
        let mut host = Host::new("h", count, count + 1);
        host.speed = speed;
        host.memory = memory.map(Bytes);
        host.availability = vec![(Seconds(at), speed)];
        host.throttle =
            throttle.map(|(quota, period)| Throttle { quota: Seconds(quota), period: Seconds(period) });
        let network = Network {
            latency, send_overhead, receive_overhead, gap, gap_per_byte, receive_gap_per_byte, receive_sharing: Sharing::ALL[usize::from(at > 5e8 && receive_gap_per_byte != Measured::default())], interference_per_byte, send_interference_per_byte,
            rendezvous_threshold: threshold.map(Bytes), segment: None, ..Network::default()
        };
        Platform { source, clock, doubt, ..Platform::new(name, vec![host], network) }
    }
}

#[test]
fn a_receivers_port_has_a_rate_or_a_time_a_byte() {
    let with = |line: &str| {
        let text = format!(
            "format = 1\n[[host]]\nname = \"h\"\n[network]\nlatency = \"1 us\"\nbandwidth = \"1 GB/s\"\n{line}"
        );
        Platform::from_toml(&text, "x").map(|p| p.network.receive_gap_per_byte.value.0)
    };
    assert_eq!(with("").expect("valid"), 0.0);
    let rate = with("receive_bandwidth = \"100 MB/s\"").expect("valid");
    assert!((rate - 1e-8).abs() < 1e-20, "{rate}");
    assert_eq!(with("receive_gap_per_byte = \"10 ns/B\"").expect("valid"), 1e-8);
    let both = with("receive_gap_per_byte = \"10 ns/B\"\nreceive_bandwidth = \"1 MB/s\"").expect_err("twice");
    assert!(both.to_string().contains("say the same"), "{both}");
}

/// Whatever takes time a byte takes at most as much as virtual time counts, and what takes more is refused at its line.
#[test]
fn a_byte_takes_at_most_a_second() {
    let read = |way: &str, line: &str| {
        let text =
            format!("format = 1\n[[host]]\nname = \"h\"\n[network]\nlatency = \"1 us\"\n{way}\n{line}");
        Platform::from_toml(&text, "x")
    };
    let own = ["bandwidth", "gap_per_byte"];
    let further = [
        "receive_bandwidth",
        "receive_gap_per_byte",
        "interference_per_byte",
        "send_interference_per_byte",
        "send_overhead",
        "receive_overhead",
    ];
    let switches = ["bandwidth", "gap_per_byte"]
        .map(|key| format!("topology = {{ kind = \"switch\", switch = {{ fan_in = 2, {key}"));
    for key in own.into_iter().chain(further).chain(switches.iter().map(String::as_str)) {
        let with = |value: &str| {
            let line = match key {
                "send_overhead" | "receive_overhead" => format!("{key} = {{ per_byte = {value} }}"),
                _ if key.starts_with("topology") => format!("{key} = {value} }} }}"),
                _ => format!("{key} = {value}"),
            };
            if own.contains(&key) { read(&line, "") } else { read("bandwidth = \"1 GB/s\"", &line) }
        };
        let rate = key.ends_with("bandwidth");
        let (slow, slower, interval) = match rate {
            true => {
                ("\"1 B/s\"", "\"1e-30 MB/s\"", "{ value = \"1 B/s\", low = \"0.9 B/s\", high = \"2 B/s\" }")
            }
            false => {
                ("\"1 s/B\"", "\"1e24 s/B\"", "{ value = \"1 s/B\", low = \"0.9 s/B\", high = \"1.2 s/B\" }")
            }
        };
        with(slow).unwrap_or_else(|e| panic!("{key}: {e}"));
        let line = if own.contains(&key) { 6 } else { 7 };
        let words = if rate {
            "a byte takes more than 1 s: a rate is 1 B/s or more"
        } else {
            "cannot be more than 1 s/B"
        };
        for value in [slower, interval] {
            let error = with(value).expect_err(key);
            let all: Vec<_> = error.problems().iter().map(|p| (p.line, p.message.contains(words))).collect();
            assert_eq!(all, [(line, true)], "{key} = {value}: {error}");
        }
    }
}

/// No part of what a message takes is longer than a day, and what is longer is refused at its line.
#[test]
fn no_part_of_a_message_takes_longer_than_a_day() {
    for part in [
        "gap = T",
        "wake_up = T",
        "send_overhead = T",
        "receive_overhead = T",
        "send_overhead = { base = T }",
        "receive_overhead = { per_rank = T }",
        "start_up = T",
        "start_up = { base = T }",
        "start_up = { per_rank = T }",
        "topology = { kind = \"switch\", switch = { fan_in = 2, latency = T } }",
    ] {
        let with = |time: &str| {
            let line = part.replace('T', time);
            let network = "[network]\nlatency = \"1 us\"\nbandwidth = \"1 GB/s\"";
            Platform::from_toml(&format!("format = 1\n[[host]]\nname = \"h\"\n{network}\n{line}"), "x")
        };
        with("\"24 h\"").unwrap_or_else(|e| panic!("{part}: {e}"));
        for time in ["\"1e9 s\"", "{ value = \"24 h\", low = \"1 h\", high = \"25 h\" }"] {
            let error = with(time).expect_err(part);
            let all: Vec<_> = error
                .problems()
                .iter()
                .map(|p| (p.line, p.message.contains("cannot be more than")))
                .collect();
            assert_eq!(all, [(7, true)], "{part}, {time}: {error}");
        }
    }
}

#[test]
fn what_comes_at_once_takes_turns_or_has_as_much() {
    let with = |line: &str| {
        let text = format!(
            "format = 1\n[[host]]\nname = \"h\"\n[network]\nlatency = \"1 us\"\nbandwidth = \"1 GB/s\"\n{line}"
        );
        Platform::from_toml(&text, "x").map(|p| p.network.receive_sharing)
    };
    assert_eq!(with("").expect("valid"), Sharing::Turns);
    for sharing in Sharing::ALL {
        let line = format!("receive_sharing = \"{}\"", sharing.name());
        for shared in ["receive_bandwidth = \"1 GB/s\"", "receive_gap_per_byte = \"1 ns/B\""] {
            assert_eq!(with(&format!("{shared}\n{line}")).expect("valid"), sharing);
        }
        // Without anything to share it would say nothing.
        let alone = with(&line).expect_err("no effect");
        let said: Vec<_> = alone.problems().iter().map(|p| (p.line, p.message.contains("add it"))).collect();
        assert_eq!(said, [(7, true)], "{alone}");
    }
    let other =
        with("receive_bandwidth = \"1 GB/s\"\nreceive_sharing = \"half\"").expect_err("no such").to_string();
    assert!(other.contains("receive_sharing is \"half\": write \"turns\" or \"fair\""), "{other}");
}

proptest! {
    #[test]
    fn a_written_file_reads_back_as_the_same(p in platforms()) {
        let text = p.to_toml();
        let again = Platform::from_toml(&text, "x").map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(&again, &p);
        let json = serde_json::to_string(&p).unwrap();
        let again: Platform = serde_json::from_str(&json).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&again, &p);
    }

    #[test]
    fn throttled_work_takes_its_share_in_the_long_run(
        quota in 1e-3..20e-3f64, period in 5e-3..20e-3f64, work in 0.0..2.0f64, more in 0.0..0.1f64,
    ) {
        let throttle = Throttle { quota: Seconds(quota), period: Seconds(period) };
        let elapsed = throttle.elapsed(Seconds(work)).0;
        prop_assert!(elapsed >= work);
        prop_assert!(throttle.elapsed(Seconds(work + more)).0 >= elapsed + more - 1e-12);
        // It is never behind its share, and ahead of it by what the first quota gives at once.
        let even = work / throttle.share(1);
        prop_assert!(elapsed <= even + 1e-9 && elapsed >= even - period, "{elapsed} {even}");
    }

    #[test]
    fn no_text_panics(at in 0usize..GOOD.len(), insert in "\\PC{0,3}", cut in 0usize..40) {
        let end = (at + cut).min(GOOD.len());
        let text = format!("{}{insert}{}", &GOOD[..at], &GOOD[end..]);
        if let Err(error) = Platform::from_toml(&text, "x") {
            // What begins like a file of another sort is wrong as a whole, at no line.
            let (said, whole) = (error.to_string(), error.problems().is_empty());
            prop_assert_eq!(whole, said.starts_with("x seems to be "), "{}: {}", said, text);
        }
    }
}
