//! What the ranks of a farm send to each other as bytes, for ranks that share no memory.

use std::ops::Range;

use super::message::{Attempt, Half, Parcel, Spent};
use crate::wire::{Incoming, Outgoing, Plain, garbled, plainly};
use crate::{AppError, Codec, Wire};

/// The codec of [`Parcel`], from that of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParcelCodec<C>(pub C);

const TASKS: u8 = 0;
const ANSWERS: u8 = 1;
const PROMOTE: u8 = 2;
const BACK: u8 = 3;
const END: u8 = 4;
const LEND: u8 = 5;
const UNNEEDED: u8 = 6;
const RETURN: u8 = 7;

impl<R, C: Codec<R>> Codec<Parcel<R>> for ParcelCodec<C> {
    fn encode(&self, parcel: &Parcel<R>, out: &mut Vec<u8>) -> Result<(), AppError> {
        match parcel {
            Parcel::Tasks { first, count } => (TASKS, *first, *count).encode(out),
            Parcel::Answers { first, attempts, spent } => {
                (ANSWERS, *first, attempts.len()).encode(out)?;
                spent.encode(out)?;
                attempts.iter().try_for_each(|attempt| self.put(attempt, out))
            }
            Parcel::Promote(half) => {
                PROMOTE.encode(out)?;
                half.encode(out)
            }
            Parcel::Return { tasks, slaves } => {
                RETURN.encode(out)?;
                put_tasks(tasks, out)?;
                slaves.encode(out)
            }
            Parcel::Back(slaves) => self.put_slaves(BACK, slaves, out),
            Parcel::Lend(slaves) => self.put_slaves(LEND, slaves, out),
            Parcel::Unneeded(slaves) => self.put_slaves(UNNEEDED, slaves, out),
            Parcel::End => END.encode(out),
        }
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Parcel<R>, AppError> {
        plainly(bytes, |from| self.take(from))
    }

    fn give(&self, parcel: Parcel<R>, out: &mut Outgoing) -> Result<(), AppError> {
        let Parcel::Answers { first, attempts, spent } = parcel else {
            return self.encode(&parcel, &mut out.bytes);
        };
        (ANSWERS, first, attempts.len()).encode(&mut out.bytes)?;
        spent.encode(&mut out.bytes)?;
        attempts.into_iter().try_for_each(|attempt| {
            attempt.is_ok().encode(&mut out.bytes)?;
            match attempt {
                Ok(answer) => self.0.give(answer, out),
                Err(failure) => failure.encode(&mut out.bytes),
            }
        })
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Parcel<R>, AppError> {
        Ok(match u8::decode(&mut from.bytes)? {
            TASKS => {
                let (first, count) = Wire::decode(&mut from.bytes)?;
                Parcel::Tasks { first, count }
            }
            ANSWERS => {
                let (first, count): (u64, usize) = Wire::decode(&mut from.bytes)?;
                let spent = Wire::decode(&mut from.bytes)?;
                // Not reserved for so many: that is a number from outside.
                let attempts = (0..count).map(|_| self.attempt(from)).collect::<Result<_, _>>()?;
                Parcel::Answers { first, attempts, spent }
            }
            PROMOTE => Parcel::Promote(Box::new(Wire::decode(&mut from.bytes)?)),
            RETURN => {
                Parcel::Return { tasks: take_tasks(&mut from.bytes)?, slaves: Wire::decode(&mut from.bytes)? }
            }
            BACK => Parcel::Back(Wire::decode(&mut from.bytes)?),
            LEND => Parcel::Lend(Wire::decode(&mut from.bytes)?),
            UNNEEDED => Parcel::Unneeded(Wire::decode(&mut from.bytes)?),
            END => Parcel::End,
            _ => return Err(garbled("a parcel of a farm")),
        })
    }
}

impl<C> ParcelCodec<C> {
    fn put_slaves(&self, kind: u8, slaves: &Vec<usize>, out: &mut Vec<u8>) -> Result<(), AppError> {
        kind.encode(out)?;
        slaves.encode(out)
    }

    fn put<R>(&self, attempt: &Attempt<R>, out: &mut Vec<u8>) -> Result<(), AppError>
    where
        C: Codec<R>,
    {
        attempt.is_ok().encode(out)?;
        match attempt {
            Ok(answer) => self.0.encode(answer, out),
            Err(failure) => failure.encode(out),
        }
    }

    fn attempt<R>(&self, from: &mut Incoming<'_>) -> Result<Attempt<R>, AppError>
    where
        C: Codec<R>,
    {
        let is_ok = bool::decode(&mut from.bytes)?;
        Ok(if is_ok { Ok(self.0.take(from)?) } else { Err(Box::new(Wire::decode(&mut from.bytes)?)) })
    }
}

impl<R: Wire> Wire for Parcel<R> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        ParcelCodec(Plain).encode(self, out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        ParcelCodec(Plain).decode(bytes)
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        ParcelCodec(Plain).give(self, out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        ParcelCodec(Plain).take(from)
    }
}

impl Wire for Spent {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        let (kind, waited, worked) = match *self {
            Spent::Unknown => (0u8, 0.0, 0.0),
            Spent::First { waited, worked } => (1, waited, worked),
            Spent::Further { waited, worked } => (2, waited, worked),
        };
        (kind, waited, worked).encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let (kind, waited, worked): (u8, f32, f32) = Wire::decode(bytes)?;
        match kind {
            0 => Ok(Spent::Unknown),
            1 => Ok(Spent::First { waited, worked }),
            2 => Ok(Spent::Further { waited, worked }),
            _ => Err(garbled("what a slave waited and worked")),
        }
    }
}

impl Wire for Half {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        put_tasks(&self.tasks, out)?;
        self.trip_s.encode(out)?;
        self.slaves.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let tasks = take_tasks(bytes)?;
        let (trip_s, slaves) = (Wire::decode(bytes)?, Wire::decode(bytes)?);
        Ok(Half { tasks, slaves, trip_s })
    }
}

fn put_tasks(tasks: &[Range<u64>], out: &mut Vec<u8>) -> Result<(), AppError> {
    tasks.iter().map(|range| (range.start, range.end)).collect::<Vec<_>>().encode(out)
}

fn take_tasks(bytes: &mut &[u8]) -> Result<Vec<Range<u64>>, AppError> {
    let ranges: Vec<(u64, u64)> = Wire::decode(bytes)?;
    Ok(ranges.into_iter().map(|(start, end)| start..end).collect())
}

#[cfg(test)]
mod tests {
    use forerun_platform::Stage;
    use proptest::prelude::*;

