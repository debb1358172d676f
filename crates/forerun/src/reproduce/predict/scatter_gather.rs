//! Blocks dealt to ranks, processed, and gathered in packets.

use forerun_model::scatter_gather::{Blocks, Setting, effective, memory, predict as closed_form};
use forerun_platform::{Platform, ScatterGatherProfile};
use forerun_sim::costed::{CostedBlocks, Inputs};
use forerun_sim::pricing::Phased;
use forerun_sim::{LogGps, run_totals};
use forerun_skeleton::Options;
use forerun_skeleton::scatter_gather::Scatter;

use super::{Predicted, Value};
use crate::reproduce::study::Argument;
use crate::signals::Interrupt;

/// Scatter-gather in equal shares.
#[derive(Debug)]
pub struct ScatterGather {
    /// The machine.
    pub platform: Platform,
    /// What the application costs.
    pub profile: ScatterGatherProfile,
    /// Ranks.
    pub processors: Argument,
    /// Input, in bytes.
    pub input: Argument,
    /// A block, and a packet of the result, in bytes.
    pub block: Argument,
    /// Messages that the first rank may be ahead of each other.
    pub window: Argument,
    /// Blocks read ahead and packets written behind.
    pub ahead: Argument,
}

pub(super) fn predict(
    of: &ScatterGather,
    value: Value<'_>,
    interrupt: &Interrupt,
) -> Result<Predicted, String> {
    let setting = Setting {
        window: value(&of.window)? as usize,
        ahead: value(&of.ahead)? as usize,
        ..Setting::new(value(&of.processors)? as usize)
    };
    let blocks = Blocks::of(value(&of.input)? as u64, value(&of.block)? as u64);
    let (profile, platform) = (&of.profile, &of.platform);
    if let Err(e) = memory::beyond(profile, platform, &blocks, &setting.shape, setting.window, setting.ahead)
    {
        return Ok(Predicted::Refused(e.to_string()));
    }
    let closed = closed_form(&setting, &blocks, profile, platform).map_err(|e| e.to_string())?;
    let costs = effective(profile, &setting, &blocks, platform).map_err(|e| e.to_string())?;
    let sizes = (0..blocks.count).map(|i| blocks.size(i)).collect();
    let app = CostedBlocks::new(Inputs::Each(sizes), blocks.largest());
    let scatter = Scatter::new(&app, &app, &app, setting.shape.clone()).map_err(|e| e.to_string())?;
    let ranks = setting.shape.ranks;
    let network = LogGps::new(&platform.network, ranks).map_err(|e| e.to_string())?;
    let pricing = Phased::new(&costs, platform, ranks, setting.ahead).map_err(|e| e.to_string())?;
    let options = Options { ranks, window: setting.window, timeline: 0, cancel: interrupt.cancel().clone() };
    let ran = run_totals(&scatter, &network, &pricing, &options).map_err(|e| e.to_string())?;
    Ok(Predicted::Times { closed_form: closed.makespan_s, simulated: ran.makespan_s + closed.finish_s })
}
