//! Which rules a state's local states allow, so that the others need not be tried.
//!
//! A rule that needs some component to take part can only apply where that component is in one of a few local states. For each rule
//! the component is chosen that allows it most seldom; its local state then names the rules to be tried.

use std::collections::HashMap;

use super::layout::Field;
use super::rules::{Root, Rule};
use super::span::{Span, spans};

/// Numbers of copies up to this are looked up.
const COUNTS: u64 = 1024;
/// A rule that more than this share of a component's local states allow is tried always.
const SELDOM: f64 = 0.75;

/// Words of bits that are remembered for the values of some fields, at most.
const REMEMBERED: usize = 1 << 15;
/// Bits that fields which are looked up together may take.
const BITS: u32 = 12;

/// The rules by what allows them.
#[derive(Debug, Clone)]
pub(crate) struct Guards {
    /// The fields that guard rules, those together that are looked up together.
    groups: Vec<Group>,
    /// Where each value's list begins in `rules`; the next one's begin is its end.
    begins: Vec<u32>,
    rules: Vec<u32>,
    /// A bit for each rule that is always to be tried.
    always: Vec<u64>,
}

/// Fields that are looked at together.
#[derive(Debug, Clone)]
struct Group {
    span: Span,
    /// Each field, and where the lists of its values begin in `begins`.
    fields: Vec<(Field, usize)>,
    /// Whether what they allow together is remembered.
    remembered: bool,
}

/// What groups of fields allow, as far as it was looked at: a bit for each rule, by the group and its value.
#[derive(Debug, Default)]
pub(crate) struct Allowed(Vec<(Vec<bool>, Vec<u64>)>);

impl Guards {
    pub(crate) fn of(roots: &[Root]) -> Guards {
        let mut always = vec![0u64; roots.len().div_ceil(64)];
        let mut guarded: Vec<(Field, Vec<Vec<u32>>)> = Vec::new();
        let mut places: HashMap<(u32, u32), usize> = HashMap::new();
        for (at, root) in roots.iter().enumerate() {
            let seldom =
                |(_, allowed, of): &(Field, Vec<u32>, u64)| allowed.len() as f64 <= SELDOM * *of as f64;
            let Some((field, allowed, of)) = guard(&root.rule).filter(seldom) else {
                always[at / 64] |= 1 << (at % 64);
                continue;
            };
            // A field that holds one value only takes no place, and may lie where the next one does.
            let place =
                *places.entry((field.word, if of == 1 { 64 } else { field.shift })).or_insert_with(|| {
                    guarded.push((field, vec![Vec::new(); of as usize]));
                    guarded.len() - 1
                });
            allowed.into_iter().for_each(|value| guarded[place].1[value as usize].push(at as u32));
        }
        // Fewer bits together where there are many rules.
        let bits = (REMEMBERED / always.len().max(1)).max(1).ilog2().min(BITS);
        let mut guards = Guards { groups: Vec::new(), begins: vec![0], rules: Vec::new(), always };
        let mut lists_of = Vec::new();
        let fields: Vec<Field> = guarded.iter().map(|(field, _)| *field).collect();
        for (_, lists) in guarded {
            lists_of.push(guards.begins.len() - 1);
            for list in lists {
                guards.rules.extend(list);
                guards.begins.push(guards.rules.len() as u32);
            }
        }
        let group = |span: Span| Group {
            fields: span.fields.iter().map(|at| (fields[*at], lists_of[*at])).collect(),
            remembered: span.mask.count_ones() <= bits,
            span,
        };
        guards.groups = spans(&fields, bits).into_iter().map(group).collect();
        guards
    }

    /// Calls back with each rule that may apply in a state, in their order; `marks` is scratch space.
    pub(crate) fn each<E>(
        &self,
        state: &[u64],
        marks: &mut Vec<u64>,
        allowed: &mut Allowed,
        mut call: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        marks.clear();
        marks.extend_from_slice(&self.always);
        allowed.0.resize_with(self.groups.len(), Default::default);
        for (group, (known, bits)) in self.groups.iter().zip(&mut allowed.0) {
            if !group.remembered {
                self.mark(group, state, marks);
                continue;
            }
            let words = marks.len();
            let at = group.span.value(state);
            if known.is_empty() {
                known.resize(group.span.mask as usize + 1, false);
                bits.resize((group.span.mask as usize + 1) * words, 0);
            }
            let bits = &mut bits[at * words..(at + 1) * words];
            if !std::mem::replace(&mut known[at], true) {
                self.mark(group, state, bits);
            }
            marks.iter_mut().zip(bits).for_each(|(mark, bits)| *mark |= *bits);
        }
        for (at, word) in marks.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                call(at * 64 + left.trailing_zeros() as usize)?;
                left &= left - 1;
            }
        }
        Ok(())
    }

    /// Marks the rules that a group's fields allow.
    fn mark(&self, group: &Group, state: &[u64], marks: &mut [u64]) {
        for (field, lists) in &group.fields {
            let list = lists + field.get(state) as usize;
            for rule in &self.rules[self.begins[list] as usize..self.begins[list + 1] as usize] {
                marks[*rule as usize / 64] |= 1 << (rule % 64);
            }
        }
    }
}

/// A number of the state without which a rule cannot apply, the values with which it may, and of how many.
fn guard(rule: &Rule) -> Option<(Field, Vec<u32>, u64)> {
    match rule {
        Rule::One(field, by_local) => {
            Some((*field, by_local.iter().map(|(from, ..)| *from).collect(), field.mask + 1))
        }
        Rule::Count(field, ..) if field.mask < COUNTS => {
            Some((*field, (1..=field.mask as u32).collect(), field.mask + 1))
        }
        Rule::Count(..) | Rule::Any(_) | Rule::Near(_) => None,
        Rule::All(all) => {
            let share = |(_, allowed, of): &(Field, Vec<u32>, u64)| allowed.len() as f64 / *of as f64;
            all.iter().filter_map(guard).min_by(|a, b| share(a).total_cmp(&share(b)))
        }
    }
}
