//! Links that hosts share, of streams side by side.

use forerun_platform::statistics::median;
use forerun_platform::{Level, SecondsPerByte, Topology, TopologyKind};

/// How many times as long streams take, side by side, where a link is shared at least.
const SHARED: f64 = 1.3;
/// Part of the most that a width must slow streams to be the first that does so.
const NEARLY: f64 = 0.9;

/// A link that hosts share on the way to the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SharedLink {
    /// Hosts that share it.
    pub(super) hosts: usize,
    /// How many times as long their streams take when all of them send through it.
    pub(super) slower: f64,
}

/// The median of how many times as long streams took, by how many were side by side, ascending.
pub(super) fn medians(slower: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut widths: Vec<usize> = slower.iter().map(|(width, _)| *width).collect();
    widths.sort_unstable();
    widths.dedup();
    let of = |width: usize| -> Vec<f64> { slower.iter().filter(|s| s.0 == width).map(|s| s.1).collect() };
    widths.into_iter().filter_map(|width| Some((width, median(&of(width))?))).collect()
}

/// The shared link, where streams show one: the first width that slows them as much as any does.
pub(super) fn shared_link(slower: &[(usize, f64)]) -> Option<SharedLink> {
    let medians = medians(slower);
    let most = medians.iter().map(|m| m.1).fold(0.0, f64::max);
    if most < SHARED {
        return None;
    }
    let (hosts, slower) = medians.into_iter().find(|m| m.1 >= NEARLY * most)?;
    Some(SharedLink { hosts, slower })
}

/// The topology of `ranks` hosts whose own links take `gap_per_byte`: a switch, or leaves with the shared links, which are as fast as
/// their streams together were.
pub(super) fn topology(ranks: usize, link: Option<SharedLink>, gap_per_byte: SecondsPerByte) -> Topology {
    match link {
        None => Topology::new(TopologyKind::Switch, vec![Level::new(ranks, gap_per_byte)]),
        Some(SharedLink { hosts, slower }) => {
            let of_shared = SecondsPerByte(gap_per_byte.0 * slower / hosts as f64);
            let leaves = ranks.div_ceil(hosts);
            Topology::new(
                TopologyKind::LeafSpine,
                vec![Level::new(hosts, of_shared), Level::new(leaves, of_shared)],
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What streams of f ranks to the next f would take with `hosts` to a link that is as fast as `links` of theirs.
    fn streams(ranks: usize, hosts: usize, links: f64) -> Vec<(usize, f64)> {
        let slower = |width: usize| {
            let mut worst: Vec<f64> = (0..width)
                .map(|rank| {
                    let leaf = rank / hosts;
                    if leaf == (rank + width) / hosts {
                        return 1.0;
                    }
                    let beside = (0..width).filter(|r| r / hosts == leaf && (r + width) / hosts != leaf);
                    (beside.count() as f64 / links).max(1.0)
                })
                .collect();
            worst.sort_by(f64::total_cmp);
            worst[width / 2]
        };
        (1..=ranks / 2).map(|width| (width, slower(width))).collect()
    }

    #[test]
    fn hosts_behind_a_link_are_counted() {
        for (ranks, hosts, links) in [(8, 4, 1.0), (16, 4, 1.0), (16, 8, 2.0), (12, 3, 1.0), (16, 8, 4.0)] {
            let found = shared_link(&streams(ranks, hosts, links)).expect("a shared link");
            assert_eq!(found.hosts, hosts, "{ranks} {hosts} {links}");
            assert!((found.slower - hosts as f64 / links).abs() < 1e-9);
            let topology = topology(ranks, Some(found), SecondsPerByte(8e-8));
            assert_eq!(
                (topology.levels[0].fan_in, topology.levels[1].fan_in),
                (hosts, ranks.div_ceil(hosts))
            );
            assert!((topology.levels[0].gap_per_byte.value.0 - 8e-8 / links).abs() < 1e-15);
        }
    }

    #[test]
    fn a_switch_shows_none() {
        let slower: Vec<(usize, f64)> = (1..=8).flat_map(|w| [(w, 1.02), (w, 0.97), (w, 1.2)]).collect();
        assert_eq!(shared_link(&slower), None);
        let topology = topology(16, None, SecondsPerByte(8e-8));
        assert_eq!((topology.levels.len(), topology.levels[0].fan_in), (1, 16));
    }
}
