//! Bringing what a rank is about to touch into the cache.

use forerun_skeleton::Message;

use super::World;

/// From so many ranks on, what a rank touches comes from memory and not from a cache.
pub(super) const MANY_RANKS: usize = 1 << 14;

impl<M: Message> World<'_, M> {
    /// Looks at the buffers of `rank`, which is about to go on, and at the messages in those that lead
    /// to it.
    ///
    /// It will turn to them one after the other, and would wait for memory each time; looked at one right
    /// after the other, they come all at once.
    pub(super) fn warm(&self, rank: u32) {
        let seen = self.rank(rank).peers.few().fold(0, |seen, (pair, leads_here)| {
            seen ^ self.pairs.letters(pair, leads_here).fold(0, |seen, letter| seen ^ self.mail.look(letter))
        });
        std::hint::black_box(seen);
    }
}
