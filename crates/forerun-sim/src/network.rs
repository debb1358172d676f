//! The network: LogGPS in whole picoseconds.
//!
//! LogGPS is of Ino, Fujimoto and Hagihara (PPoPP 2001); the overhead's term in the number of
//! ranks is of Mizutani, Ino and Hagihara (Evaluation of a testbed for master/slave programs,
//! section 3.2: `o = o'_a + o'_b P + O k`). See [`LogGps`] for the formulas.

use forerun_platform::{Network, Overhead, Platform, Route, Sharing};
use forerun_skeleton::RunError;

use crate::time::{PerByte, Time};

/// A LogGPS network as a job of a fixed number of ranks sees it.
///
/// A message of k bytes that a rank begins to send at time t (there is room in the window) takes
///
/// ```text
/// o_s(k) = base + per_rank · P + per_byte · k        the sender is busy until t + o_s(k)
/// i      = max(t + o_s(k), port)                     its port begins to inject the message
/// port   = i + (k − 1) G + g                         … and is free for the next one
/// a      = i + (k − 1) G + L                         the message has arrived
/// max(r, a) + o_r(k)                                 a receive called at r returns
/// ```
///
/// A sender does not wait for its port: what it has sent queues there. Where messages are cut
/// into segments of s bytes, each segment occupies the port for (s − 1) G + g in turn, and
/// the message has arrived with its last segment; the overheads are paid once.
///
/// A message of more than S bytes meets its receiver first (figure 1 of Mizutani et al., `Send2`):
///
/// ```text
/// sender    busy o_s(0); a request travels like an empty message and arrives at a
/// receiver  a receive called at r takes it up at m = max(r, a), is busy o_r(0) + o_s(0),
///           and answers like an empty message, which arrives back at b
/// sender    continues at max(t + o_s(0), b), busy o_r(0) + o_s(k); its send ends here,
///           and the message travels as above
/// ```
///
/// Where a byte takes G_r of its receiver's port, a message has arrived when, from the first byte on, the port has had time for
/// all of them beside those of messages that were received before:
///
/// ```text
/// from   = a − (k − 1) min(G, G_r)
/// done   = the earliest time by which the port was free for (k − 1) G_r since `from`; it is taken then
/// max(r, done) + o_r(k)                              a receive called at r returns
/// ```
///
/// or, where messages share the port evenly ([`forerun_platform::Sharing::Fair`]), when it has had (k − 1) G_r of the port, of which each of n
/// senders whose messages come at a time has 1 / n. Messages of one sender come one after the other, from `from` or the end of the one
/// before. What a message has had grows from one time at which a message begins or ends to come to the next, in steps of 2^−32 ps.
///
/// Where a byte that comes while its receiver computes takes c of its processor, a receive that would be called at r is called
/// later by what came before, evenly from the first byte to the last:
///
/// ```text
/// r′ = r + c k (r − from) / (done − from)            no less than r, no more than r + c k
/// ```
///
/// (without a receiving port, `from = a − (k − 1) G` and `done = a`). A message above S comes while its receiver waits. Where messages share a
/// port evenly, many come while their receiver waits for one of them: what of the time from `from` to r it waited is no part of r − from.
///
/// Where a byte that leaves while its sender computes takes c_s of its processor, what is on the port at time t takes C(t) until the
/// port is free, evenly: a message adds c_s k, what leaves while the rank waits is free of cost, and work of w that begins at t ends at
///
/// ```text
/// t + w + min(C, port − t)                           where w ≥ port − t − C, the part of that time that is left for work
/// t + w (port − t) / (port − t − C)                  else
/// ```
///
/// Where the platform states a topology, [`LogGps::on`] adds what the switches and other jobs' traffic
/// there take on average (see [`Route`]): the same for every pair, a fixed part in L, and for each
/// byte of the message or of its segment
///
/// ```text
/// port   = i + (k − 1) G″ + g          G″ = max(G, what others leave of the slowest link)
/// a      = i + (k − 1) G′ + L′ + waits and store-and-forward of k bytes
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogGps {
    latency: Time,
    send: Busy,
    receive: Busy,
    gap: Time,
    gap_per_byte: PerByte,
    /// What a byte takes of its receiver's port.
    receive_gap_per_byte: PerByte,
    /// Whether there are such ports, and messages share them evenly that come at once.
    fair: bool,
    /// What a byte takes of its receiver's processor that comes before it is received.
    interference_per_byte: PerByte,
    /// What a byte takes of its sender's processor that leaves while that computes.
    send_interference_per_byte: PerByte,
    rendezvous_above: u64,
    segment: u64,
    /// Messages smaller than this neither wait for their receiver or its port, nor do they take of a processor, nor are they cut, nor do
    /// switches add to them, and what they cost by the byte needs no more than 64 bits to compute.
    plain_below: u64,
    switches: Switches,
}

/// What switches add for each byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Switches {
    /// To the arrival.
    way: PerByte,
    /// To what the port is held.
    port: PerByte,
}

/// An overhead for a fixed number of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Busy {
    fixed: Time,
    per_byte: PerByte,
}

