//! Every strategy gives the result of the sequential fold.

use forerun_mpi::{Setting, run_with};
use forerun_platform::{Deal, Stage, Strategy};
use forerun_skeleton::reduction::Runner;
use forerun_skeleton::wire::Plain;
use forerun_skeleton::{AppError, Options, Program, Ran, RunError, Wire};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator as _;

use crate::common::{Case, Indices, Kept};

impl Wire for Indices {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.0.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Wire::decode(bytes).map(Indices)
    }
}

impl Wire for Kept {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.group.encode(out)?;
        self.sets.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Ok(Kept { group: Wire::decode(bytes)?, sets: Wire::decode(bytes)? })
    }
}

/// Runs on the processes of a communicator.
pub(crate) struct OnMpi<'c> {
    pub(crate) world: &'c SimpleCommunicator,
    pub(crate) options: Options,
    /// Bytes that go in one call.
    pub(crate) most: usize,
}

impl<M: forerun_skeleton::Message + Wire, O: Wire> Runner<M, O> for OnMpi<'_> {
    type Ran = Option<Ran<O>>;

    fn run<P: Program<Msg = M, Out = O> + Sync>(self, program: &P) -> Result<Self::Ran, RunError> {
        let setting = Setting { most: self.most, ..Setting::new(Plain, Plain) };
        run_with(self.world, program, &self.options, &setting)
    }
}

/// Numbers that look random, the same on every rank.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        // Knuth's MMIX generator; its high bits are good.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// How many cases each strategy gets.
const CASES: usize = 40;

/// All strategies in all shapes that this number of ranks can have.
pub(crate) fn all(world: &SimpleCommunicator) -> String {
    let ranks = world.size() as usize;
    let mut dice = Dice(ranks as u64);
    let mut done = 0;
    for strategy in Strategy::ALL {
        for _ in 0..CASES {
            let case = case(strategy, ranks, &mut dice);
            if case.shape().check().is_err() {
                continue;
            }
            // Some with types for what MPI could not count.
            let most = if dice.below(2) == 0 { 1 + dice.below(50) as usize } else { usize::MAX };
            let runner = OnMpi { world, options: case.options(), most };
            let ran = case.run(runner).unwrap_or_else(|e| panic!("{case:?}: {e}"));
            assert_eq!(ran.is_some(), world.rank() == 0, "only the first rank gets what all returned");
            if let Some(ran) = ran {
                case.check(&ran.outs);
                let tasks = ran.ranks.iter().filter_map(|r| r.stages.get(&Stage::Task)).map(|t| t.count);
                assert_eq!(tasks.sum::<u64>(), case.n, "{case:?}");
                let ends = ran.ranks.iter().map(|r| r.end_s);
                assert!(ends.fold(0.0, f64::max) <= ran.makespan_s);
                done += 1;
            }
        }
    }
    format!("{done} reductions as the sequential fold")
}

fn case(strategy: Strategy, ranks: usize, dice: &mut Dice) -> Case {
    let known = dice.below(2) == 0;
    let commutative = dice.below(2) == 0;
    let divisors: Vec<usize> = (1..=ranks).filter(|d| ranks.is_multiple_of(*d)).collect();
    let groups = if known || commutative { divisors[dice.below(divisors.len() as u64) as usize] } else { 1 };
    Case {
        strategy,
        ranks,
        groups,
        arity: 2 + dice.below(3) as usize,
        set: 1 + dice.below(8),
        gather: dice.below(9),
        deal: match dice.below(2) {
            0 => Deal::Claimed,
            _ => Deal::Even { first_permille: dice.below(1001) as u16 },
        },
        n: dice.below(90),
        known,
        commutative,
        window: 1 + dice.below(4) as usize,
    }
}
