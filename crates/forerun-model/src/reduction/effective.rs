//! What a profile comes to in a given run: what depends on how many ranks work side by side, on
//! how many tasks are done before, and on how many sets are delivered.

use forerun_platform::{Cost, Join, JoinAt, Platform, ReductionProfile, Strategy};
use forerun_skeleton::reduction::Shape;

use super::costs::Costs;
use super::memory;
use super::neighbours::Neighbours;
use crate::{Load, ModelError, Speeds, Wire};

/// The profile of a run of this shape and load: the slowing by busy neighbours is in the costs of
/// tasks, merges and deliveries, tasks that are done before the run are in the mean cost of a task,
/// and what it takes to make one result of the delivered sets is in the cost of the sink and the
/// finish, so that contention and join are zero in the profile that is returned.
///
/// What merges take longer for where they write to memory that their rank had not used before is in their mean cost, by the part
/// of the bytes that is new to the rank which delivers; `new_memory` is 0 in the profile that is returned.
///
/// D sets of equal size are made one by D − 1 merges in balance; the cost of those that the sink
/// does as sets arrive is spread evenly over the deliveries.
///
/// Where they are merged at the finish, that takes longer by as much, less what goes on beside its writing on another core.
///
/// Of results that do not fit into the room in memory ([`forerun_platform::Spill`]) the mean cost of a task has what it takes to
/// put them on the disk, and the end what it takes to read them back: where the finish joins, beside its
/// writing; a host of one core reads while the finish waits. A result of a merge takes no more room than its parts, so that each is
/// spilled once before the end; where those are more than are merged at a time, the end has what it takes to read and
/// write some of them again ([`forerun_platform::Spill::again`]). Where the finish joins, results on the disk are merged by nobody
/// before. `spill` is none in the profile that is returned.
///
/// # Errors
/// A figure of the platform's network that cannot be.
pub fn effective(
    profile: &ReductionProfile,
    shape: &Shape,
    load: &Load,
    platform: &Platform,
    neighbours: &Neighbours,
) -> Result<ReductionProfile, ModelError> {
    let mut profile = profile.sized(load.bytes);
    let speed = Speeds::of_first_rank(platform)?;
    leave_out(&mut profile, load);
    let ByDisk { results: by_disk, read_back, again } = spill(&mut profile, load, speed);
    new_memory(&mut profile, shape, load);
    slow(&mut profile, neighbours);
    // What goes into the wait of the finish is time of the first rank's host, which is no longer to be scaled.
    profile.finish.wait.fixed += gather(&profile, shape, load, platform)?;
    let Some(join) = profile.join.take() else {
        profile.finish.wait.fixed += read_back + again;
        return Ok(profile);
    };
    let wire = Wire::on(platform, shape.ranks)?;
    let merges = |cost: Cost, pieces: u64, results: u64| {
        let costs = Costs::new(&ReductionProfile { merge: cost, ..profile.clone() }, load, wire.clone(), 1.0);
        fold(&costs, pieces, results)
    };
    let groups = shape.groups as u64;
    let share = load.tasks.div_ceil(groups);
    let deliveries = deliveries(shape, share);
    let last = join.cost.on(speed);
    let (in_sink, at_the_end) = match join.at {
        JoinAt::Sink => {
            let work = merges(join.cost.work(), deliveries, share);
            let waits = merges(join.cost, deliveries, share) - work;
            // Opening and closing the sink are charged like a delivery, but with nothing in it.
            let calls = (deliveries + 2) as f64;
            (
                (work / calls, waits / calls),
                merges(last, groups.min(load.tasks), load.tasks) + read_back + again,
            )
        }
        // What merging makes the finish longer by is its cost. Reading goes on beside the finish, on another core; what takes
        // longer is what takes time. (The sets of several groups are merged before it.)
        JoinAt::Finish => {
            let bytes = Costs::new(&profile, load, wire.clone(), 1.0).bytes(load.tasks);
            // What is delivered has its share of what rests in memory in one piece, and the others apart.
            let (tasks, delivered) = (load.tasks, deliveries.saturating_mul(groups).min(load.tasks));
            let held = u128::from(delivered) * u128::from(tasks - by_disk);
            let held = held.div_ceil(u128::from(tasks.max(1))) as u64;
            let merging = merges(last, held + by_disk, load.tasks);
            let seconds = |cost: Cost| cost.on(speed).seconds(bytes, load.tasks as f64);
            let (all, work) = (seconds(profile.finish), seconds(profile.finish.work()));
            // One core reads while the finish waits, and no more.
            let alone = platform.hosts.first().is_some_and(|host| host.cores == 1);
            let (beside, hidden) = if alone { (all - work, 0.0) } else { (all, join.beside / speed * bytes) };
            let longer = if merging > 0.0 { (merging - hidden).max(-all) } else { 0.0 };
            if longer < 0.0 {
                profile.finish = profile.finish.times(1.0 + longer / all);
            }
            // What joining takes is as sure as its own figure.
            let (base, joining) = (all + read_back + again, longer.max(0.0));
            if joining > 0.0 {
                let errors = profile.finish.error * base + join.cost.error * joining;
                profile.finish.error = errors / (base + joining);
            }
            ((0.0, 0.0), longer.max(0.0) + (read_back - beside).max(0.0) + again)
        }
    };
    profile.sink.fixed += in_sink.0;
    profile.sink.wait.fixed += in_sink.1;
    profile.finish.wait.fixed += at_the_end;
    Ok(profile)
}

