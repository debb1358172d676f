//! robots.txt, by RFC 9309.

use std::time::Duration;

use url::Url;

use crate::normal::percent;

/// Bytes that a robots.txt may have; RFC 9309 (section 2.5) asks for at least 500 KiB.
pub(crate) const MOST: u64 = 4 << 20;

/// What a host lets a crawler do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Robots {
    /// There is no file, or its host cannot give one for the reason that there is none (a status of 4xx).
    Everything,
    /// What the file says.
    Rules(Rules),
}

/// The rules for one crawler.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    allow: bool,
    pattern: String,
}

impl Robots {
    /// Whether a URL may be asked for.
    pub(crate) fn allow(&self, url: &Url) -> bool {
        match self {
            Robots::Everything => true,
            Robots::Rules(rules) => rules.allow(url),
        }
    }

    /// The delay between requests that the file asks for.
    pub(crate) fn delay(&self) -> Option<Duration> {
        match self {
            Robots::Rules(rules) => rules.delay,
            Robots::Everything => None,
        }
    }
}

/// The name by which robots.txt addresses a crawler: the letters, `-` and `_` that its user agent begins with.
pub(crate) fn token(user_agent: &str) -> &str {
    let of_token = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '_';
    &user_agent[..user_agent.find(|c| !of_token(c)).unwrap_or(user_agent.len())]
}

impl Rules {
    /// The rules of a file for the crawler with this token: those of all groups that name it, or else of all
    /// groups for `*`. What is not understood is passed over.
    pub(crate) fn read(file: &[u8], token: &str) -> Self {
        let text = String::from_utf8_lossy(file);
        let mut named = None::<Rules>;
        let mut others = Rules::default();
        // Whether the group at hand is for the crawler, for all, and whether it has a rule already.
        let (mut ours, mut all, mut begun) = (false, false, true);
        for line in text.trim_start_matches('\u{feff}').split(['\n', '\r']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            if key == "user-agent" {
                if begun {
                    (ours, all, begun) = (false, false, false);
                }
                if value == "*" {
                    all = true;
                } else if self::token(value).eq_ignore_ascii_case(token) {
                    ours = true;
                    named.get_or_insert_default();
                }
                continue;
            }
            let groups = [named.as_mut().filter(|_| ours), Some(&mut others).filter(|_| all)];
            match key.as_str() {
                "allow" | "disallow" => {
                    begun = true;
                    for group in groups.into_iter().flatten() {
                        group.add(key == "allow", value);
                    }
                }
                // Not of the RFC, but widely used: seconds.
                "crawl-delay" => {
                    begun = true;
                    let delay = value.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                    for group in groups.into_iter().flatten() {
                        group.delay = group.delay.max(delay);
                    }
                }
                _ => {}
            }
        }
        named.unwrap_or(others)
    }

    fn add(&mut self, allow: bool, pattern: &str) {
        if !pattern.is_empty() {
            self.rules.push(Rule { allow, pattern: percent(pattern) });
        }
    }

    /// The longest pattern that matches decides, and of two equally long ones the one that allows (section 2.2.2).
    fn allow(&self, url: &Url) -> bool {
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        if path == "/robots.txt" {
            return true;
        }
        let matching = self.rules.iter().filter(|r| matches(&r.pattern, path));
        matching.max_by_key(|r| (r.pattern.len(), r.allow)).is_none_or(|r| r.allow)
    }
}

/// Whether a pattern with `*` for any characters matches the beginning of a path, or all of it if it ends with `$`.
/// Each part is taken at its first place: the time is at most the product of both lengths.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return !whole || rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    if whole { rest.ends_with(last) } else { rest.contains(last) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(file: &str, path: &str) -> bool {
        let url = Url::parse(&format!("http://h{path}")).expect("a URL");
        Robots::Rules(Rules::read(file.as_bytes(), "forerun")).allow(&url)
    }

    #[test]
    fn the_token_is_what_the_user_agent_begins_with() {
        assert_eq!(token("forerun/0.1.0"), "forerun");
        assert_eq!(token("My_Bot-x (+http://a)"), "My_Bot-x");
    }

    #[test]
    fn the_group_that_names_the_crawler_goes_before_that_for_all() {
        let file = "User-agent: *\nDisallow: /\n\nUser-Agent: Forerun/2\nuser-agent: other\nDisallow: /no # why\n\
                    \nUser-agent: third\nDisallow: /yes\nUser-agent: FORERUN\nDisallow: /nor\n";
        assert!(allows(file, "/yes"));
        assert!(!allows(file, "/no/x"));
        assert!(!allows(file, "/nor"));
        assert!(!allows("User-agent: x\nUser-agent: *\nDisallow: /a", "/a"));
        assert!(allows("User-agent: forerunner\nDisallow: /", "/a"));
        assert!(allows("Disallow: /", "/a"), "a rule before any group is nobody's");
    }

    #[test]
    fn the_longest_match_decides_and_of_two_the_one_that_allows() {
        let file = "user-agent: *\nallow: /a/b\ndisallow: /a\ndisallow: /x/\nallow: /x/\ndisallow:";
        assert!(allows(file, "/a/b/c"));
        assert!(!allows(file, "/a/c"));
        assert!(allows(file, "/x/y"));
        assert!(allows(file, "/"));
        assert!(allows("user-agent: *\ndisallow: /", "/robots.txt"));
    }

    #[test]
    fn patterns_have_stars_and_ends() {
        let file = "user-agent: *\ndisallow: /*.gif$\ndisallow: /p*q/*r\ndisallow: /%7Ex\ndisallow: /end$";
        assert!(!allows(file, "/a/b.gif"));
        assert!(allows(file, "/a/b.gif?x"));
        assert!(!allows(file, "/p/q/zr/"));
        assert!(allows(file, "/p/qr"));
        assert!(!allows(file, "/~x"));
        assert!(!allows(file, "/end"));
        assert!(allows(file, "/ending"));
        assert!(!matches("/a*aa$", "/aa"), "parts do not overlap");
    }

    #[test]
    fn a_delay_is_read_and_nonsense_is_not() {
        let delay = |s: &str| Rules::read(format!("user-agent: *\ncrawl-delay: {s}").as_bytes(), "x").delay;
        assert_eq!(delay("2.5"), Some(Duration::from_millis(2500)));
        for nonsense in ["", "-1", "NaN", "1e400", "soon"] {
            assert_eq!(delay(nonsense), None, "{nonsense}");
        }
        assert_eq!(Rules::read(b"\xff\xfe\0\0:::\nuser-agent", "x"), Rules::default());
    }
}
