//! How many tasks a message has, what the master can keep up with, and how long it takes.

use forerun_model::Speeds;
use forerun_model::farm::{Bound, Farm, Prediction, Tasks};
use forerun_model::reduction::start_up;
use forerun_mpi::late_s;
use forerun_platform::{
    Cost, FarmPlan, FarmProfile, Grain, Host, Interval, Plan, Platform, Skeleton, Strategy, Wait, Way,
};
use forerun_skeleton::farm::HEADER;

use super::Team;
use super::sizes::{Sizes, uneven_s};
use crate::cli::FarmShape;
use crate::error::{CliError, request};
use crate::text;

/// What messages may cost, as a part of the tasks in them, where tasks are put together.
const OVERHEAD: f64 = 0.01;
/// Messages for each slave at least, so that the end is even.
const MESSAGES: u64 = 16;
/// A round trip of more than this part of a message's tasks is hidden behind further ones.
const TRIP: f64 = 0.005;
/// Part of the time of tasks from which on it counts what a master takes to hand on their outputs.
const NOTICED: f64 = 0.02;
/// Why there is no time by the closed form.
pub(super) const DYNAMIC: &str = "masters that change have no closed form; --by simulated predicts them";
/// Why there is none at all.
const NOTHING_LEFT: &str = "no task is left, so that nothing is predicted";
const TOO_FEW: &str = "nothing is predicted: too few tasks are left to try some";
/// No prediction is said to be off by more, as a relative deviation: fifty times as long, or a fiftieth, is as good as nothing known.
const FAR: f64 = 2.0;
/// Rounds until slaves are slowed by others that are as busy as they are.
const SETTLING: usize = 4;
/// Most slaves for which it is looked whether a master keeps up with them.
const MOST_RANKS: usize = 4096;

/// A plan, and what times are predicted from.
pub(super) struct Planned {
    pub(super) plan: Plan,
    /// None where the costs are not known, or nothing is left.
    pub(super) basis: Option<Basis>,
}

/// What a prediction of a plan is made of, whatever it is made by.
pub(super) struct Basis {
    pub(super) costs: FarmProfile,
    /// The closed form; none where the one rank does all.
    pub(super) model: Option<Farm>,
    /// With a core for each rank.
    pub(super) hosts: Platform,
    /// Cores that there are.
    pub(super) cores: usize,
    /// Seconds to start the ranks, and of the finish.
    pub(super) start_s: f64,
    pub(super) finish_s: f64,
    /// Seconds in which as many cores as there are do all that is to be done, where more slaves share them, and what tasks wait for does
    /// it; else 0.
    pub(super) least_s: f64,
    /// Seconds that the last of those waits for its first turn which all begin at once, as far as it does not catch up while others wait.
    pub(super) first_s: f64,
    /// Tasks, and seconds from one to the next at least, by what they wait for.
    pub(super) rest: u64,
    pub(super) each_s: f64,
    /// Where tasks cost by the byte: the costs by the byte, and the bytes of each task in turn. (Those above are those of a task in the mean.)
    pub(super) sized: Option<(FarmProfile, Vec<u64>)>,
}

/// What is left of a job.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left<'a> {
    /// Tasks to be done.
    pub(super) tasks: u64,
    /// All whose answers the finish takes.
    pub(super) all: u64,
    /// Bytes of each task that is to be done, where costs are by the byte.
    pub(super) sizes: &'a [u64],
    /// Seconds from one task to the next at least, by what they wait for.
    pub(super) each_s: f64,
}

/// Whether costs are by the byte.
pub(super) fn is_by_bytes(costs: &FarmProfile) -> bool {
    costs.task.per_byte > 0.0 || costs.task.wait.per_byte > 0.0 || costs.result_bytes.1 > 0.0
}

