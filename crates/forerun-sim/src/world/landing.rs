//! The port by which messages come in, where the network has such.

use crate::Time;

/// Free times that are remembered from before what was received last.
const GAPS: usize = 64;

/// When a rank's receiving port was free.
///
/// Messages take time on it in the order in which they are received, each the earliest that is left from when its first
/// byte comes: it is never idle while bytes are there for it, and what is received does not depend on the order in which ranks are run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Landing {
    /// Free times before `end`, in order.
    gaps: Vec<(Time, Time)>,
    /// From when on it is free.
    end: Time,
}

impl Landing {
    /// When a message is there whose first byte comes at `from`, and that takes the port for `takes`.
    pub(crate) fn done(&self, from: Time, takes: Time) -> Time {
        if takes == Time::ZERO {
            return from;
        }
        let mut left = takes;
        for &(begin, end) in &self.gaps {
            let begin = begin.max(from);
            if begin < end {
                if left <= end.since(begin) {
                    return begin.plus(left);
                }
                left = left.since(end.since(begin));
            }
        }
        self.end.max(from).plus(left)
    }

    /// The same, and the port is taken for it.
    pub(crate) fn take(&mut self, from: Time, takes: Time) -> Time {
        let done = self.done(from, takes);
        if takes == Time::ZERO {
            return done;
        }
        let parts = self.gaps.drain(..).flat_map(|(begin, end)| {
            let (early, late) = ((begin, end.min(from)), (begin.max(done), end));
            // Nothing of a gap that is wholly before or after is taken.
            if end <= from || begin >= done { [(begin, end), (end, end)] } else { [early, late] }
        });
        self.gaps = parts.filter(|(begin, end)| begin < end).collect();
        if from > self.end {
            self.gaps.push((self.end, from));
        }
        self.end = self.end.max(done);
        let many = self.gaps.len().saturating_sub(GAPS);
        self.gaps.drain(..many);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::Landing;
    use crate::Time;

    fn take(port: &mut Landing, from: u64, takes: u64) -> u64 {
        port.take(Time::from_picos(from), Time::from_picos(takes)).picos()
    }

    #[test]
    fn messages_take_what_is_left() {
        let mut port = Landing::default();
        assert_eq!(take(&mut port, 100, 10), 110);
        // Behind it.
        assert_eq!(take(&mut port, 105, 10), 120);
        // Received later, but come before: 95 to 100, then from 120 on.
        assert_eq!(take(&mut port, 95, 8), 123);
        // Before all of them.
        assert_eq!(take(&mut port, 20, 30), 50);
        assert_eq!(take(&mut port, 10, 20), 60);
        assert_eq!(take(&mut port, 0, 5), 5);
        assert_eq!(take(&mut port, 0, 40), 95);
        assert_eq!(take(&mut port, 0, 1), 124);
        assert_eq!(take(&mut port, 500, 0), 500);
        assert_eq!(take(&mut port, 400, 1), 401);
    }
}