/// Takes what is done before the run out of the mean cost of a task.
fn leave_out(profile: &mut ReductionProfile, load: &Load) {
    if load.done == 0 || load.tasks == 0 {
        return;
    }
    let left = |done: f64, all: f64| if all > 0.0 { (1.0 - done / all).max(0.0) } else { 0.0 };
    let calls = left(load.done as f64, load.tasks as f64);
    let bytes = left(load.done_bytes, load.bytes * load.tasks as f64);
    let Cost { fixed, per_byte, per_result, wait, .. } = &mut profile.task;
    for each in [fixed, per_result, &mut wait.fixed, &mut wait.per_result] {
        *each *= calls;
    }
    for each in [per_byte, &mut wait.per_byte] {
        *each *= bytes;
    }
}

/// What goes by way of the disk.
#[derive(Default)]
struct ByDisk {
    /// Results that do.
    results: u64,
    /// Seconds to read each of them back once.
    read_back: f64,
    /// Seconds to read and write what is merged before the last merge.
    again: f64,
}

/// Puts writing to the disk into the mean cost of a task; what it takes to have all of it back on a host of this speed.
fn spill(profile: &mut ReductionProfile, load: &Load, speed: f64) -> ByDisk {
    let Some(spill) = profile.spill.take() else { return ByDisk::default() };
    let (fixed, each) = profile.result_bytes;
    let result = profile.result_of(load.bytes);
    let results = spill.spilled(load.tasks, result);
    if results == 0 {
        return ByDisk::default();
    }
    let spilled = results as f64;
    let part = spilled / load.tasks as f64;
    if profile.join.is_some_and(|join| join.at == JoinAt::Finish) {
        profile.merge = profile.merge.times(1.0 - part);
    }
    let before = profile.task.seconds(load.bytes, 1.0);
    let write = spill.write.times(part);
    let Cost { fixed: call, per_byte, per_result, wait, .. } = &mut profile.task;
    *call += write.fixed + write.per_byte * fixed;
    *per_byte += write.per_byte * each;
    *per_result += write.per_result;
    wait.fixed += write.wait.fixed + write.wait.per_byte * fixed;
    wait.per_byte += write.wait.per_byte * each;
    wait.per_result += write.wait.per_result;
    // Spreads and errors by their part of what a task takes now.
    let all = profile.task.seconds(load.bytes, 1.0);
    if all > 0.0 {
        profile.task.error = (before * profile.task.error + (all - before) * spill.write.error) / all;
        profile.task.spread = (before * profile.task.spread).hypot((all - before) * spill.write.spread) / all;
    }
    let (read, write) =
        (spill.read.on(speed).seconds(result, 1.0), spill.write.on(speed).seconds(result, 1.0));
    let again = spill.again(load.tasks, result);
    let (reads, writes) = ((spilled + again) * read, again * write);
    let finish = profile.finish.on(speed).seconds(load.tasks as f64 * result, load.tasks as f64);
    let all = finish + reads + writes;
    if all > 0.0 {
        let errors = profile.finish.error * finish + spill.read.error * reads + spill.write.error * writes;
        profile.finish.error = errors / all;
    }
    ByDisk { results, read_back: spilled * read, again: again * (read + write) }
}

