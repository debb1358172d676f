//! Whether the hosts have room for the ranks that are started on them.

use std::path::Path;

use forerun_mpi::{Launcher, Place};

use crate::allocation::{self, Allocation};
use crate::text;

/// Ranks a core beyond which it is said that there are many.
const CROWD: usize = 4;
/// Bytes that nobody but a rank has, before it does anything (Open MPI 4.1, 5.4 to 6.4 MB at 2 to 24 ranks).
const RANK: u64 = 5 << 20;
/// Seconds of a core that it takes to start a rank, and of each rank to meet each (Open MPI 4.1: 0.1 s a rank at 2 to 24 ranks of 2 cores, where
/// 1,000 were not there after 13 minutes).
const START_S: (f64, f64) = (0.1, 0.0015);
/// Seconds that are worth a word.
const LONG_S: f64 = 5.0;

/// What there is for ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// All are on this host, which has so many cores, and bytes of memory where that is known.
    Here { cores: usize, memory: Option<u64> },
    /// They are on hosts that are said to have room for so many.
    Hosts { slots: usize },
    /// Nobody knows.
    Unknown,
}

impl Room {
    /// What there is where a launcher starts ranks. Whoever has an allocation was given what was asked for.
    pub(super) fn of(launcher: &Launcher, hostfile: Option<&Path>) -> Room {
        match launcher.place(hostfile) {
            _ if Allocation::here().is_some() => Room::Unknown,
            Place::Here => Room::Here { cores: allocation::cores(), memory: allocation::memory() },
            Place::Elsewhere { slots: Some(slots) } => Room::Hosts { slots },
            Place::Elsewhere { slots: None } => Room::Unknown,
        }
    }

    /// Whether that is this host.
    pub(super) fn is_here(self) -> bool {
        matches!(self, Room::Here { .. })
    }

    /// That there are too many ranks for the memory, and how many there may be.
    pub(super) fn refusal(self, ranks: usize) -> Option<String> {
        let Room::Here { memory: Some(memory), .. } = self else { return None };
        let most = memory / RANK;
        (ranks as u64 > most).then(|| {
            format!(
                "{} do not fit into the {} of this host, as each takes {} before it does anything: ask for {} at most, or name more hosts \
                 with --hostfile",
                text::plural(ranks as u64, "rank"),
                text::bytes(memory),
                text::bytes(RANK),
                text::count(most),
            )
        })
    }

    /// That there are many ranks for the cores, and what that comes to.
    pub(super) fn note(self, ranks: usize) -> Option<String> {
        match self {
            Room::Here { cores, memory } if ranks > CROWD.saturating_mul(cores) => {
                let n = ranks as f64;
                let start_s = (START_S.0 * n + START_S.1 * n * n) / cores.max(1) as f64;
                let long = match start_s > LONG_S {
                    true => format!(", may take {} and more to start", text::seconds(start_s)),
                    false => String::new(),
                };
                let part = (ranks as u64).saturating_mul(RANK);
                let of = memory.map(|all| format!(" of {}", text::bytes(all))).unwrap_or_default();
                Some(format!(
                    "all {} are started on this host, which has {}: they only take turns{long}, and take {}{of} before they do \
                     anything; name hosts with --hostfile, or ask for fewer",
                    text::plural(ranks as u64, "rank"),
                    text::plural(cores as u64, "core"),
                    text::bytes(part),
                ))
            }
            Room::Hosts { slots } if ranks > CROWD.saturating_mul(slots) => Some(format!(
                "{} are started on hosts that have slots for {}: they take long to start and only take turns; name more hosts, or ask for \
                 fewer",
                text::plural(ranks as u64, "rank"),
                text::count(slots as u64),
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ranks_for_few_cores_are_told_of() {
        let here = Room::Here { cores: 2, memory: Some(24 << 30) };
        assert_eq!((here.note(8), here.note(0)), (None, None));
        let said = here.note(9).unwrap();
        assert!(
            said.contains("all 9 ranks") && said.contains("2 cores") && !said.contains("to start"),
            "{said}"
        );
        let said = here.note(1000).unwrap();
        assert!(said.contains(&format!("may take {} and more to start", text::seconds(800.0))), "{said}");
        assert!(
            said.contains(&format!("take {} of {}", text::bytes(1000 * RANK), text::bytes(24 << 30))),
            "{said}"
        );
        assert!(
            Room::Here { cores: 2, memory: None }
                .note(1000)
                .unwrap()
                .contains(&format!("{} before", text::bytes(1000 * RANK)))
        );
        let hosts = Room::Hosts { slots: 4 };
        assert_eq!(hosts.note(16), None);
        assert!(hosts.note(17).unwrap().contains("slots for 4"));
        assert_eq!(Room::Unknown.note(usize::MAX), None);
        assert!(here.note(usize::MAX).is_some());
    }

    #[test]
    fn ranks_that_do_not_fit_into_the_memory_are_refused() {
        let here = Room::Here { cores: 2, memory: Some(1 << 30) };
        assert_eq!(here.refusal(204), None);
        let said = here.refusal(205).unwrap();
        assert!(
            said.contains(&format!("205 ranks do not fit into the {}", text::bytes(1 << 30)))
                && said.contains("ask for 204 at most"),
            "{said}"
        );
        for unknown in [Room::Here { cores: 2, memory: None }, Room::Hosts { slots: 1 }, Room::Unknown] {
            assert_eq!(unknown.refusal(usize::MAX), None);
        }
    }
}
