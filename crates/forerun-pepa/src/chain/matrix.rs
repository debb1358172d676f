//! A chain's generator, by columns.

use super::rates::{Coder, Rates};
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
    pub(crate) rates: Rates,
    /// How fast each state is left.
    pub(crate) exits: Vec<f64>,
}

/// Passes on a state's transitions: where each leads, and how fast it is, or a code for that.
pub(crate) trait Steps<V> {
    /// Calls back with each of them.
    fn each(&self, state: usize, call: impl FnMut(u32, V));
}

/// Transitions that a function lists.
pub(crate) struct Listed<F>(pub(crate) F);

impl<V, I: Iterator<Item = (u32, V)>, F: Fn(usize) -> I> Steps<V> for Listed<F> {
    fn each(&self, state: usize, mut call: impl FnMut(u32, V)) {
        (self.0)(state).for_each(|(to, value)| call(to, value));
    }
}

/// Transitions that a function calls back with.
struct Called<F>(F);

impl<F: Fn(usize, &mut dyn FnMut(u32, f64))> Steps<f64> for Called<F> {
    fn each(&self, state: usize, mut call: impl FnMut(u32, f64)) {
        (self.0)(state, &mut call);
    }
}

/// The parts of a chain.
struct Parts<V> {
    rows: Vec<u32>,
    from: Vec<u32>,
    values: Vec<V>,
    exits: Vec<f64>,
}

impl<V: Copy + Default> Parts<V> {
    /// Of so many states; a value's rate is given, and the value of the sum of two rates. Cost: two passes over the transitions.
    fn of(
        states: usize,
        steps: &impl Steps<V>,
        rate: impl Fn(V) -> f64,
        mut sum: impl FnMut(V, V) -> V,
    ) -> Self {
        let mut rows = vec![0u32; states + 1];
        for state in 0..states {
            steps.each(state, |to, _| {
                if to as usize != state {
                    rows[to as usize + 1] += 1;
                }
            });
        }
        for at in 0..states {
            rows[at + 1] += rows[at];
        }
        let total = rows[states] as usize;
        let mut next: Vec<u32> = rows[..states].to_vec();
        let (mut from, mut values) = (vec![0; total], vec![V::default(); total]);
        let mut exits = vec![0.0; states];
        let mut doubles = 0usize;
        for (state, exit) in exits.iter_mut().enumerate() {
            steps.each(state, |to, value| {
                let to = to as usize;
                if to == state {
                    return;
                }
                *exit += rate(value);
                let at = next[to] as usize;
                // Several actions may lead from one state to another.
                if at > rows[to] as usize && from[at - 1] == state as u32 {
                    values[at - 1] = sum(values[at - 1], value);
                    doubles += 1;
                    return;
                }
                from[at] = state as u32;
                values[at] = value;
                next[to] += 1;
            });
        }
        let mut parts = Parts { rows, from, values, exits };
        if doubles > 0 {
            parts.close_gaps(&next);
        }
        parts
    }

    fn close_gaps(&mut self, ends: &[u32]) {
        let mut kept = 0;
        for (state, end) in ends.iter().enumerate() {
            let begin = self.rows[state] as usize;
            self.rows[state] = kept as u32;
            for at in begin..*end as usize {
                self.from[kept] = self.from[at];
                self.values[kept] = self.values[at];
                kept += 1;
            }
        }
        self.rows[ends.len()] = kept as u32;
        self.from.truncate(kept);
        self.values.truncate(kept);
        self.from.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    fn chain(self, rates: impl FnOnce(Vec<V>) -> Rates) -> Chain {
        let Parts { rows, from, values, exits } = self;
        Chain { rows, from, rates: rates(values), exits }
    }
}

impl Chain {
    /// The chain of a state space. Cost: two passes over the transitions; 12 bytes each.
    pub fn of(space: &Space) -> Chain {
        Chain::plain(space.states(), &Listed(|state| space.from(state).map(|step| (step.to, step.rate))))
    }

    /// A chain of `states` states; `from` calls back with every transition of a state.
    pub fn build(states: usize, from: impl Fn(usize, &mut dyn FnMut(u32, f64))) -> Chain {
        Chain::plain(states, &Called(from))
    }

    /// A chain of so many states, with its rates as they are.
    pub(crate) fn plain(states: usize, steps: &impl Steps<f64>) -> Chain {
        Parts::of(states, steps, |rate| rate, |a, b| a + b).chain(Rates::Plain)
    }

    /// A chain of so many states, whose rates are given by their places among `values`; none if sums of them are too many
    /// different ones. Cost: two passes over the transitions; 6 bytes each.
    pub(crate) fn coded(states: usize, values: &[f64], steps: &impl Steps<u16>) -> Option<Chain> {
        let mut coder = Coder::of(values)?;
        let mut enough = true;
        let sum = |a: u16, b: u16| match coder.code(coder.rate(a) + coder.rate(b)) {
            Some(code) => code,
            None => {
                enough = false;
                a
            }
        };
        let parts = Parts::of(states, steps, |code: u16| values[code as usize], sum);
        enough.then(|| parts.chain(|codes| coder.rates(codes)))
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
        range.map(|at| (self.from[at], self.rates.get(at)))
    }

    /// How fast a state is left.
    pub fn exit(&self, state: usize) -> f64 {
        self.exits[state]
    }

    /// The flow into a state, given the states' probabilities.
    pub(crate) fn inflow(&self, state: usize, x: &[f64]) -> f64 {
        let range = self.rows[state] as usize..self.rows[state + 1] as usize;
        self.rates.weighed(range, &self.from, x)
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
        let (mut rows, mut from, mut rates, mut exits) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for member in members {
            for (other, rate) in self.entering(*member as usize) {
                if place[other as usize] != u32::MAX {
                    from.push(place[other as usize]);
                    rates.push(rate);
                }
            }
            rows.push(from.len() as u32);
            exits.push(self.exits[*member as usize]);
        }
        Chain { rows, from, rates: Rates::Plain(rates), exits }
    }
}
