//! The network's costs for a job of a fixed number of ranks.

use forerun_platform::{Network, Overhead, Platform, Route};

use crate::ModelError;

/// LogGPS (Ino, Fujimoto and Hagihara, PPoPP 2001) with the overhead's term in the number of
/// ranks (Mizutani, Ino and Hagihara, section 3.2), in seconds, for messages of k bytes:
///
/// ```text
/// o_s(k), o_r(k) = base + per_rank · P + per_byte · k
/// transit(k)     = (k − 1) G + L              from the end of o_s to the arrival
/// port(k)        = (k − 1) G + g              until the port takes the next message
/// ```
///
/// Where a byte takes G_r of its receiver's port, messages to one rank wait for each other there ([`Wire::landing`]).
///
/// What comes while its receiver computes takes of its processor ([`Wire::received`]), and what leaves while its sender does of that one's
/// ([`Wire::toll`]).
///
/// Where the platform states a topology, [`Wire::on`] adds what its switches and other jobs' traffic
/// there take (see [`Route`]). Segments of s bytes go one after the other; a message above S pays for the request and its
/// answer, `o_s(0) + 2 L + 2 o_r(0) + o_s(0)`, taken as if the receiver were ready for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wire {
    send: (f64, f64),
    receive: (f64, f64),
    latency: f64,
    gap: f64,
    gap_per_byte: f64,
    /// What a byte takes of its receiver's port.
    receive_gap_per_byte: f64,
    /// What a byte takes of its receiver's processor that comes before it is received.
    interference_per_byte: f64,
    /// What a byte takes of its sender's processor that leaves while that computes.
    send_interference_per_byte: f64,
    /// What a byte holds the port for; `gap_per_byte` or more.
    port_per_byte: f64,
    /// What switches add for each byte of a message or its segment.
    way_per_byte: f64,
    rendezvous_above: f64,
    segment: f64,
}

impl Wire {
    /// The costs of `network` in a job of `ranks` ranks.
    ///
    /// # Errors
    /// If a figure is negative or not a number.
    pub fn new(network: &Network, ranks: usize) -> Result<Wire, ModelError> {
        Wire::with(network, &Route::default(), ranks)
    }

    /// The costs of `platform`'s network, with what its topology and its busy hosts add ([`Platform::busy_network`]), in a
    /// job of `ranks` ranks.
    ///
    /// # Errors
    /// As [`Wire::new`], and if other jobs use up a link on the way.
    pub fn on(platform: &Platform, ranks: usize) -> Result<Wire, ModelError> {
        let route = platform.route(ranks).map_err(|e| ModelError::new(e.to_string()))?;
        Wire::with(&platform.busy_network(), &route, ranks)
    }

