//! Bringing what a rank is about to touch into the cache.

use forerun_skeleton::Message;

use super::World;

/// From so many ranks on, what a rank touches comes from memory and not from the caches next to the processor. Tests are not
/// about speed, and look with few ranks too.
pub(super) const MANY_RANKS: usize = if cfg!(test) { 8 } else { 1 << 10 };

impl<M: Message> World<'_, M> {
    /// Looks at what the ranks will touch that go on next.
    ///
    /// From a rank it is one step to its buffers and another to the messages in them, and whoever takes them waits for memory at
    /// each. So the messages are looked at of `rank`, which is about to go on; the buffers of the rank after it; and the
    /// names of the buffers of the one after that: all of these come at once.
    pub(super) fn warm(&self, rank: u32) {
        let [second, third] = [0, 1].map(|n| self.ready.ahead(n).unwrap_or(rank));
        let messages = self.rank(rank).peers.few().fold(0, |seen, (pair, leads_here)| {
            seen ^ self.pairs.letters(pair, leads_here).fold(0, |seen, letter| seen ^ self.mail.look(letter))
        });
        let buffers = self.rank(second).peers.few().fold(0, |seen, (pair, _)| seen ^ self.pairs.look(pair));
        let names = self.rank(third).peers.look();
        std::hint::black_box(messages ^ buffers ^ names);
    }
}
