//! A rank's timeline in bounded memory, however long the run.

use forerun_platform::{Span, Stage};

const STAGES: usize = Stage::ALL.len();

/// Keeps spans as they come while there is room; beyond that puts them together by slice of time, in which every
/// stage keeps its time. So a timeline always reaches from the start of the run to its end.
#[derive(Debug, Clone)]
pub struct Timeline {
    spans: Vec<Span>,
    room: usize,
    /// What spans are put together in; empty while they fit.
    slices: Vec<[Part; STAGES]>,
    /// Seconds of a slice.
    width: f64,
}

/// A stage's part of a slice.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    seconds: f64,
    /// What its longest span was for, and how long that was.
    item: u64,
    longest: f64,
}

impl Timeline {
    /// A timeline of at most `room` spans. (With fewer than there are stages, only the first are kept.)
    pub fn new(room: usize) -> Self {
        Timeline { spans: Vec::new(), room, slices: Vec::new(), width: 0.0 }
    }

    /// Adds a span, no earlier than those before. Costs little while there is room, then as much as the slices
    /// that it reaches over.
    #[inline]
    pub fn add(&mut self, span: Span) {
        if self.spans.len() < self.room && self.slices.is_empty() {
            self.spans.push(span);
        } else if self.room >= STAGES {
            self.put_together(span);
        }
    }

    #[cold]
    fn put_together(&mut self, span: Span) {
        let slices = self.room / STAGES;
        if self.slices.is_empty() {
            self.slices = vec![[Part::default(); STAGES]; slices];
            self.width = (2.0 * span.end_s / slices as f64).max(f64::MIN_POSITIVE);
            for span in std::mem::take(&mut self.spans) {
                self.put(&span);
            }
        }
        while span.end_s > self.width * slices as f64 && self.width < f64::MAX / 4.0 {
            self.widen();
        }
        self.put(&span);
    }

    /// Makes every slice twice as wide.
    fn widen(&mut self) {
        self.width *= 2.0;
        let halves = std::mem::take(&mut self.slices);
        self.slices = vec![[Part::default(); STAGES]; halves.len()];
        for (at, half) in halves.into_iter().enumerate() {
            for (whole, part) in self.slices[at / 2].iter_mut().zip(half) {
                whole.add(part);
            }
        }
    }

    fn put(&mut self, span: &Span) {
        let last = self.slices.len() - 1;
        let slice = |seconds: f64| ((seconds / self.width) as usize).min(last);
        for at in slice(span.start_s)..=slice(span.end_s) {
            let (from, to) = (at as f64 * self.width, (at + 1) as f64 * self.width);
            let to = if at == last { f64::INFINITY } else { to };
            let seconds = (span.end_s.min(to) - span.start_s.max(from)).max(0.0);
            self.slices[at][span.stage as usize].add(Part { seconds, item: span.item, longest: seconds });
        }
    }

    /// The spans, in order of time.
    pub fn into_spans(self) -> Vec<Span> {
        let mut spans = self.spans;
        for (at, slice) in self.slices.into_iter().enumerate() {
            let mut now = at as f64 * self.width;
            for (stage, part) in Stage::ALL.into_iter().zip(slice).filter(|(_, part)| part.seconds > 0.0) {
                spans.push(Span { stage, item: part.item, start_s: now, end_s: now + part.seconds });
                now += part.seconds;
            }
        }
        spans
    }
}

impl Part {
    fn add(&mut self, other: Part) {
        self.seconds += other.seconds;
        if other.longest > self.longest {
            (self.item, self.longest) = (other.item, other.longest);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// However many spans come, the timeline fits, reaches to the end, and loses no time of any stage.
        #[test]
        fn the_whole_run_is_there(
            steps in prop::collection::vec((0..STAGES, 0.001f64..3.0, 0.0f64..0.5), 1..400),
            room in STAGES..100,
        ) {
            let mut timeline = Timeline::new(room);
            let mut now = 0.0;
            let mut sums = [0.0; STAGES];
            for (item, &(stage, length, gap)) in steps.iter().enumerate() {
                let start_s = now + gap;
                now = start_s + length;
                sums[stage] += length;
                let stage = Stage::ALL[stage];
                timeline.add(Span { stage, item: item as u64, start_s, end_s: now });
            }
            let slice = timeline.width;
            let spans = timeline.into_spans();
            prop_assert!(spans.len() <= room, "{} in {}", spans.len(), room);
            for (stage, sum) in Stage::ALL.into_iter().zip(sums) {
                let kept: f64 = spans.iter().filter(|s| s.stage == stage).map(|s| s.end_s - s.start_s).sum();
                prop_assert!((kept - sum).abs() < 1e-9 * (1.0 + sum), "{:?}: {} of {}", stage, kept, sum);
            }
            prop_assert!(spans.windows(2).all(|w| w[0].end_s <= w[1].start_s + 1e-9));
            let end = spans.last().map_or(0.0, |s| s.end_s);
            prop_assert!(end <= now + 1e-9 && end >= now - slice, "{} of {}", end, now);
            prop_assert!(slice <= 4.0 * now / (room / STAGES) as f64 + 1e-9);
        }
    }

    #[test]
    fn what_fits_is_kept_as_it_came() {
        let mut timeline = Timeline::new(3);
        let span = |item| Span { stage: Stage::Task, item, start_s: item as f64, end_s: item as f64 + 0.5 };
        (0..9).for_each(|item| timeline.add(span(item)));
        assert_eq!(timeline.into_spans(), (0..3).map(span).collect::<Vec<_>>());
    }
}
