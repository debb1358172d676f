//! What an application costs as scatter-gather, per phase.

use serde::{Deserialize, Serialize};

use super::Cost;
use super::read::{CONTENTION, LARGEST, LONGEST, LONGEST_OF_A_BYTE, RATIO};
use crate::file::{Allowed, Section, Writer};
use crate::json;
use crate::units::{PartBytes, Quantity, Seconds, SecondsPerByte};

/// Time of one call of a phase, in seconds:
/// `fixed + bytes · (per_byte + per_byte_ln · ln ways + per_byte_way · ways)`.
///
/// `ways` is the number of elements in the block where a block is processed, and the number of
/// sequences that are brought together where dependencies are resolved. So quicksort's
/// `c_q s ln s` (Juhász and Charaf, equation 6) has c_q per element as `per_byte_ln`, merging by
/// looking at every sequence, `c_m s n/p` (equation 8), has c_m as `per_byte_way`, and merging by a
/// tree has `per_byte_ln`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseCost {
    /// Seconds that every call costs.
    #[serde(rename = "fixed_s", default, deserialize_with = "json::not_negative")]
    pub fixed: f64,
    /// Seconds per byte.
    #[serde(rename = "per_byte_s", default, deserialize_with = "json::not_negative")]
    pub per_byte: f64,
    /// Seconds per byte and natural logarithm of the ways.
    #[serde(rename = "per_byte_ln_s", default, deserialize_with = "json::not_negative")]
    pub per_byte_ln: f64,
    /// Seconds per byte and way.
    #[serde(rename = "per_byte_way_s", default, deserialize_with = "json::not_negative")]
    pub per_byte_way: f64,
    /// Standard deviation of a call's time relative to its expectation.
    #[serde(default, deserialize_with = "json::not_negative")]
    pub spread: f64,
    /// Relative standard error of the expectation itself; see [`Cost::error`].
    #[serde(default, deserialize_with = "json::not_negative")]
    pub error: f64,
}

impl PhaseCost {
    /// A cost of so many seconds a byte.
    pub fn per_byte(seconds: f64) -> Self {
        PhaseCost { per_byte: seconds, ..PhaseCost::default() }
    }

    /// Expected seconds of a call for `bytes` bytes and `ways` ways (fewer than one count as one).
    pub fn seconds(&self, bytes: f64, ways: f64) -> f64 {
        let ways = ways.max(1.0);
        self.fixed + bytes * (self.per_byte + self.per_byte_ln * ways.ln() + self.per_byte_way * ways)
    }
}

impl From<Cost> for PhaseCost {
    /// The same cost, whatever the ways, with what it waits; what a cost says per result is left out.
    fn from(cost: Cost) -> Self {
        let Cost { fixed, per_byte, spread, error, .. } = cost.on(1.0);
        PhaseCost { fixed, per_byte, spread, error, ..PhaseCost::default() }
    }
}

/// The costs of scatter-gather.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScatterGatherProfile {
    /// Reading a block; its bandwidth is b_io of Juhász and Charaf.
    pub read: PhaseCost,
    /// Processing a block; ways are its elements.
    pub process: PhaseCost,
    /// Making a packet of a rank's partial result; ways are the rank's blocks.
    #[serde(default)]
    pub local: PhaseCost,
    /// Resolving dependencies between the ranks' packets; ways are the ranks that have any. (One
    /// rank's packets are the result as they are.)
    #[serde(default)]
    pub global: PhaseCost,
    /// Writing a packet of the result.
    #[serde(default)]
    pub write: PhaseCost,
    /// What remains when all is written; bytes are those of all.
    #[serde(default)]
    pub finish: PhaseCost,
    /// Bytes of an element.
    #[serde(default = "one", deserialize_with = "json::positive")]
    pub element_bytes: f64,
    /// Bytes of memory that a rank holds for each byte of its share of the input.
    #[serde(default = "one", deserialize_with = "json::not_negative")]
    pub held: f64,
    /// What a byte beyond the memory costs, to be put on a disk and taken from there; `None` where
    /// the application cannot do so.
    #[serde(rename = "spill_per_byte_s", default, skip_serializing_if = "Option::is_none")]
    pub spill: Option<f64>,
    /// Blocks on a disk that a rank brings together at a time, at most: more than these are first made fewer, at what it costs to
    /// take them from there, bring them together and put them back. 0: any number.
    #[serde(default, deserialize_with = "json::not_negative")]
    pub spill_ways: f64,
    /// How much longer processing takes, relative, for each other core of its host that is busy too.
    #[serde(default, deserialize_with = "json::not_negative")]
    pub contention: f64,
    /// The same of making packets, when all ranks do.
    #[serde(default, deserialize_with = "json::not_negative")]
    pub contention_local: f64,
    /// Sizes of the blocks that the costs are from; `None` where the costs hold for blocks of any size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<Tried>,
}

