//! What our closed form and our simulation say of what a paper measured.

use forerun_model::Wire;
use forerun_model::planner::Divisible;
use forerun_platform::{Platform, ReductionProfile, Strategy};
use forerun_sim::pricing::Profiled;
use forerun_sim::{LogGps, run_totals};
use forerun_skeleton::{Endpoint, Message, Options, Program, Stop};

use super::study::Argument;
use crate::cli::{Pin, ShapeOptions};
use crate::planning::{Facts, plan};
use crate::signals::Interrupt;
use crate::simulate::makespan;

/// What is predicted.
#[derive(Debug)]
pub enum Pattern {
    /// A reduction.
    Reduction(Reduction),
    /// A message to another rank and back, the others idle.
    RoundTrip(RoundTrip),
}

/// A reduction of tasks of one size.
#[derive(Debug)]
pub struct Reduction {
    /// The machine.
    pub platform: Platform,
    /// What the application costs.
    pub profile: ReductionProfile,
    /// Who does what.
    pub strategy: Strategy,
    /// Ranks of all groups.
    pub processors: Argument,
    /// Groups side by side.
    pub groups: Argument,
    /// Tasks of all groups.
    pub tasks: Argument,
    /// Input of a task, in bytes.
    pub size: Argument,
}

/// A round trip.
#[derive(Debug)]
pub struct RoundTrip {
    /// The machine.
    pub platform: Platform,
    /// Ranks of the program.
    pub processors: Argument,
    /// The message's size, in bytes.
    pub size: Argument,
}

/// Seconds by closed form and by simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predicted {
    /// By closed form.
    pub closed_form: f64,
    /// In virtual time.
    pub simulated: f64,
}

impl Pattern {
    /// Predicts; `value` gives the number that an argument stands for.
    ///
    /// # Errors
    /// Why it cannot be predicted, in a sentence.
    pub fn predict(
        &self,
        value: &dyn Fn(&Argument) -> Result<f64, String>,
        interrupt: &Interrupt,
    ) -> Result<Predicted, String> {
        match self {
            Pattern::Reduction(of) => reduction(of, value, interrupt),
            Pattern::RoundTrip(of) => round_trip(of, value, interrupt),
        }
    }
}

fn reduction(
    of: &Reduction,
    value: &dyn Fn(&Argument) -> Result<f64, String>,
    interrupt: &Interrupt,
) -> Result<Predicted, String> {
    let (processors, groups) = (value(&of.processors)? as usize, value(&of.groups)? as usize);
    let input = Divisible::Tasks { tasks: value(&of.tasks)? as u64, bytes: value(&of.size)? };
    let facts = Facts { name: "published".into(), input, commutative: true };
    let shape = ShapeOptions {
        strategy: Pin::To(of.strategy),
        groups: Some(groups),
        arity: Some(2),
        grain: None,
        set: None,
        window: 4,
    };
    let planned = plan(&facts, &of.profile, &of.platform, &shape, Some(processors), None, interrupt)
        .map_err(|e| e.to_string())?;
    let best = &planned.best;
    let simulated =
        makespan(&facts, &best.plan, &of.profile, &of.platform, interrupt).map_err(|e| e.to_string())?;
    Ok(Predicted { closed_form: best.prediction.makespan_s, simulated })
}

fn round_trip(
    of: &RoundTrip,
    value: &dyn Fn(&Argument) -> Result<f64, String>,
    interrupt: &Interrupt,
) -> Result<Predicted, String> {
    let (processors, bytes) = (value(&of.processors)? as usize, value(&of.size)?);
    if processors < 2 {
        return Err("a round trip takes 2 processors".into());
    }
    let wire = Wire::new(&of.platform.network, processors).map_err(|e| e.to_string())?;
    let one_way = wire.send(bytes) + wire.transit(bytes) + wire.receive(bytes);
    let network = LogGps::new(&of.platform.network, processors).map_err(|e| e.to_string())?;
    let free = ReductionProfile::default();
    let pricing = Profiled::new(&free, &of.platform, processors).map_err(|e| e.to_string())?;
    let options = Options { ranks: processors, window: 1, timeline: 0, cancel: interrupt.cancel().clone() };
    let ran = run_totals(&PingPong { bytes: bytes as u64 }, &network, &pricing, &options)
        .map_err(|e| e.to_string())?;
    Ok(Predicted { closed_form: 2.0 * one_way, simulated: ran.makespan_s })
}

/// Rank 0 sends to rank 1, which answers.
struct PingPong {
    bytes: u64,
}

/// A message of which there is nothing but its size.
struct Size(u64);

impl Message for Size {
    fn bytes(&self) -> u64 {
        self.0
    }
}

impl Program for PingPong {
    type Msg = Size;
    type Out = ();

    async fn rank<E: Endpoint<Size>>(&self, e: &mut E) -> Result<(), Stop> {
        match e.rank() {
            0 => {
                e.send(1, Size(self.bytes)).await?;
                e.recv_from(1).await?;
            }
            1 => {
                e.recv_from(0).await?;
                e.send(0, Size(self.bytes)).await?;
            }
            _ => {}
        }
        Ok(())
    }
}