impl Busy {
    fn new(o: &Overhead, ranks: usize, whose: &str) -> Result<Busy, RunError> {
        Ok(Busy {
            fixed: Time::from_seconds(o.base.value.0 + o.per_rank.value.0 * ranks as f64)?,
            per_byte: PerByte::from_seconds(o.per_byte.value.0, whose)?,
        })
    }

    #[inline]
    fn of(self, bytes: u64) -> Time {
        self.fixed.plus(self.per_byte.times(bytes))
    }
}

/// What a message does to its sender's port, from when its injection begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Travel {
    /// How long the port is taken.
    pub(crate) port: Time,
    /// How long until the message has arrived; never less than the latency.
    pub(crate) arrival: Time,
}

impl LogGps {
    /// The network of a platform for a job of `ranks` ranks.
    ///
    /// # Errors
    /// [`RunError::Invalid`] if a figure is negative, not a number or 213 days or longer.
    pub fn new(network: &Network, ranks: usize) -> Result<LogGps, RunError> {
        Self::with(network, &Route::default(), ranks)
    }

    /// The network of a platform with what its topology adds, for a job of `ranks` ranks placed on it
    /// as [`Platform::place`] does.
    ///
    /// # Errors
    /// As [`LogGps::new`], and if other jobs use up a link on the way.
    pub fn on(platform: &Platform, ranks: usize) -> Result<LogGps, RunError> {
        let route = platform.route(ranks).map_err(|e| RunError::Invalid(e.to_string()))?;
        Self::with(&platform.busy_network(), &route, ranks)
    }

    fn with(network: &Network, route: &Route, ranks: usize) -> Result<LogGps, RunError> {
        let own = network.gap_per_byte.value.0;
        // Checked before the route's hides it.
        PerByte::from_seconds(own, "gap per byte")?;
        let gap_per_byte = own.max(route.gap_per_byte.0);
        let port_per_byte = (route.port_per_byte.0 - gap_per_byte).max(0.0);
        let switches = Switches {
            way: PerByte::from_seconds(route.per_byte.0, "time per byte in switches")?,
            port: PerByte::from_seconds(port_per_byte, "time per byte in switches")?,
        };
        let rendezvous_above = network.rendezvous_threshold.map_or(u64::MAX, |s| s.0);
        let segment = match network.segment {
            None => u64::MAX,
            Some(s) if s.0 > 0 => s.0,
            Some(_) => {
                return Err(RunError::Invalid(
                    "a network that cuts messages into segments of 0 bytes: expected at least 1".into(),
                ));
            }
        };
        let network = LogGps {
            latency: Time::from_seconds(network.latency.value.0 + route.latency.0)?,
            send: Busy::new(&network.send_overhead, ranks, "send overhead per byte")?,
            receive: Busy::new(&network.receive_overhead, ranks, "receive overhead per byte")?,
            gap: Time::from_seconds(network.gap.value.0)?,
            gap_per_byte: PerByte::from_seconds(gap_per_byte, "gap per byte")?,
            receive_gap_per_byte: PerByte::from_seconds(
                network.receive_gap_per_byte.value.0,
                "receive gap per byte",
            )?,
            fair: network.receive_sharing == Sharing::Fair,
            interference_per_byte: PerByte::from_seconds(
                network.interference_per_byte.value.0,
                "interference per byte",
            )?,
            send_interference_per_byte: PerByte::from_seconds(
                network.send_interference_per_byte.value.0,
                "send interference per byte",
            )?,
            rendezvous_above,
            segment,
            plain_below: 0,
            switches,
        };
        Ok(network.complete())
    }

    /// The same with what is plain, and whether there are fair ports, worked out.
    fn complete(self) -> LogGps {
        let computed = self.send.per_byte.few().min(self.receive.per_byte.few()).min(self.gap_per_byte.few());
        let upto = self.rendezvous_above.min(self.segment).min(computed);
        // A product that was computed in 64 bits is less than 2^40 ps.
        let fixed = self.send.fixed.max(self.receive.fixed).max(self.gap).max(self.latency);
        let any = self.switches == Switches::default()
            && !self.has_receiving_ports()
            && self.interference_per_byte == PerByte::default()
            && !self.has_tolls()
            && fixed.picos() < 1 << 63;
        let fair = self.fair && self.has_receiving_ports();
        LogGps { plain_below: if any { upto.saturating_add(1) } else { 0 }, fair, ..self }
    }

    /// A network that costs nothing.
    ///
    /// With L = 0 a message can arrive in the instant in which a receive-from-any is decided; it
    /// then comes after what was there before (see the README of `order`).
    pub fn free() -> LogGps {
        LogGps {
            latency: Time::ZERO,
            send: Busy::default(),
            receive: Busy::default(),
            gap: Time::ZERO,
            gap_per_byte: PerByte::default(),
            receive_gap_per_byte: PerByte::default(),
            fair: false,
            interference_per_byte: PerByte::default(),
            send_interference_per_byte: PerByte::default(),
            rendezvous_above: u64::MAX,
            segment: u64::MAX,
            plain_below: 0,
            switches: Switches::default(),
        }
        .complete()
    }

