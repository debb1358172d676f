//! Which inputs a group of ranks works on.

/// The share of one group: local indices 0, 1, 2, … and what they are in the whole input.
///
/// Where the number of inputs is known, a group has a contiguous range, so that the groups'
/// results follow each other in the order of the inputs; where it is not, every `groups`-th.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    /// First rank of the group.
    pub(crate) base: usize,
    /// Ranks of the group.
    pub(crate) size: usize,
    /// Number of the group.
    pub(crate) group: usize,
    first: u64,
    stride: u64,
    len: Option<u64>,
}

impl Share {
    /// The share of the group that `rank` is in, when `ranks` ranks are cut into `groups` groups
    /// over `inputs` inputs.
    pub(crate) fn of(rank: usize, ranks: usize, groups: usize, inputs: Option<u64>) -> Self {
        let size = ranks / groups;
        let group = rank / size;
        let (g, n) = (group as u64, groups as u64);
        let (first, stride, len) = match inputs {
            Some(total) => {
                // u128: total · groups may pass 2^64.
                let cut = |k: u64| (u128::from(total) * u128::from(k) / u128::from(n)) as u64;
                (cut(g), 1, Some(cut(g + 1) - cut(g)))
            }
            None => (g, n, None),
        };
        Share { base: group * size, size, group, first, stride, len }
    }

    /// Number of inputs of the group, where it is known.
    pub(crate) fn len(&self) -> Option<u64> {
        self.len
    }

    /// Index in the whole input of the group's input `local`, unless it is known not to exist.
    #[inline]
    pub(crate) fn global(&self, local: u64) -> Option<u64> {
        match self.len {
            // Contiguous, and no larger than the whole input: no overflow.
            Some(n) => (local < n).then(|| self.first + local),
            None => local.checked_mul(self.stride)?.checked_add(self.first),
        }
    }

    /// Whether it is known that the group has no input `local`.
    pub(crate) fn is_dry(&self, local: u64) -> bool {
        self.len.is_some_and(|n| local >= n)
    }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn shares_are_disjoint_and_cover_the_input() {
        for total in [0, 1, 2, 5, 64, 97] {
            for groups in 1..=6 {
                let mut seen = Vec::new();
                for g in 0..groups {
                    let s = Share::of(g * 2, groups * 2, groups, Some(total));
                    seen.extend((0..).map_while(|i| s.global(i)));
                }
                assert_eq!(seen, (0..total).collect::<Vec<_>>(), "{total} inputs, {groups} groups");
            }
        }
    }

    #[test]
    fn shares_of_an_endless_input_are_disjoint_and_cover_it() {
        let mut seen: Vec<u64> =
            (0..3).flat_map(|g| (0..5).map(move |i| Share::of(g, 3, 3, None).global(i).unwrap())).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..15).collect::<Vec<_>>());
    }
}
