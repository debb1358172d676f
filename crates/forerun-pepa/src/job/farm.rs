//! The model of a farm: a master gives tasks to slaves and takes in what they answer.

use std::fmt::Write as _;

use super::rates::Rates;

/// A farm with one master.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Farm {
    /// Slaves, at least 1.
    pub slaves: u64,
    /// Tasks.
    pub tasks: u64,
    /// Tasks that a slave has at a time, at least 1.
    pub prefetch: u64,
    /// Seconds in which the master gives a task out.
    pub give_s: f64,
    /// Seconds of a task on the wire, of the slave's work with both of its messages, and of the answer on the wire.
    pub work_s: f64,
    /// Seconds of a task's round trip without the master's time and without the slave's: on the wire.
    pub wire_s: f64,
    /// Seconds in which the master takes an answer in.
    pub take_s: f64,
}

impl Farm {
    /// The model of a stream of tasks: the throughput of `work` is that of tasks. The tasks that are under way are an
    /// array: the master gives one out, it goes over the wire, waits for a slave and is worked on, and the
    /// master takes its answer in. The wire is no bottleneck; the master does one thing at a time.
    pub fn model(&self) -> String {
        let Farm { slaves, prefetch, .. } = *self;
        let longest = self.give_s.max(self.work_s).max(self.wire_s).max(self.take_s);
        let mut rates = Rates::new(longest, 1);
        let give = rates.rate("gamma", self.give_s, "the master gives a task out");
        let take = rates.rate("kappa", self.take_s, "the master takes an answer in");
        let work = rates.rate("mu", self.work_s, "a slave receives a task, works on it and sends its answer");
        let mut task = vec!["(give, infty)".to_string()];
        if self.wire_s > 0.0 {
            let wire = rates.rate("lambda", self.wire_s, "a task on the wire, and its answer");
            task.push(format!("(wire, {wire})"));
        }
        task.extend(["(work, infty)".to_string(), "(take, infty)".to_string()]);
        let mut out = format!(
            "// A farm, one master and {slaves} slaves, {prefetch} at a time each: a stream of tasks. Times in seconds.\n\
             // N tasks take about N / the throughput of `work`.\n{}\n",
            rates.write()
        );
        let _ = writeln!(out, "Task = {}.Task;", task.join("."));
        let _ = writeln!(out, "Slave = (work, {work}).Slave;");
        let _ = writeln!(out, "Master = (give, {give}).Master + (take, {take}).Master;");
        let under_way = slaves.saturating_mul(prefetch);
        let _ = writeln!(out, "\n(Task[{under_way}] <work> Slave[{slaves}]) <give, take> Master");
        out
    }
}