/// The costs of a task on so many bytes.
fn of_bytes(costs: &FarmProfile, bytes: f64) -> FarmProfile {
    let Cost { fixed, per_byte, wait, .. } = costs.task;
    let wait = Wait { fixed: wait.fixed + wait.per_byte * bytes, per_byte: 0.0, ..wait };
    FarmProfile {
        task: Cost { fixed: fixed + per_byte * bytes, per_byte: 0.0, wait, ..costs.task },
        result_bytes: (costs.result_bytes.0 + costs.result_bytes.1 * bytes, 0.0),
        ..costs.clone()
    }
}

/// Plans as [`planned`], with tasks slowed by what else is busy on their hosts, as their contention says.
///
/// # Errors
/// What the model refuses.
pub(super) fn plan(
    costs: Option<&FarmProfile>,
    left: &Left<'_>,
    (team, on): (Team, Way),
    (platform, hosts): (&Platform, Option<&Platform>),
    how: &FarmShape,
) -> Result<Planned, CliError> {
    let plan = |costs: Option<&FarmProfile>| planned(costs, left, (team, on), (platform, hosts), how);
    let cores = hosts.unwrap_or(platform).hosts.iter().map(|host| host.cores).max().unwrap_or(1);
    // Masters mostly sleep.
    let busy = team.slaves.min(cores);
    let Some(costs) = costs.filter(|costs| costs.contention > 0.0 && busy > 1) else { return plan(costs) };
    let beside = (busy - 1) as f64;
    let mut part = 1.0;
    let mut found = plan(Some(&slowed(costs, beside)))?;
    for _ in 0..SETTLING {
        let Planned { plan: Plan { predicted: Some(predicted), .. }, basis: Some(basis) } = &found else {
            break;
        };
        let speed = Speeds::of_first_rank(&basis.hosts).map_err(request)?;
        let all_s = basis.rest as f64 * basis.costs.task.on(speed).fixed;
        let makespan_s = predicted.makespan_s - basis.start_s - basis.finish_s;
        // Where more slaves than cores take turns, cores are what is busy.
        let now = (all_s / (team.slaves.min(basis.cores.max(1)) as f64 * makespan_s)).clamp(0.0, 1.0);
        if (now - part).abs() < 1e-6 {
            break;
        }
        part = now;
        found = plan(Some(&slowed(costs, beside * part)))?;
    }
    Ok(found)
}

/// The costs beside so many other cores of the host that are busy.
fn slowed(costs: &FarmProfile, beside: f64) -> FarmProfile {
    FarmProfile { task: costs.task.times(1.0 + costs.contention * beside), contention: 0.0, ..costs.clone() }
}

