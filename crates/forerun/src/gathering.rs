//! What bringing together the results of several groups takes in virtual time: the messages that processes would send each other
//! before the finish, where the ranks share this process's memory and send none.

use forerun_model::Wire;
use forerun_platform::Platform;
use forerun_skeleton::RunError;
use forerun_skeleton::reduction::HEADER;

/// Seconds to bring what the `holders` have, the bytes of each in order, to the first of them: one after the other through its port, as the
/// closed form and virtual time have it ([`forerun_model::reduction::effective`]).
///
/// # Errors
/// A figure of the platform's network that cannot be.
pub fn seconds(holders: &[u64], platform: &Platform, ranks: usize) -> Result<f64, RunError> {
    let wire = Wire::on(platform, ranks).map_err(|e| RunError::Invalid(e.to_string()))?;
    let mut others = holders.iter().skip(1).map(|bytes| (HEADER + bytes) as f64);
    let Some(first) = others.next() else { return Ok(0.0) };
    Ok(wire.hop(first) + others.map(|bytes| wire.in_turn(bytes)).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use forerun_model::{Load, reduction};
    use forerun_platform::{
        Host, Measured, Network, Overhead, Platform, ReductionProfile, Seconds, SecondsPerByte, Strategy,
    };
    use forerun_skeleton::reduction::Shape;

    use super::seconds;

    /// As the closed form has it, and the simulation, which takes it from there.
    #[test]
    fn bringing_together_takes_what_the_closed_form_says() {
        let (time, each) = (|s| Measured::stated(Seconds(s)), |s| Measured::stated(SecondsPerByte(s)));
        let network = Network {
            latency: time(20e-6),
            send_overhead: Overhead::constant(Seconds(3e-6)),
            receive_overhead: Overhead::constant(Seconds(5e-6)),
            gap: time(7e-6),
            gap_per_byte: each(9e-9),
            ..Network::default()
        };
        let platform = Platform::new("p", vec![Host::new("h", 64, 1)], network);
        let shapes =
            [(4usize, 2usize, 1e6), (12, 3, 1e3), (64, 64, 10.0), (8, 1, 1e6), (6, 6, 0.0), (33, 33, 3e3)];
        // As many tasks each, and not, and none for some.
        let loads = |groups: usize| {
            let groups = groups as u64;
            [groups, 5 * groups, 64, 2 * groups - 1, 3 * groups + groups / 2, groups / 2 + 1, 1]
        };
        for (ranks, groups, result, tasks) in shapes
            .into_iter()
            .flat_map(|(ranks, groups, result)| loads(groups).map(|tasks| (ranks, groups, result, tasks)))
        {
            let shape = Shape { groups, ..Shape::new(Strategy::ReductionTree, ranks) };
            let profile = ReductionProfile { result_bytes: (result, 0.0), ..ReductionProfile::default() };
            let load = Load::new(tasks, 1.0);
            let neighbours = reduction::Neighbours::most(&shape, &platform);
            let effective = reduction::effective(&profile, &shape, &load, &platform, &neighbours).unwrap();
            // As the pattern cuts the input into shares.
            let cut = |group: usize| tasks * group as u64 / groups as u64;
            let holders: Vec<u64> =
                (0..groups).map(|group| (cut(group + 1) - cut(group)) * result as u64).collect();
            let brought = seconds(&holders, &platform, ranks).unwrap();
            let said = effective.finish.wait.fixed;
            assert!(
                (brought - said).abs() <= 1e-9 + 1e-9 * said,
                "{groups} groups, {tasks} tasks: {brought}, {said}"
            );
        }
    }
}
