//! Messages that have come and are not yet taken.

use std::collections::VecDeque;

use crate::letter::{Coming, Letter};
use crate::raw::Receiving;

/// Messages that have come, in the order in which they did; of some a part is still on its way.
#[derive(Default)]
pub(crate) struct Inbox {
    messages: VecDeque<Message>,
    /// How many are still on their way.
    coming: usize,
}

struct Message {
    from: usize,
    body: Body,
}

enum Body {
    Coming(Coming),
    Here(Letter),
}

impl Message {
    /// Looks whether more of it is here; whether all of it is now.
    fn look(&mut self) -> bool {
        if let Body::Coming(coming) = &mut self.body
            && let Some(letter) = coming.letter()
        {
            self.body = Body::Here(letter);
            return true;
        }
        false
    }
}

impl Inbox {
    /// Adds a message after all others: its head, and whether blocks follow it.
    pub(crate) fn add(&mut self, from: usize, head: Receiving, is_followed: bool) {
        let mut message = Message { from, body: Body::Coming(Coming::new(head, is_followed)) };
        if !message.look() {
            self.coming += 1;
        }
        self.messages.push_back(message);
    }

    /// Adds a block to the last message from `from`, which it follows. Gives it back where that wants none.
    pub(crate) fn add_block(&mut self, from: usize, block: Receiving) -> Option<Receiving> {
        let Some(message) = self.messages.iter_mut().rfind(|message| message.from == from) else {
            return Some(block);
        };
        let Body::Coming(coming) = &mut message.body else { return Some(block) };
        coming.add(block);
        if message.look() {
            self.coming -= 1;
        }
        None
    }

    /// Looks at those on their way; whether one has come in full. Of each sender's only as far as the first that has not: each
    /// look lets MPI work, and those after it could not be taken yet.
    pub(crate) fn progress(&mut self) -> bool {
        if self.coming == 0 {
            return false;
        }
        let before = self.coming;
        let mut held_up = Vec::new();
        for message in &mut self.messages {
            if matches!(message.body, Body::Coming(_)) && !held_up.contains(&message.from) {
                if message.look() {
                    self.coming -= 1;
                } else {
                    held_up.push(message.from);
                }
            }
        }
        self.coming < before
    }

    /// Takes the first message from `from`, or of those that are first from their sender the one that came first.
    /// Costs as much as there are messages before it: none as a rule.
    pub(crate) fn take(&mut self, from: Option<usize>) -> Option<(usize, Letter)> {
        // Senders whose first message is not here yet: those after it must wait.
        let mut held_up = Vec::new();
        let at = self.messages.iter().position(|message| {
            let wanted = from.is_none_or(|from| from == message.from) && !held_up.contains(&message.from);
            if wanted && matches!(message.body, Body::Coming(_)) {
                held_up.push(message.from);
                return false;
            }
            wanted
        })?;
        match self.messages.remove(at)? {
            Message { from, body: Body::Here(letter) } => Some((from, letter)),
            Message { .. } => None,
        }
    }

    /// Whether something is on its way.
    pub(crate) fn is_coming(&self) -> bool {
        self.coming > 0
    }

    /// Whether nothing is here or on its way.
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}