/// Puts what new memory takes into the mean cost of a merge.
fn new_memory(profile: &mut ReductionProfile, shape: &Shape, load: &Load) {
    let each = std::mem::take(&mut profile.new_memory);
    if each <= 0.0 {
        return;
    }
    let share = load.tasks.div_ceil(shape.groups as u64);
    let sets = deliveries(shape, share);
    profile.merge.per_byte += each * memory::new_part(shape, share, sets, profile.join.is_some());
    if let Some(Join { at: JoinAt::Sink, cost, .. }) = &mut profile.join {
        cost.per_byte += each * memory::new_part_of_sink(sets);
    }
}

fn slow(profile: &mut ReductionProfile, neighbours: &Neighbours) {
    let contention = std::mem::take(&mut profile.contention);
    let slower = |cost: &mut Cost, neighbours: f64| {
        *cost = cost.times(1.0 + contention * neighbours);
    };
    slower(&mut profile.task, neighbours.task);
    slower(&mut profile.merge, neighbours.merge);
    slower(&mut profile.sink, neighbours.merge);
    if let Some(Join { at: JoinAt::Sink, cost, .. }) = &mut profile.join {
        slower(cost, neighbours.merge);
    }
}

/// Seconds to bring what the other groups have to the first: one after the other through its port.
fn gather(
    profile: &ReductionProfile,
    shape: &Shape,
    load: &Load,
    platform: &Platform,
) -> Result<f64, ModelError> {
    let groups = shape.groups as u64;
    if groups < 2 || load.tasks == 0 {
        return Ok(0.0);
    }
    let costs = Costs::new(profile, load, Wire::on(platform, shape.ranks)?, 1.0);
    // Shares differ by a task: `larger` of them have one more. The first group's is a small one, and stays where it is. A group
    // without a task says so.
    let (small, larger) = (load.tasks / groups, load.tasks % groups);
    let smaller = groups - 1 - larger;
    let all = larger as f64 * costs.in_turn(small + 1) + smaller as f64 * costs.in_turn(small);
    // The second group's comes first, and is on its way while nothing else is received.
    let second = if larger >= groups - larger { small + 1 } else { small };
    Ok(all + costs.hop(second) - costs.in_turn(second))
}

/// Sets that a group delivers of `n` results.
fn deliveries(shape: &Shape, n: u64) -> u64 {
    let ranks = (shape.ranks / shape.groups) as u64;
    let rounds = match shape.strategy {
        _ if ranks == 1 => n,
        Strategy::ParallelPipeline => {
            1 + n.saturating_sub(ranks).div_ceil(ranks - ranks / shape.arity as u64)
        }
        Strategy::ReductionTree => n.div_ceil(ranks),
        Strategy::MasterSlave => n.div_ceil(ranks - 1),
        Strategy::Adaptive => n.div_ceil(shape.set),
    };
    rounds.min(n).max(1)
}

/// Seconds to make one result of `pieces` pieces, no more than there are results, with `results` results in all: as even as can be.
fn fold(costs: &Costs, pieces: u64, results: u64) -> f64 {
    let (mut left, mut seconds) = (pieces.min(results), 0.0);
    while left > 1 {
        // Pieces differ by a result: those of one size are merged with each other, and one pair may be of both.
        let (each, larger) = (results / left, results % left);
        let (large, small) = (larger / 2, (left - larger) / 2);
        let mixed = left / 2 - large - small;
        seconds += large as f64 * costs.merge(each + 1, each + 1)
            + small as f64 * costs.merge(each, each)
            + mixed as f64 * costs.merge(each + 1, each);
        left = left.div_ceil(2);
    }
    seconds
}

#[cfg(test)]
mod tests {
    use forerun_platform::{
        Cost, Host, Join, JoinAt, Measured, Network, Platform, ReductionProfile, SecondsPerByte, Spill,
        Strategy, Wait,
    };
    use forerun_skeleton::reduction::Shape;

    use super::{Neighbours, effective};
    use crate::{Load, ModelError};

    fn platform(cores: usize) -> Platform {
        Platform::new("p", vec![Host::new("h", 1, cores)], Network::default())
    }

    fn profile(at: JoinAt) -> ReductionProfile {
        ReductionProfile {
            task: Cost::constant(1.0),
            join: Some(Join::new(at, Cost { per_result: 1.0, ..Cost::default() })),
            contention: 0.5,
            ..ReductionProfile::default()
        }
    }

