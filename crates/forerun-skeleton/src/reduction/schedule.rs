//! The schedule of the parallel pipeline as one rank sees it.

/// One step of the schedule, of arity A or, where A is 0, of one that is known only when it runs.
/// Small, and going on takes no division where the arity is known: a rank can be one of a million,
/// and in virtual time a step costs little else.
#[derive(Debug, Clone)]
pub(super) struct Schedule<const A: u32> {
    rank: u32,
    /// aⁿ⁻¹, where P = aⁿ: the stride of the last level.
    top: u32,
    /// a.
    arity: u32,
    /// aˡ for level l.
    stride: u32,
    /// The group's index of the first task that is taken in this step.
    first: u64,
}

impl<const A: u32> Schedule<A> {
    /// The first step of `rank` (fewer than 2^32 `ranks`, a power of the arity).
    pub(super) fn new(rank: usize, ranks: usize, arity: usize) -> Self {
        let first = ranks as u64;
        let [rank, top, arity] = [rank, ranks / arity, arity].map(|n| n as u32);
        Schedule { rank, top, arity, stride: 1, first }
    }

    #[inline(always)]
    fn arity(&self) -> u32 {
        if A > 0 { A } else { self.arity }
    }

    #[inline(always)]
    fn ranks(&self) -> u32 {
        self.top * self.arity()
    }

    /// Ranks that take a task in a step: P − P/a.
    #[inline(always)]
    fn senders(&self) -> u32 {
        self.top * (self.arity() - 1)
    }

    /// Goes on to the next step.
    #[inline(always)]
    pub(super) fn step(&mut self) {
        self.first += u64::from(self.senders());
        self.stride = if self.stride == self.top { 1 } else { self.stride * self.arity() };
    }

    /// The group's index of the first task that is taken in this step; it grows from step to step.
    #[inline(always)]
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// What [`Schedule::first`] is when `tasks` tasks are taken and have come to the last rank: after
    /// ⌈(N − P) / (P − P/a)⌉ + n steps, of which none has been done yet.
    pub(super) fn end(&self, tasks: u64) -> u64 {
        let each = u64::from(self.senders());
        let steps = tasks.saturating_sub(self.first).div_ceil(each) + u64::from(self.levels());
        self.first.saturating_add(steps.saturating_mul(each))
    }

    /// `n` divided by aˡ.
    #[inline(always)]
    fn over_stride(&self, n: u32) -> u32 {
        if A == 2 { n >> self.stride.trailing_zeros() } else { n / self.stride }
    }

    /// Digit l of the rank.
    #[inline(always)]
    fn digit(&self) -> u32 {
        self.over_stride(self.rank) % self.arity()
    }

    #[inline(always)]
    pub(super) fn sends(&self) -> bool {
        if A == 2 { self.rank & self.stride == 0 } else { self.digit() < self.arity() - 1 }
    }

    /// The rank that receives from this one.
    #[inline(always)]
    pub(super) fn receiver(&self) -> usize {
        let above = if A == 2 { 1 } else { self.arity() - 1 - self.digit() };
        (self.rank + above * self.stride) as usize
    }

    /// How many ranks a receiver receives from: a − 1.
    #[inline(always)]
    pub(super) fn fan_in(&self) -> u32 {
        self.arity() - 1
    }

    /// The rank with `digit` at this level, of the a − 1 that this one receives from in the order
    /// of their tasks.
    #[inline(always)]
    pub(super) fn sender(&self, digit: u32) -> usize {
        (self.rank - (self.arity() - 1 - digit) * self.stride) as usize
    }

    /// The group's index of the task that the rank takes after sending.
    #[inline(always)]
    pub(super) fn task(&self) -> u64 {
        if A == 2 {
            // The same, knowing that digit l of a rank that sends is 0.
            let level = self.stride.trailing_zeros();
            let (high, lower) = (self.rank >> level >> 1, self.rank & (self.stride - 1));
            return self.first + u64::from(high + lower * (self.top >> level));
        }
        let high = self.over_stride(self.rank) / self.arity();
        // The digits 0 … l: the number of the rank among those with the same digits above.
        let lower = self.rank - high * self.arity() * self.stride;
        // How many ranks there are for each value of the digits 0 … l: aⁿ / aˡ⁺¹.
        let each = self.over_stride(self.top);
        self.first + u64::from(high + lower * each)
    }