/// Plans the tasks that are left, with the time that is expected where the costs are known: on `hosts`, a rank on each core of them, or on as
/// many cores of the platform's kind as there are ranks; processes then find messages late ([`found_late_s`]). More slaves than the platform has cores take no less than all busy
/// seconds over the cores, as with reductions; threads are started one after the other ([`start_up`]).
///
/// # Errors
/// What the model refuses.
fn planned(
    costs: Option<&FarmProfile>,
    left: &Left<'_>,
    (team, on): (Team, Way),
    (platform, hosts): (&Platform, Option<&Platform>),
    how: &FarmShape,
) -> Result<Planned, CliError> {
    let Team { slaves, masters, dynamic } = team;
    let Left { tasks: rest, all, sizes, each_s } = *left;
    let among = on == Way::Mpi && masters > 0;
    let processors = if among { slaves + masters } else { slaves };
    let mut plan = Plan {
        skeleton: Skeleton::Farm,
        window: 0,
        ..Plan::new(Strategy::MasterSlave, processors, Grain { tasks: Some(rest), bytes: 0 })
    };
    let mut farm = FarmPlan {
        masters,
        among,
        dynamic,
        // No message has more than there are.
        grain: how.tasks_per_message.unwrap_or(1).min(rest.max(1)),
        prefetch: how.prefetch.unwrap_or(1),
        attempts: how.retries.saturating_add(1),
    };
    let mut basis = None;
    if let Some(by_bytes) = costs.filter(|_| rest > 0) {
        let sized = is_by_bytes(by_bytes) && !sizes.is_empty();
        let costs = &of_bytes(by_bytes, Sizes::of(sizes.iter().copied()).mean());
        // Masters mostly sleep; the cores are the slaves'.
        let ranks = slaves + masters;
        let own =
            || Platform::new(&platform.name, vec![Host::new("host", 1, ranks)], platform.network.clone());
        let mut of = Basis {
            costs: costs.clone(),
            model: None,
            hosts: hosts.cloned().unwrap_or_else(own),
            cores: hosts.unwrap_or(platform).cores(),
            start_s: if on == Way::Threads { start_up(ranks, platform) } else { 0.0 },
            finish_s: 0.0,
            least_s: 0.0,
            first_s: 0.0,
            rest,
            each_s,
            sized: sized.then(|| (by_bytes.clone(), sizes.to_vec())),
        };
        let speed = Speeds::of_first_rank(&of.hosts).map_err(request)?;
        of.finish_s = costs.finish.on(speed).seconds(all as f64 * costs.result_bytes.0, all as f64);
        let task_s = costs.task.on(speed).fixed;
        let sink = costs.sink.on(speed);
        let sink_s = |tasks: u64| sink.seconds(tasks as f64 * costs.result_bytes.0, tasks as f64);
        // A sink is opened and closed as well.
        let open_s = sink.fixed;
        if masters == 0 {
            let makespan_s = of.start_s + open_s + (task_s + sink_s(1)) * rest as f64 + open_s + of.finish_s;
            plan.predicted = Some(interval(makespan_s, of.finish_s, costs, rest));
            let hands_on = sink_s(1) / (task_s + sink_s(1)).max(f64::MIN_POSITIVE);
            plan.reason = "one processor does task after task".into();
            if hands_on > NOTICED {
                plan.reason +=
                    &format!(", and hands on their outputs in {} of the time", text::share(hands_on));
            }
        } else {
            let model = |hosts: &Platform, grain: u64, prefetch: u64| -> Result<Farm, CliError> {
                let bytes = HEADER as f64 + grain as f64 * costs.result_bytes.0;
                let work_s = grain as f64 * costs.task.fixed;
                let spread = costs.task.spread / (grain as f64).sqrt();
                let wait_s = grain as f64 * costs.task.wait.fixed;
                let tasks = Tasks::new(rest.div_ceil(grain), work_s, HEADER as f64, bytes);
                let sink_s = sink_s(grain);
                Farm::on(hosts, Tasks { wait_s, spread, sink_s, open_s, prefetch, ..tasks }).map_err(request)
            };
            let trip = model(&of.hosts, 1, 1)?.trip(ranks).map_err(request)?;
            if how.tasks_per_message.is_none() {
                let message_s = trip.give_s + trip.take_s + sink.fixed;
                let worth = (message_s / (OVERHEAD * task_s.max(f64::MIN_POSITIVE))).ceil() as u64;
                farm.grain = worth.clamp(1, (rest / (slaves as u64 * MESSAGES)).max(1));
            }
            if how.prefetch.is_none() {
                let work_s = farm.grain as f64 * task_s;
                // Costs of threads' messages say nothing of how late processes find theirs. Of a slave that has a further message, that
                // one waits at the end while others have none.
                let each = rest as f64 / (farm.grain * slaves as u64) as f64;
                let late = on == Way::Mpi && hosts.is_none() && each * late_s(work_s) > work_s;
                farm.prefetch = if late || trip.total_s - task_s > TRIP * work_s { 2 } else { 1 };
            }
            if on == Way::Mpi && hosts.is_none() {
                let work_s = farm.grain as f64 * (task_s + costs.task.wait.fixed);
                of.hosts.network.latency.value.0 += found_late_s(work_s * masters as f64 / slaves as f64);
            }
            let model = model(&of.hosts, farm.grain, farm.prefetch)?;
            let prediction = model.predict(ranks, masters).map_err(request)?;
            // A master that hands on much does not sleep.
            let awake = sink_s(1) > NOTICED * task_s;
            if slaves > of.cores || awake && ranks > of.cores {
                let waits = costs.sink.waits();
                let sink_wait_s = waits.seconds(farm.grain as f64 * costs.result_bytes.0, farm.grain as f64);
                let wait_s = farm.grain as f64 * costs.task.wait.fixed + sink_wait_s;
                let busy_s = prediction.trip.master_s() + prediction.trip.slave_s - wait_s;
                let messages = rest as f64 / farm.grain as f64;
                let at_once = (slaves as f64).min(messages.ceil());
                of.least_s = messages * turn_s(busy_s, wait_s, (at_once, of.cores));
                of.first_s = ((at_once / of.cores as f64 - 1.0) * busy_s).clamp(0.0, wait_s);
            }
            let cores_s = of.least_s;
            of.least_s = of.least_s.max(rest as f64 * each_s);
            if dynamic {
                plan.reason = DYNAMIC.into();
            } else {
                let task = by_bytes.task.on(speed);
                let each = |bytes: &u64| task.seconds(*bytes as f64, 0.0);
                let longer_s = match sized {
                    true => {
                        let seconds: Vec<f64> = sizes.iter().map(each).collect();
                        uneven_s(&seconds, task_s, farm.grain, (slaves, masters))
                    }
                    // The last message has what is left.
                    false if !rest.is_multiple_of(farm.grain) => {
                        let each_s = task_s + costs.task.wait.fixed;
                        uneven_s(&vec![each_s; rest as usize], each_s, farm.grain, (slaves, masters))
                    }
                    false => 0.0,
                };
                let tasks_s = (prediction.makespan_s + longer_s).max(of.least_s) + of.first_s;
                let makespan_s = of.start_s + tasks_s + of.finish_s;
                plan.predicted = Some(interval(makespan_s, of.finish_s, costs, rest));
                let is_least = of.least_s + of.first_s >= tasks_s;
                plan.reason = if is_least && of.least_s > cores_s {
                    "bound by what tasks wait for, which does no more for more at a time".into()
                } else if is_least {
                    format!(
                        "bound by {}, which {}{} share",
                        text::plural(of.cores as u64, "core"),
                        text::plural(slaves as u64, "slave"),
                        if awake { " and the output" } else { "" }
                    )
                } else {
                    reason(&prediction, model.saturation(MOST_RANKS).map_err(request)?)
                };
            }
            of.model = Some(model);
        }
        basis = Some(of);
    }
    if basis.is_none() {
        plan.reason = match (rest, costs) {
            (0, _) => NOTHING_LEFT.into(),
            (_, None) => TOO_FEW.into(),
            _ => String::new(),
        };
    }
    plan.window = farm.prefetch as usize;
    plan.farm = Some(farm);
    Ok(Planned { plan, basis })
}

