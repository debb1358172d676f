//! What an application costs, per unit of work, on a host of speed 1.

mod cost;
mod farm;
mod passes;
mod read;
mod scatter_gather;
mod size;
mod write;

use serde::{Deserialize, Serialize};

use crate::json;

pub use cost::{Cost, Wait};
pub use farm::FarmProfile;
pub use passes::{merged_again, merged_next};
pub use scatter_gather::{PhaseCost, ScatterGatherProfile, Tried};
pub use size::grown;

/// The costs of a reduction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReductionProfile {
    /// Running a task on an input.
    pub task: Cost,
    /// Merging two partial results.
    pub merge: Cost,
    /// Handing a complete set of results to the sink.
    #[serde(default)]
    pub sink: Cost,
    /// What remains when every set is in the sink, from the total of bytes and results.
    #[serde(default)]
    pub finish: Cost,
    /// Size of a task's result: `(bytes, bytes per byte of its input)`.
    #[serde(with = "result_bytes")]
    pub result_bytes: (f64, f64),
    /// By what factor the bytes of a merged result differ from the sum of its parts, by level:
    /// entry 0 for merging two task results, 1 for merging two of those, …; the last entry holds
    /// for all further levels; empty means 1 (sizes add up).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<f64>,
    /// Bytes of the input of a task of which entry 0 of `growth` is the merging of two; 0 where that holds for tasks of any size.
    /// A task on an input n times as large has the result of n that are merged ([`ReductionProfile::sized`]).
    #[serde(
        rename = "grown_from_bytes",
        default,
        skip_serializing_if = "is_zero",
        deserialize_with = "json::not_negative"
    )]
    pub grown_from: f64,
    /// How the sets that are delivered become one result, where they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<Join>,
    /// How much longer tasks and merges take, relative, for each other core of their host that is
    /// busy too.
    #[serde(default, deserialize_with = "json::not_negative")]
    pub contention: f64,
    /// Seconds by the byte that a merge takes longer where it writes to memory that its rank had not used before, which comes from the
    /// system page by page; `merge` is without it.
    #[serde(
        rename = "new_memory_per_byte_s",
        default,
        skip_serializing_if = "is_zero",
        deserialize_with = "json::not_negative"
    )]
    pub new_memory: f64,
    /// What is done with results for which there is no room in memory, where there is such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spill: Option<Spill>,
    /// Bytes of the input of the largest task that the costs are from: what much larger ones cost was not seen, and no plan has
    /// them. 0 where the costs hold for tasks of any size.
    #[serde(
        rename = "tried_bytes",
        default,
        skip_serializing_if = "is_zero",
        deserialize_with = "json::not_negative"
    )]
    pub tried: f64,
}

/// Results that go to a disk when their tasks have made them, because no more may rest in memory, and come
/// back at the end.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spill {
    /// Bytes of results that may rest in memory, of all ranks together. A result rests as a whole or not.
    #[serde(rename = "room_bytes", deserialize_with = "json::not_negative")]
    pub room: f64,
    /// How many results on the disk are merged at a time, at the end: of more, some are merged first, and what that gives goes
    /// to the disk again ([`merged_next`]). 0 for any number.
    #[serde(default, skip_serializing_if = "is_zero", deserialize_with = "json::not_negative")]
    pub ways: f64,
    /// Putting one on the disk; bytes are those of the result.
    pub write: Cost,
    /// Taking one from there; bytes are those of the result.
    pub read: Cost,
}

impl Spill {
    /// How many of `results` results of `bytes` bytes each go to the disk.
    pub fn spilled(&self, results: u64, bytes: f64) -> u64 {
        if bytes <= 0.0 {
            return 0;
        }
        // A float becomes the nearest count.
        results.saturating_sub((self.room / bytes) as u64)
    }

    /// How many of `results` results of `bytes` bytes each come from the disk and go there again, since they are merged before
    /// the last merge; one that is merged several times counts as often.
    pub fn again(&self, results: u64, bytes: f64) -> f64 {
        if self.ways <= 0.0 {
            return 0.0;
        }
        merged_again(self.spilled(results, bytes), self.ways as u64)
    }

    /// Bytes that go to the disk in all, of `results` results of `bytes` bytes each.
    pub fn by_disk(&self, results: u64, bytes: f64) -> f64 {
        (self.spilled(results, bytes) as f64 + self.again(results, bytes)) * bytes
    }
}

/// How delivered sets become one result: by merges in balance, as a tree.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Join {
    /// When they are merged.
    pub at: JoinAt,
    /// Merging two of them; bytes and results are those of both.
    pub cost: Cost,
    /// Where the finish joins: seconds by the byte of the whole result of which joining takes the finish no longer, since the
    /// one goes on while the other writes; on a host of one core they take turns, and all of it counts.
    #[serde(
        rename = "beside_per_byte_s",
        default,
        skip_serializing_if = "is_zero",
        deserialize_with = "json::not_negative"
    )]
    pub beside: f64,
}

impl Join {
    /// Joining of which nothing goes on beside the finish.
    pub fn new(at: JoinAt, cost: Cost) -> Join {
        Join { at, cost, beside: 0.0 }
    }
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

/// When delivered sets are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JoinAt {
    /// By the sink as they arrive; those of several groups at the end.
    Sink,
    /// At the end, with the finish: what it costs is what that takes longer by.
    Finish,
}

/// A profile of an application.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The application, as the command line names it.
    pub application: String,
    /// Where the figures come from, in a sentence.
    #[serde(default)]
    pub source: String,
    /// The external programs that did the work, where such did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Costs as a reduction, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<ReductionProfile>,
    /// Costs as scatter-gather, where it can be run so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scatter_gather: Option<ScatterGatherProfile>,
    /// Costs as a farm, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub farm: Option<FarmProfile>,
}

/// The size of a result as `{"fixed_bytes": …, "per_byte": …}`.
mod result_bytes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Size {
        #[serde(deserialize_with = "crate::json::not_negative")]
        fixed_bytes: f64,
        #[serde(deserialize_with = "crate::json::not_negative")]
        per_byte: f64,
    }

    pub(super) fn serialize<S: Serializer>(size: &(f64, f64), s: S) -> Result<S::Ok, S::Error> {
        Size { fixed_bytes: size.0, per_byte: size.1 }.serialize(s)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<(f64, f64), D::Error> {
        let size = Size::deserialize(d)?;
        Ok((size.fixed_bytes, size.per_byte))
    }
}

#[cfg(test)]
mod tests;