    /// The group's index of the task that the rank begins with.
    pub(super) fn first_task(&self) -> u64 {
        u64::from(self.rank)
    }

    /// n: levels of the tree.
    pub(super) fn levels(&self) -> u32 {
        self.ranks().ilog(self.arity())
    }

    /// Whether the pipeline is in equilibrium, n steps having been done: a set is complete after
    /// every further one.
    pub(super) fn is_filled(&self) -> bool {
        let done = (self.first - u64::from(self.ranks())) / u64::from(self.senders());
        done >= u64::from(self.levels())
    }

    pub(super) fn is_last(&self) -> bool {
        self.rank == self.ranks() - 1
    }
}

/// Which of the links that lead to a rank are open, one bit a link: that from the rank with digit d at
/// level l is bit l · (a − 1) + d.
#[derive(Debug, Default)]
pub(super) struct Links(Box<[u64]>);

impl Links {
    /// All that lead to the rank of the schedule, which is at its beginning.
    pub(super) fn incoming<const A: u32>(s: &Schedule<A>) -> Self {
        let bits = (s.levels() * s.fan_in()) as usize;
        let mut links = Links(vec![0; bits.div_ceil(64)].into());
        let mut s = s.clone();
        for _ in 0..s.levels() {
            if !s.sends() {
                (0..s.fan_in()).for_each(|digit| links.put(&s, digit, true));
            }
            s.step();
        }
        links
    }

    fn bit<const A: u32>(s: &Schedule<A>, digit: u32) -> usize {
        (s.stride.ilog(s.arity()) * s.fan_in() + digit) as usize
    }

    /// Whether the link from the sender with `digit` at this level is open.
    pub(super) fn has<const A: u32>(&self, s: &Schedule<A>, digit: u32) -> bool {
        let bit = Self::bit(s, digit);
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn put<const A: u32>(&mut self, s: &Schedule<A>, digit: u32, open: bool) {
        let bit = Self::bit(s, digit);
        let word = &mut self.0[bit / 64];
        *word = *word & !(1 << (bit % 64)) | u64::from(open) << (bit % 64);
    }

    pub(super) fn close<const A: u32>(&mut self, s: &Schedule<A>, digit: u32) {
        self.put(s, digit, false);
    }

    pub(super) fn none(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    /// In every step the senders take the next tasks, each one, and send to a rank that expects it.
    fn check<const A: u32>(arity: usize, levels: u32) {
        let ranks = usize::pow(arity, levels);
        let mut team: Vec<_> = (0..ranks).map(|r| Schedule::<A>::new(r, ranks, arity)).collect();
        let mut next = ranks as u64;
        for step in 0..3 * levels {
            assert_eq!(team[0].is_filled(), step >= levels);
            let mut tasks: Vec<_> = team.iter().filter(|s| s.sends()).map(Schedule::task).collect();
            tasks.sort_unstable();
            let taken = (ranks - ranks / arity) as u64;
            assert_eq!(tasks, (next..next + taken).collect::<Vec<_>>());
            next += taken;
            for (rank, s) in team.iter().enumerate().filter(|(_, s)| s.sends()) {
                let receiver = &team[s.receiver()];
                assert!(!receiver.sends());
                assert_eq!(receiver.sender(s.digit()), rank);
            }
            team.iter_mut().for_each(Schedule::step);
        }
    }

    #[test]
    fn each_step_hands_out_its_tasks_once_and_every_message_is_expected() {
        for levels in 1..=6 {
            check::<2>(2, levels);
            check::<0>(2, levels);
        }
        for (arity, levels) in [(3, 3), (4, 2), (5, 2), (8, 1)] {
            check::<0>(arity, levels);
        }
    }
}
