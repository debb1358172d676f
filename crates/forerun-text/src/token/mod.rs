//! Words and sentences of running text, in the style of the Brown corpus or of the Penn treebank.
//!
//! | | Brown | Penn |
//! |---|---|---|
//! | contractions, possessives | one token: `didn't`, `Atlanta's` | two: `did n't`, `Atlanta 's` |
//! | `$5`, `10%` | one token | two |
//!
//! In both, abbreviations and initials keep their full stop, numbers their commas and points, hyphenated words
//! stay together, and straight double quotes become `` `` `` where they open and `''` where they close.
//!
//! ```
//! use forerun_text::token::{Style, Tokens};
//!
//! let text = "Mr. Hay didn't pay $1,200. \"Why?\" she asked.";
//! let mut tokens = Tokens::default();
//! tokens.read(text, Style::Brown);
//! let first: Vec<&str> = tokens.sentence(0).map(|i| tokens.form(text, i)).collect();
//! assert_eq!(first, ["Mr.", "Hay", "didn't", "pay", "$1,200", "."]);
//! assert_eq!(tokens.sentences(), 2);
//! ```

mod abbreviations;
mod split;
mod tokens;

pub use tokens::{Style, Token, Tokens};
