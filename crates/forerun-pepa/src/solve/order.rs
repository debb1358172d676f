//! An order of the states in which most of what happens leads forward.
//!
//! A Gauss–Seidel sweep carries probability along every transition that leads forward, however long the way, and
//! by one step along those that lead backward. So what counts is how much of the flow leads backward. A component that goes round in
//! circles has one such step in each circle: ordered by its local state first, as the circle runs, only that one
//! leads backward, whatever all others do. This looks for the components, and the orders of their local states,
//! for which that is so, by the steps of a random walk: transitions in proportion to their flow.

use crate::space::{Coordinate, Space, Span, spans};

/// Steps of the walk that are looked at.
const LOOKED: usize = 8192;
/// With more components than this, or local states in one, the order stays as it is.
const COMPONENTS: usize = 200;
const LOCALS: usize = 1000;

/// Puts states, each given by one of the space, in such an order, by steps from one to another; the share of the steps that leads backward is given as
/// well. None if that is no better than the order that they are in. Cost: some passes over the states.
pub(super) fn order(
    space: &Space,
    state: &dyn Fn(usize) -> usize,
    states: usize,
    steps: &[(u32, u32)],
) -> Option<(Vec<u32>, f64)> {
    let steps = &steps[steps.len().saturating_sub(LOOKED)..];
    let as_they_are = steps.iter().filter(|(from, to)| to < from).count();
    let coordinates = space.coordinates();
    let fits = coordinates.len() <= COMPONENTS && coordinates.iter().all(|c| c.values <= LOCALS);
    if !fits || steps.is_empty() {
        return None;
    }
    let ends = |(from, to): &(u32, u32)| [*from, *to].map(|s| space.packed(state(s as usize)));
    let (ranked, backward) = choose(&coordinates, steps.iter().map(ends).collect());
    if backward >= as_they_are.min(steps.len() - as_they_are) {
        return None;
    }
    let keys = Keys::of(&ranked)?;
    let all: Vec<u128>;
    let short: Vec<u64>;
    let packed = |s: usize| space.packed(state(s));
    let order = if keys.bits <= u64::BITS {
        short = (0..states).map(|s| keys.key(packed(s)) as u64).collect();
        sorted(states, keys.bits, |at, low| (short[at] >> low) as usize)
    } else {
        all = (0..states).map(|s| keys.key(packed(s))).collect();
        sorted(states, keys.bits, |at, low| (all[at] >> low) as usize)
    };
    Some((order, backward as f64 / steps.len() as f64))
}

/// A coordinate and the place of each of its values in the order.
struct Ranked {
    coordinate: Coordinate,
    places: Vec<u32>,
}

/// The coordinates, the most significant first, and how many of the steps lead backward then. Each time the one
/// is taken of whose steps the smallest share leads backward; a step is decided by the first coordinate that it changes.
fn choose(coordinates: &[Coordinate], mut steps: Vec<[&[u64]; 2]>) -> (Vec<Ranked>, usize) {
    let mut left: Vec<Coordinate> = coordinates.to_vec();
    let mut ranked = Vec::new();
    let mut backward = 0;
    while !left.is_empty() {
        let tried = left.iter().map(|c| rank(c, &steps));
        let share = |(_, back, all): &(Vec<u32>, usize, usize)| *back as f64 / (*all).max(1) as f64;
        // What does not change now decides nothing, and comes last.
        let worth = |t: &(Vec<u32>, usize, usize)| if t.2 == 0 { 2.0 } else { share(t) };
        let Some((at, (places, back, _))) =
            tried.enumerate().min_by(|a, b| worth(&a.1).total_cmp(&worth(&b.1)))
        else {
            break;
        };
        let coordinate = left.remove(at);
        backward += back;
        steps.retain(|[from, to]| coordinate.value(from) == coordinate.value(to));
        ranked.push(Ranked { coordinate, places });
    }
    (ranked, backward)
}

