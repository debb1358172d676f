//! Reading a platform file.

use super::{Contention, Host, Network, Overhead, Platform, Sharing, StartUp, Storage, Throttle};
use crate::Measured;
use crate::file::{self, Allowed, FileError, Section};
use crate::topology::{background, topology};
use crate::units::{Bytes, BytesPerSecond, Quantity, Seconds, SecondsPerByte, Share};

/// Beside the machine where a profile was measured.
const SPEED: Allowed = Allowed::PositiveTo(1e6);
/// More than busy cores make others slower by, whatever they share.
const SLOWER: Share = Share(10.0);
/// A day: longer than any message waits.
pub(crate) const LONGEST: Seconds = Seconds(86400.0);
/// More than a byte takes of a network or of a processor, and as much as virtual time counts.
const LONGEST_OF_A_BYTE: SecondsPerByte = SecondsPerByte(1.0);

impl Platform {
    /// Reads a platform file's contents; `name` is what messages call the file.
    ///
    /// ```
    /// use forerun_platform::Platform;
    ///
    /// let lab = Platform::from_toml(
    ///     r#"
    ///     format = 1
    ///     name = "lab"
    ///     doubt = "measured beside others" # why the figures may be off: predictions say so; default: nothing known
    ///     [[host]]
    ///     name = "node"
    ///     count = 8
    ///     cores = 2                       # default 1
    ///     speed = 0.5                     # relative to where the profile was measured; default 1
    ///     memory = "64 GiB"
    ///     availability = [{ at = "1 min", speed = 0.7 }]
    ///     background = "10 %"             # of its time, used by other jobs; default 0 %
    ///     contention = { memory = "12 %" } # longer, for every other core of the host that is busy
    ///     throttle = { quota = "20 ms", period = "100 ms" } # processor time of the host; default: no limit
    ///     [network]
    ///     latency = { value = "50 us", low = "48 us", high = "53 us" }
    ///     send_overhead = { base = "12.1 us", per_rank = "0.182 us", per_byte = "70.8 ns/B" }
    ///     receive_overhead = "12 us"      # the same for every message
    ///     bandwidth = "100 Mbit/s"        # or gap_per_byte = "80 ns/B"
    ///     receive_bandwidth = "100 Mbit/s" # of all that comes to a host, or receive_gap_per_byte; default: no limit
    ///     receive_sharing = "fair"        # what comes at once shares that evenly; default "turns": one after the other
    ///     interference_per_byte = "2 ns/B" # of the processor, by what comes while the rank computes; default: none
    ///     send_interference_per_byte = "2 ns/B" # the same by what leaves meanwhile; default: none
    ///     gap = "1 us"                    # default 0 s
    ///     wake_up = "30 us"               # further latency if the receiver sleeps; default 0 s
    ///     start_up = { base = "120 us", per_rank = "40 us" } # of ranks beyond the first; default: woken
    ///     rendezvous_threshold = "64 KiB"
    ///     [storage]
    ///     read = "95 MB/s"
    ///     write = "80 MB/s"
    ///     "#,
    ///     "lab.toml",
    /// )?;
    /// assert_eq!(lab.cores(), 16);
    /// # Ok::<(), forerun_platform::FileError>(())
    /// ```
    ///
    /// The switches of the network, where they are stated, are described at [`Topology`](crate::Topology).
    ///
    /// # Errors
    /// Everything that is wrong in it, each at its line.
    pub fn from_toml(text: &str, name: &str) -> Result<Platform, FileError> {
        file::read(text, name, |root| platform(root, name))
    }
}

fn platform(root: &Section<'_, '_>, file: &str) -> Option<Platform> {
    let stem = std::path::Path::new(file).file_stem().map(|s| s.to_string_lossy().into_owned());
    let name = if root.has("name") { root.text("name") } else { root.text("name").or(stem) };
    if name.as_deref().is_some_and(|n| n.trim().is_empty()) {
        root.note("name", "the platform's name is empty: give it one");
    }
    no_controls(root, "name", name.as_deref());
    let (source, machine) = (root.text("source").unwrap_or_default(), root.text("machine"));
    let (clock, measured, doubt) = (root.text("clock"), root.text("measured"), root.text("doubt"));
    no_controls(root, "source", Some(&source));
    no_controls(root, "machine", machine.as_deref());
    no_controls(root, "doubt", doubt.as_deref());
    let hosts = hosts(root);
    let network = root.section("network");
    if network.is_none() && !root.has("network") {
        root.note("network", "the file has no network: add [network] with latency and bandwidth");
    }
    let network = network.and_then(|s| network_of(&s));
    let storage = root.section("storage").and_then(|s| storage(&s));
    Some(Platform {
        name: name?,
        source,
        machine,
        clock,
        measured,
        doubt,
        hosts: hosts?,
        network: network?,
        storage,
    })
}

