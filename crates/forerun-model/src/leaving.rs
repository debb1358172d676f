//! The port by which messages leave a rank, and what they take of its processor meanwhile
//! ([`forerun_platform::Network::send_interference_per_byte`]).

/// When a rank's port is free, and what it takes of the rank's processor until then, evenly.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Leaving {
    /// When it is free.
    pub(crate) port: f64,
    /// Seconds that it takes of the processor from `since` on, if the rank computes.
    toll: f64,
    since: f64,
}

impl Leaving {
    /// One that since `since` is taken until `port`, and takes `toll` of the processor meanwhile.
    pub(crate) fn until(port: f64, toll: f64, since: f64) -> Self {
        Leaving { port, toll, since: since.min(port) }
    }

    /// What is left of the toll.
    fn left(&self, at: f64) -> f64 {
        if at >= self.port { 0.0 } else { self.toll * ((self.port - at) / (self.port - self.since)).min(1.0) }
    }

    /// Puts a message on it at `at`, which takes it for `port` and `toll` of the processor; gives when the message gets on it.
    pub(crate) fn put(&mut self, at: f64, (port, toll): (f64, f64)) -> f64 {
        let injected = at.max(self.port);
        *self = Leaving { port: injected + port, toll: self.left(at) + toll, since: at };
        injected
    }

    /// When work ends that begins at `from` and without the toll would end at `to`.
    pub(crate) fn ends(&self, from: f64, to: f64) -> f64 {
        let (work, whole) = (to - from, self.port - from);
        let toll = self.left(from).min(whole);
        if work <= 0.0 || toll <= 0.0 {
            to
        } else if work >= whole - toll {
            to + toll
        } else {
            from + work * whole / (whole - toll)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Leaving;

    #[test]
    fn work_is_slower_until_the_port_is_free() {
        let mut leaving = Leaving::default();
        assert_eq!((leaving.put(10.0, (20.0, 5.0)), leaving.port), (10.0, 30.0));
        assert_eq!(leaving.ends(10.0, 10.0), 10.0);
        assert_eq!(leaving.ends(10.0, 16.0), 18.0);
        assert_eq!(leaving.ends(10.0, 25.0), 30.0);
        assert_eq!(leaving.ends(10.0, 50.0), 55.0);
        // Half of it is left after half of the time.
        assert_eq!(leaving.ends(20.0, 60.0), 62.5);
        assert_eq!(leaving.ends(30.0, 60.0), 60.0);
        // A further one, behind it.
        assert_eq!((leaving.put(20.0, (20.0, 12.5)), leaving.port), (30.0, 50.0));
        assert_eq!(leaving.ends(20.0, 35.0), 50.0);
        // More than there is time for.
        leaving.put(50.0, (1.0, 100.0));
        assert_eq!(leaving.ends(50.0, 52.0), 53.0);
    }
}
