//! The figures that are measured.

use forerun_platform::{Bytes, BytesPerSecond, Seconds, SecondsPerByte, Share};

use forerun_platform::statistics::Estimate;

/// Which figure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// There and back of an empty message.
    RoundTrip,
    /// L.
    Latency,
    /// o of the sender.
    Send,
    /// o of the receiver.
    Receive,
    /// The sender's o for each further rank.
    SendPerRank,
    /// The receiver's o for each further rank.
    ReceivePerRank,
    /// The sender's o for each byte.
    SendPerByte,
    /// The receiver's o for each byte.
    ReceivePerByte,
    /// G.
    GapPerByte,
    /// What a byte takes of its receiver's port.
    ReceiveGapPerByte,
    /// What a byte takes of the processor of a rank that computes while it comes.
    InterferencePerByte,
    /// The same of a byte that leaves.
    SendInterferencePerByte,
    /// s.
    Segment,
    /// What each further segment of a message takes.
    PerSegment,
    /// The part of a processor that a rank does not get.
    Background,
    /// Processor time of a rank between two stalls, where a limit stalls it regularly.
    Quota,
    /// The time from one such stall to the next.
    Period,
    /// g, with the window that programs run with.
    Gap,
    /// g, with a window of 64.
    WideGap,
    /// Latency beyond L to a receiver that sleeps.
    WakeUp,
    /// o of a sender whose receiver sleeps.
    WakingSend,
    /// Starting two ranks and learning that both have ended.
    StartUp,
    /// The same, for each further rank.
    StartUpPerRank,
    /// What a byte that another core wrote costs its receiver.
    Touch,
    /// The kernel that relates machines.
    Kernel,
    /// What a busy core costs another that computes.
    ComputeContention,
    /// What a busy core costs another that copies.
    MemoryContention,
    /// Sequential reading.
    Read,
    /// Sequential writing.
    Write,
}

/// A figure as it was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// Which it is.
    pub key: Key,
    /// Its median and interval, in seconds, seconds per byte, bytes per second or as a share; a
    /// difference of times may be below 0.
    pub estimate: Estimate,
}

impl Key {
    /// What it is called in a table.
    pub fn name(self) -> &'static str {
        match self {
            Key::RoundTrip => "round trip",
            Key::Latency => "latency L",
            Key::Send => "send overhead",
            Key::Receive => "receive overhead",
            Key::SendPerRank => "send overhead, per rank",
            Key::ReceivePerRank => "receive overhead, per rank",
            Key::SendPerByte => "send overhead, per byte",
            Key::ReceivePerByte => "receive overhead, per byte",
            Key::GapPerByte => "gap, per byte",
            Key::ReceiveGapPerByte => "gap of a receiver, per byte",
            Key::InterferencePerByte => "interference, per byte",
            Key::SendInterferencePerByte => "interference of sends, per byte",
            Key::Segment => "segment s",
            Key::PerSegment => "gap of a further segment",
            Key::Background => "background",
            Key::Quota => "throttle, quota",
            Key::Period => "throttle, period",
            Key::Gap => "gap, window 4",
            Key::WideGap => "gap, window 64",
            Key::WakeUp => "wake-up of a receiver",
            Key::WakingSend => "send that wakes",
            Key::StartUp => "start-up of two ranks",
            Key::StartUpPerRank => "start-up, per rank",
            Key::Touch => "first touch, per byte",
            Key::Kernel => "kernel, alone",
            Key::ComputeContention => "contention, compute",
            Key::MemoryContention => "contention, memory",
            Key::Read => "storage, read",
            Key::Write => "storage, write",
        }
    }

    /// The half-width of an interval that is narrow enough, however small the figure.
    pub(super) fn floor(self) -> f64 {
        match self {
            Key::Read | Key::Write | Key::Kernel | Key::Segment => 0.0,
            // A tenth of a percent of a long message's time at 10 GB/s.
            Key::Touch
            | Key::SendPerByte
            | Key::ReceivePerByte
            | Key::GapPerByte
            | Key::ReceiveGapPerByte
            | Key::InterferencePerByte
            | Key::SendInterferencePerByte => 1e-12,
            Key::ComputeContention | Key::MemoryContention | Key::Background => 0.005,
            // A turn of the scheduler more or less.
            Key::WakeUp | Key::WakingSend => 5e-7,
            // Of what a run takes that starting its ranks tells on, a percent.
            Key::StartUp | Key::StartUpPerRank => 1e-5,
            // What clocks resolve.
            _ => 1e-9,
        }
    }

    /// A number as this figure is written, with its unit.
    pub fn show(self, number: f64) -> String {
        let number = number.max(0.0);
        match self {
            Key::Read | Key::Write => BytesPerSecond(number).to_string(),
            Key::Touch
            | Key::SendPerByte
            | Key::ReceivePerByte
            | Key::GapPerByte
            | Key::ReceiveGapPerByte
            | Key::InterferencePerByte
            | Key::SendInterferencePerByte => SecondsPerByte(number).to_string(),
            Key::ComputeContention | Key::MemoryContention | Key::Background => Share(number).to_string(),
            Key::Segment => Bytes(number.round() as u64).to_string(),
            _ => Seconds(number).to_string(),
        }
    }
}
