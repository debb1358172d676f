//! The port by which messages come in at a rank, where the network has such ([`forerun_platform::Network::receive_gap_per_byte`]).

/// Free times that are remembered.
const GAPS: usize = 8;

/// When a rank's receiving port was free: messages take time on it in the order in which they are received, each the earliest
/// that is left from when its first byte comes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Landing {
    /// The last free times before `end`, in order.
    gaps: [(f64, f64); GAPS],
    many: usize,
    /// From when on it is free.
    end: f64,
}

impl Landing {
    /// One that is taken until `end`.
    pub(crate) fn until(end: f64) -> Self {
        Landing { end, ..Landing::default() }
    }

    /// When a message is there that arrives at `arrival` and takes the port for `takes`, its first byte `before` earlier. The
    /// port is then taken.
    pub(crate) fn take(&mut self, arrival: f64, (takes, before): (f64, f64)) -> f64 {
        if takes <= 0.0 {
            return arrival;
        }
        let from = (arrival - before).max(0.0);
        let (mut left, mut done) = (takes, from);
        let mut free = Landing::until(self.end);
        for &(begin, end) in &self.gaps[..self.many] {
            let start = begin.max(from);
            if left <= 0.0 || start >= end {
                free.add(begin, end);
                continue;
            }
            let part = left.min(end - start);
            (left, done) = (left - part, start + part);
            free.add(begin, start);
            free.add(done, end);
        }
        if left > 0.0 {
            done = self.end.max(from) + left;
            free.add(self.end, from);
            free.end = done;
        }
        *self = free;
        done
    }

    /// Remembers a free time, if it is one, and forgets the first where there are too many.
    fn add(&mut self, begin: f64, end: f64) {
        if begin >= end {
            return;
        }
        if self.many == GAPS {
            self.gaps.rotate_left(1);
            self.many -= 1;
        }
        self.gaps[self.many] = (begin, end);
        self.many += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Landing;

    #[test]
    fn messages_take_what_is_left() {
        let mut port = Landing::default();
        let mut take = |from, takes| port.take(from, (takes, 0.0));
        assert_eq!(take(100.0, 10.0), 110.0);
        // Behind it.
        assert_eq!(take(105.0, 10.0), 120.0);
        // Received later, but come before.
        assert_eq!(take(95.0, 8.0), 123.0);
        assert_eq!(take(20.0, 30.0), 50.0);
        assert_eq!(take(0.0, 60.0), 90.0);
        assert_eq!(take(200.0, 0.0), 200.0);
        // The first byte comes before the arrival.
        assert_eq!(port.take(303.0, (5.0, 3.0)), 305.0);
    }
}
