//! The reduction's own patterns, with an application whose results are only sizes.

use forerun_platform::{Cost, ReductionProfile, Strategy};
use forerun_sim::costed::{Costed, Inputs, Tallied, Volume};
use forerun_sim::{LogGps, Totals, pricing, run_totals};
use forerun_skeleton::reduction::{Packet, Reduction, Runner, Shape};
use forerun_skeleton::{Options, Program, RunError};

/// A reduction of so many tasks by one group.
pub(crate) struct Real {
    pub(crate) strategy: Strategy,
    pub(crate) ranks: usize,
    pub(crate) tasks: u64,
}

struct Simulated<'a> {
    network: &'a LogGps,
    options: &'a Options,
}

impl Runner<Packet<Volume>, Option<Tallied>> for Simulated<'_> {
    type Ran = Totals<Option<Tallied>>;

    fn run<P>(self, program: &P) -> Result<Self::Ran, RunError>
    where
        P: Program<Msg = Packet<Volume>, Out = Option<Tallied>> + Sync,
    {
        let prices = pricing::Profiled::at_speed_one(&profile())?;
        run_totals(program, self.network, &prices, self.options)
    }
}

fn profile() -> ReductionProfile {
    ReductionProfile {
        task: Cost { fixed: 0.1e-3, per_byte: 1e-9, ..Cost::default() },
        merge: Cost { per_result: 1e-6, ..Cost::default() },
        sink: Cost { per_byte: 1e-10, ..Cost::default() },
        result_bytes: (64.0, 0.01),
        ..ReductionProfile::default()
    }
}

impl Real {
    pub(crate) fn name(&self) -> String {
        format!("{}, {} ranks", self.strategy.name(), self.ranks)
    }

    /// Runs it; every task is delivered, or this panics.
    pub(crate) fn run(&self, network: &LogGps) -> Totals<Option<Tallied>> {
        let app = Costed::new(&profile(), Inputs::Uniform { tasks: self.tasks, bytes: 10_000 })
            .expect("a valid profile");
        let shape = Shape::new(self.strategy, self.ranks);
        let reduction = Reduction::new(&app, &app, &app, shape).expect("a valid shape");
        let options = Options::new(self.ranks);
        let totals = reduction.run(Simulated { network, options: &options }).expect("the run ends");
        let delivered: u64 = totals.outs.iter().flatten().map(|t| t.results).sum();
        assert_eq!(delivered, self.tasks, "every task is delivered once");
        totals
    }
}
