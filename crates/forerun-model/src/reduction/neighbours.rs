//! How many cores are busy beside a rank's.

use forerun_platform::{Platform, Strategy};
use forerun_skeleton::reduction::Shape;

/// How many further cores of its host are busy in the mean while a rank works: what its work is
/// slowed by ([`forerun_platform::ReductionProfile::contention`]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// Beside a rank that runs tasks.
    pub task: f64,
    /// Beside one that merges and delivers.
    pub merge: f64,
}

/// What all ranks together spent, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spent {
    /// In tasks.
    pub task: f64,
    /// In merges and deliveries.
    pub merge: f64,
    /// From the start to the end of the last rank.
    pub makespan: f64,
}

impl Neighbours {
    /// All that there can be: every rank is always busy. Ranks fill hosts core by core.
    pub fn most(shape: &Shape, platform: &Platform) -> Self {
        let all = beside(shape, platform) as f64;
        Neighbours { task: all, merge: all }
    }

    /// None can be.
    pub fn is_none(&self) -> bool {
        self.task <= 0.0 && self.merge <= 0.0
    }

    /// Those of a run in which the ranks spent so much. Where some ranks run tasks and others merge
    /// (master-slave, a pipeline of one level), each of the two sees the others and not itself;
    /// else all ranks are alike. Ranks are taken to be busy independently of each other.
    pub fn of(shape: &Shape, platform: &Platform, spent: &Spent) -> Self {
        let beside = beside(shape, platform) as f64;
        if beside == 0.0 || spent.makespan <= 0.0 {
            return Neighbours { task: beside, merge: beside };
        }
        let ranks = shape.ranks as f64;
        let (task, merge) = (spent.task / spent.makespan, spent.merge / spent.makespan);
        let all = (task + merge).min(ranks);
        let (own_task, own_merge) = match tasking(shape) {
            Some(tasking) => {
                let (tasking, merging) = (tasking as f64, ranks - tasking as f64);
                ((task / tasking).min(1.0), (merge / merging).min(1.0))
            }
            None => (all / ranks, all / ranks),
        };
        let seen = |own: f64| ((all - own) / (ranks - 1.0)).clamp(0.0, 1.0) * beside;
        Neighbours { task: seen(own_task), merge: seen(own_merge) }
    }
}

/// Further ranks on the host of a rank, each on a core of its own.
fn beside(shape: &Shape, platform: &Platform) -> usize {
    let host = platform.hosts.iter().map(|h| h.cores).max().unwrap_or(1);
    shape.ranks.min(host).saturating_sub(1)
}

/// Ranks that run tasks, where the others only merge.
fn tasking(shape: &Shape) -> Option<usize> {
    let size = shape.ranks / shape.groups;
    match shape.strategy {
        _ if size == 1 => None,
        Strategy::MasterSlave => Some((size - 1) * shape.groups),
        Strategy::ParallelPipeline if size == shape.arity => Some((size - 1) * shape.groups),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Host, Network, Platform, Strategy};
    use forerun_skeleton::reduction::Shape;

    use super::{Neighbours, Spent};

    #[test]
    fn a_slave_sees_its_master_and_not_itself() {
        let platform = Platform::new("p", vec![Host::new("h", 1, 2)], Network::default());
        let shape = Shape::new(Strategy::MasterSlave, 2);
        let spent = Spent { task: 10.0, merge: 2.5, makespan: 10.0 };
        let seen = Neighbours::of(&shape, &platform, &spent);
        assert!((seen.task - 0.25).abs() < 1e-12 && (seen.merge - 1.0).abs() < 1e-12, "{seen:?}");
        // In a tree both do both.
        let seen = Neighbours::of(&Shape::new(Strategy::ReductionTree, 2), &platform, &spent);
        assert!((seen.task - 0.625).abs() < 1e-12 && seen.task == seen.merge, "{seen:?}");
        let alone = Neighbours::of(&Shape::new(Strategy::Adaptive, 1), &platform, &spent);
        assert!(alone.is_none());
    }
}
