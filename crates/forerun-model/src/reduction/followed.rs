//! Long runs of which only the ends are followed.

/// What is known of a makespan from following a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Followed {
    /// The makespan.
    Exactly(f64),
    /// A lower bound: it would have to be followed for longer to see a period repeat.
    AtLeast(f64),
    /// There are too many ranks.
    Not,
}

impl Followed {
    /// The makespan, of which `otherwise` is what is known without following.
    pub(super) fn or(self, otherwise: f64) -> f64 {
        match self {
            Followed::Exactly(seconds) => seconds,
            Followed::AtLeast(least) => least.max(otherwise),
            Followed::Not => otherwise,
        }
    }
}

/// How a run repeats itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Periods {
    /// Periods of the run.
    pub(super) all: u64,
    /// Most that may be followed.
    pub(super) most: u64,
    /// Seconds of the longest cycle of a rank on its own: what a period takes at least in the long run,
    /// and exactly, unless ranks depend on each other both ways.
    pub(super) cycle: f64,
    /// Whether they do: senders wait for their receivers.
    pub(super) coupled: bool,
}

/// Periods in a row that must take as long as the one before, where ranks depend on each other both ways.
const AGAIN: u64 = 8;

impl Periods {
    /// The makespan, where `run` gives that of a run with so many periods.
    ///
    /// As a function of the periods the makespan is a maximum of lines, one for every way in which the
    /// critical path can divide them between ranks, and, where ranks depend on each other one way
    /// only, none is steeper than the longest cycle: once a line is as steep, it is known to all
    /// ends. Otherwise some periods in a row must take the same time.
    pub(super) fn follow(self, run: impl Fn(u64) -> f64) -> Followed {
        let Periods { all, most, cycle, coupled } = self;
        let mut followed = if coupled { 8 } else { 2 };
        loop {
            if all <= followed + 1 + if coupled { AGAIN } else { 0 } {
                return Followed::Exactly(run(all));
            }
            let begin = run(followed);
            let next = run(followed + 1);
            let (each, further) = (next - begin, (all - followed - 1) as f64);
            if each >= cycle * (1.0 - 1e-9) {
                if !coupled {
                    return Followed::Exactly(next + further * cycle);
                }
                let times: Vec<f64> = (1..=AGAIN).map(|k| run(followed + 1 + k)).collect();
                let even =
                    |(k, time): (usize, &f64)| (time - next - (k + 1) as f64 * each).abs() <= 1e-12 * time;
                if times.iter().enumerate().all(even) {
                    return Followed::Exactly(next + further * each);
                }
            }
            if followed >= most {
                return Followed::AtLeast(next + further * each);
            }
            followed *= 2;
        }
    }
}
