//! Whether a master makes its slaves wait so long that two masters would be faster, or so little that one would do for two.

use super::message::Spent;

/// Messages of answers from each slave between two looks.
const ROUNDS: u64 = 2;
/// By what factor two masters must be expected to be faster.
const GAIN: f64 = 1.05;
/// And one master, which leaves another slave, for both to become one again.
const GAIN_OF_ONE: f64 = 1.02;

/// What a look at slaves' waiting comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// All stays as it is.
    Stay,
    /// Two masters would be faster.
    Split,
    /// One master for this half and the one that it was parted from would be faster.
    Return,
}

/// What the slaves of a master waited and worked for.
///
/// A slave that waits w and works y for the tasks of a message has a cycle c = y + w. If the master were
/// always free, that would be c₀ = max(y, min((y + trip) / prefetch, y + w₀)), where the trip is twice the
/// least time to a slave's first task, and w₀ the least that a slave waited. With half of the S slaves a master is
/// left with a queue again, of slaves that come at odd times, each for c / S of its time at most.
///
/// Tasks that differ make means uncertain: y in c₀ is taken two standard errors longer than its mean, so that chance
/// splits nothing.
///
/// Two masters become one again where their slaves and the one of them that would be a slave again, 2 S + 1, are enough
/// more than 2 S to make up for the queue at one master. The other half is taken to be like this one. A master is
/// busy with a message from when it has it until it waits for the next, and for the shortest time that it ever took to have one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    trip_s: f64,
    least_s: f64,
    prefetch: f64,
    waited: f64,
    worked: f64,
    /// Of the squares of what was worked.
    squares: f64,
    count: f64,
    /// What the master was busy with messages for, how many they were, and the shortest wait for one.
    served: f64,
    messages: f64,
    shortest_s: f64,
    /// Heard since the last look.
    fresh: u64,
}

impl Waits {
    /// For slaves with `prefetch` messages of tasks at a time; `trip_s` is infinite while it is not known.
    pub(super) fn new(prefetch: u64, trip_s: f64) -> Self {
        Waits {
            trip_s,
            least_s: f64::INFINITY,
            prefetch: prefetch as f64,
            waited: 0.0,
            worked: 0.0,
            squares: 0.0,
            count: 0.0,
            served: 0.0,
            messages: 0.0,
            shortest_s: f64::INFINITY,
            fresh: 0,
        }
    }

    /// What a round trip takes if nobody waits, as far as it is known.
    pub(super) fn trip_s(&self) -> f64 {
        self.trip_s
    }

    /// Takes note of what a slave says.
    pub(super) fn note(&mut self, spent: Spent) {
        match spent {
            Spent::Unknown => {}
            Spent::First { waited, .. } => self.trip_s = self.trip_s.min(2.0 * f64::from(waited)),
            Spent::Further { waited, worked } => {
                self.least_s = self.least_s.min(waited.into());
                self.waited += f64::from(waited);
                self.worked += f64::from(worked);
                self.squares += f64::from(worked).powi(2);
                self.count += 1.0;
                self.fresh += 1;
            }
        }
    }

    /// Takes note of a message for which the master waited and was busy so long.
    pub(super) fn note_served(&mut self, waited: f64, busy: f64) {
        self.served += busy;
        self.messages += 1.0;
        self.shortest_s = self.shortest_s.min(waited);
    }

    /// Whether it is time to look: every slave has been heard often enough since the last.
    pub(super) fn is_due(&self, slaves: u64) -> bool {
        self.fresh >= ROUNDS * slaves
    }

    /// How many masters are best for `messages` messages of tasks and `slaves` slaves. What was heard counts half from then on.
    pub(super) fn look(&mut self, slaves: u64, messages: u64) -> Look {
        let is_return_better = self.is_return_better(slaves, messages);
        match self.is_split_better(slaves, messages) {
            true => Look::Split,
            false if is_return_better => Look::Return,
            false => Look::Stay,
        }
    }

    /// Whether one master would be faster for this half and another like it.
    fn is_return_better(&self, slaves: u64, messages: u64) -> bool {
        let (work, wait) = self.means();
        // Each slave has something to do yet.
        if wait.is_nan() || messages < slaves || slaves == 0 {
            return false;
        }
        let serve = self.served / self.messages + self.shortest_s;
        let free = (work - 2.0 * self.error(work)).max(0.0) + wait;
        let both = 2 * slaves + 1;
        let stretched = cycle(free, serve, both) / free.max(f64::MIN_POSITIVE);
        both as f64 / (both - 1) as f64 > GAIN_OF_ONE * stretched
    }

    /// What slaves work and wait for a message, on average.
    fn means(&self) -> (f64, f64) {
        (self.worked / self.count, self.waited / self.count)
    }

    /// The standard error of what they work.
    fn error(&self, work: f64) -> f64 {
        ((self.squares / self.count - work * work).max(0.0) / self.count).sqrt()
    }