    use super::*;
    use crate::Failure;
    use crate::wire::{LARGE, received, whole};

    type Sent = Parcel<Vec<u16>>;

    fn spent() -> impl Strategy<Value = Spent> {
        (0u8..3, 0.0f32..9.0, 0.0f32..9.0).prop_map(|(kind, waited, worked)| match kind {
            0 => Spent::Unknown,
            1 => Spent::First { waited, worked },
            _ => Spent::Further { waited, worked },
        })
    }

    fn attempts() -> impl Strategy<Value = Vec<Attempt<Vec<u16>>>> {
        let failure = (any::<usize>(), any::<u64>(), any::<[bool; 2]>(), any::<String>()).prop_map(
            |(rank, item, [panicked, of_input], message)| {
                Box::new(Failure { rank, stage: Stage::Task, item, panicked, of_input, message })
            },
        );
        let large = any::<u16>().prop_map(|number| vec![number; LARGE]);
        let answer = prop_oneof![3 => any::<Vec<u16>>(), 1 => large];
        prop::collection::vec(prop_oneof![answer.prop_map(Ok), failure.prop_map(Err)], 0..5)
    }

    fn tasks() -> impl Strategy<Value = Vec<Range<u64>>> {
        prop::collection::vec(any::<(u64, u64)>().prop_map(|(start, end)| start..end), 0..4)
    }

    fn parcels() -> impl Strategy<Value = Sent> {
        let half = (tasks(), any::<Vec<usize>>(), 0.0f64..9.0);
        prop_oneof![
            any::<(u64, u64)>().prop_map(|(first, count)| Parcel::Tasks { first, count }),
            (any::<u64>(), attempts(), spent()).prop_map(|(first, attempts, spent)| Parcel::Answers {
                first,
                attempts,
                spent
            }),
            half.prop_map(|(tasks, slaves, trip_s)| Parcel::Promote(Box::new(Half {
                tasks,
                slaves,
                trip_s
            }))),
            (tasks(), any::<Vec<usize>>()).prop_map(|(tasks, slaves)| Parcel::Return { tasks, slaves }),
            any::<Vec<usize>>().prop_map(Parcel::Back),
            any::<Vec<usize>>().prop_map(Parcel::Lend),
            any::<Vec<usize>>().prop_map(Parcel::Unneeded),
            any::<()>().prop_map(|()| Parcel::End),
        ]
    }

    proptest! {
        #[test]
        fn parcels_go_over_the_wire(parcel in parcels(), cut in any::<prop::sample::Index>(), noise: Vec<u8>) {
            let mut bytes = Vec::new();
            parcel.encode(&mut bytes).unwrap();
            let again: Sent = whole(&Plain, &bytes).unwrap();
            prop_assert_eq!(format!("{again:?}"), format!("{parcel:?}"));
            prop_assert!(whole::<Sent>(&Plain, &bytes[..cut.index(bytes.len())]).is_err());
            let _ = whole::<Sent>(&Plain, &noise);
            let mut out = Outgoing::default();
            again.give(&mut out).unwrap();
            let (bytes, blocks) = out.into_parts();
            if !blocks.is_empty() {
                prop_assert!(received::<Sent>(&Plain, &bytes, Vec::new()).is_err());
            }
            let again: Sent = received(&Plain, &bytes, blocks).unwrap();
            prop_assert_eq!(format!("{again:?}"), format!("{parcel:?}"));
        }
    }
}