/// Sizes of blocks that were measured: what others cost, which caches hold or no longer hold, was not seen, and no plan has them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tried {
    /// Bytes of the smallest.
    #[serde(rename = "smallest_bytes", deserialize_with = "json::not_negative")]
    pub smallest: f64,
    /// Bytes of the largest.
    #[serde(rename = "largest_bytes", deserialize_with = "json::not_negative")]
    pub largest: f64,
}

fn one() -> f64 {
    1.0
}

impl ScatterGatherProfile {
    /// Reads the costs of scatter-gather from a section of a file, with the keys that `[scatter_gather]` has
    /// in a profile file; `None` after noting what is wrong.
    pub fn from_section(section: &Section<'_, '_>) -> Option<ScatterGatherProfile> {
        read(section)
    }
}

pub(super) fn read(section: &Section<'_, '_>) -> Option<ScatterGatherProfile> {
    let read = cost(section, "read");
    let read = section.required("read", "\"0.4 ns/B\"", read);
    let noted = section.noted();
    let process = cost(section, "process");
    let process = section.required("process", "{ per_byte_ln = \"0.2 ns/B\" }", process);
    let of = |key| cost(section, key).unwrap_or_default();
    let (local, global) = (of("local"), of("global"));
    let right = section.noted() == noted;
    let (write, finish) = (of("write"), of("finish"));
    let element = section.quantity_to("element", LARGEST).map_or(1.0, Quantity::number);
    let held = section.number("held", RATIO).unwrap_or(1.0);
    let spill = section.quantity_to("spill", LONGEST_OF_A_BYTE).map(|s| s.0);
    let spill_ways = section.number("spill_ways", Allowed::UpTo(1e12)).unwrap_or(0.0);
    let contention = section.number("contention", CONTENTION).unwrap_or(0.0);
    let contention_local = section.number("contention_local", CONTENTION).unwrap_or(0.0);
    let tried = section.inner("tried").map(|s| tried(&s));
    section.finish();
    if element <= 0.0 {
        section.note("element", "\"element\" is the size of an element: expected more than 0 B");
        return None;
    }
    if let Some(Some(tried)) = &tried
        && tried.smallest < element
    {
        section.note("tried", "\"smallest\" of \"tried\" is less than an element: a block has at least one");
    }
    let phases = [process.as_ref(), Some(&local), Some(&global)];
    // What is wrong is no cost of 0.
    if right && phases.into_iter().flatten().all(|phase| phase.seconds(1.0, 2.0) <= 0.0) {
        section.note(
            "process",
            "\"process\", \"local\" and \"global\" take no time, with which there is nothing to predict: give what one costs",
        );
    }
    // A section that is there and wrong leaves no costs.
    let tried = tried.map_or(Some(None), |t| t.map(Some))?;
    let (read, process) = (read?, process?);
    let element_bytes = element;
    Some(ScatterGatherProfile {
        read,
        process,
        local,
        global,
        write,
        finish,
        element_bytes,
        held,
        spill,
        spill_ways,
        contention,
        contention_local,
        tried,
    })
}

/// `tried`: the sizes of blocks that were measured.
fn tried(section: &Section<'_, '_>) -> Option<Tried> {
    let size = |key| {
        let size = section.size_of_some(key, LARGEST, " of a block").map(Quantity::number);
        section.required(key, "\"64 KiB\"", size)
    };
    let (smallest, largest) = (size("smallest"), size("largest"));
    section.finish();
    let tried = Tried { smallest: smallest?, largest: largest? };
    if tried.smallest > tried.largest {
        section.note(
            "smallest",
            "\"smallest\" is the smallest block measured: expected no more than \"largest\"",
        );
        return None;
    }
    Some(tried)
}

/// A phase's cost: a table, or a time a byte alone.
fn cost(section: &Section<'_, '_>, key: &'static str) -> Option<PhaseCost> {
    let Some(phase) = section.inner(key) else {
        return section.quantity_to(key, LONGEST_OF_A_BYTE).map(|s| PhaseCost::per_byte(s.0));
    };
    let rate = |key| phase.quantity_to(key, LONGEST_OF_A_BYTE).unwrap_or_default().0;
    let cost = PhaseCost {
        fixed: phase.quantity_to("fixed", LONGEST).unwrap_or_default().0,
        per_byte: rate("per_byte"),
        per_byte_ln: rate("per_byte_ln"),
        per_byte_way: rate("per_byte_way"),
        spread: phase.number("spread", RATIO).unwrap_or(0.0),
        error: phase.number("error", RATIO).unwrap_or(0.0),
    };
    phase.finish();
    if !["fixed", "per_byte", "per_byte_ln", "per_byte_way"].iter().any(|k| phase.has(k)) {
        phase.note(
            "fixed",
            format!("\"{key}\" says no time: add fixed, per_byte, per_byte_ln or per_byte_way"),
        );
    }
    Some(cost)
}

