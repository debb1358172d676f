//! Merging the packets of all ranks.

use forerun_skeleton::AppError;
use forerun_skeleton::scatter_gather::{Amount, Global, Want};

use super::app::SortedPacket;
use super::held::{InParts, Mark};
use crate::sort::desk::Desk;

/// The packets of all ranks as they come.
#[derive(Debug)]
pub(crate) struct MergeRanks<'a, R> {
    desk: &'a Desk,
    parts: Vec<Part<R>>,
    packet: u64,
}

/// What the first rank has of a rank.
#[derive(Debug)]
enum Part<R> {
    /// Its packet is merged, or has not come yet.
    Awaited,
    /// Its packet, and how much of it is merged.
    Here(R, Mark),
    /// There are no further ones.
    Ended,
}

impl<'a, R: InParts> MergeRanks<'a, R> {
    pub(super) fn new(desk: &'a Desk, ranks: usize, packet: u64) -> Self {
        MergeRanks { desk, parts: (0..ranks).map(|_| Part::Awaited).collect(), packet }
    }
}

impl<R: InParts> Global<SortedPacket<R>> for MergeRanks<'_, R> {
    fn want(&self) -> Want {
        let (mut ways, mut bytes) = (0, 0);
        for (rank, part) in self.parts.iter().enumerate() {
            match part {
                Part::Awaited => return Want::Packet(rank),
                Part::Here(run, _) => {
                    ways += 1;
                    bytes += run.bytes();
                }
                Part::Ended => {}
            }
        }
        if ways == 0 {
            return Want::End;
        }
        Want::Resolve(Amount { bytes: bytes.min(self.packet), ways })
    }

    fn give(&mut self, rank: usize, packet: Option<SortedPacket<R>>) -> Result<(), AppError> {
        self.parts[rank] = match packet {
            Some(SortedPacket(run)) if run.elements() > 0 => Part::Here(run, Mark::default()),
            Some(_) => Part::Awaited,
            None => Part::Ended,
        };
        Ok(())
    }

    fn resolve(&mut self) -> Result<SortedPacket<R>, AppError> {
        self.desk.go_on()?;
        let here = self.parts.iter_mut().filter_map(|part| match part {
            Part::Here(run, mark) => Some((&*run, mark)),
            _ => None,
        });
        let mut parts: Vec<(&R, &mut Mark)> = here.collect();
        let merged = R::merge_parts(&mut parts, &self.desk.spill, self.packet)?;
        for part in &mut self.parts {
            if matches!(part, Part::Here(run, mark) if mark.elements == run.elements()) {
                *part = Part::Awaited;
            }
        }
        Ok(SortedPacket(merged))
    }
}