    fn of(
        profile: &ReductionProfile,
        shape: &Shape,
        load: &Load,
        platform: &Platform,
    ) -> Result<ReductionProfile, ModelError> {
        effective(profile, shape, load, platform, &Neighbours::most(shape, platform))
    }

    #[test]
    fn sets_are_joined_in_balance() {
        let platform = platform(4);
        let profile = |at| ReductionProfile { contention: 0.0, ..profile(at) };
        let tree = Shape::new(Strategy::ReductionTree, 2);
        // 8 tasks are 4 sets of 2: two merges of 4 results and one of 8.
        let load = Load::new(8, 1.0);
        let end = of(&profile(JoinAt::Finish), &tree, &load, &platform).unwrap();
        assert_eq!(end.finish.seconds(0.0, 0.0), 16.0);
        assert_eq!(end.sink.fixed, 0.0);
        let sink = of(&profile(JoinAt::Sink), &tree, &load, &platform).unwrap();
        assert!((sink.sink.fixed * 6.0 - 16.0).abs() < 1e-9);
        assert_eq!(sink.finish.seconds(0.0, 0.0), 0.0);
        let one = of(&profile(JoinAt::Finish), &tree, &Load::new(2, 1.0), &platform).unwrap();
        assert_eq!(one.finish.seconds(0.0, 0.0), 0.0);
    }

    /// All of it, however the tasks are shared; who has none says so.
    #[test]
    fn what_groups_have_is_brought_together() {
        let per_byte = Measured::stated(SecondsPerByte(1.0));
        let network = Network { gap_per_byte: per_byte, ..Network::default() };
        let platform = Platform::new("p", vec![Host::new("h", 64, 1)], network);
        let join = Some(Join::new(JoinAt::Finish, Cost::default()));
        let profile = ReductionProfile { result_bytes: (10.0, 0.0), join, ..profile(JoinAt::Finish) };
        let finish = |groups: usize, tasks| {
            let shape = Shape { groups, ..Shape::new(Strategy::Adaptive, groups) };
            of(&profile, &shape, &Load::new(tasks, 1.0), &platform).unwrap().finish.wait.fixed
        };
        // A message of 10 bytes and 16 that are a packet's own, the first byte at once.
        assert_eq!(finish(2, 2), 25.0);
        for groups in [3, 4, 8, 64] {
            let empty = 15.0 * (groups - 1) as f64;
            assert_eq!(finish(groups, 2), empty + 2.0 * 10.0, "{groups} groups");
            assert_eq!(finish(groups, 1), empty + 10.0, "{groups} groups");
            assert_eq!(finish(groups, 0), 0.0, "{groups} groups");
        }
        assert_eq!(finish(3, 3), 50.0);
        // Two tasks each.
        assert_eq!(finish(3, 6), 2.0 * 35.0);
        // The first group has one, one of the others two.
        assert_eq!(finish(3, 4), 25.0 + 35.0);
        assert_eq!(finish(33, 64), 25.0 + 31.0 * 35.0);
    }

    /// A tree of 4 ranks takes new memory in the first of its two sets; so does what the sink makes of these.
    #[test]
    fn new_memory_is_in_the_mean_cost_of_a_merge() {
        let merge = Cost { per_byte: 2.0, ..Cost::default() };
        let plain = ReductionProfile { merge, join: None, contention: 0.0, ..profile(JoinAt::Finish) };
        let costs = ReductionProfile { new_memory: 1.0, ..plain.clone() };
        let (platform, load) = (platform(4), Load::new(8, 1.0));
        let of = |costs: &ReductionProfile, strategy| {
            of(costs, &Shape::new(strategy, 4), &load, &platform).unwrap()
        };
        let tree = of(&costs, Strategy::ReductionTree);
        assert_eq!((tree.merge.per_byte, tree.new_memory), (2.5, 0.0));
        // A master that has 2 and then 3 results.
        let (sets, merged) = (3.0, 5.0);
        assert_eq!(of(&costs, Strategy::MasterSlave).merge.per_byte, 2.0 + merged / (merged * sets));
        assert_eq!(of(&plain, Strategy::ReductionTree).merge, merge);
        let join = Some(Join::new(JoinAt::Sink, merge));
        let sink = of(&ReductionProfile { join, result_bytes: (1.0, 0.0), ..costs }, Strategy::ReductionTree);
        // One merge of 8 results, over what the sink is called: two deliveries, opening and closing.
        assert_eq!(sink.sink.fixed, 8.0 * 3.0 / 4.0);
        let bad = ReductionProfile { new_memory: f64::NAN, ..plain };
        let e = crate::reduction::predict(&Shape::new(Strategy::Adaptive, 4), &load, &bad, &platform);
        assert!(e.unwrap_err().to_string().contains("new memory"));
    }