/// Seconds from one message's end to the next one's where so many slaves go round, of whom each works for `busy_s` and waits for `wait_s`, on so many cores: the cores are a
/// processor-sharing station and the wait is a delay, of which the throughput does not depend on how times are distributed (Baskett, Chandy, Muntz and Palacios, Open,
/// closed, and mixed networks of queues with different classes of customers, J. ACM 22(2), 1975). Cost: the slaves.
fn turn_s(busy_s: f64, wait_s: f64, (slaves, cores): (f64, usize)) -> f64 {
    let all = busy_s / cores as f64;
    if wait_s <= 0.0 || busy_s <= 0.0 {
        return all;
    }
    // How likely it is that so many are at the cores, relative to none: each further one comes of those that wait, and leaves as cores serve.
    let (mut part, mut sum, mut served) = (1.0f64, 1.0f64, 0.0f64);
    for at in 1..=slaves as usize {
        let serving = at.min(cores) as f64;
        part *= (slaves - (at - 1) as f64) * busy_s / (wait_s * serving);
        (sum, served) = (sum + part, served + part * serving);
        if sum > LARGE {
            (part, sum, served) = (part / LARGE, sum / LARGE, served / LARGE);
        }
    }
    // Nearly all of the time all cores serve, where the rest is lost in rounding.
    (busy_s * sum / served).max(all)
}

