//! A pipeline that is mapped.

/// A stage on one processor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replica {
    /// The processor, from 0.
    pub processor: usize,
    /// How many inputs a second it processes there, sharing the processor as it does.
    pub rate: f64,
}

/// Stages that each take an input, process it and move it on. A stage with several replicas deals inputs to them
/// in turn, and collects in turn, so that inputs keep their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// For each stage its replicas.
    pub stages: Vec<Vec<Replica>>,
    /// One more than stages: transfers a second from each replica of the stage before (for the first stage: from the
    /// one input) to each replica of the stage (after the last: to the one output).
    pub moves: Vec<Vec<Vec<f64>>>,
    /// Whether inputs are dealt to the replicas of the first stage in turn, and results of those of the last
    /// collected in turn, one after the other; else replicas at the ends do not wait for each other.
    pub in_turn: (bool, bool),
}

/// An activity of a line: it happens with one rate wherever it is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Activity {
    /// Into a stage, from a replica of the one before to one of its own.
    Move(usize, usize, usize),
    /// A replica of a stage processes.
    Process(usize, usize),
}

impl Line {
    /// How many replicas stage `at` has; before the first and after the last stage there is one place.
    fn width(&self, at: Option<usize>) -> usize {
        at.and_then(|at| self.stages.get(at)).map_or(1, Vec::len)
    }

    /// What the states of its model depend on: how many replicas each stage has, and what is done in turn.
    pub(super) fn shape(&self) -> Vec<usize> {
        let (input, output) = (self.deal().is_some(), self.collect().is_some());
        let ends = usize::from(input) + 2 * usize::from(output);
        self.stages.iter().map(Vec::len).chain([ends]).collect()
    }

    /// The moves into the first stage, if something sees to it that they are made in turn.
    pub(super) fn deal(&self) -> Option<Vec<Activity>> {
        let width = self.width(Some(0));
        (self.in_turn.0 && width > 1).then(|| (0..width).map(|to| Activity::Move(0, 0, to)).collect())
    }

    /// The same of the moves out of the last.
    pub(super) fn collect(&self) -> Option<Vec<Activity>> {
        let (last, width) = (self.stages.len(), self.width(self.stages.len().checked_sub(1)));
        (self.in_turn.1 && width > 1).then(|| (0..width).map(|from| Activity::Move(last, from, 0)).collect())
    }

    /// What a replica does over and over: for one input after the other, its move in, its processing, its move out.
    pub(super) fn cycle(&self, stage: usize, replica: usize) -> Vec<Activity> {
        let own = self.stages[stage].len();
        let (before, after) = (self.width(stage.checked_sub(1)), self.width(Some(stage + 1)));
        let all = lcm(lcm(before, own), after);
        let inputs = (replica..all).step_by(own);
        inputs
            .flat_map(|n| {
                [
                    Activity::Move(stage, n % before, replica),
                    Activity::Process(stage, replica),
                    Activity::Move(stage + 1, replica, n % after),
                ]
            })
            .collect()
    }

    /// All its activities that ever happen, sorted.
    pub(super) fn activities(&self) -> Vec<Activity> {
        let replicas =
            self.stages.iter().enumerate().flat_map(|(s, all)| (0..all.len()).map(move |r| (s, r)));
        let mut all: Vec<Activity> = replicas.flat_map(|(s, r)| self.cycle(s, r)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How fast an activity is.
    pub(super) fn rate(&self, activity: Activity) -> f64 {
        match activity {
            Activity::Move(at, from, to) => self.moves[at][from][to],
            Activity::Process(stage, replica) => self.stages[stage][replica].rate,
        }
    }

    /// Some stages of it on their own, with nothing before and behind that they would have to wait for: results are
    /// moved in and out as fast as the fastest of the neighbours' replicas does it.
    pub(super) fn window(&self, range: std::ops::Range<usize>) -> Line {
        let mut moves = self.moves[range.start..=range.end].to_vec();
        let fastest = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0, f64::max);
        let width = self.stages[range.start].len();
        let first = &self.moves[range.start];
        moves[0] = vec![(0..width).map(|to| fastest(&mut first.iter().map(|from| from[to]))).collect()];
        let last = moves.len() - 1;
        moves[last] =
            self.moves[range.end].iter().map(|from| vec![fastest(&mut from.iter().copied())]).collect();
        let in_turn = (self.in_turn.0 && range.start == 0, self.in_turn.1 && range.end == self.stages.len());
        Line { stages: self.stages[range].to_vec(), moves, in_turn }
    }

    /// Its stages in the other order. Where none is replicated its throughput is the same (`README.md`).
    pub(super) fn reversed(&self) -> Line {
        let mut line = self.clone();
        line.stages.reverse();
        line.moves.reverse();
        line.in_turn = (self.in_turn.1, self.in_turn.0);
        line
    }

    /// Whether no stage has replicas.
    pub(super) fn is_single(&self) -> bool {
        self.stages.iter().all(|replicas| replicas.len() == 1)
    }

    /// The mean time that one input takes where nothing waits, without the moves in front of stage `first`.
    pub(super) fn unloaded(&self, first: usize) -> f64 {
        let mean = |activities: Vec<Activity>| {
            let count = activities.len() as f64;
            activities.into_iter().map(|a| 1.0 / self.rate(a)).sum::<f64>() / count
        };
        let stage = |s: usize| {
            let cycles: Vec<Activity> = (0..self.stages[s].len()).flat_map(|r| self.cycle(s, r)).collect();
            let is_in = |a: &Activity| matches!(a, Activity::Move(at, ..) if *at == s);
            // Of the three kinds all happen equally often.
            mean(cycles.into_iter().filter(|a| !is_in(a)).collect()) * 2.0
        };
        (first..self.stages.len()).map(stage).sum()
    }

    /// The mean time of a move into the first stage.
    pub(super) fn moved_in(&self) -> f64 {
        let first = &self.moves[0][0];
        first.iter().map(|rate| 1.0 / rate).sum::<f64>() / first.len() as f64
    }
}

/// The least common multiple.
fn lcm(a: usize, b: usize) -> usize {
    let gcd = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    a / gcd(a, b) * b
}