fn hosts(root: &Section<'_, '_>) -> Option<Vec<Host>> {
    let sections = root.sections("host");
    if !root.has("host") || sections.as_ref().is_some_and(Vec::is_empty) {
        root.note("host", "the file has no hosts: add [[host]] with its name, count and cores");
    }
    let mut hosts: Vec<Host> = Vec::new();
    for section in sections? {
        if let Some(host) = host(&section) {
            if hosts.iter().any(|h| h.name == host.name) {
                section.note("name", format!("there are two hosts called \"{}\": rename one", host.name));
            }
            hosts.push(host);
        }
    }
    Some(hosts)
}

/// Notes that a text has characters that a terminal would obey.
fn no_controls(section: &Section<'_, '_>, key: &str, text: Option<&str>) {
    if text.is_some_and(|text| text.contains(char::is_control)) {
        section.note(key, "it has line breaks or other control characters: leave them out");
    }
}

fn host(section: &Section<'_, '_>) -> Option<Host> {
    let name = section.text("name");
    let name = section.required("name", "\"node\"", name);
    if name.as_deref().is_some_and(|n| n.trim().is_empty()) {
        section.note("name", "the host's name is empty: give it one");
    }
    no_controls(section, "name", name.as_deref());
    let count = section.count("count").unwrap_or(1);
    let cores = section.count("cores").unwrap_or(1);
    let speed = section.number("speed", SPEED).unwrap_or(1.0);
    let memory =
        section.size_of_some("memory", Bytes(u64::MAX), " of a memory: leave it out where it is not known");
    let availability = availability(section);
    let kernel = section.measured("kernel");
    let background = background(section);
    let contention = section.section("contention").map(|s| contention(&s)).unwrap_or_default();
    let throttle = section.section("throttle").and_then(|s| throttle(&s));
    section.finish();
    if count.checked_mul(cores).is_none_or(|n| u32::try_from(n).is_err()) {
        section.note("count", "there are more than 2^32 cores in this group: lower count or cores");
    }
    Some(Host {
        name: name?,
        count,
        cores,
        speed,
        memory,
        availability,
        kernel,
        background,
        contention,
        throttle,
    })
}

fn throttle(section: &Section<'_, '_>) -> Option<Throttle> {
    let time = |key: &'static str, example: &str| {
        let time = section.quantity::<Seconds>(key);
        if time.is_some_and(|t| t.0 <= 0.0) {
            section.note(key, format!("the {key} is 0 s, at which nothing ever runs: it is above 0"));
        }
        section.required(key, example, time)
    };
    let (quota, period) = (time("quota", "\"1 ms\""), time("period", "\"10 ms\""));
    section.finish();
    Some(Throttle { quota: quota?, period: period? })
}

fn contention(section: &Section<'_, '_>) -> Contention {
    let contention = Contention {
        compute: section.measured_to("compute", SLOWER).unwrap_or_default(),
        memory: section.measured_to("memory", SLOWER).unwrap_or_default(),
    };
    section.finish();
    contention
}

fn availability(host: &Section<'_, '_>) -> Vec<(Seconds, f64)> {
    let mut changes: Vec<(Seconds, f64)> = Vec::new();
    for section in host.sections("availability").unwrap_or_default() {
        let at = section.quantity::<Seconds>("at");
        let at = section.required("at", "\"10 s\"", at);
        let speed = section.number("speed", SPEED);
        let speed = section.required("speed", "0.5", speed);
        section.finish();
        if let (Some(at), Some(speed)) = (at, speed) {
            if let Some((before, _)) = changes.last().filter(|(before, _)| *before >= at) {
                section.note(
                    "at",
                    format!("{at} does not come after {before}, the change before it: put them in order"),
                );
            }
            changes.push((at, speed));
        }
    }
    changes
}

fn network_of(section: &Section<'_, '_>) -> Option<Network> {
    let latency = section.measured_to("latency", LONGEST);
    let latency = section.required("latency", "\"50 us\"", latency);
    let send_overhead = overhead(section, "send_overhead");
    let receive_overhead = overhead(section, "receive_overhead");
    let gap = section.measured_to("gap", LONGEST).unwrap_or_default();
    let wake_up = section.measured_to("wake_up", LONGEST).unwrap_or_default();
    let start_up = section.has("start_up").then(|| start_up(section));
    let gap_per_byte = gap_per_byte(section);
    let receive_gap_per_byte = gap_or_rate(section, ["receive_gap_per_byte", "receive_bandwidth"]);
    let receive_sharing = section.text("receive_sharing");
    let receive_sharing =
        receive_sharing.map(|name| section.named("receive_sharing", &name, &Sharing::ALL, Sharing::name));
    if section.has("receive_sharing")
        && !["receive_gap_per_byte", "receive_bandwidth"].iter().any(|k| section.has(k))
    {
        section.note(
            "receive_sharing",
            "receive_sharing says how messages that come at once share receive_bandwidth, and there is none: add it, or leave \
             receive_sharing out",
        );
    }
    let interference_per_byte =
        section.measured_to("interference_per_byte", LONGEST_OF_A_BYTE).unwrap_or_default();
    let send_interference_per_byte =
        section.measured_to("send_interference_per_byte", LONGEST_OF_A_BYTE).unwrap_or_default();
    let rendezvous_threshold = section.quantity("rendezvous_threshold");
    let segment = section.quantity::<crate::Bytes>("segment");
    if segment.is_some_and(|s| s.0 == 0) {
        section
            .note("segment", "a segment of 0 bytes holds nothing: leave segment out if messages are not cut");
    }
    let topology = section.section("topology").map(|s| topology(&s, gap_per_byte, self::gap_per_byte));
    section.finish();
    let topology = match topology {
        Some(read) => Some(read?),
        None => None,
    };
    Some(Network {
        latency: latency?,
        send_overhead,
        receive_overhead,
        gap,
        wake_up,
        start_up,
        gap_per_byte: gap_per_byte?,
        receive_gap_per_byte: receive_gap_per_byte.unwrap_or_default(),
        receive_sharing: receive_sharing.unwrap_or_else(|| Some(Sharing::default()))?,
        interference_per_byte,
        send_interference_per_byte,
        rendezvous_threshold,
        segment,
        topology,
    })
}

