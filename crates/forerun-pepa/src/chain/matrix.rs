//! A chain's generator, by columns.

use crate::parallel::parts;
use crate::space::Space;

/// Passes over all states before they are looked for one by one.
const PASSES: usize = 6;
/// States that a thread looks at, at least.
const PART: usize = 1 << 15;

/// A continuous-time Markov chain: for every state, where it is entered from and how fast it is left.
///
/// Self-loops are left out: they change nothing about where the chain is.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Where each state's entries begin; one more than there are states.
    pub(crate) rows: Vec<u32>,
    /// The states from which it is entered, ascending.
    pub(crate) from: Vec<u32>,
    /// How fast.
    pub(crate) rates: Vec<f64>,
    /// How fast each state is left.
    pub(crate) exits: Vec<f64>,
}

impl Chain {
    /// The chain of a state space. Cost: two passes over the transitions; 12 bytes each.
    pub fn of(space: &Space) -> Chain {
        let states = space.states();
        Chain::build(states, |state, each| {
            for step in space.from(state) {
                each(step.to, step.rate);
            }
        })
    }

    /// A chain of `states` states; `from` calls back with every transition of a state.
    pub fn build(states: usize, from: impl Fn(usize, &mut dyn FnMut(u32, f64))) -> Chain {
        let mut rows = vec![0u32; states + 1];
        for state in 0..states {
            from(state, &mut |to, _| {
                if to as usize != state {
                    rows[to as usize + 1] += 1;
                }
            });
        }
        for at in 0..states {
            rows[at + 1] += rows[at];
        }
        let total = rows[states] as usize;
        let mut chain =
            Chain { rows, from: vec![0; total], rates: vec![0.0; total], exits: vec![0.0; states] };
        let mut next: Vec<u32> = chain.rows[..states].to_vec();
        let mut doubles = 0usize;
        for state in 0..states {
            let mut exit = 0.0;
            from(state, &mut |to, rate| {
                let to = to as usize;
                if to == state {
                    return;
                }
                exit += rate;
                let at = next[to] as usize;
                // Several actions may lead from one state to another.
                if at > chain.rows[to] as usize && chain.from[at - 1] == state as u32 {
                    chain.rates[at - 1] += rate;
                    doubles += 1;
                    return;
                }
                chain.from[at] = state as u32;
                chain.rates[at] = rate;
                next[to] += 1;
            });
            chain.exits[state] = exit;
        }
        if doubles > 0 {
            chain.close_gaps(&next);
        }
        chain
    }

    fn close_gaps(&mut self, ends: &[u32]) {
        let mut kept = 0;
        for (state, end) in ends.iter().enumerate() {
            let begin = self.rows[state] as usize;
            self.rows[state] = kept as u32;
            for at in begin..*end as usize {
                self.from[kept] = self.from[at];
                self.rates[kept] = self.rates[at];
                kept += 1;
            }
        }
        self.rows[ends.len()] = kept as u32;
        self.from.truncate(kept);
        self.rates.truncate(kept);
        self.from.shrink_to_fit();
        self.rates.shrink_to_fit();
    }

    /// How many states.
    pub fn states(&self) -> usize {
        self.exits.len()
    }

    /// How many entries of the generator are not zero, without its diagonal.
    pub fn entries(&self) -> usize {
        self.from.len()
    }

    /// From where, and how fast, a state is entered.
    pub fn entering(&self, state: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.rows[state] as usize..self.rows[state + 1] as usize;
        self.from[range.clone()].iter().copied().zip(self.rates[range].iter().copied())
    }

    /// How fast a state is left.
    pub fn exit(&self, state: usize) -> f64 {
        self.exits[state]
    }

    /// The flow into a state, given the states' probabilities.
    pub(crate) fn inflow(&self, state: usize, x: &[f64]) -> f64 {
        let range = self.rows[state] as usize..self.rows[state + 1] as usize;
        self.from[range.clone()]
            .iter()
            .zip(&self.rates[range])
            .map(|(from, rate)| x[*from as usize] * rate)
            .sum()
    }

    /// The residual of a distribution: the largest |πQ| of any state over the largest flow out of one.
    pub fn residual(&self, x: &[f64]) -> f64 {
        self.residual_of(x, |_| 1.0)
    }

    /// The residual of a distribution over classes, if each is spread evenly over so many states that are left
    /// and entered alike.
    pub(crate) fn residual_spread(&self, x: &[f64], size: impl Fn(usize) -> f64 + Sync) -> f64 {
        self.residual_of(x, |class| 1.0 / size(class))
    }

    fn residual_of(&self, x: &[f64], share: impl Fn(usize) -> f64 + Sync) -> f64 {
        let parts = parts(self.states(), PART, |range| {
            let (mut worst, mut largest) = (0.0f64, 0.0f64);
            for state in range {
                let share = share(state);
                let out = x[state] * self.exits[state] * share;
                let error = (self.inflow(state, x) * share - out).abs();
                // A NaN must not pass for a small number.
                worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
                largest = largest.max(out);
            }
            (worst, largest)
        });
        let most = |of: fn(&(f64, f64)) -> f64| parts.iter().map(of).fold(0.0, f64::max);
        let (worst, largest) = (most(|p| p.0), most(|p| p.1));
        if largest > 0.0 { worst / largest } else { worst }
    }

    /// Whether every state leads back to the first one. Cost: one pass over the entries.
    pub fn returns(&self) -> bool {
        self.returns_to(0)
    }

    /// Whether every state leads to this one.
    pub(crate) fn returns_to(&self, one: usize) -> bool {
        let n = self.states();
        let mut seen = vec![false; n];
        seen[one] = true;
        let mut left = n - 1;
        // In the order of memory as far as that goes: one way or the other most transitions lead forward.
        for pass in 0..PASSES {
            let before = left;
            for at in 0..n {
                let state = if pass % 2 == 0 { n - 1 - at } else { at };
                if seen[state] {
                    for (from, _) in self.entering(state) {
                        left -= usize::from(!std::mem::replace(&mut seen[from as usize], true));
                    }
                }
            }
            if left == 0 || left == before {
                return left == 0;
            }
        }
        let mut stack: Vec<u32> = (0..n as u32).filter(|s| seen[*s as usize]).collect();
        while let Some(state) = stack.pop() {
            for (from, _) in self.entering(state as usize) {
                if !std::mem::replace(&mut seen[from as usize], true) {
                    left -= 1;
                    stack.push(from);
                }
            }
        }
        left == 0
    }

    /// The chain on some of the states, which must be closed: nothing leads out of them.
    pub(crate) fn restricted(&self, members: &[u32]) -> Chain {
        let mut place = vec![u32::MAX; self.states()];
        for (at, member) in members.iter().enumerate() {
            place[*member as usize] = at as u32;
        }
        let mut chain = Chain { rows: vec![0], from: Vec::new(), rates: Vec::new(), exits: Vec::new() };
        for member in members {
            for (from, rate) in self.entering(*member as usize) {
                if place[from as usize] != u32::MAX {
                    chain.from.push(place[from as usize]);
                    chain.rates.push(rate);
                }
            }
            chain.rows.push(chain.from.len() as u32);
            chain.exits.push(self.exits[*member as usize]);
        }
        chain
    }
}
