//! A message to another rank and back, the others idle.

use forerun_model::Wire;
use forerun_platform::{Platform, ReductionProfile};
use forerun_sim::pricing::Profiled;
use forerun_sim::{LogGps, run_totals};
use forerun_skeleton::{Endpoint, Message, Options, Program, Stop};

use super::{Predicted, Value};
use crate::reproduce::study::Argument;
use crate::signals::Interrupt;

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

pub(super) fn predict(of: &RoundTrip, value: Value<'_>, interrupt: &Interrupt) -> Result<Predicted, String> {
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
    Ok(Predicted::Times { closed_form: 2.0 * one_way, simulated: ran.makespan_s })
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
