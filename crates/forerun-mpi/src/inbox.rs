//! Messages that have come and are not yet taken.

use std::collections::VecDeque;

use crate::raw::Receiving;

/// Messages that have come, in the order in which they did; of some the bytes are still on their way.
#[derive(Default)]
pub(crate) struct Inbox {
    letters: VecDeque<Letter>,
    /// How many are still on their way.
    coming: usize,
}

struct Letter {
    from: usize,
    body: Body,
}

enum Body {
    Coming(Receiving),
    Here(Vec<u8>),
}

impl Inbox {
    /// Adds a message after all others.
    pub(crate) fn add(&mut self, from: usize, mut receiving: Receiving) {
        let body = match receiving.bytes() {
            Some(bytes) => Body::Here(bytes),
            None => {
                self.coming += 1;
                Body::Coming(receiving)
            }
        };
        self.letters.push_back(Letter { from, body });
    }

    /// Looks at those on their way; whether one has come in full. Of each sender's only as far as the first that has not: each
    /// look lets MPI work, and those after it could not be taken yet.
    pub(crate) fn progress(&mut self) -> bool {
        if self.coming == 0 {
            return false;
        }
        let before = self.coming;
        let mut held_up = Vec::new();
        for letter in &mut self.letters {
            if let Body::Coming(receiving) = &mut letter.body
                && !held_up.contains(&letter.from)
            {
                match receiving.bytes() {
                    Some(bytes) => {
                        letter.body = Body::Here(bytes);
                        self.coming -= 1;
                    }
                    None => held_up.push(letter.from),
                }
            }
        }
        self.coming < before
    }

    /// Takes the first message from `from`, or of those that are first from their sender the one that came first.
    /// Costs as much as there are letters before it: none as a rule.
    pub(crate) fn take(&mut self, from: Option<usize>) -> Option<(usize, Vec<u8>)> {
        // Senders whose first message is not here yet: those after it must wait.
        let mut held_up = Vec::new();
        let at = self.letters.iter().position(|letter| {
            let wanted = from.is_none_or(|from| from == letter.from) && !held_up.contains(&letter.from);
            if wanted && matches!(letter.body, Body::Coming(_)) {
                held_up.push(letter.from);
                return false;
            }
            wanted
        })?;
        match self.letters.remove(at)? {
            Letter { from, body: Body::Here(bytes) } => Some((from, bytes)),
            Letter { .. } => None,
        }
    }

    /// Whether something is on its way.
    pub(crate) fn is_coming(&self) -> bool {
        self.coming > 0
    }

    /// Whether nothing is here or on its way.
    pub(crate) fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }
}
