//! Tests of virtual time as a whole.

mod endings;
mod laws;
mod patterns;
mod reference;
mod script;
mod timing;

use forerun_platform::{Bytes, Measured, Network, Overhead, Seconds, SecondsPerByte, Sharing};
use forerun_skeleton::{Charge, Options, Program, RunError};

use crate::pricing::Pricing;
use crate::run::{Done, execute};
use crate::world::{Detail, PollOrder};
use crate::{LogGps, Time};

/// A network in picoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wire {
    pub(crate) latency: u64,
    pub(crate) send: (u64, u64),
    pub(crate) receive: (u64, u64),
    pub(crate) gap: u64,
    pub(crate) gap_per_byte: u64,
    pub(crate) receive_gap_per_byte: u64,
    pub(crate) fair: bool,
    pub(crate) interference_per_byte: u64,
    pub(crate) send_interference_per_byte: u64,
    pub(crate) rendezvous: Option<u64>,
    pub(crate) segment: Option<u64>,
}

impl Wire {
    pub(crate) const FREE: Wire = Wire {
        latency: 0,
        send: (0, 0),
        receive: (0, 0),
        gap: 0,
        gap_per_byte: 0,
        receive_gap_per_byte: 0,
        fair: false,
        interference_per_byte: 0,
        send_interference_per_byte: 0,
        rendezvous: None,
        segment: None,
    };

    pub(crate) fn network(&self) -> Network {
        let s = |ps: u64| ps as f64 * 1e-12;
        let overhead = |(base, per_byte): (u64, u64)| Overhead {
            base: Measured::stated(Seconds(s(base))),
            per_rank: Measured::stated(Seconds(0.0)),
            per_byte: Measured::stated(SecondsPerByte(s(per_byte))),
        };
        Network {
            latency: Measured::stated(Seconds(s(self.latency))),
            send_overhead: overhead(self.send),
            receive_overhead: overhead(self.receive),
            gap: Measured::stated(Seconds(s(self.gap))),
            gap_per_byte: Measured::stated(SecondsPerByte(s(self.gap_per_byte))),
            receive_gap_per_byte: Measured::stated(SecondsPerByte(s(self.receive_gap_per_byte))),
            receive_sharing: if self.fair { Sharing::Fair } else { Sharing::Turns },
            interference_per_byte: Measured::stated(SecondsPerByte(s(self.interference_per_byte))),
            send_interference_per_byte: Measured::stated(SecondsPerByte(s(self.send_interference_per_byte))),
            rendezvous_threshold: self.rendezvous.map(Bytes),
            segment: self.segment.map(Bytes),
            ..Network::default()
        }
    }

    pub(crate) fn compile(&self) -> LogGps {
        LogGps::new(&self.network(), 1).expect("a valid network")
    }
}

/// Work costs as many picoseconds as it has bytes.
pub(crate) struct ByBytes;

impl Pricing for ByBytes {
    fn price<T>(&self, _: usize, _: Time, charge: Charge, f: impl FnOnce() -> T) -> (T, Time) {
        (f(), Time::from_picos(charge.bytes))
    }
}

pub(crate) fn go<P: Program>(
    program: &P,
    wire: &Wire,
    ranks: usize,
    window: usize,
    order: PollOrder,
) -> Result<Done<P::Out>, RunError> {
    let options = Options { window, ..Options::new(ranks) };
    execute(program, &wire.compile(), &ByBytes, &options, Detail::Ranks(0), order)
}

/// The times at which ranks end, in picoseconds.
pub(crate) fn ends<P: Program>(program: &P, wire: &Wire, ranks: usize, window: usize) -> Vec<u64> {
    let done = go(program, wire, ranks, window, PollOrder::FirstInFirstOut).expect("the run ends");
    done.ends.into_iter().map(Time::picos).collect()
}
