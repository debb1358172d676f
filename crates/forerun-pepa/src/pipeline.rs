//! The PEPA model of a pipeline that is mapped onto processors (Benoit, Cole, Gilmore and Hillston, *Evaluating the
//! Performance of Skeleton-Based High Level Parallel Programs*, ICCS 2004, section 2.2).

use std::fmt::Write as _;

/// Stages that each take an input, process it and move it on.
#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline {
    /// For each stage the processor that it is on, from 1.
    pub mapping: Vec<usize>,
    /// For each stage how many inputs its processor processes a second there, shared as it is with other stages.
    pub process: Vec<f64>,
    /// How many transfers a second: into the first stage, from each to the next, out of the last.
    pub moves: Vec<f64>,
}

impl Pipeline {
    /// The model as a text: a component for each stage, each processor and the network. The throughput of
    /// `process_1` is that of the pipeline.
    pub fn model(&self) -> String {
        let stages = self.mapping.len();
        let mut out = String::new();
        let mapping: Vec<String> = self.mapping.iter().map(usize::to_string).collect();
        let _ = writeln!(out, "// A pipeline of {stages} stages on processors ({}).", mapping.join(", "));
        for (at, rate) in self.process.iter().enumerate() {
            let _ = writeln!(out, "mu_{} = {rate:?};", at + 1);
        }
        for (at, rate) in self.moves.iter().enumerate() {
            let _ = writeln!(out, "lambda_{} = {rate:?};", at + 1);
        }
        out.push('\n');
        for i in 1..=stages {
            let next = i + 1;
            let _ = writeln!(
                out,
                "Stage_{i} = (move_{i}, infty).(process_{i}, infty).(move_{next}, infty).Stage_{i};"
            );
        }
        let mut processors: Vec<usize> = self.mapping.clone();
        processors.sort_unstable();
        processors.dedup();
        for p in &processors {
            let own = (1..=stages).filter(|i| self.mapping[i - 1] == *p);
            let all: Vec<String> = own.map(|i| format!("(process_{i}, mu_{i}).Processor_{p}")).collect();
            let _ = writeln!(out, "Processor_{p} = {};", all.join(" + "));
        }
        let moves: Vec<String> =
            (1..=stages + 1).map(|i| format!("(move_{i}, lambda_{i}).Network")).collect();
        let _ = writeln!(out, "Network = {};\n", moves.join(" + "));
        // From the right, so that no tool's order of reading matters.
        let mut pipeline = format!("Stage_{stages}");
        for i in (1..stages).rev() {
            let right = if i + 1 == stages { pipeline } else { format!("({pipeline})") };
            pipeline = format!("Stage_{i} <move_{}> {right}", i + 1);
        }
        let names = |what: &str, last: usize| -> String {
            (1..=last).map(|i| format!("{what}_{i}")).collect::<Vec<_>>().join(", ")
        };
        let processors: Vec<String> = processors.iter().map(|p| format!("Processor_{p}")).collect();
        let _ = writeln!(
            out,
            "Network <{}> (({pipeline}) <{}> ({}))",
            names("move", stages + 1),
            names("process", stages),
            processors.join(" <> ")
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Pipeline;
    use crate::check::check;
    use crate::syntax::Dialect;

    #[test]
    fn the_model_has_nothing_to_be_said_about() {
        let pipeline = Pipeline {
            mapping: vec![1, 2, 2, 4],
            process: vec![10.0, 5.0, 5.0, 1.5],
            moves: vec![1e4, 10.0, 1e4, 10.0, 1e4],
        };
        let all = check(&pipeline.model(), Dialect::Any);
        let said: Vec<&str> = all.iter().map(|d| d.kind).filter(|k| *k != "self-loop").collect();
        assert_eq!(said, Vec::<&str>::new(), "{}", pipeline.model());
    }
}
