//! The PEPA model of a mapped pipeline (section 2.2 of the paper), as a text that can be read and changed.

use std::fmt::Write as _;

use super::Line;
use super::line::Activity;

impl Line {
    /// The model: a component for each stage (each replica of one), each processor and the network. The
    /// throughput of the pipeline is that of `process_1`, of all its replicas together.
    pub fn model(&self) -> String {
        let stages = self.stages.len();
        let mut out = String::new();
        let tuple: Vec<Vec<usize>> =
            self.stages.iter().map(|all| all.iter().map(|r| r.processor).collect()).collect();
        let _ = writeln!(out, "// A pipeline of {stages} stages on processors {}.", super::named(&tuple));
        let activities = self.activities();
        for activity in &activities {
            if let Activity::Process(..) = activity {
                let _ = writeln!(out, "{} = {:?};", self.rate_name(*activity), self.rate(*activity));
            }
        }
        for activity in &activities {
            if let Activity::Move(..) = activity {
                let _ = writeln!(out, "{} = {:?};", self.rate_name(*activity), self.rate(*activity));
            }
        }
        out.push('\n');
        for stage in 0..stages {
            for replica in 0..self.stages[stage].len() {
                self.repeat(&mut out, &self.component(stage, replica), &self.cycle(stage, replica));
            }
        }
        for (name, moves) in [("Input", self.deal()), ("Output", self.collect())] {
            if let Some(moves) = moves {
                self.repeat(&mut out, name, &moves);
            }
        }
        let mut processors: Vec<usize> = self.stages.iter().flatten().map(|r| r.processor).collect();
        processors.sort_unstable();
        processors.dedup();
        for p in &processors {
            let own =
                |a: &&Activity| matches!(a, Activity::Process(s, r) if self.stages[*s][*r].processor == *p);
            self.choice(&mut out, &format!("Processor_{}", p + 1), activities.iter().filter(own));
        }
        let moves = || activities.iter().filter(|a| matches!(a, Activity::Move(..)));
        self.choice(&mut out, "Network", moves());
        let names = |of: &mut dyn Iterator<Item = &Activity>| -> String {
            of.map(|a| self.action(*a)).collect::<Vec<_>>().join(", ")
        };
        // From the right, so that no tool's order of reading matters.
        let mut pipeline = self.stage(stages - 1);
        for at in (0..stages - 1).rev() {
            let between = |a: &&Activity| matches!(a, Activity::Move(to, ..) if *to == at + 1);
            let right = if at + 2 == stages { pipeline } else { format!("({pipeline})") };
            pipeline =
                format!("{} <{}> {right}", self.stage(at), names(&mut activities.iter().filter(between)));
        }
        if let Some(moves) = self.deal() {
            pipeline = format!("Input <{}> ({pipeline})", names(&mut moves.iter()));
        }
        if let Some(moves) = self.collect() {
            pipeline = format!("({pipeline}) <{}> Output", names(&mut moves.iter()));
        }
        let processes = names(&mut activities.iter().filter(|a| matches!(a, Activity::Process(..))));
        let processors: Vec<String> = processors.iter().map(|p| format!("Processor_{}", p + 1)).collect();
        let _ = writeln!(
            out,
            "\nNetwork <{}> (({pipeline}) <{processes}> ({}))",
            names(&mut moves()),
            processors.join(" <> ")
        );
        out
    }

    /// A component that does all of these at any time.
    fn choice<'a>(&self, out: &mut String, name: &str, of: impl Iterator<Item = &'a Activity>) {
        let all: Vec<String> =
            of.map(|a| format!("({}, {}).{name}", self.action(*a), self.rate_name(*a))).collect();
        let _ = writeln!(out, "{name} = {};", all.join(" + "));
    }

    /// A component that does these one after the other, again and again.
    fn repeat(&self, out: &mut String, name: &str, of: &[Activity]) {
        let all: Vec<String> = of.iter().map(|a| format!("({}, infty)", self.action(*a))).collect();
        let _ = writeln!(out, "{name} = {}.{name};", all.join("."));
    }

    fn component(&self, stage: usize, replica: usize) -> String {
        match self.stages[stage].len() {
            1 => format!("Stage_{}", stage + 1),
            _ => format!("Stage_{}_{}", stage + 1, replica + 1),
        }
    }

    fn stage(&self, stage: usize) -> String {
        let all: Vec<String> = (0..self.stages[stage].len()).map(|r| self.component(stage, r)).collect();
        if all.len() == 1 { all.concat() } else { format!("({})", all.join(" <> ")) }
    }

    /// `process_2`, or `process_2_1` of the first of several replicas; `move_2`, or `move_2_1_3` from the first to
    /// the third.
    pub(super) fn action(&self, activity: Activity) -> String {
        match activity {
            Activity::Process(..) => format!("process_{}", self.numbers(activity)),
            Activity::Move(..) => format!("move_{}", self.numbers(activity)),
        }
    }

    fn rate_name(&self, activity: Activity) -> String {
        match activity {
            Activity::Process(..) => format!("mu_{}", self.numbers(activity)),
            Activity::Move(..) => format!("lambda_{}", self.numbers(activity)),
        }
    }

    fn numbers(&self, activity: Activity) -> String {
        match activity {
            Activity::Process(stage, _) if self.stages[stage].len() == 1 => format!("{}", stage + 1),
            Activity::Process(stage, replica) => format!("{}_{}", stage + 1, replica + 1),
            Activity::Move(at, ..) if self.moves[at].len() == 1 && self.moves[at][0].len() == 1 => {
                format!("{}", at + 1)
            }
            Activity::Move(at, from, to) => format!("{}_{}_{}", at + 1, from + 1, to + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::check;
    use crate::mapping::{Line, Replica};
    use crate::syntax::Dialect;

    #[test]
    fn the_model_has_nothing_to_be_said_about() {
        let on = |processor, rate| Replica { processor, rate };
        let line = Line {
            stages: vec![vec![on(0, 10.0)], vec![on(1, 5.0), on(2, 2.0)], vec![on(1, 5.0)], vec![on(3, 1.5)]],
            moves: vec![
                vec![vec![1e4]],
                vec![vec![10.0, 20.0]],
                vec![vec![1e4], vec![20.0]],
                vec![vec![10.0]],
                vec![vec![1e4]],
            ],
            in_turn: (true, true),
        };
        let all = check(&line.model(), Dialect::Any);
        let said: Vec<&str> = all.iter().map(|d| d.kind).filter(|k| *k != "self-loop").collect();
        assert_eq!(said, Vec::<&str>::new(), "{}", line.model());
    }
}