/// Sums beyond this are made smaller.
const LARGE: f64 = 1e200;

/// By how many seconds messages are found late on average, at least, by processes that sleep while they wait: by half a nap, of a master that waits
/// for `waited_s` between two answers and of a slave that waits for a round trip only; the mean of both, as each way has one.
fn found_late_s(waited_s: f64) -> f64 {
    (late_s(waited_s) + late_s(0.0)) / 4.0
}

/// The interval of a makespan that ends with a finish, from the error of the mean and the spread of the tasks that are left, and what
/// the finish may be off by.
pub(super) fn interval(makespan_s: f64, finish_s: f64, costs: &FarmProfile, rest: u64) -> Interval {
    let of_rest = costs.task.spread / (rest as f64).sqrt();
    let tasks_s = costs.task.error.hypot(of_rest) * (makespan_s - finish_s);
    // What is handed on by one rank after the other takes no longer than all.
    let sink_s = rest as f64 * costs.sink.seconds(costs.result_bytes.0, 1.0);
    let sink_s = costs.sink.error * sink_s.min(makespan_s - finish_s);
    let all_s = tasks_s.hypot(sink_s).hypot(costs.finish.error * finish_s);
    Interval::around(makespan_s, all_s.min(FAR * makespan_s))
}

/// What bounds it.
fn reason(prediction: &Prediction, saturation: Option<usize>) -> String {
    let keeps_up = match saturation {
        Some(..3) => "a master is slower than one slave".into(),
        Some(ranks) => format!("a master keeps up with {}", text::plural(ranks as u64 - 2, "slave")),
        None => format!("a master keeps up with {} slaves and more", MOST_RANKS - 1),
    };
    match prediction.bound {
        Bound::Master if prediction.trip.sink_s > prediction.trip.give_s + prediction.trip.take_s => {
            format!("bound by the output, which the master hands on; {keeps_up}")
        }
        Bound::Master | Bound::Port => format!("bound by the master; {keeps_up}"),
        // A slave that has one message at a time waits for the way as well, however short that is.
        Bound::Trip if prediction.trip.slave_s < 0.95 * prediction.trip.total_s => {
            format!("bound by the way to the master and back; {keeps_up}")
        }
        Bound::Slaves | Bound::Trip => format!("bound by the slaves; {keeps_up}"),
    }
}

