//! What some components can do together, remembered by their local states.
//!
//! Components that lie close together in one word of the packed state have few local states between them. What an action's
//! alternatives come to there is found once for each and looked up from then on.

use super::rules::Rule;
use super::span::Span;
use super::successors::{Change, evaluate};

/// Bits that components which are looked up together may take.
const BITS: u32 = 12;
/// A single component that does the action in so few of its local states is looked through instead.
const SEVERAL: usize = 3;
/// Combinations of local states that are remembered for all rules together, at most: 16 bytes each, for each thread.
const ALL: usize = 1 << 20;

/// Rules for single components, all of them in a few bits of one word.
#[derive(Debug, Clone)]
pub(crate) struct Near {
    /// Its place among what is remembered.
    id: usize,
    span: Span,
    rule: Rule,
}

/// What was found for a combination of local states.
#[derive(Debug, Clone, Copy)]
struct Entry {
    apparent: f64,
    begin: u32,
    count: u32,
}

/// Not found yet.
const UNKNOWN: Entry = Entry { apparent: 0.0, begin: 0, count: u32::MAX };

#[derive(Debug, Default)]
struct Memo {
    entries: Vec<Entry>,
    /// Rates, and what is added to the word.
    changes: Vec<(f64, u64)>,
}

/// What a thread remembers.
#[derive(Debug, Default)]
pub(crate) struct Memos(Vec<Memo>);

impl Near {
    /// The changes in a state, appended to `out`; gives their apparent rate.
    pub(crate) fn evaluate<const W: usize>(
        &self,
        state: &[u64; W],
        out: &mut Vec<Change<W>>,
        memos: &mut Memos,
    ) -> f64 {
        let (at, word) = (self.span.value(state), self.span.word as usize);
        if let Some(memo) = memos.0.get(self.id)
            && let Some(entry) = memo.entries.get(at)
            && entry.count != UNKNOWN.count
        {
            let begin = entry.begin as usize;
            out.extend(memo.changes[begin..begin + entry.count as usize].iter().map(|(rate, add)| {
                let mut delta = [0; W];
                delta[word] = *add;
                Change { rate: *rate, delta }
            }));
            return entry.apparent;
        }
        let begin = out.len();
        let apparent = evaluate(&self.rule, state, out, memos);
        if memos.0.len() <= self.id {
            memos.0.resize_with(self.id + 1, Memo::default);
        }
        let memo = &mut memos.0[self.id];
        memo.entries.resize(self.span.mask as usize + 1, UNKNOWN);
        let found = out[begin..].iter().map(|change| (change.rate, change.delta[word]));
        memo.entries[at] =
            Entry { apparent, begin: memo.changes.len() as u32, count: (out.len() - begin) as u32 };
        memo.changes.extend(found);
        apparent
    }
}

/// Puts components that lie close together into one look-up, wherever a rule has alternatives among them.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    /// How many look-ups there are, and how many combinations are remembered for them.
    count: usize,
    combinations: usize,
}

impl Gather {
    /// The same rule with look-ups.
    pub(crate) fn rule(&mut self, rule: Rule) -> Rule {
        match rule {
            Rule::All(all) => Rule::All(all.into_iter().map(|rule| self.rule(rule)).collect()),
            Rule::Any(all) => {
                let mut gathered = self.any(all);
                if gathered.len() == 1 { gathered.remove(0) } else { Rule::Any(gathered) }
            }
            Rule::One(field, by_local) if by_local.len() >= SEVERAL => {
                self.look_up(Span::one(field, 0), Rule::One(field, by_local))
            }
            other => other,
        }
    }

    /// Alternatives, with look-ups for runs of single components.
    fn any(&mut self, all: Vec<Rule>) -> Vec<Rule> {
        let mut out = Vec::new();
        let mut run: Vec<Rule> = Vec::new();
        let mut span: Option<Span> = None;
        for rule in all {
            let Rule::One(field, _) = rule else {
                self.end(&mut run, span.take(), &mut out);
                out.push(self.rule(rule));
                continue;
            };
            if !span.as_mut().is_some_and(|span| span.take(field, run.len(), BITS)) {
                self.end(&mut run, span.replace(Span::one(field, 0)), &mut out);
            }
            run.push(rule);
        }
        self.end(&mut run, span, &mut out);
        out
    }

    /// Ends a run of single components.
    fn end(&mut self, run: &mut Vec<Rule>, span: Option<Span>, out: &mut Vec<Rule>) {
        match (span, run.len()) {
            (Some(span), 2..) => {
                let rule = Rule::Any(std::mem::take(run));
                out.push(self.look_up(span, rule));
            }
            _ => out.extend(run.drain(..).map(|rule| self.rule(rule))),
        }
    }

    /// A look-up for a rule, unless there is too much to be remembered.
    fn look_up(&mut self, span: Span, rule: Rule) -> Rule {
        let more = span.mask as usize + 1;
        if span.mask.count_ones() > BITS || self.combinations + more > ALL {
            return rule;
        }
        self.combinations += more;
        self.count += 1;
        Rule::Near(Box::new(Near { id: self.count - 1, span, rule }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Gather, Memos};
    use crate::space::layout::Field;
    use crate::space::rules::{Rule, Step};
    use crate::space::successors::evaluate;

    /// A component of `bits` bits at a shift that goes on from each of its local states but the last.
    fn one(shift: u32, bits: u32) -> Rule {
        let mask = (1u64 << bits) - 1;
        let field = Field { word: 1, shift, mask };
        let step = |from: u64| Step { rate: 1.0 + from as f64, word: 1, delta: field.delta(from, from + 1) };
        Rule::One(field, (0..mask).map(|from| (from as u32, 1.0 + from as f64, vec![step(from)])).collect())
    }

    #[test]
    fn what_is_looked_up_is_what_the_rules_say() {
        // The third run begins where twelve bits are full, the last component has its own.
        let parts =
            [(0, 3), (3, 3), (6, 6), (12, 5), (17, 2), (30, 13)].map(|(shift, bits)| one(shift, bits));
        let rule = Rule::All(vec![Rule::Any(parts.to_vec()), one(50, 2)]);
        let gathered = Gather::default().rule(rule.clone());
        let Rule::All(all) = &gathered else { panic!("{gathered:?}") };
        assert!(matches!(&all[0], Rule::Any(runs) if runs.len() == 3), "{gathered:?}");
        let mut memos = Memos::default();
        let mut random = forerun_platform::random::Random::new(7);
        for _ in 0..2000 {
            let state = [0, (random.unit() * 2f64.powi(52)) as u64];
            let (mut plain, mut looked_up) = (Vec::new(), Vec::new());
            let one = evaluate(&rule, &state, &mut plain, &mut Memos::default());
            let other = evaluate(&gathered, &state, &mut looked_up, &mut memos);
            assert!((one - other).abs() <= 1e-12 * one, "{one} {other}");
            assert_eq!(plain.len(), looked_up.len());
            for (a, b) in plain.iter().zip(&looked_up) {
                assert_eq!(a.delta, b.delta);
                assert!((a.rate - b.rate).abs() <= 1e-12 * a.rate, "{a:?} {b:?}");
            }
        }
    }
}