/// The order of a coordinate's values for these steps; how many of them lead backward then, and how many change it.
fn rank(coordinate: &Coordinate, steps: &[[&[u64]; 2]]) -> (Vec<u32>, usize, usize) {
    let n = coordinate.values;
    let changes = steps.iter().map(|[from, to]| (coordinate.value(from), coordinate.value(to)));
    let changes: Vec<(usize, usize)> = changes.filter(|(from, to)| from != to).collect();
    let places: Vec<u32> = if coordinate.counts {
        // Numbers of copies: downward or upward.
        let up = changes.iter().filter(|(from, to)| to > from).count();
        if up * 2 > changes.len() { (0..n as u32).collect() } else { (0..n as u32).rev().collect() }
    } else {
        along(n, &changes)
    };
    let backward = changes.iter().filter(|(from, to)| places[*to] < places[*from]).count();
    (places, backward, changes.len())
}

/// Numbers nodes so that few of the arcs lead backward (Eades, Lin and Smyth, *A fast and effective heuristic for the feedback
/// arc set problem*, Inf. Process. Lett. 47, 1993): what nothing leads to comes first, what leads nowhere last, and where there is
/// neither, that from which most more leads out than in. Cost: n² and the arcs.
fn along(n: usize, arcs: &[(usize, usize)]) -> Vec<u32> {
    let (mut out, mut into) = (vec![0i64; n], vec![0i64; n]);
    let mut touching: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (at, (from, to)) in arcs.iter().enumerate() {
        out[*from] += 1;
        into[*to] += 1;
        touching[*from].push(at);
        touching[*to].push(at);
    }
    let (mut places, mut gone) = (vec![0u32; n], vec![false; n]);
    let (mut first, mut last) = (0, n as u32);
    while first < last {
        let left = || (0..n).filter(|v| !gone[*v]);
        let surplus = |v: &usize| (out[*v] - into[*v], std::cmp::Reverse(*v));
        let source = left().find(|v| into[*v] == 0);
        let sink = source.is_none().then(|| left().rev().find(|v| out[*v] == 0)).flatten();
        let Some(node) = source.or(sink).or_else(|| left().max_by_key(surplus)) else { break };
        gone[node] = true;
        if sink.is_some() {
            last -= 1;
            places[node] = last;
        } else {
            places[node] = first;
            first += 1;
        }
        for at in &touching[node] {
            let (from, to) = arcs[*at];
            if to == node {
                out[from] -= 1;
            } else {
                into[to] -= 1;
            }
        }
    }
    places
}

/// Bits of a state that are turned into a part of its key together.
const BITS: u32 = 10;

/// The keys by which states are sorted.
struct Keys {
    /// For each span its part of the key, by its value.
    parts: Vec<(Span, Vec<u128>)>,
    bits: u32,
}

impl Keys {
    /// None if they would take too many bits.
    fn of(ranked: &[Ranked]) -> Option<Keys> {
        let width = |r: &Ranked| usize::BITS - r.coordinate.values.saturating_sub(1).leading_zeros();
        let bits = ranked.iter().map(width).sum();
        if bits > u128::BITS {
            return None;
        }
        // The first is the most significant.
        let mut left = bits;
        let shifts: Vec<u32> = ranked
            .iter()
            .map(|r| {
                left -= width(r);
                left
            })
            .collect();
        let fields: Vec<_> = ranked.iter().map(|r| r.coordinate.field).collect();
        let part = |span: &Span, value: usize| -> u128 {
            let of = |at: &usize| {
                let place = ranked[*at].places.get(span.of(fields[*at], value)).copied().unwrap_or(0);
                u128::from(place).checked_shl(shifts[*at]).unwrap_or(0)
            };
            span.fields.iter().map(of).sum()
        };
        let of_span = |span: Span| {
            let all = (0..=span.mask as usize).map(|value| part(&span, value)).collect();
            (span, all)
        };
        Some(Keys { parts: spans(&fields, BITS).into_iter().map(of_span).collect(), bits })
    }

