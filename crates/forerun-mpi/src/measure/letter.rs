//! What ranks that measure send to each other.

use forerun_skeleton::wire::{Incoming, Outgoing, garbled, plainly};
use forerun_skeleton::{AppError, Message, Wire};

use super::{Probe, Sample};

/// What a letter asks its receiver for, or that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// To send it back.
    Echo,
    /// To receive as many more, and answer the last.
    Stream,
    /// To compute for so many microseconds, receive one more, and answer what receiving took, by the wall and of the processor.
    Late,
    /// To compute, and answer what part of a processor that got, and its quota and period.
    Busy,
    /// To compute for so many microseconds, say so, and when the first rank does, to compute as much again while messages of as many bytes as
    /// the second value says go to or come from the rank of the third; the first says which. To answer what they took.
    Beside,
    /// To send a stream of as many messages of so many bytes to the rank of this number, and answer how long that took.
    Flow,
    /// To end.
    End,
}

const ASKS: [Ask; 7] = [Ask::Echo, Ask::Stream, Ask::Late, Ask::Busy, Ask::Beside, Ask::Flow, Ask::End];

/// A message.
pub(super) struct Letter {
    pub(super) ask: Ask,
    pub(super) number: u32,
    pub(super) values: [f64; 3],
    pub(super) body: Vec<u8>,
}

impl Letter {
    /// A letter of `bytes` bytes, which have been written to as those of a result have.
    pub(super) fn new(ask: Ask, number: u32, bytes: usize) -> Self {
        Letter { ask, number, values: [0.0; 3], body: vec![1; bytes] }
    }

    /// An answer.
    pub(super) fn answer(ask: Ask, values: [f64; 3]) -> Self {
        Letter { values, ..Letter::new(ask, 0, 0) }
    }
}

impl Message for Letter {
    fn bytes(&self) -> u64 {
        self.body.len() as u64
    }
}

impl Letter {
    fn put_words(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        let [a, b, c] = self.values;
        (self.ask as u8, self.number, a).encode(out)?;
        (b, c).encode(out)
    }
}

/// The body goes as that of any message does: as a block if it is large.
impl Wire for Letter {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.put_words(out)?;
        self.body.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        plainly(bytes, Self::take)
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        self.put_words(&mut out.bytes)?;
        self.body.give(out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        let (ask, number, a): (u8, u32, f64) = Wire::decode(&mut from.bytes)?;
        let (b, c): (f64, f64) = Wire::decode(&mut from.bytes)?;
        let ask = *ASKS.get(usize::from(ask)).ok_or_else(|| garbled("one of a calibration"))?;
        Ok(Letter { ask, number, values: [a, b, c], body: Wire::take(from)? })
    }
}

impl Wire for Sample {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        (self.probe as u8, self.ranks as u64, self.bytes).encode(out)?;
        self.value.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let (probe, ranks, size): (u8, u64, u64) = Wire::decode(bytes)?;
        let probe = *PROBES.get(usize::from(probe)).ok_or_else(|| garbled("a value of a calibration"))?;
        let ranks = usize::try_from(ranks).map_err(|_| garbled("a number of ranks"))?;
        Ok(Sample { probe, ranks, bytes: size, value: Wire::decode(bytes)? })
    }
}

const PROBES: [Probe; 17] = [
    Probe::RoundTrip,
    Probe::Woken,
    Probe::Send,
    Probe::Receive,
    Probe::BusySend,
    Probe::BusyReceive,
    Probe::Answered,
    Probe::Stream,
    Probe::Share,
    Probe::Quota,
    Probe::Period,
    Probe::Across,
    Probe::Together,
    Probe::Interference,
    Probe::SendInterference,
    Probe::Even,
    Probe::Segments,
];

#[cfg(test)]
mod tests {
    use forerun_skeleton::wire::{LARGE, Plain, received};

    use super::*;

    #[test]
    fn letters_and_values_go_there_and_back() {
        for (at, ask) in ASKS.into_iter().enumerate() {
            assert_eq!(ask as usize, at);
            let letter = Letter { values: [1.0, 2.0, 3.0], ..Letter::new(ask, 7, 5) };
            let mut bytes = Vec::new();
            letter.encode(&mut bytes).unwrap();
            let again = Letter::decode(&mut &bytes[..]).unwrap();
            assert_eq!((again.ask, again.number, again.values), (ask, 7, [1.0, 2.0, 3.0]));
            assert_eq!(again.bytes(), 5);
            let mut out = Outgoing::default();
            Letter::new(ask, 8, LARGE).give(&mut out).unwrap();
            let (bytes, blocks) = out.into_parts();
            assert_eq!(blocks.len(), 1);
            let again: Letter = received(&Plain, &bytes, blocks).unwrap();
            assert_eq!((again.ask, again.number, again.body), (ask, 8, vec![1; LARGE]));
        }
        for (at, probe) in PROBES.into_iter().enumerate() {
            assert_eq!(probe as usize, at);
            let sample = Sample { probe, ranks: 3, bytes: 9, value: 0.5 };
            let mut bytes = Vec::new();
            sample.encode(&mut bytes).unwrap();
            assert_eq!(Sample::decode(&mut &bytes[..]).unwrap(), sample);
        }
        assert!(Letter::decode(&mut &[9u8; 64][..]).is_err());
    }
}
