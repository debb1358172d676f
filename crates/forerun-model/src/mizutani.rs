//! The published equations of Mizutani, Ino and Hagihara, *Evaluation of Performance Prediction Method
//! for Master/Slave Parallel Programs*, as printed.
//!
//! LogGPS, whose overhead of a message of k bytes among P processors is `o = o'_a + o'_b P + O k`, because
//! a receiver looks at all its connections. Times are in whatever unit the constants are in (the paper's:
//! microseconds). Farms are predicted in [`crate::farm`].

/// The overhead's constants, of `MPI_Send` or of `MPI_Recv`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constants {
    /// o'_a: the part that every message costs.
    pub base: f64,
    /// o'_b: the part for each processor.
    pub per_processor: f64,
    /// O: the part for each byte.
    pub per_byte: f64,
}

/// Section 3.2: `o = o'_a + o'_b P + O k`.
pub fn overhead(c: &Constants, processors: f64, bytes: f64) -> f64 {
    c.base + c.per_processor * processors + c.per_byte * bytes
}

/// Section 5: o'_a and o'_b from the overhead o' of empty messages measured among two numbers of
/// processors, each `(P, o')`: the solution of the pair of equations `o'_a + o'_b P = o'`.
pub fn constants_of(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    let per_processor = (other.1 - one.1) / (other.0 - one.0);
    (one.1 - per_processor * one.0, per_processor)
}

/// Section 5.1: what the master needs for a round trip at least, a send and a receive:
/// `o_s(P, task) + o_r(P, answer)`. Where both overheads are the same, this is the paper's `2 o`.
pub fn round_trip(send: &Constants, receive: &Constants, processors: f64, task: f64, answer: f64) -> f64 {
    overhead(send, processors, task) + overhead(receive, processors, answer)
}

/// Section 5.1: what the overhead's term in P adds to `round_trips` round trips among `to` processors
/// over those among `from`: `N · 2 · o'_b · (to − from)`.
pub fn linear_term(round_trips: f64, per_processor: f64, from: f64, to: f64) -> f64 {
    round_trips * 2.0 * per_processor * (to - from)
}

/// Section 5.1: bytes of a task's message and of its answer with granularity T: 8 and `4 T + 8`.
pub fn message_bytes(granularity: f64) -> (f64, f64) {
    (8.0, 4.0 * granularity + 8.0)
}

/// Table 1: by how much the round-trip time grows with the processors, in per cent:
/// `σ = (RTT_64 / RTT_2 − 1) · 100`.
pub fn increasing_rate(rtt_few: f64, rtt_many: f64) -> f64 {
    (rtt_many / rtt_few - 1.0) * 100.0
}
