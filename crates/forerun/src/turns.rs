//! Ranks in excess of the cores, which virtual time gives a core each: they take turns.

use std::collections::BTreeMap;

use forerun_model::{Wire, sharing};
use forerun_platform::{Platform, RankTimes, Stage, StageTotal};
use forerun_skeleton::RunError;

/// The cores of a platform, and what a message takes of one.
#[derive(Debug, Clone)]
pub struct Turns {
    cores: usize,
    wire: Wire,
}

impl Turns {
    /// Those of so many ranks on a platform.
    ///
    /// # Errors
    /// A figure of the platform's network that cannot be.
    pub fn on(platform: &Platform, ranks: usize) -> Result<Turns, RunError> {
        let wire = Wire::on(platform, ranks).map_err(|e| RunError::Invalid(e.to_string()))?;
        Ok(Turns { cores: platform.cores().max(1), wire })
    }

    /// Seconds that ranks take, which in virtual time, with a core each, ended after `makespan_s` ([`forerun_model::sharing()`]). No
    /// more than `makespan_s` where there are no more ranks than cores.
    pub fn seconds(&self, ranks: &[RankTimes], makespan_s: f64) -> f64 {
        if ranks.len() <= self.cores {
            return makespan_s;
        }
        let worked = ranks.iter().map(|rank| self.worked(&rank.stages, rank.messages, rank.bytes));
        sharing(worked, makespan_s, self.cores)
    }

    /// The same of so many ranks of which only the sums are known, with their messages and the bytes of these: no less than all that
    /// is busy, on all cores.
    pub fn seconds_of_all(
        &self,
        stages: &BTreeMap<Stage, StageTotal>,
        (ranks, messages, bytes): (usize, u64, u64),
        makespan_s: f64,
    ) -> f64 {
        if ranks <= self.cores {
            return makespan_s;
        }
        makespan_s.max(self.worked(stages, messages, bytes) / self.cores as f64)
    }

    /// Seconds for which a rank, or all of them, had something to do. Who waits needs no core: for a message, an input, or until the
    /// receiver has room for what is sent, which is counted with sending.
    fn worked(&self, stages: &BTreeMap<Stage, StageTotal>, messages: u64, bytes: u64) -> f64 {
        let waits = [Stage::Wait, Stage::Input, Stage::Send];
        let others: f64 =
            stages.iter().filter(|(stage, _)| !waits.contains(stage)).map(|(_, t)| t.total_s).sum();
        let Some(sends) = stages.get(&Stage::Send) else { return others };
        let mean = if messages > 0 { bytes as f64 / messages as f64 } else { 0.0 };
        // Requests are empty messages: for what the receiver has to answer first, and those that are only asked.
        let asked = sends.count.saturating_sub(messages) + if self.wire.meets(mean) { messages } else { 0 };
        let handing = messages as f64 * self.wire.overhead(mean) + asked as f64 * self.wire.overhead(0.0);
        others + handing.min(sends.total_s)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use forerun_platform::{
        Host, Measured, Network, Overhead, Platform, RankTimes, Seconds, Stage, StageTotal,
    };

    use super::Turns;

    /// Two ranks on a core, of which one works 4 s, and the other 1 s, and sends two messages for which there is room after 3 s.
    #[test]
    fn who_waits_for_room_needs_no_core() {
        let o = Overhead { base: Measured::stated(Seconds(0.25)), ..Overhead::default() };
        let network = Network { send_overhead: o, ..Network::default() };
        let platform = Platform::new("p", vec![Host::new("h", 1, 1)], network);
        let turns = Turns::on(&platform, 2).expect("a network");
        let rank = |stages: &[(Stage, u64, f64)], messages| RankTimes {
            stages: stages
                .iter()
                .map(|&(stage, count, total_s)| (stage, StageTotal { count, total_s }))
                .collect::<BTreeMap<_, _>>(),
            end_s: 4.0,
            messages,
            bytes: 100 * messages,
            timeline: Vec::new(),
        };
        let first = rank(&[(Stage::Merge, 2, 4.0)], 0);
        let of = |sent_s| [first.clone(), rank(&[(Stage::Task, 2, 1.0), (Stage::Send, 2, sent_s)], 2)];
        assert_eq!(turns.seconds(&of(0.5), 4.0), 5.5);
        assert_eq!(turns.seconds(&of(3.0), 4.0), 5.5);
        // Of all together, and of no more ranks than cores.
        let all = RankTimes::stages_of(&of(3.0));
        assert_eq!(turns.seconds_of_all(&all, (2, 2, 200), 4.0), 5.5);
        assert_eq!(turns.seconds_of_all(&all, (1, 2, 200), 4.0), 4.0);
        assert_eq!(turns.seconds(&of(3.0)[..1], 4.0), 4.0);
    }
}
