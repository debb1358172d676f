//! The shapes that a planner tries.

use forerun_platform::{Deal, Strategy};
use forerun_skeleton::reduction::Shape;

use super::request::Request;

/// Numbers from 1 to `max`: all up to 8, then about eight an octave up to 64, four above, and
/// `max`.
pub(crate) fn processors(max: usize) -> Vec<usize> {
    let mut all = Vec::new();
    let mut p = 1;
    while p <= max {
        all.push(p);
        let octave = 1usize << p.ilog2();
        p += match p {
            ..8 => 1,
            8..64 => octave / 8,
            _ => octave / 4,
        };
    }
    all.push(max);
    all.dedup();
    all
}

/// Shapes of a strategy on up to the request's number of ranks, those that cannot be left out.
pub(super) fn shapes(request: &Request<'_>, strategy: Strategy) -> Vec<Shape> {
    let fixed = &request.fixed;
    let max = request.max_processors;
    let totals = match fixed.processors {
        Some(p) => vec![p],
        None if strategy == Strategy::ParallelPipeline => pipelines(request),
        None => processors(max),
    };
    let mut all = Vec::new();
    for ranks in totals {
        let groups = match fixed.groups {
            Some(g) => vec![g],
            // Sets of an unknown input reach the sinks of several groups out of order.
            None if !request.commutative && !request.known_length => vec![1],
            None => groupings(ranks),
        };
        for g in groups {
            if g == 0 || !ranks.is_multiple_of(g) {
                continue;
            }
            // Groups of one rank work alike by any strategy; the name of one says nothing then.
            if g == ranks && g > 1 && fixed.groups.is_none() && strategy != Strategy::Adaptive {
                continue;
            }
            for arity in arities(request, strategy, ranks / g) {
                let shape = Shape { strategy, ranks, groups: g, arity, ..Shape::new(strategy, ranks / g) };
                let knobs = knobs(request, &shape);
                all.extend(knobs.filter(|shape| shape.check().is_ok()));
            }
        }
    }
    all
}

/// A shape with the sets and deals that its strategy can have. An even deal's first share is for
/// the search to balance.
fn knobs(request: &Request<'_>, shape: &Shape) -> impl Iterator<Item = Shape> + use<> {
    let (shape, fixed) = (*shape, request.fixed.set);
    let adaptive = shape.strategy == Strategy::Adaptive && shape.ranks > shape.groups;
    let times: &[u64] = if adaptive && fixed.is_none() { &[1, 2, 4] } else { &[1] };
    let even = adaptive && request.commutative && request.known_length;
    // Claimed tasks in whole sets; dealt ones also, where the tree is flat, in quarters of one or
    // one by one.
    let flat = shape.arity >= shape.ranks / shape.groups;
    let claimed = [(Deal::Claimed, 1)].into_iter();
    let dealt = [1, 4, u64::MAX].map(|part| (Deal::Even { first_permille: 1000 }, part));
    let deals: Vec<_> =
        claimed.chain(dealt.into_iter().filter(|&(_, part)| even && (part == 1 || flat))).collect();
    times.iter().flat_map(move |times| {
        let set = fixed.unwrap_or(shape.set * times);
        deals.clone().into_iter().filter_map(move |(deal, part)| {
            let gather = if part == 1 { 0 } else { (set / part).max(1) };
            (part == 1 || gather < set).then_some(Shape { set, gather, deal, ..shape })
        })
    })
}

/// In what a shape can differ from another beside ranks and groups: arity (flat or not), set,
/// gathering and deal.
fn aspects(shape: &Shape) -> (usize, u64, u64, bool) {
    let size = shape.ranks / shape.groups;
    let arity = if shape.arity >= size { usize::MAX } else { shape.arity };
    let set = shape.set / (size as u64 / 2).max(1);
    let part = match shape.gather {
        0 => 1,
        1 => u64::MAX,
        gather => shape.set / gather,
    };
    (arity, set, part, matches!(shape.deal, Deal::Even { .. }))
}

/// Whether nothing of a shape is out of the ordinary but its deal: binary or flat, the least sets.
pub(super) fn plain(shape: &Shape) -> bool {
    let (arity, set, part, _) = aspects(shape);
    (arity == 2 || arity == usize::MAX) && set <= 1 && part == 1
}

/// Whether two shapes differ in one respect: the ranks (with the same groups or the same size of
/// a group), the groups, or one aspect.
pub(super) fn neighbours(a: &Shape, b: &Shape) -> bool {
    let (x, y) = (aspects(a), aspects(b));
    let team = if a.ranks == b.ranks {
        usize::from(a.groups != b.groups)
    } else if a.groups == b.groups || a.ranks / a.groups == b.ranks / b.groups {
        1
    } else {
        2
    };
    let arity = usize::from(x.0 != y.0);
    let knobs = usize::from((x.1, x.2) != (y.1, y.2)) + usize::from(x.3 != y.3);
    team + arity + knobs == 1 || (team + arity == 0 && knobs == 2)
}

/// Totals for the pipeline: every power of the arities, as often as it fits.
fn pipelines(request: &Request<'_>) -> Vec<usize> {
    let max = request.max_processors;
    let mut all = vec![1];
    let arities = request.fixed.arity.map_or(vec![2, 3, 4], |a| vec![a]);
    for a in arities.into_iter().filter(|&a| a >= 2) {
        let mut size = a;
        while size <= max {
            match request.fixed.groups {
                Some(g) => all.extend(size.checked_mul(g).filter(|&p| p <= max)),
                None => {
                    all.push(size);
                    all.push(max / size * size);
                }
            }
            match size.checked_mul(a) {
                Some(next) => size = next,
                None => break,
            }
        }
    }
    all.retain(|&p| p > 0);
    all.sort_unstable();
    all.dedup();
    all
}

/// Divisors of `ranks` to cut it into groups: powers of two, and those that make groups of up to
/// 16 ranks.
fn groupings(ranks: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..usize::BITS)
        .map(|k| 1usize << k)
        .take_while(|&g| g <= ranks)
        .chain((1..=16).map(|size| ranks / size))
        .filter(|&g| g > 0 && ranks.is_multiple_of(g))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Most ranks whose flat tree is considered: its depth is their number, and working it out takes as long.
const FLATTEST: usize = 1 << 14;

fn arities(request: &Request<'_>, strategy: Strategy, size: usize) -> Vec<usize> {
    if let Some(arity) = request.fixed.arity {
        return vec![arity];
    }
    match strategy {
        _ if size <= 2 => vec![2],
        Strategy::MasterSlave => vec![2],
        Strategy::ParallelPipeline => {
            [2usize, 3, 4].into_iter().filter(|&a| a.pow(size.ilog(a)) == size).collect()
        }
        // Flat as well: all send to the first rank.
        Strategy::ReductionTree | Strategy::Adaptive => {
            let mut all: Vec<usize> = [2, 3, 4, 8].into_iter().filter(|&a| a < size).collect();
            if size <= FLATTEST {
                all.push(size);
            }
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::processors;

    #[test]
    fn processors_rise_to_the_most() {
        for max in 1..3000 {
            let all = processors(max);
            assert!(all.windows(2).all(|w| w[0] < w[1]), "{max}: {all:?}");
            assert_eq!((all[0], *all.last().unwrap()), (1, max));
        }
        assert!(processors(1024).len() < 60);
    }
}
