//! What bringing together the results of several groups takes in virtual time: the messages that processes would send each other
//! before the finish, where the ranks share this process's memory and send none.

use forerun_platform::Platform;
use forerun_sim::LogGps;
use forerun_sim::pricing::Measured;
use forerun_skeleton::reduction::HEADER;
use forerun_skeleton::{Endpoint, Message, Options, Program, RunError, Stop};

/// Seconds to bring what the `holders` have, ranks in order with its bytes, to the first of them.
///
/// # Errors
/// A figure of the platform that cannot be; cancelled.
pub fn seconds(holders: &[(usize, u64)], platform: &Platform, options: &Options) -> Result<f64, RunError> {
    if holders.len() < 2 {
        return Ok(0.0);
    }
    let network = LogGps::on(platform, options.ranks)?;
    let pricing = Measured::new(platform, options.ranks)?;
    let options = Options { timeline: 0, ..options.clone() };
    Ok(forerun_sim::run(&Gathering { holders }, &network, &pricing, &options)?.makespan_s)
}

/// What a group has.
struct Body(u64);

impl Message for Body {
    fn bytes(&self) -> u64 {
        HEADER + self.0
    }
}

/// The first that has something receives it from the others, in order.
struct Gathering<'h> {
    holders: &'h [(usize, u64)],
}

impl Program for Gathering<'_> {
    type Msg = Body;
    type Out = ();

    async fn rank<E: Endpoint<Body>>(&self, e: &mut E) -> Result<(), Stop> {
        let Ok(mine) = self.holders.binary_search_by_key(&e.rank(), |holder| holder.0) else { return Ok(()) };
        if mine > 0 {
            return e.send(self.holders[0].0, Body(self.holders[mine].1)).await;
        }
        for &(other, _) in &self.holders[1..] {
            e.recv_from(other).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use forerun_model::{Load, reduction};
    use forerun_platform::{
        Host, Measured, Network, Overhead, Platform, ReductionProfile, Seconds, SecondsPerByte, Strategy,
    };
    use forerun_skeleton::reduction::Shape;
    use forerun_skeleton::{Cancel, Options};

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
        for (ranks, groups, result) in [(4, 2, 1e6), (12, 3, 1e3), (64, 64, 10.0), (8, 1, 1e6), (6, 6, 0.0)] {
            let shape = Shape { groups, ..Shape::new(Strategy::ReductionTree, ranks) };
            let profile = ReductionProfile { result_bytes: (result, 0.0), ..ReductionProfile::default() };
            let load = Load::new(5 * groups as u64, 1.0);
            let neighbours = reduction::Neighbours::most(&shape, &platform);
            let effective = reduction::effective(&profile, &shape, &load, &platform, &neighbours).unwrap();
            let holders: Vec<(usize, u64)> =
                (0..groups).map(|g| (g * ranks / groups, 5 * result as u64)).collect();
            let options = Options { ranks, window: 4, timeline: 0, cancel: Cancel::new() };
            let brought = seconds(&holders, &platform, &options).unwrap();
            let said = effective.finish.wait.fixed;
            assert!((brought - said).abs() <= 1e-9 + 1e-9 * said, "{groups} groups: {brought}, {said}");
        }
    }
}
