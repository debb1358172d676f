//! How a rank waits: looks again and again, ever less often.
//!
//! MPI offers no way to sleep until something comes; its blocking calls spin, and a rank that spins burns the
//! processor's share of whoever it waits for, or of its host. So a rank looks some times at once, as a message that
//! is about to come is cheapest to find so; then it lets others run, longer where a message is on its way; then it sleeps, each time for an eighth
//! of the time that it has waited, 20 us to 1 ms. A wait becomes at most an eighth longer (plus what the system adds to a
//! sleep, 50 to 100 us), and a rank that waits long takes about 1 % of a core.
//!
//! Where a quota leaves a rank a part of a core only, looks are dearer by as much: they would use up the time that the message's
//! receiver needs, and the host is stalled when it comes. There a rank hardly ever looks twice at once, and its sleeps are longer by
//! the inverse of that part, but no longer than that a rank that waits has used half of its quota. On a tenth of a core they are 0.3 to
//! 1 ms. Measured there, for 8 bytes one way: 4.0 ms with sleeps of 20 us and 0.6 ms with 300 us; to a rank that has waited for
//! 100 ms, 1.2 ms with sleeps up to 1 ms, at 4 % of a core, and 4.2 ms with sleeps up to 4 ms, at 2 %.
//!
//! The helper of a rank that computes there took 5 % of its quota by looking every 10 ms. It does while a message is on its way, and
//! else every 40 ms on a tenth of a core: timed tasks on 8 hosts took 2.47 s so for 2.52 by the parallel pipeline, and 3.53 for 3.63 by
//! master and slaves; a sort took as long as before.

use std::env;
use std::hint::spin_loop;
use std::thread;
use std::time::{Duration, Instant};

use crate::nap::{LONGEST, SHORTEST, nap};
use crate::quota;

/// Where Open MPI, MPICH and Slurm say how many ranks are on this host.
const LOCAL_RANKS: [&str; 3] = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"];

/// Looks at once, where every rank of the host has a core.
const SPINS: u32 = 1024;
/// Looks between which others may run.
const YIELDS: u32 = 16;
/// The same while a message is on its way, which goes on only while both ends look: about 1 ms.
const YIELDS_MOVING: u32 = 1024;
/// The shortest sleep of a rank with a part of a core, times that part.
const SHORTEST_OF_PART: Duration = Duration::from_micros(30);
/// The longest of a rank with a part of a core, times that part, and the bounds of it.
const LONGEST_OF_PART: Duration = Duration::from_micros(100);
const BOUNDS_OF_LONGEST: (Duration, Duration) = (LONGEST, Duration::from_millis(4));
/// How a helper sleeps, and how long at most where its rank has a part of a core.
const HELPER: Helper = Helper {
    shortest: Duration::from_micros(100),
    longest: Duration::from_millis(4),
    idle: Duration::from_millis(4),
};
const HELPER_OF_PART: Helper = Helper {
    shortest: Duration::from_millis(1),
    longest: Duration::from_millis(10),
    idle: Duration::from_millis(100),
};

/// Whether ranks that wait sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Waiting {
    /// They look at once, then let others run, then sleep ever longer, up to 1 ms.
    #[default]
    Sleep,
    /// They look all the time, as MPI's own blocking calls do: for hosts with a core for every rank, the helpers' included, and
    /// nothing else to do.
    Spin,
}

/// Ranks of a run of `ranks` that are on this host, as far as the launcher says; all of them where it does not.
pub fn local_ranks(ranks: usize) -> usize {
    let said = LOCAL_RANKS.iter().find_map(|name| env::var(name).ok()?.parse().ok());
    said.unwrap_or(ranks).clamp(1, ranks.max(1))
}

/// How long a helper sleeps between two looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Helper {
    /// After a look that found something.
    pub(crate) shortest: Duration,
    /// While a message is on its way.
    pub(crate) longest: Duration,
    /// While none is.
    pub(crate) idle: Duration,
}

impl Helper {
    /// Longer by the same factor, up to `most`.
    fn longer(self, by: f64, most: Helper) -> Helper {
        let of = |time: Duration, most: Duration| time.mul_f64(by).min(most);
        Helper {
            shortest: of(self.shortest, most.shortest),
            longest: of(self.longest, most.longest),
            idle: of(self.idle, most.idle),
        }
    }
}

/// How ranks wait on this host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    waiting: Waiting,
    spins: u32,
    /// Looks between which others may run; and while a message is on its way.
    yields: [u32; 2],
    /// Shortest and longest sleep.
    naps: (Duration, Duration),
    /// Those of the helper of a rank that computes.
    pub(crate) helper: Helper,
}

impl Patience {
    /// The patience of a rank of `ranks`.
    pub(crate) fn new(waiting: Waiting, ranks: usize) -> Self {
        let here = local_ranks(ranks);
        let cores = thread::available_parallelism().map_or(1, |n| n.get());
        let part = quota::processors().map_or(1.0, |all| all / here as f64);
        if part < 1.0 {
            let of_part = |time: Duration| time.div_f64(part.max(0.01));
            let longest = of_part(LONGEST_OF_PART).clamp(BOUNDS_OF_LONGEST.0, BOUNDS_OF_LONGEST.1);
            let shortest = of_part(SHORTEST_OF_PART).min(longest);
            let yields = [YIELDS, YIELDS_MOVING].map(|looks| (f64::from(looks) * part.powi(3)) as u32);
            // What it takes is taken from its rank's quota: a look, 50 to 80 us there, as the host is stalled between two.
            let helper = HELPER.longer(1.0 / part.max(0.01), HELPER_OF_PART);
            return Patience { waiting, spins: 0, yields, naps: (shortest, longest), helper };
        }
        let spins = if here <= cores { SPINS } else { 0 };
        let (yields, naps) = ([YIELDS, YIELDS_MOVING], (SHORTEST, LONGEST));
        Patience { waiting, spins, yields, naps, helper: HELPER }
    }

    /// Begins to wait.
    pub(crate) fn wait(self) -> Wait {
        Wait { patience: self, looks: 0, begun: None }
    }
}

/// A wait under way.
pub(crate) struct Wait {
    patience: Patience,
    looks: u32,
    begun: Option<Instant>,
}

impl Wait {
    /// Spends the time between two looks; whether a message is on its way makes a difference.
    pub(crate) fn pause(&mut self, moving: bool) {
        let Patience { waiting, spins, yields, naps, .. } = self.patience;
        self.looks += 1;
        if self.looks <= spins || (waiting == Waiting::Spin && spins > 0) {
            self.looks = self.looks.min(spins);
            return spin_loop();
        }
        let yields = yields[usize::from(moving)];
        if self.looks <= spins + yields || waiting == Waiting::Spin {
            self.looks = self.looks.min(spins + yields);
            return thread::yield_now();
        }
        let waited = self.begun.get_or_insert_with(Instant::now).elapsed();
        thread::sleep(nap(waited, naps));
    }
}