    /// What merges of pieces of almost equal size take is what all of their results take, however many the pieces are.
    #[test]
    fn no_result_is_left_out_of_a_merge() {
        let platform = platform(4);
        let at_finish = |groups: usize, tasks: u64| {
            let shape = Shape { groups, ..Shape::new(Strategy::Adaptive, groups) };
            let profile = ReductionProfile { contention: 0.0, ..profile(JoinAt::Finish) };
            of(&profile, &shape, &Load::new(tasks, 1.0), &platform).unwrap().finish.seconds(0.0, 0.0)
        };
        // Each result passes lg pieces levels, rounded up or down.
        for tasks in 1u64..=130 {
            for groups in [1usize, 2, 3, 31, 32, 33, 63, 64, 65, 100] {
                let (seconds, levels) = (at_finish(groups, tasks), (tasks as f64).log2());
                let (least, most) = (tasks as f64 * levels.floor(), tasks as f64 * levels.ceil());
                assert!((least..=most).contains(&seconds), "{groups} groups, {tasks} tasks: {seconds}");
            }
        }
    }

    #[test]
    fn what_has_no_room_is_written_once_and_read_once() {
        let platform = platform(1);
        let shape = Shape::new(Strategy::Adaptive, 1);
        let spill = Spill {
            room: 25.0,
            ways: 0.0,
            write: Cost { per_byte: 0.1, ..Cost::default() },
            read: Cost { per_byte: 0.01, fixed: 0.5, ..Cost::default() },
        };
        // 8 results of 10 bytes, of which 2 stay: 6 are written and read.
        let load = Load::new(8, 5.0);
        let profile = |join: Option<Join>| ReductionProfile {
            task: Cost { per_byte: 0.2, error: 0.1, ..Cost::default() },
            finish: Cost::constant(1.0),
            result_bytes: (0.0, 2.0),
            join,
            spill: Some(spill),
            ..ReductionProfile::default()
        };
        let with = of(&profile(None), &shape, &load, &platform).unwrap();
        assert!((with.task.seconds(5.0, 1.0) * 8.0 - (8.0 + 6.0)).abs() < 1e-9, "{with:?}");
        assert!((with.task.error - 0.1 * 8.0 / 14.0).abs() < 1e-9, "{with:?}");
        assert!((with.finish.seconds(0.0, 0.0) - (1.0 + 6.0 * 0.6)).abs() < 1e-9, "{with:?}");
        assert_eq!(with.spill, None);
        // Beside a finish that joins, what takes longer is what takes time.
        let join = Join::new(JoinAt::Finish, Cost::default());
        let beside = of(&profile(Some(join)), &shape, &load, &self::platform(2)).unwrap();
        assert!((beside.finish.seconds(0.0, 0.0) - 6.0 * 0.6).abs() < 1e-9, "{beside:?}");
        let alone = of(&profile(Some(join)), &shape, &load, &platform).unwrap();
        assert!((alone.finish.seconds(0.0, 0.0) - (1.0 + 6.0 * 0.6)).abs() < 1e-9, "{alone:?}");
        // Of 6 no more than 3 are merged at a time: 2 are merged first, and then 3 others.
        let twice = |join| ReductionProfile { spill: Some(Spill { ways: 3.0, ..spill }), ..profile(join) };
        let with = of(&twice(None), &shape, &load, &platform).unwrap();
        let again = 2.0 + 3.0;
        assert!((with.finish.seconds(0.0, 0.0) - (1.0 + 6.0 * 0.6 + again * 1.6)).abs() < 1e-9, "{with:?}");
        // The finish writes its result when that is done.
        let beside = of(&twice(Some(join)), &shape, &load, &self::platform(2)).unwrap();
        assert!((beside.finish.seconds(0.0, 0.0) - (6.0 * 0.6 + again * 1.6)).abs() < 1e-9, "{beside:?}");
        // Where all fits, nothing is written.
        let fits = Load::new(2, 5.0);
        let none = of(&profile(None), &shape, &fits, &platform).unwrap();
        assert_eq!((none.task.per_byte, none.finish.seconds(0.0, 0.0)), (0.2, 1.0));
    }

