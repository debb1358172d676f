//! Shell patterns for file names.

use forerun_skeleton::AppError;

/// A pattern: `*` (any characters but `/`), `**` (any characters), `?`, `[a-z]`, `[!a-z]`, and `\`
/// before a character that stands for itself. Bytes, not characters, are matched.
#[derive(Debug, Clone)]
pub(crate) struct Glob {
    tokens: Vec<Token>,
    /// Whether it speaks of a path rather than of a name.
    pub(crate) path: bool,
}

#[derive(Debug, Clone)]
enum Token {
    Byte(u8),
    Any,
    Class { negated: bool, ranges: Vec<(u8, u8)> },
    Star,
    StarStar,
}

impl Glob {
    /// Parses a pattern. With a `/` in it, it is matched against a path, else against a name.
    pub(crate) fn parse(text: &str) -> Result<Self, AppError> {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start_matches("./").as_bytes();
        let refuse = |what: &str| Err(AppError::new(format!("the pattern `{text}` {what}")));
        if rest.is_empty() {
            return refuse("is empty: give one like `*.html`");
        }
        while let Some((&b, after)) = rest.split_first() {
            rest = after;
            tokens.push(match b {
                b'*' if rest.first() == Some(&b'*') => {
                    rest = &rest[1..];
                    // `**/` also stands for no directory at all.
                    if rest.first() == Some(&b'/') {
                        rest = &rest[1..];
                    }
                    Token::StarStar
                }
                b'*' => Token::Star,
                b'?' => Token::Any,
                b'[' => match class(&mut rest) {
                    Some(token) => token,
                    None => return refuse("has a `[` without its `]`"),
                },
                b'\\' => match rest.split_first() {
                    Some((&b, after)) => {
                        rest = after;
                        Token::Byte(b)
                    }
                    None => return refuse("ends with a `\\`"),
                },
                b => Token::Byte(b),
            });
        }
        Ok(Glob { path: text.contains('/'), tokens })
    }

    /// Whether `name` matches, in time at most the product of the lengths.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        // Sets of places in the pattern; a place after a star can also be held.
        let mut now = vec![false; self.tokens.len() + 1];
        let mut next = now.clone();
        self.reach(&mut now, 0);
        for &b in name {
            next.fill(false);
            for (at, token) in self.tokens.iter().enumerate().filter(|(at, _)| now[*at]) {
                match token {
                    Token::Byte(x) if *x == b => self.reach(&mut next, at + 1),
                    Token::Any if b != b'/' => self.reach(&mut next, at + 1),
                    Token::Class { negated, ranges }
                        if b != b'/'
                            && ranges.iter().any(|(low, high)| (*low..=*high).contains(&b)) != *negated =>
                    {
                        self.reach(&mut next, at + 1);
                    }
                    Token::Star if b != b'/' => self.reach(&mut next, at),
                    Token::StarStar => self.reach(&mut next, at),
                    _ => {}
                }
            }
            std::mem::swap(&mut now, &mut next);
        }
        now[self.tokens.len()]
    }

    /// Marks the place and those behind stars that match nothing.
    fn reach(&self, places: &mut [bool], mut at: usize) {
        places[at] = true;
        while matches!(self.tokens.get(at), Some(Token::Star | Token::StarStar)) {
            at += 1;
            places[at] = true;
        }
    }
}

/// The rest of `[…]`; a `]` that comes first stands for itself.
fn class(rest: &mut &[u8]) -> Option<Token> {
    let negated = matches!(rest.first(), Some(b'!' | b'^'));
    let body = &rest[usize::from(negated)..];
    let end = 1 + body.get(1..)?.iter().position(|&b| b == b']')?;
    *rest = &body[end + 1..];
    let (mut ranges, mut body) = (Vec::new(), &body[..end]);
    while let Some((&low, after)) = body.split_first() {
        body = after;
        match body {
            [b'-', high, after @ ..] => {
                ranges.push((low, *high));
                body = after;
            }
            _ => ranges.push((low, low)),
        }
    }
    Some(Token::Class { negated, ranges })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_as_a_shell_does() {
        for (pattern, yes, no) in [
            ("*.html", &["a.html", ".html", "é.html"][..], &["a.htm", "a/b.html", "a.html.gz"][..]),
            ("a?c", &["abc", "a?c"], &["ac", "a/c", "abbc"]),
            ("[a-c]x[!0-9]", &["axy", "cx-"], &["dxy", "ax5", "ax"]),
            ("[]-]", &["]", "-"], &["a", ""]),
            ("\\*", &["*"], &["a"]),
            ("doc/*.md", &["doc/a.md"], &["a.md", "doc/x/a.md"]),
            ("**/x.md", &["x.md", "a/x.md", "a/b/x.md"], &["x.mdx"]),
            ("a**z", &["az", "a/b/z"], &["a/b"]),
            ("*a*a*a*b", &["aaab"], &["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]),
        ] {
            let glob = Glob::parse(pattern).unwrap();
            for name in yes {
                assert!(glob.matches(name.as_bytes()), "{pattern} should match {name}");
            }
            for name in no {
                assert!(!glob.matches(name.as_bytes()), "{pattern} should not match {name}");
            }
        }
        for bad in ["", "[a", "a\\", "[]"] {
            assert!(Glob::parse(bad).is_err(), "{bad}");
        }
    }
}