    fn with(network: &Network, route: &Route, ranks: usize) -> Result<Wire, ModelError> {
        let gap_per_byte = network.gap_per_byte.value.0;
        let shared = gap_per_byte.max(route.gap_per_byte.0);
        let overhead =
            |o: &Overhead| (o.base.value.0 + o.per_rank.value.0 * ranks as f64, o.per_byte.value.0);
        let wire = Wire {
            send: overhead(&network.send_overhead),
            receive: overhead(&network.receive_overhead),
            latency: network.latency.value.0 + route.latency.0,
            gap: network.gap.value.0,
            gap_per_byte: shared,
            receive_gap_per_byte: network.receive_gap_per_byte.value.0,
            interference_per_byte: network.interference_per_byte.value.0,
            send_interference_per_byte: network.send_interference_per_byte.value.0,
            port_per_byte: shared.max(route.port_per_byte.0),
            way_per_byte: route.per_byte.0,
            rendezvous_above: network.rendezvous_threshold.map_or(f64::INFINITY, |s| s.0 as f64),
            segment: network.segment.map_or(f64::INFINITY, |s| s.0 as f64),
        };
        let figures = [
            ("send overhead", wire.send.0),
            ("send overhead per byte", wire.send.1),
            ("send overhead per rank", network.send_overhead.per_rank.value.0),
            ("receive overhead per rank", network.receive_overhead.per_rank.value.0),
            ("receive overhead", wire.receive.0),
            ("receive overhead per byte", wire.receive.1),
            ("latency", wire.latency),
            ("gap", wire.gap),
            ("gap per byte", gap_per_byte),
            ("receive gap per byte", wire.receive_gap_per_byte),
            ("interference per byte", wire.interference_per_byte),
            ("send interference per byte", wire.send_interference_per_byte),
        ];
        for (name, value) in figures {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(ModelError::new(format!(
                    "the network's {name} is {value}: expected a number from 0"
                )));
            }
        }
        if wire.segment == 0.0 {
            return Err(ModelError::new(
                "the network cuts messages into segments of 0 bytes: expected at least 1",
            ));
        }
        Ok(wire)
    }

    /// o_s: seconds for which a message of `bytes` bytes keeps its sender busy.
    pub fn send(&self, bytes: f64) -> f64 {
        let meet = if self.meets(bytes) {
            self.send.0 + 2.0 * self.latency + 2.0 * self.receive.0 + self.send.0
        } else {
            0.0
        };
        meet + self.overhead(bytes)
    }

    /// o_s without what a message above S pays beside.
    pub fn overhead(&self, bytes: f64) -> f64 {
        self.send.0 + self.send.1 * bytes
    }

    /// Whether a message of `bytes` bytes meets its receiver first: it is above S.
    pub fn meets(&self, bytes: f64) -> bool {
        bytes > self.rendezvous_above
    }

    /// Seconds from the end of `send` to the arrival.
    pub fn transit(&self, bytes: f64) -> f64 {
        let (before, last) = self.segments(bytes);
        let way = bytes.min(self.segment) * self.way_per_byte;
        before + (last - 1.0).max(0.0) * self.gap_per_byte + self.latency + way
    }

    /// Seconds from the end of `send` until the sender's port takes the next message.
    pub fn port(&self, bytes: f64) -> f64 {
        let (before, last) = self.segments(bytes);
        before + self.whole(last)
    }

    /// o_r: seconds for which a message of `bytes` bytes keeps its receiver busy.
    pub fn receive(&self, bytes: f64) -> f64 {
        self.receive.0 + self.receive.1 * bytes
    }

    /// Seconds from the begin of a send to the end of the receive, by ranks that wait for nothing else.
    pub fn hop(&self, bytes: f64) -> f64 {
        self.send(bytes) + self.transit(bytes) + self.receive(bytes)
    }

    /// Seconds by which a further message to a rank is received after the one before, where both are there at once: one after the other
    /// through a port.
    pub fn in_turn(&self, bytes: f64) -> f64 {
        self.receive(bytes).max(self.port(bytes))
    }

    /// Seconds that a message of `bytes` bytes takes of its receiver's port, and how long before its arrival its first byte comes
    /// there: `(k − 1) G_r` and `(k − 1) min(G, G_r)`; without such a port 0 and `(k − 1) G`.
    pub fn landing(&self, bytes: f64) -> (f64, f64) {
        let further = (bytes - 1.0).max(0.0);
        let (takes, sent) = (further * self.receive_gap_per_byte, further * self.gap_per_byte);
        (takes, if self.receive_gap_per_byte > 0.0 { takes.min(sent) } else { sent })
    }

    /// Seconds that a message of `bytes` bytes takes of its receiver's processor where all of it comes while that computes.
    pub fn interference(&self, bytes: f64) -> f64 {
        self.interference_per_byte * bytes
    }

    /// Seconds that a message of `bytes` bytes takes of its sender's processor where all of it leaves while that computes.
    pub fn toll(&self, bytes: f64) -> f64 {
        self.send_interference_per_byte * bytes
    }

    /// The costs of ranks that compute all the time: what comes and leaves meanwhile takes of them as much as receiving and sending it.
    pub(crate) fn busy(&self) -> Wire {
        Wire {
            send: (self.send.0, self.send.1 + self.send_interference_per_byte),
            receive: (self.receive.0, self.receive.1 + self.interference_per_byte),
            interference_per_byte: 0.0,
            send_interference_per_byte: 0.0,
            ..self.clone()
        }
    }

    /// When a rank that would call a receive at `called` has received a message of `bytes` bytes that arrives at `arrival` and has come in at
    /// `done`, but for the overhead: what comes before it calls takes of its processor, so that it calls later.
    pub fn received(&self, called: f64, (arrival, done): (f64, f64), bytes: f64) -> f64 {
        let from = (arrival - self.landing(bytes).1).max(0.0);
        let part = match called {
            _ if called <= from => 0.0,
            _ if called >= done => 1.0,
            _ => (called - from) / (done - from),
        };
        (called + part * self.interference(bytes)).max(done)
    }

    /// Seconds to ask another rank for a number and be answered: an empty message there, at once
    /// another back.
    pub fn ask(&self) -> f64 {
        self.send(0.0) + 2.0 * self.latency + self.receive(0.0)
    }

    fn whole(&self, bytes: f64) -> f64 {
        self.gap + (bytes - 1.0).max(0.0) * self.port_per_byte
    }

    /// Seconds that the segments before the last occupy the port, and bytes of the last.
    fn segments(&self, bytes: f64) -> (f64, f64) {
        if bytes <= self.segment {
            return (0.0, bytes);
        }
        let whole = ((bytes - 1.0) / self.segment).floor();
        (whole * self.whole(self.segment), bytes - whole * self.segment)
    }
}