pub(super) fn write(costs: &ScatterGatherProfile, out: &mut Writer) {
    for (key, cost) in [
        ("read", &costs.read),
        ("process", &costs.process),
        ("local", &costs.local),
        ("global", &costs.global),
        ("write", &costs.write),
        ("finish", &costs.finish),
    ] {
        let mut parts = vec![format!("fixed = \"{:#}\"", Seconds(cost.fixed))];
        for (name, rate) in [
            ("per_byte", cost.per_byte),
            ("per_byte_ln", cost.per_byte_ln),
            ("per_byte_way", cost.per_byte_way),
        ] {
            if rate != 0.0 {
                parts.push(format!("{name} = \"{:#}\"", SecondsPerByte(rate)));
            }
        }
        for (name, share) in [("spread", cost.spread), ("error", cost.error)] {
            if share != 0.0 {
                parts.push(format!("{name} = {share:?}"));
            }
        }
        out.raw(key, format_args!("{{ {} }}", parts.join(", ")));
    }
    out.quantity("element", PartBytes(costs.element_bytes));
    out.raw("held", format_args!("{:?}", costs.held));
    if let Some(spill) = costs.spill {
        out.quantity("spill", SecondsPerByte(spill));
    }
    if costs.spill_ways != 0.0 {
        out.raw("spill_ways", format_args!("{:?}", costs.spill_ways));
    }
    if costs.contention != 0.0 {
        out.raw("contention", format_args!("{:?}", costs.contention));
    }
    if costs.contention_local != 0.0 {
        out.raw("contention_local", format_args!("{:?}", costs.contention_local));
    }
    if let Some(Tried { smallest, largest }) = costs.tried {
        let (smallest, largest) = (PartBytes(smallest), PartBytes(largest));
        out.raw("tried", format_args!("{{ smallest = \"{smallest:#}\", largest = \"{largest:#}\" }}"));
    }
}

#[cfg(test)]
mod tests {
    use super::Tried;
    use crate::Profile;

    const GOOD: &str = r#"format = 1
application = "sort"
[scatter_gather]
read = "463 ns/B"
process = { per_byte_ln = "16.5 ns/B", error = 0.02 }
local = { per_byte_way = "10 ns/B" }
global = { fixed = "1 us", per_byte_way = "10 ns/B" }
write = "463 ns/B"
element = "4 B"
spill = "926 ns/B"
contention_local = 0.25
tried = { smallest = "64 KiB", largest = "1 MB" }
"#;

    #[test]
    fn a_file_is_read_and_written_back() {
        let profile = Profile::from_toml(GOOD, "s.toml").unwrap_or_else(|e| panic!("{e}"));
        let costs = profile.scatter_gather.as_ref().expect("the section");
        assert!((costs.read.seconds(1e6, 1.0) - 0.463).abs() < 1e-12);
        assert!((costs.process.seconds(4.0, std::f64::consts::E) - 66e-9).abs() < 1e-18);
        assert!((costs.local.seconds(4.0, 3.0) - 120e-9).abs() < 1e-18);
        assert_eq!((costs.element_bytes, costs.held, costs.contention), (4.0, 1.0, 0.0));
        assert_eq!(costs.contention_local, 0.25);
        assert_eq!(costs.tried, Some(Tried { smallest: 65536.0, largest: 1e6 }));
        assert!(profile.reduction.is_none());
        assert_eq!(Profile::from_toml(&profile.to_toml(), "x").unwrap_or_else(|e| panic!("{e}")), profile);
        let json = serde_json::to_string(&profile).expect("written");
        assert_eq!(serde_json::from_str::<Profile>(&json).expect("read"), profile);
    }

    #[test]
    fn faults_are_told() {
        for (part, by, message) in [
            ("read = \"463 ns/B\"\n", "", "[scatter_gather] has no \"read\""),
            ("\"463 ns/B\"", "\"463 ns\"", "did you mean"),
            ("per_byte_ln = \"16.5 ns/B\", ", "", "\"process\" says no time"),
            ("element = \"4 B\"", "element = \"0 B\"", "more than 0 B"),
            (", largest = \"1 MB\"", "", "\"tried\" has no \"largest\""),
            ("64 KiB", "2 MB", "expected no more than \"largest\""),
            ("64 KiB", "0 B", "\"smallest\" is 0 B, which is no size of a block"),
            ("\"463 ns/B\"", "\"1e9 s/B\"", "\"read\" is 1000000000 s/B, and cannot be more than"),
            ("0.25", "7", "\"contention_local\" is a number from 0 to 1"),
            ("element", "held = 1e9\nelement", "\"held\" is a number from 0 to 1000000"),
            ("64 KiB", "2 B", "\"smallest\" of \"tried\" is less than an element"),
            ("1 MB", "1e30 B", "cannot be more than"),
            ("element = \"4 B\"", "element = \"1e30 B\"", "cannot be more than"),
            ("64 KiB", "64 us", "is a time, where a size is expected"),
            ("spill", "spil", "did you mean \"spill\"?"),
        ] {
            let error = Profile::from_toml(&GOOD.replacen(part, by, 1), "s.toml").expect_err(by);
            assert!(
                error.problems().iter().any(|p| p.message.contains(message)),
                "{by:?}: {:?}",
                error.problems()
            );
        }
    }
}
