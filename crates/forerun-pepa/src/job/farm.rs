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
    /// Seconds of a slave's time for a task: to receive it, to work on it and to send its answer.
    pub work_s: f64,
    /// Seconds of a task and its answer on the wire.
    pub wire_s: f64,
    /// Seconds in which the master takes an answer in.
    pub take_s: f64,
    /// Seconds for which the master does not go on when a task is given out: it hands an answer on, and the task may keep its port
    /// from the next one beyond those in which the master gives it out and takes an answer in.
    pub hold_s: f64,
}

impl Farm {
    /// Whether the wire is a place of its own in the model.
    fn has_wire(&self) -> bool {
        self.prefetch > 1 && self.wire_s > 0.0
    }

    /// How many states the model has: the ways in which the tasks under way can spread over their places, while the
    /// master gives one out, while it does not, and while it waits for its port.
    pub fn states(&self) -> f64 {
        let places = if self.has_wire() { 3 } else { 2 };
        let tasks = self.slaves as f64 * self.prefetch as f64;
        let ways = |tasks: f64| (1..places).map(|i| (tasks + f64::from(i)) / f64::from(i)).product::<f64>();
        let holds = if self.hold_s > 0.0 { 2.0 } else { 1.0 };
        (holds * ways(tasks) + ways(tasks - 1.0)).round()
    }

    /// The model of a stream of tasks: the throughput of `work` is that of tasks. The tasks that are under way are an
    /// array: each goes over the wire, waits for a slave and is worked on; the master takes its answer in and
    /// gives the next one out. The wire is no bottleneck (and where a slave has one task at a time, part of its
    /// work: it waits as long); the master does one thing at a time, and waits for its port where that takes longer
    /// than it does itself.
    pub fn model(&self) -> String {
        let Farm { slaves, prefetch, .. } = *self;
        let longest = self.give_s.max(self.work_s).max(self.wire_s).max(self.take_s).max(self.hold_s);
        let mut rates = Rates::new(longest, 1);
        let (wire_too, what) = match self.has_wire() {
            false => (self.wire_s, "a task on the wire to a slave, its work and the way back"),
            true => (0.0, "a slave receives a task, works on it and sends its answer"),
        };
        let work = rates.rate("mu", self.work_s + wire_too, what);
        let mut task = vec!["(work, infty)".to_string(), "(take, infty)".into(), "(give, infty)".into()];
        if self.has_wire() {
            let wire = rates.rate("lambda", self.wire_s, "a task on the wire, and its answer");
            task.insert(0, format!("(wire, {wire})"));
        }
        let take = rates.rate("kappa", self.take_s, "the master takes an answer in");
        let give = rates.rate("gamma", self.give_s, "the master gives a task out");
        let held = match self.hold_s > 0.0 {
            true => {
                format!(
                    ".(hold, {})",
                    rates.rate(
                        "eta",
                        self.hold_s,
                        "the master hands an answer on, or its port is not free yet"
                    )
                )
            }
            false => String::new(),
        };
        let mut out = format!(
            "// A farm, one master and {slaves} slaves, {prefetch} at a time each: a stream of tasks. Times in seconds.\n\
             // N tasks take about N / the throughput of `work`.\n{}\n",
            rates.write()
        );
        let _ = writeln!(out, "Task = {}.Task;", task.join("."));
        let _ = writeln!(out, "Slave = (work, {work}).Slave;");
        let _ = writeln!(out, "Master = (take, {take}).(give, {give}){held}.Master;");
        let under_way = slaves.saturating_mul(prefetch);
        let _ = writeln!(out, "\n(Task[{under_way}] <work> Slave[{slaves}]) <take, give> Master");
        out
    }
}
