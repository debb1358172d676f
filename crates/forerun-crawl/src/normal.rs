//! One form for each URL, so that a page is asked for once however links to it are written.

use url::Url;

/// Why a link is not followed, before anything is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// It is no URL.
    Broken,
    /// Neither http nor https.
    Scheme,
    /// It has a user's name or password in it.
    Credentials,
    /// Longer than servers take.
    Long,
}

impl Unusable {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Unusable::Broken => "not-a-url",
            Unusable::Scheme => "scheme",
            Unusable::Credentials => "credentials",
            Unusable::Long => "long-url",
        }
    }
}

/// The longest URL, in bytes; RFC 9110 (section 4.1) asks for at least 8,000.
const LONGEST: usize = 8_000;

/// A link as it stands on a page, in normal form.
///
/// The URL standard's parser makes scheme and host lower case, drops the scheme's own port and `.` and `..`
/// segments. Here the fragment goes, `?` before nothing, and the dot that ends a host; and percent-encoding
/// is made one: letters, digits and `-._~` as they are, all else in upper case (RFC 3986, section 6.2.2).
pub(crate) fn normal(link: &str, base: Option<&Url>) -> Result<Url, Unusable> {
    if link.len() > LONGEST {
        return Err(Unusable::Long);
    }
    let parsed = Url::options().base_url(base).parse(link.trim());
    let mut url = parsed.map_err(|_| Unusable::Broken)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Unusable::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Unusable::Credentials);
    }
    url.set_fragment(None);
    let host = url.host_str().filter(|h| !h.is_empty()).ok_or(Unusable::Broken)?;
    if let Some(without) = host.strip_suffix('.') {
        let without = without.to_owned();
        url.set_host(Some(&without)).map_err(|_| Unusable::Broken)?;
    }
    let path = percent(url.path());
    url.set_path(&path);
    let query = url.query().filter(|q| !q.is_empty()).map(percent);
    url.set_query(query.as_deref());
    if url.as_str().len() > LONGEST {
        return Err(Unusable::Long);
    }
    Ok(url)
}

/// Percent-encoding in one form.
pub(crate) fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let byte = rest.get(..2).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(byte) = byte.and_then(|h| u8::from_str_radix(h, 16).ok()) else {
            out.push('%');
            continue;
        };
        rest = &rest[2..];
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(link: &str) -> String {
        let base = Url::parse("http://a.example/b/c?d").expect("a base");
        normal(link, Some(&base)).map_or_else(|u| u.name().to_owned(), String::from)
    }

    #[test]
    fn what_means_the_same_is_written_the_same() {
        assert_eq!(of("HTTP://A.Example:80/x/../%7euser/%c3%a9/./?#top"), "http://a.example/~user/%C3%A9/");
        assert_eq!(of("http://a.example./"), "http://a.example/");
        assert_eq!(of("//a.example"), "http://a.example/");
        assert_eq!(of(" ../e%2fF%zz "), "http://a.example/e%2FF%zz");
        assert_eq!(of("#part"), "http://a.example/b/c?d");
        assert_eq!(of("http://127.1/"), "http://127.0.0.1/");
        assert_eq!(of("http://0x7f000001/"), "http://127.0.0.1/");
    }

    #[test]
    fn what_cannot_be_followed_says_why() {
        assert_eq!(of("mailto:a@b"), "scheme");
        assert_eq!(of("javascript:void(0)"), "scheme");
        assert_eq!(of("file:///etc/passwd"), "scheme");
        assert_eq!(of("http://user:word@a.example/"), "credentials");
        assert_eq!(of("http://[::1/"), "not-a-url");
        assert_eq!(of(&"x".repeat(9_000)), "long-url");
    }

    proptest! {
        #[test]
        fn the_normal_form_is_its_own(link in "[a-zA-Z0-9%/.?#:@~é&= -]{0,40}") {
            let base = Url::parse("http://a.example/b/c").expect("a base");
            if let Ok(once) = normal(&link, Some(&base)) {
                prop_assert_eq!(normal(once.as_str(), None), Ok(once));
            }
        }
    }
}