    /// What passes beside the writing is less than what is merged, and where one core does both it is not beside.
    #[test]
    fn joining_is_beside_the_finish_where_there_is_another_core() {
        let shape = Shape::new(Strategy::ReductionTree, 2);
        let end = |cores: usize, speed: f64, beside: f64| {
            let host = Host { speed, ..Host::new("h", 1, cores) };
            let platform = Platform::new("p", vec![host], Network::default());
            let join = Join { beside, ..profile(JoinAt::Finish).join.unwrap() };
            let profile =
                ReductionProfile { join: Some(join), result_bytes: (10.0, 0.0), ..profile(JoinAt::Finish) };
            of(&profile, &shape, &Load::new(8, 1.0), &platform).unwrap().finish.on(speed).seconds(0.0, 0.0)
        };
        // 16 s of merging, of which 80 bytes take 8 s less.
        assert_eq!(
            (end(1, 1.0, 0.1), end(2, 1.0, 0.1), end(2, 0.5, 0.1), end(2, 1.0, 0.3)),
            (16.0, 8.0, 16.0, 0.0)
        );
    }

    /// What joining may be off by is in the finish by its part of that.
    #[test]
    fn the_error_of_joining_is_in_the_end() {
        let shape = Shape::new(Strategy::ReductionTree, 2);
        let finish = Cost { error: 0.1, ..Cost::constant(16.0) };
        let error = |join: f64| {
            let mut profile = ReductionProfile { contention: 0.0, finish, ..profile(JoinAt::Finish) };
            profile.join.as_mut().unwrap().cost.error = join;
            of(&profile, &shape, &Load::new(8, 1.0), &platform(1)).unwrap().finish.error
        };
        // 16 s of each.
        assert!((error(0.5) - 0.3).abs() < 1e-9 && (error(0.1) - 0.1).abs() < 1e-9);
    }

    /// A finish that waits for half of its time, and is longer by merges that do not wait.
    #[test]
    fn on_a_slow_host_the_end_takes_longer_by_what_is_worked() {
        let shape = Shape::new(Strategy::ReductionTree, 2);
        let finish = Cost { wait: Wait::constant(10.0), ..Cost::constant(10.0) };
        let end = |speed: f64, cores: usize| {
            let host = Host { speed, ..Host::new("h", 1, cores) };
            let platform = Platform::new("p", vec![host], Network::default());
            // 16 s of merges.
            let profile = ReductionProfile { contention: 0.0, finish, ..profile(JoinAt::Finish) };
            let of = of(&profile, &shape, &Load::new(8, 1.0), &platform).unwrap();
            of.finish.on(speed).seconds(0.0, 8.0)
        };
        // 20 s of finishing, 110 s, 60 s; 16 s of merging, 160 s, 80 s.
        for cores in [1, 4] {
            assert_eq!((end(1.0, cores), end(0.1, cores), end(0.2, cores)), (36.0, 270.0, 140.0));
        }
    }

    #[test]
    fn busy_neighbours_slow_tasks() {
        let platform = platform(4);
        let cost = |ranks| {
            let shape = Shape::new(Strategy::Adaptive, ranks);
            of(&profile(JoinAt::Finish), &shape, &Load::new(8, 1.0), &platform).unwrap().task.fixed
        };
        assert_eq!((cost(1), cost(2), cost(4), cost(16)), (1.0, 1.5, 2.5, 2.5));
    }

    #[test]
    fn tasks_done_before_cost_nothing() {
        let profile = ReductionProfile {
            task: Cost { fixed: 1.0, per_byte: 0.1, ..Cost::default() },
            ..ReductionProfile::default()
        };
        // 10 tasks of 20 bytes in the mean, of which 4 with 100 bytes are done: 6 + 0.1 · 100 s are left.
        let load = Load { done: 4, done_bytes: 100.0, ..Load::new(10, 20.0) };
        let shape = Shape::new(Strategy::Adaptive, 1);
        let left = of(&profile, &shape, &load, &platform(1)).unwrap();
        assert!((10.0 * left.task.seconds(20.0, 1.0) - 16.0).abs() < 1e-9, "{left:?}");
    }
}