fn gap_per_byte(section: &Section<'_, '_>) -> Option<Measured<SecondsPerByte>> {
    if !section.has("gap_per_byte") && !section.has("bandwidth") {
        section.missing("bandwidth", "\"100 Mbit/s\" (or gap_per_byte = \"80 ns/B\")");
    }
    gap_or_rate(section, ["gap_per_byte", "bandwidth"])
}

/// A time a byte, or the rate that says the same.
fn gap_or_rate(section: &Section<'_, '_>, keys: [&'static str; 2]) -> Option<Measured<SecondsPerByte>> {
    let [gap_key, rate_key] = keys;
    let gap = section.measured_to(gap_key, LONGEST_OF_A_BYTE);
    let rate = positive_rate(section, rate_key).filter(|rate| {
        let least = least(rate);
        let within = SecondsPerByte::from(least) <= LONGEST_OF_A_BYTE;
        if !within {
            let longest = Seconds(LONGEST_OF_A_BYTE.0);
            let why = format!(
                "{rate_key} is {least}, at which a byte takes more than {longest}: a rate is 1 B/s or more"
            );
            section.note(rate_key, why);
        }
        within
    });
    if section.has(gap_key) && section.has(rate_key) {
        section.note(rate_key, format!("{rate_key} and {gap_key} say the same: give one of them"));
    }
    gap.or_else(|| {
        // A higher rate is a lower cost, so the interval's ends change places.
        let rate = rate?;
        Some(Measured {
            value: rate.value.into(),
            interval: rate.interval.map(|(low, high)| (high.into(), low.into())),
        })
    })
}

/// The lowest of a rate's interval, or itself.
fn least(rate: &Measured<BytesPerSecond>) -> BytesPerSecond {
    rate.interval.map_or(rate.value, |(low, _)| low)
}

/// A rate above 0, its interval included.
fn positive_rate(section: &Section<'_, '_>, key: &'static str) -> Option<Measured<BytesPerSecond>> {
    let rate = section.measured::<BytesPerSecond>(key)?;
    let least = least(&rate);
    if least.number() > 0.0 {
        return Some(rate);
    }
    section.note(key, format!("{key} is {least}, at which nothing ever arrives: a rate is above 0"));
    None
}

/// The table of a figure that is stated by its parts, rather than as one quantity, with an interval or without.
fn parts<'a, 'i>(network: &Section<'a, 'i>, key: &'static str) -> Option<Section<'a, 'i>> {
    network.inner(key).filter(|section| !["value", "low", "high"].iter().any(|k| section.has(k)))
}

fn overhead(network: &Section<'_, '_>, key: &'static str) -> Overhead {
    let Some(section) = parts(network, key) else {
        return Overhead {
            base: network.measured_to(key, LONGEST).unwrap_or_default(),
            ..Overhead::default()
        };
    };
    let overhead = Overhead {
        base: section.measured_to("base", LONGEST).unwrap_or_default(),
        per_rank: section.measured_to("per_rank", LONGEST).unwrap_or_default(),
        per_byte: section.measured_to("per_byte", LONGEST_OF_A_BYTE).unwrap_or_default(),
    };
    section.finish();
    overhead
}

fn start_up(network: &Section<'_, '_>) -> StartUp {
    let Some(section) = parts(network, "start_up") else {
        return StartUp {
            base: network.measured_to("start_up", LONGEST).unwrap_or_default(),
            ..StartUp::default()
        };
    };
    let start_up = StartUp {
        base: section.measured_to("base", LONGEST).unwrap_or_default(),
        per_rank: section.measured_to("per_rank", LONGEST).unwrap_or_default(),
    };
    section.finish();
    start_up
}

fn storage(section: &Section<'_, '_>) -> Option<Storage> {
    let read = positive_rate(section, "read");
    let read = section.required("read", "\"95 MB/s\"", read);
    let write = positive_rate(section, "write");
    let write = section.required("write", "\"80 MB/s\"", write);
    section.finish();
    Some(Storage { read: read?, write: write? })
}