    /// L: the time on the wire of an empty message.
    #[inline]
    pub fn latency(&self) -> Time {
        self.latency
    }

    /// o_s: how long a message of `bytes` bytes keeps its sender busy.
    #[inline]
    pub fn send_overhead(&self, bytes: u64) -> Time {
        self.send.of(bytes)
    }

    /// o_r: how long a message of `bytes` bytes keeps its receiver busy.
    #[inline]
    pub fn receive_overhead(&self, bytes: u64) -> Time {
        self.receive.of(bytes)
    }

    /// Whether messages take time of their receiver's port.
    #[inline]
    pub(crate) fn has_receiving_ports(&self) -> bool {
        self.receive_gap_per_byte != PerByte::default()
    }

    /// Whether messages share their receiver's port evenly that come at once.
    #[inline(always)]
    pub(crate) fn has_fair_ports(&self) -> bool {
        self.fair
    }

    /// Whether messages take of a sender's processor while they leave.
    #[inline]
    pub(crate) fn has_tolls(&self) -> bool {
        self.send_interference_per_byte != PerByte::default()
    }

    /// What a message of `bytes` bytes takes of its sender's processor if that computes for as long as it leaves.
    pub(crate) fn toll(&self, bytes: u64) -> Time {
        self.send_interference_per_byte.times(bytes)
    }

    /// What a message of `bytes` bytes takes of its receiver's port, and how long before its arrival its first byte comes.
    pub(crate) fn landing(&self, bytes: u64) -> (Time, Time) {
        let further = bytes.saturating_sub(1);
        let (takes, sent) = (self.receive_gap_per_byte.times(further), self.gap_per_byte.times(further));
        (takes, if self.has_receiving_ports() { takes.min(sent) } else { sent })
    }

    /// When a rank really calls a receive that it would call at `called`, of a message of `bytes` bytes of which the first comes at `from`
    /// and the last at `done`: later by what the bytes that come before take of its processor, but for the time `waited` of that in which it
    /// had nothing else to do.
    pub(crate) fn meanwhile(
        &self,
        called: Time,
        (from, done): (Time, Time),
        waited: Time,
        bytes: u64,
    ) -> Time {
        if called <= from || self.interference_per_byte == PerByte::default() {
            return called;
        }
        let all = self.interference_per_byte.times(bytes);
        let (before, whole) = (called.min(done).since(from).since(waited).picos(), done.since(from).picos());
        if before >= whole {
            return called.plus(all);
        }
        called
            .plus(Time::from_picos((u128::from(all.picos()) * u128::from(before) / u128::from(whole)) as u64))
    }

    /// Whether a message of `bytes` bytes waits for its receiver: more than S.
    #[inline]
    pub fn waits_for_receiver(&self, bytes: u64) -> bool {
        bytes > self.rendezvous_above
    }

    /// What a message of `bytes` bytes costs its sender, if it neither waits for its receiver, nor is
    /// cut, nor delayed by switches in proportion to its bytes: the overhead, how it travels, and what it costs its
    /// receiver.
    #[inline(always)]
    pub(crate) fn plain_send(&self, bytes: u64) -> Option<(Time, Travel, Time)> {
        (bytes < self.plain_below).then(|| {
            let long = self.gap_per_byte.times_few(bytes.saturating_sub(1));
            let travel = Travel { port: self.gap.with(long), arrival: self.latency.with(long) };
            let receive = self.receive.fixed.with(self.receive.per_byte.times_few(bytes));
            (self.send.fixed.with(self.send.per_byte.times_few(bytes)), travel, receive)
        })
    }

    /// What such a message costs its receiver; [`Time::MAX`] of any other.
    pub(crate) fn plain_receive(&self, bytes: u64) -> Time {
        self.plain_send(bytes).map_or(Time::MAX, |(_, _, busy)| busy)
    }

    /// How a message of `bytes` bytes travels once its port is free.
    pub(crate) fn travel(&self, bytes: u64) -> Travel {
        if bytes <= self.segment {
            self.travel_piece(bytes, bytes)
        } else {
            let whole = (bytes - 1) / self.segment;
            let step = self.travel_piece(self.segment, self.segment).port;
            let before = Time::from_picos(step.picos().saturating_mul(whole));
            // The last segment waits behind the one before it wherever that does.
            let last = self.travel_piece(bytes - whole * self.segment, self.segment);
            Travel { port: before.plus(last.port), arrival: before.plus(last.arrival) }
        }
    }

    /// How a piece of `bytes` bytes travels, delayed in switches as one of `delayed` bytes.
    fn travel_piece(&self, bytes: u64, delayed: u64) -> Travel {
        let Travel { port, arrival } = self.travel_whole(bytes);
        let Switches { way, port: held } = self.switches;
        Travel {
            port: port.plus(held.times(bytes.saturating_sub(1))),
            arrival: arrival.plus(way.times(delayed)),
        }
    }

    /// How it travels in one piece where switches add nothing in proportion to it.
    fn travel_whole(&self, bytes: u64) -> Travel {
        let long = self.gap_per_byte.times(bytes.saturating_sub(1));
        Travel { port: self.gap.plus(long), arrival: long.plus(self.latency) }
    }
}