    fn key(&self, state: &[u64]) -> u128 {
        self.parts.iter().map(|(span, all)| all[span.value(state)]).sum()
    }
}

/// The numbers of so many keys of so many bits, the smallest first; of each its bits from one on are given.
fn sorted(count: usize, bits: u32, key: impl Fn(usize, u32) -> usize) -> Vec<u32> {
    const DIGIT: u32 = 11;
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut next = order.clone();
    for low in (0..bits).step_by(DIGIT as usize) {
        let digit = |at: u32| key(at as usize, low) & ((1 << DIGIT) - 1);
        let mut begin = vec![0u32; (1 << DIGIT) + 1];
        order.iter().for_each(|at| begin[digit(*at) + 1] += 1);
        for at in 0..1 << DIGIT {
            begin[at + 1] += begin[at];
        }
        for at in &order {
            let place = &mut begin[digit(*at)];
            next[*place as usize] = *at;
            *place += 1;
        }
        std::mem::swap(&mut order, &mut next);
    }
    order
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::start::walk;
    use super::{along, order, sorted};
    use crate::model::{Settings, compile};
    use crate::space::{Exploration, Space};
    use crate::syntax::{Dialect, parse};

    #[test]
    fn a_circle_has_one_step_back_wherever_it_begins() {
        let circle: Vec<(usize, usize)> = [(2, 0), (0, 3), (3, 1), (1, 2)].repeat(5);
        let places = along(4, &circle);
        let back = circle.iter().filter(|(from, to)| places[*to] < places[*from]).count();
        assert_eq!(back, 5, "{places:?}");
        let mut all = places;
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
    }

    #[test]
    fn keys_are_sorted_and_equal_ones_stay_in_their_order() {
        let keys: Vec<u128> = (0..5000u128).map(|i| ((i * 7919) % 4001) << 60).collect();
        let order = sorted(keys.len(), 80, |at, low| (keys[at] >> low) as usize);
        let by_key = |at: &u32| (keys[*at as usize], *at);
        assert!(order.windows(2).all(|two| by_key(&two[0]) < by_key(&two[1])));
    }

    /// A server that goes round and round: only the step that closes the circle leads backward.
    #[test]
    fn what_goes_in_a_circle_is_ordered_along_it() {
        let mut text = String::new();
        let (mut set, mut all) = (Vec::new(), Vec::new());
        for s in 1..=9 {
            let next = s % 9 + 1;
            let _ = writeln!(
                text,
                "At_{s} = (skip_{s}, 50).At_{next} + (serve_{s}, 1).At_{next};
                 Empty_{s} = (arrive_{s}, 0.1).Full_{s} + (skip_{s}, infty).Empty_{s}; Full_{s} = (serve_{s}, infty).Empty_{s};"
            );
            set.push(format!("skip_{s}, serve_{s}"));
            all.push(format!("Empty_{s}"));
        }
        let _ = writeln!(text, "({}) <{}> At_1", all.join(" <> "), set.join(", "));
        let model = parse(&text, Dialect::Any).model.expect("a model");
        let system = compile(&model, &Settings::new()).system.expect("a system");
        let space = Space::explore(&system, &Exploration::default(), &mut |_| true).expect("states");
        let n = space.states();
        // Few states are not walked through: so often the same ones as different ones.
        let transitions = |s: usize, each: &mut dyn FnMut(u32, f64)| {
            space.from(s % n).for_each(|t| each(t.to, t.rate));
        };
        let walk = walk(n * 2, &transitions).expect("a walk");
        let (order, backward) = order(&space, &|s| s, n, &walk.steps).expect("a better order");
        assert!(backward < 0.12, "{backward}");
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(at, s)| place[*s as usize] = at);
        let all = (0..n).flat_map(|s| space.from(s).map(move |t| (s, t.to as usize)));
        let (back, count) =
            all.fold((0, 0), |(b, n), (s, to)| (b + usize::from(place[to] < place[s]), n + 1));
        assert!(back * 8 < count, "{back} of {count}");
    }
}
