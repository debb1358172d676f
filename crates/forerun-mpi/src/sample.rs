//! What is measured of messages, a value at a time.

use serde::{Deserialize, Serialize};

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Probe {
    /// Seconds of a message there and back.
    RoundTrip,
    /// Seconds of an empty message there, to a rank that has waited for long, and back.
    Woken,
    /// Seconds that a send takes.
    Send,
    /// Seconds that receiving takes when the message has come.
    Receive,
    /// Seconds of processor time that a send takes, of ranks that a limit stalls.
    BusySend,
    /// The same of receiving when the message has come.
    BusyReceive,
    /// Seconds of all of a rank's processor time that a message takes with its answer, where all other ranks answer at once and get the
    /// next; of ranks that a limit stalls.
    Answered,
    /// Seconds by message of a long stream.
    Stream,
    /// The part of a processor that a rank gets which computes.
    Share,
    /// Seconds of processor time between two stalls, where they come regularly.
    Quota,
    /// Seconds from one stall to the next.
    Period,
    /// How many times as long a stream takes with others beside it: `ranks` of them, each from one of as many ranks side by
    /// side to one of the next.
    Across,
    /// Seconds by byte that the streams of `ranks` ranks to one take longer than one of them alone, for each byte that is more.
    Together,
    /// Seconds by byte of its processor that messages take of a rank which computes while they come.
    Interference,
    /// The same of messages that it has sent, which leave meanwhile.
    SendInterference,
    /// How evenly large messages of `ranks` ranks to one share its port: 0 where they are there one after the other, 1 where all at once.
    Even,
    /// As `Stream`, of a short stream of messages of a size that is drawn from all that may be cut into segments.
    Segments,
}

/// One value of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// What was timed.
    pub probe: Probe,
    /// Ranks that took part.
    pub ranks: usize,
    /// Bytes of each message.
    pub bytes: u64,
    /// The value: seconds, seconds by byte, a part, or how many times as long.
    pub value: f64,
}
