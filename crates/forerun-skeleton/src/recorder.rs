//! Where one rank's time goes.

use forerun_platform::{RankTimes, Span, Stage, StageTotal};

use crate::Timeline;

/// Sums a rank's time by stage and keeps its timeline.
#[derive(Debug, Clone)]
pub struct Recorder {
    totals: [StageTotal; Stage::ALL.len()],
    messages: u64,
    bytes: u64,
    timeline: Timeline,
}

impl Recorder {
    /// A recorder that keeps up to `spans` spans of the timeline.
    pub fn new(spans: usize) -> Self {
        Recorder {
            totals: [StageTotal::default(); Stage::ALL.len()],
            messages: 0,
            bytes: 0,
            timeline: Timeline::new(spans),
        }
    }

    /// Records a stretch of time, in seconds since the run began.
    pub fn record(&mut self, stage: Stage, item: u64, start_s: f64, end_s: f64) {
        self.totals[stage as usize].count += 1;
        self.stretch(stage, item, start_s, end_s);
    }

    fn stretch(&mut self, stage: Stage, item: u64, start_s: f64, end_s: f64) {
        self.totals[stage as usize].total_s += end_s - start_s;
        self.timeline.add(Span { stage, item, start_s, end_s });
    }

    /// Counts a stage whose time is not taken.
    pub fn count(&mut self, stage: Stage) {
        self.totals[stage as usize].count += 1;
    }

    /// Records waiting for room to send; the message itself is counted by [`Recorder::sent`].
    pub fn wait_to_send(&mut self, to: u64, start_s: f64, end_s: f64) {
        self.stretch(Stage::Send, to, start_s, end_s);
    }

    /// Counts a message sent.
    pub fn sent(&mut self, bytes: u64) {
        self.messages += 1;
        self.bytes += bytes;
        self.totals[Stage::Send as usize].count += 1;
    }

    /// What was recorded, for a rank that ended at `end_s`.
    pub fn into_times(self, end_s: f64) -> RankTimes {
        let stages =
            Stage::ALL.into_iter().zip(self.totals).filter(|(_, t)| t.count > 0 || t.total_s > 0.0).collect();
        RankTimes {
            stages,
            end_s,
            messages: self.messages,
            bytes: self.bytes,
            timeline: self.timeline.into_spans(),
        }
    }
}