    /// Whether two masters would be faster. What was heard counts half from then on.
    fn is_split_better(&mut self, slaves: u64, messages: u64) -> bool {
        let (work, wait) = self.means();
        let error = self.error(work);
        let heard = [&mut self.waited, &mut self.worked, &mut self.squares, &mut self.count];
        for sum in heard.into_iter().chain([&mut self.served, &mut self.messages]) {
            *sum /= 2.0;
        }
        self.fresh = 0;
        if slaves < 3 || wait.is_nan() {
            return false;
        }
        let now = work + wait;
        let long = work + 2.0 * error;
        let free = long.max(((long + self.trip_s) / self.prefetch).min(long + self.least_s));
        let then = cycle(free, now / slaves as f64, slaves.div_ceil(2));
        let (slaves, messages) = (slaves as f64, messages as f64);
        // At the end, both halves wait for the last tasks of the other.
        let end = 2.0 * now;
        messages * now / slaves > GAIN * (messages * then / (slaves - 1.0) + end)
    }
}

/// A slave's cycle where `slaves` slaves share a master that serves each for `serve` seconds, and it would be `free`
/// if nobody else were there.
///
/// Mean value analysis of a closed loop with one station, whose service does not vary: whoever comes finds those
/// that one slave less leaves there on average, the one that is served half done.
fn cycle(free: f64, serve: f64, slaves: u64) -> f64 {
    let away = (free - serve).max(0.0);
    let (mut there, mut busy, mut cycle) = (0.0, 0.0f64, free);
    for n in 1..=slaves {
        let stay = serve * (1.0 + there - busy / 2.0);
        cycle = away + stay;
        let rate = n as f64 / cycle;
        there = rate * stay;
        busy = (rate * serve).min(1.0);
    }
    cycle.max(free).max(slaves as f64 * serve)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of `slaves` slaves that wait and work so long, twice each; then the verdict.
    fn verdict(first: f32, waited: f32, worked: f32, slaves: u64, messages: u64) -> bool {
        let mut waits = Waits::new(1, f64::INFINITY);
        waits.note(Spent::First { waited: first, worked });
        for _ in 0..2 * slaves {
            assert!(!waits.is_due(slaves));
            waits.note(Spent::Further { waited, worked });
        }
        assert!(waits.is_due(slaves));
        waits.look(slaves, messages) == Look::Split
    }

    #[test]
    fn a_queue_is_split_and_a_long_way_is_not() {
        // Ten slaves wait ten times as long as a round trip takes, for a master or for a slow network.
        assert!(verdict(0.5, 10.0, 0.1, 10, 10_000));
        assert!(!verdict(5.0, 10.0, 0.1, 10, 10_000));
        // Tasks that take as long as the queue leave none.
        assert!(!verdict(0.5, 1.0, 10.0, 10, 10_000));
        // Neither too few tasks nor too few slaves are split.
        assert!(!verdict(0.5, 10.0, 0.1, 10, 10));
        assert!(!verdict(0.5, 10.0, 0.1, 2, 10_000));
    }

    /// What `slaves` slaves are told to do after two messages each, of which the master is busy with each for `serve`.
    fn look(serve: f64, waited: f32, worked: f32, slaves: u64, messages: u64) -> Look {
        let mut waits = Waits::new(1, f64::INFINITY);
        waits.note(Spent::First { waited, worked });
        for _ in 0..2 * slaves {
            waits.note(Spent::Further { waited, worked });
            waits.note_served(serve / 4.0, 0.75 * serve);
        }
        waits.look(slaves, messages)
    }

    #[test]
    fn a_master_that_another_could_do_the_work_of_returns() {
        // Three slaves, of which the master could have a hundred.
        assert_eq!(look(0.1, 0.2, 10.0, 3, 100), Look::Return);
        // Seven are more than it can do.
        assert_eq!(look(2.0, 3.0, 7.0, 3, 100), Look::Stay);
        // At the end there is nothing to give back, and who has nobody has nothing to say.
        assert_eq!(look(0.1, 0.2, 10.0, 3, 2), Look::Stay);
        assert_eq!(look(0.1, 0.2, 10.0, 0, 100), Look::Stay);
        // A hundred slaves less one are as good as a hundred.
        assert_eq!(look(0.001, 0.2, 10.0, 100, 1000), Look::Stay);
    }

    #[test]
    fn a_cycle_is_free_where_nobody_waits_and_the_masters_where_all_do() {
        assert_eq!(cycle(10.0, 1.0, 1), 10.0);
        for slaves in 1..100 {
            let c = cycle(10.0, 1.0, slaves);
            assert!(
                c >= 10.0f64.max(slaves as f64) - 1e-9 && c <= 10.0f64.max(slaves as f64) * 1.25,
                "{slaves}: {c}"
            );
        }
    }
}