/// The plan in two lines, of a job of so many tasks, of which so many were left when the command began.
pub(super) fn words(plan: &Plan, (all, left): (u64, u64)) -> String {
    let tasks = plan.grain.tasks.unwrap_or(0);
    let mut line = format!("farm on {}", text::plural(plan.processors as u64, "processor"));
    if let Some(farm) = plan.farm.filter(|farm| farm.masters > 0) {
        let (masters, more) =
            (text::plural(farm.masters as u64, "master"), ", and more where they make processors wait");
        line += &match (farm.among, farm.dynamic) {
            (true, dynamic) => format!(", {masters} among them{}", if dynamic { more } else { "" }),
            (false, true) => format!(" with {masters}{more}, beside"),
            (false, false) => format!(" with {masters} beside"),
        };
        if farm.grain > 1 {
            line += &format!(", {} a message", text::plural(farm.grain, "task"));
        }
        if farm.prefetch > 1 {
            line += &format!(", {} at a time", text::plural(farm.prefetch, "message"));
        }
    }
    let counted = text::plural(tasks, "task");
    line += &match tasks {
        _ if tasks == all => format!(", {counted}"),
        // Of those that a journal has, it was said before.
        1.. if left == all => format!(", {counted} beside those of the pilot"),
        _ => format!(", {counted} left"),
    };
    match (&plan.predicted, plan.reason.as_str()) {
        (Some(predicted), reason) => {
            format!("{line}\n{} predicted; {reason}", text::seconds(predicted.makespan_s))
        }
        (None, "") => line,
        (None, reason) => format!("{line}\n{reason}"),
    }
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Measured, Network, Seconds};
    use forerun_skeleton::farm::Masters;

    use super::*;

    fn left(tasks: u64, all: u64) -> Left<'static> {
        Left { tasks, all, sizes: &[], each_s: 0.0 }
    }

    /// 1000 tasks of 1 ms, of which each waits for so much, on two cores where a thread is woken in 10 µs.
    fn seconds(slaves: usize, wait: f64, on: Way) -> f64 {
        let task = Cost { wait: Wait { fixed: wait, ..Wait::default() }, ..Cost::constant(1e-3 - wait) };
        predicted(&FarmProfile { task, ..FarmProfile::default() }, 1000, slaves, on)
    }

    /// 1000 tasks, of `all` for the finish.
    fn predicted(costs: &FarmProfile, all: u64, slaves: usize, on: Way) -> f64 {
        let network = Network { wake_up: Measured::stated(Seconds(10e-6)), ..Network::default() };
        let platform = Platform::new("here", vec![Host::new("host", 1, 2)], network);
        let masters = usize::from(slaves > 1);
        let how = FarmShape {
            tasks_per_message: None,
            prefetch: None,
            masters: Masters::Fixed(masters),
            retries: 0,
        };
        let team = Team { slaves, masters, dynamic: false };
        let planned =
            plan(Some(costs), &left(1000, all), (team, on), (&platform, None), &how).expect("a plan");
        planned.plan.predicted.expect("a prediction").makespan_s
    }

    /// Whether one rank does all or a master gives tasks out, a slow host takes longer for tasks and finish, and that alone does
    /// not make messages worth hiding.
    #[test]
    fn a_slow_host_is_slow_in_all_that_it_does() {
        let finish = Cost { per_result: 1e-4, ..Cost::default() };
        let costs = FarmProfile { task: Cost::constant(1e-3), finish, ..FarmProfile::default() };
        let how =
            FarmShape { tasks_per_message: None, prefetch: None, masters: Masters::Fixed(1), retries: 0 };
        for (slaves, masters, tasks_s) in [(1, 0, 10.0), (4, 1, 2.5)] {
            let hosts = vec![Host { speed: 0.1, ..Host::new("slow", 5, 1) }];
            let platform = Platform::new("slow", hosts, Network::default());
            let team = Team { slaves, masters, dynamic: false };
            let of =
                plan(Some(&costs), &left(1000, 1000), (team, Way::Mpi), (&platform, Some(&platform)), &how);
            let Planned { plan, .. } = of.expect("a plan");
            let makespan_s = plan.predicted.expect("a prediction").makespan_s;
            assert!((makespan_s - tasks_s - 1.0).abs() < 1e-9, "{slaves}: {makespan_s}");
            assert_eq!(plan.farm.map(|farm| farm.prefetch), Some(1));
        }
    }

    /// Processes find messages late: where a platform does not say how late, what this costs is hidden, unless tasks are so long or so
    /// few that the uneven end of it costs more.
    #[test]
    fn short_tasks_of_processes_whose_messages_are_not_known_have_a_further_message() {
        let platform = Platform::new("here", vec![Host::new("host", 1, 4)], Network::default());
        let how =
            FarmShape { tasks_per_message: None, prefetch: None, masters: Masters::Fixed(1), retries: 0 };
        let prefetch = |task_s: f64, rest, (on, hosts)| {
            let costs = FarmProfile { task: Cost::constant(task_s), ..FarmProfile::default() };
            let team = Team { slaves: 2, masters: 1, dynamic: false };
            let of =
                plan(Some(&costs), &left(rest, rest), (team, on), (&platform, hosts), &how).expect("a plan");
            of.plan.farm.expect("a farm").prefetch
        };
        for (task_s, rest, expected) in
            [(1.5e-3, 55, 2), (1e-4, 1000, 2), (0.01, 55, 2), (0.1, 55, 1), (0.1, 1000, 2), (1.5e-3, 4, 1)]
        {
            assert_eq!(prefetch(task_s, rest, (Way::Mpi, None)), expected, "{rest} tasks of {task_s} s");
            for other in [(Way::Threads, None), (Way::Mpi, Some(&platform))] {
                assert_eq!(prefetch(task_s, rest, other), 1, "{rest} tasks of {task_s} s");
            }
        }
    }

    /// On MPI, with one message at a time, each task takes longer by as much as both messages are found late; virtual time has the same
    /// network.
    #[test]
    fn messages_that_processes_find_late_are_in_the_prediction() {
        let platform = Platform::new("here", vec![Host::new("host", 1, 8)], Network::default());
        let planned = |task_s: f64, slaves: usize, on, hosts| {
            let how = FarmShape {
                tasks_per_message: None,
                prefetch: Some(1),
                masters: Masters::Fixed(1),
                retries: 0,
            };
            let costs = FarmProfile { task: Cost::constant(task_s), ..FarmProfile::default() };
            let team = Team { slaves, masters: 1, dynamic: false };
            let of =
                plan(Some(&costs), &left(600, 600), (team, on), (&platform, hosts), &how).expect("a plan");
            (of.plan.predicted.expect("a prediction").makespan_s, of.basis.expect("costs").hosts.network)
        };
        for (task_s, slaves) in [(1e-4, 1), (2e-3, 1), (8e-3, 1), (8e-3, 4), (0.1, 2), (1.0, 6)] {
            let tasks = 600.0 / slaves as f64;
            let (found_s, network) = planned(task_s, slaves, Way::Mpi, None);
            let each_s = (late_s(task_s / slaves as f64) + late_s(0.0)) / 2.0;
            let late = found_s - tasks * task_s;
            assert!((late / (tasks * each_s) - 1.0).abs() < 0.02, "{slaves} slaves, {task_s} s: {late}");
            assert!((network.latency.value.0 - each_s / 2.0).abs() < 1e-12);
            for (on, hosts) in [(Way::Threads, None), (Way::Mpi, Some(&platform))] {
                let (found_s, network) = planned(task_s, slaves, on, hosts);
                assert!((found_s - tasks * task_s).abs() < 1e-9, "{on:?}: {found_s}");
                assert_eq!(network, platform.network);
            }
        }
    }

    #[test]
    fn the_finish_takes_all_answers() {
        let finish = Cost { per_result: 1e-4, ..Cost::default() };
        let costs = FarmProfile { task: Cost::constant(1e-3), finish, ..FarmProfile::default() };
        for slaves in [1, 2] {
            let s = predicted(&costs, 1500, slaves, Way::Mpi);
            // And two ranks find a message late.
            assert!((s - (1.0 / slaves as f64 + 0.15)).abs() < 3e-4, "{s}");
        }
    }

    #[test]
    fn what_is_unknown_is_no_more_than_unknown() {
        let costs = |error| {
            let task = Cost { error, ..Cost::constant(1.0) };
            FarmProfile { task, sink: Cost { error, ..Cost::constant(1.0) }, ..FarmProfile::default() }
        };
        let [some, most, more] = [1.0, 2.0, 26.0].map(|error| interval(10.0, 0.0, &costs(error), 5));
        assert!(some.high_s < most.high_s && most.high_s > 100.0 && most.high_s < 1000.0, "{most:?}");
        assert_eq!((most.low_s, most.high_s), (more.low_s, more.high_s));
    }

    #[test]
    fn slaves_beyond_the_cores_share_them_and_threads_are_started() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        // The first and the last messages are found late.
        let nearly = |a: f64, b: f64| assert!((-1e-9..3e-4).contains(&(a - b)), "{a} {b}");
        close(seconds(1, 0.0, Way::Threads), 1.0 + 20e-6);
        nearly(seconds(2, 0.0, Way::Mpi), 0.5);
        for slaves in [16, 64, 200] {
            close(seconds(slaves, 0.0, Way::Threads), 0.5 + (slaves + 2) as f64 * 10e-6);
        }
        // What waits needs no core: 20 slaves do 50 tasks each.
        nearly(seconds(20, 1e-3, Way::Mpi), 0.05);
        // And two cores do all that works, the last of which is done by one that waits after it.
        nearly(seconds(20, 0.8e-3, Way::Mpi), 0.1 + 0.8e-3);
    }

    /// Whatever the numbers: no faster than all work on all cores, nor than each with a core of its own, and no slower than one core after the other wait.
    #[test]
    fn who_waits_leaves_a_core_to_others() {
        for (busy, wait) in [(1.0, 1.0), (1e-3, 1.0), (1.0, 1e-3), (0.3, 0.5)] {
            for cores in [1, 2, 16] {
                let mut before = f64::INFINITY;
                for slaves in 1..200 {
                    let turn = turn_s(busy, wait, (f64::from(slaves), cores));
                    let least = (busy / cores as f64).max((busy + wait) / f64::from(slaves));
                    let most = (wait + busy * (f64::from(slaves) / cores as f64).max(1.0).ceil())
                        / f64::from(slaves);
                    assert!(turn > least * (1.0 - 1e-9), "{busy} {wait} {cores} {slaves}: {turn} {least}");
                    assert!(turn < most * (1.0 + 1e-9), "{busy} {wait} {cores} {slaves}: {turn} {most}");
                    assert!(turn <= before * (1.0 + 1e-9), "{busy} {wait} {cores} {slaves}");
                    before = turn;
                }
            }
        }
        // One of two on a core: a third of the time both wait or work, by hand.
        let turn = turn_s(1.0, 1.0, (2.0, 1));
        assert!((turn - 1.25).abs() < 1e-12, "{turn}");
        assert_eq!((turn_s(1.0, 0.0, (9.0, 2)), turn_s(0.0, 1.0, (9.0, 2))), (0.5, 0.0));
        let many = turn_s(1.0, 1e3, (1e5, 2));
        assert!((many - 0.5).abs() < 1e-9, "{many}");
    }

    /// What all tasks wait for does no more for more of them at a time.
    #[test]
    fn what_tasks_wait_for_bounds_them() {
        let platform = Platform::new("here", vec![Host::new("host", 1, 2)], Network::default());
        let how =
            FarmShape { tasks_per_message: None, prefetch: None, masters: Masters::Fixed(1), retries: 0 };
        let task = Cost { wait: Wait { fixed: 1e-2, ..Wait::default() }, ..Cost::default() };
        let costs = FarmProfile { task, ..FarmProfile::default() };
        let planned = |slaves, each_s| {
            let (team, left) =
                (Team { slaves, masters: 1, dynamic: false }, Left { each_s, ..left(1000, 1000) });
            let of = plan(Some(&costs), &left, (team, Way::Threads), (&platform, None), &how);
            let Planned { plan, .. } = of.expect("a plan");
            (plan.predicted.expect("a prediction").makespan_s, plan.reason)
        };
        for (slaves, each_s, expected_s) in [(20, 0.0, 0.5), (20, 4e-3, 4.0), (2, 4e-3, 5.0), (50, 4e-3, 4.0)]
        {
            let (found_s, reason) = planned(slaves, each_s);
            assert!((found_s / expected_s - 1.0).abs() < 0.02, "{slaves} {each_s}: {found_s}");
            assert_eq!(reason.contains("what tasks wait for"), expected_s == 4.0, "{reason}");
        }
    }
}
