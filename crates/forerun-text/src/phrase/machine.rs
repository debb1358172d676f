//! The finite-state machine that finds noun phrases of maximal length.
//!
//! ```text
//!              determiner, adverb              adjective, participle, number, adverb
//!                  ┌──┐                             ┌──┐
//!   ┌─────┐  det. ┌▼──┴─┐  adj., part., number    ┌─▼──┴─┐  comma, and   ┌──────┐
//!   │ Out ├──────►│ Det ├────────────────────────►│ Mod  ├──────────────►│ Join │
//!   └┬─┬─┬┘       └─┬─┬─┘                         └┬─┬───┘◄──────────────┴──┬───┘
//!    │ │ │adj., number, participle after a preposition│ adj., part., number  │ noun
//!    │ │ └─────────────────────────────────────────►Mod                      │ (after "and")
//!    │ │ noun       │ └──────── noun ────┐ ┌───────┘ │                       │
//!    │ └────────────┼──────────────────►┌▼─▼────┐◄───┼───────────────────────┘
//!    │              │ possessive        │ NOUN  │◄─┐ │ noun, number
//!    │ possessive   └─────────┐         └┬─┬─┬──┴──┘ │
//!    │                        ▼ poss.    │ │ │ of    │ possessive
//!    └─────────────────►┌────────────┐◄──┘ │ └─► Det │
//!                       │ POSSESSIVE │◄────┼─────────┘
//!                       └─┬───────┬──┘     │ and
//!                    noun │       │ adj.…  ▼
//!                         ▼       ▼      Link ── noun ─► NOUN, adj.… ─► Mod, possessive ─► POSSESSIVE
//!                       NOUN     Mod
//! ```
//!
//! `NOUN` and `POSSESSIVE` accept. A phrase begins at the first word that is neither determiner nor adverb, and
//! ends with the last word at which the machine accepted; words that led nowhere after it are given back. None of
//! them can begin a phrase that ends before the word that stopped the machine, so it goes on from that word, and
//! looks at every word at most twice.

use super::class::Class;

/// States of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum State {
    /// Outside.
    Out,
    /// After determiners, and after *of*.
    Det,
    /// After numbers that may modify a noun.
    Number,
    /// After modifiers.
    Mod,
    /// After modifiers and a comma.
    Comma,
    /// After modifiers and *and*.
    Join,
    /// After a noun: accepts.
    Noun,
    /// After a possessive: accepts.
    Possessive,
    /// After the possessive mark of the Penn treebank.
    Mark,
    /// After a noun and *and*.
    Link,
}

impl State {
    fn accepts(self) -> bool {
        matches!(self, Self::Noun | Self::Possessive)
    }

    /// The next state, `None` where the phrase cannot go on.
    fn step(self, class: Class) -> Option<Self> {
        use Class as C;
        use State as S;
        Some(match (self, class) {
            (S::Out | S::Det, C::Determiner | C::Adverb) => S::Det,
            (S::Possessive | S::Mark, C::Determiner | C::Adverb) => S::Mark,
            (S::Mod | S::Number | S::Join | S::Comma, C::Adverb) => S::Mod,
            (S::Noun, C::Number) => S::Noun,
            (S::Out | S::Det | S::Number | S::Join | S::Possessive | S::Mark | S::Link, C::Number) => {
                S::Number
            }
            (S::Mod | S::Comma, C::Number) => S::Mod,
            (S::Noun, C::Adjective | C::Participle) | (S::Out, C::Participle) => return None,
            (_, C::Adjective | C::Participle) => S::Mod,
            (S::Comma, C::Noun | C::Possessive) => return None,
            (_, C::Noun) => S::Noun,
            (_, C::Possessive) => S::Possessive,
            (S::Noun, C::PossessiveMark) => S::Mark,
            (S::Noun, C::Of) => S::Det,
            (S::Noun, C::And) => S::Link,
            (S::Mod | S::Number | S::Comma, C::And) => S::Join,
            (S::Mod, C::Comma) => S::Comma,
            _ => return None,
        })
    }
}

/// Calls `found` with where each noun phrase of a sentence begins and ends, in words.
pub(super) fn phrases(words: usize, class: impl Fn(usize) -> Class, mut found: impl FnMut(usize, usize)) {
    let (mut state, mut begin, mut accepted) = (State::Out, None, None);
    let mut before = Class::Other;
    let mut i = 0;
    while i < words {
        let now = class(i);
        // A participle begins a phrase only where it can hardly be a verb.
        let begins_with_participle = state == State::Out
            && now == Class::Participle
            && matches!(before, Class::Preposition | Class::Of);
        let next = if begins_with_participle { Some(State::Mod) } else { state.step(now) };
        match next {
            Some(next) => {
                let dropped = matches!(now, Class::Determiner | Class::Adverb);
                if begin.is_none() && !dropped {
                    begin = Some(i);
                }
                state = next;
                if state.accepts() {
                    accepted = Some(i + 1);
                }
                before = now;
                i += 1;
            }
            None => {
                if let (Some(begin), Some(end)) = (begin, accepted) {
                    found(begin, end);
                }
                let stuck = state == State::Out;
                (state, begin, accepted) = (State::Out, None, None);
                if stuck {
                    before = now;
                    i += 1;
                }
            }
        }
    }
    if let (Some(begin), Some(end)) = (begin, accepted) {
        found(begin, end);
    }
}
