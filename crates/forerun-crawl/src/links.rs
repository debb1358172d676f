//! The links of a page.

use std::borrow::Cow;
use std::convert::Infallible;

use html5gum::Tokenizer;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use url::Url;

/// Links as they stand on a page, in its order, and what they are relative to.
#[derive(Debug, Default)]
pub(crate) struct Links {
    pub(crate) base: Option<String>,
    pub(crate) links: Vec<String>,
    /// Links that the page asks not to follow.
    pub(crate) nofollow: u64,
}

/// The attributes that matter of the tag at hand.
#[derive(Default)]
struct Tag {
    name: Vec<u8>,
    attribute: Vec<u8>,
    href: Option<String>,
    src: Option<String>,
    rel: String,
    meta: String,
    content: String,
}

/// Finds the links of an HTML page: `a`, `area`, `frame`, `iframe`, `link` with rel next or prev, and `meta` refresh;
/// relative to `base`. Those with rel nofollow, and all of a page with `meta` robots nofollow, are only counted.
/// One pass, without a tree: nesting costs nothing.
pub(crate) fn links(page: &[u8]) -> Links {
    let mut found = Links::default();
    let mut none = false;
    let mut tag = Tag::default();
    let page = utf16(page).map_or(Cow::Borrowed(page), Cow::Owned);
    let mut emitter =
        CallbackEmitter::<_, Infallible>::new(|event: CallbackEvent<'_>, _: html5gum::Span<()>| {
            match event {
                CallbackEvent::OpenStartTag { name } => {
                    tag = Tag { name: name.to_vec(), ..Tag::default() };
                }
                CallbackEvent::AttributeName { name } => {
                    tag.attribute.clear();
                    tag.attribute.extend_from_slice(name);
                }
                CallbackEvent::AttributeValue { value } => tag.value(value),
                CallbackEvent::CloseStartTag { .. } => tag.close(&mut found, &mut none),
                _ => {}
            }
            None
        });
    // So that what looks like a link in a script or a comment is none.
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(&page[..], emitter).for_each(drop);
    if none {
        found.nofollow += found.links.len() as u64;
        found.links.clear();
    }
    found
}

impl Tag {
    /// Takes the value of the attribute at hand.
    fn value(&mut self, value: &[u8]) {
        let text = || String::from_utf8_lossy(value).into_owned();
        match self.attribute.as_slice() {
            b"href" => self.href = Some(text()),
            b"src" => self.src = Some(text()),
            b"rel" => self.rel = text().to_ascii_lowercase(),
            b"name" | b"http-equiv" => self.meta = text().to_ascii_lowercase(),
            b"content" => self.content = text(),
            _ => {}
        }
    }

    fn close(&mut self, found: &mut Links, none: &mut bool) {
        let has = |words: &str, word: &str| words.split_ascii_whitespace().any(|w| w == word);
        let link = match self.name.as_slice() {
            b"base" => {
                found.base = found.base.take().or(self.href.take());
                None
            }
            b"a" | b"area" => self.href.take(),
            b"link" if has(&self.rel, "next") || has(&self.rel, "prev") => self.href.take(),
            b"frame" | b"iframe" => self.src.take(),
            b"meta" if self.meta == "refresh" => refresh(&self.content),
            b"meta" if self.meta == "robots" => {
                let content = self.content.to_ascii_lowercase();
                *none |= content.split(',').any(|w| matches!(w.trim(), "nofollow" | "none"));
                None
            }
            _ => None,
        };
        match link {
            Some(_) if has(&self.rel, "nofollow") => found.nofollow += 1,
            Some(link) => found.links.push(link),
            None => {}
        }
    }
}

/// The URL of `5; url=next.html`.
fn refresh(content: &str) -> Option<String> {
    let (_, rest) = content.split_once([';', ','])?;
    let rest = rest.trim_start();
    let value = rest.get(..3).filter(|k| k.eq_ignore_ascii_case("url")).map(|_| rest[3..].trim_start())?;
    let value = value.strip_prefix('=')?.trim().trim_matches(['"', '\'']);
    Some(value.to_owned())
}

/// A page that begins with the mark of UTF-16, as UTF-8. All other encodings of pages write links alike.
fn utf16(page: &[u8]) -> Option<Vec<u8>> {
    let read: fn([u8; 2]) -> u16 = match page {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units = page[2..].chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
    Some(char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect::<String>().into_bytes())
}

/// What the links of a page are relative to.
pub(crate) fn base(links: &Links, page: &Url) -> Url {
    let stated = links.base.as_deref().and_then(|base| page.join(base.trim()).ok());
    stated.filter(|url| !url.cannot_be_a_base()).unwrap_or_else(|| page.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn links_are_found_where_markup_has_them_and_nowhere_else() {
        let page = br#"<!doctype html><base href=/docs/><base href=/no/><A HREF='a.html?x=1&amp;y=2'>a</A>
            <!-- <a href=comment> --><script>"<a href=script>"</script><area href=b><iframe src=c></iframe>
            <link rel="stylesheet" href=no.css><link rel=next href=d><meta http-equiv=Refresh content="0; URL='e'">
            <a rel="noopener nofollow" href=f>f</a><a name=top>no</a><img src=no.png><a href="g"#;
        let found = links(page);
        assert_eq!(found.links, ["a.html?x=1&y=2", "b", "c", "d", "e"]);
        assert_eq!(found.nofollow, 1);
        let page = Url::parse("http://h/x").expect("a URL");
        assert_eq!(base(&found, &page).as_str(), "http://h/docs/");
    }

    #[test]
    fn a_page_can_ask_that_nothing_is_followed() {
        let found = links(b"<a href=a><META NAME=ROBOTS CONTENT='noindex, NOFOLLOW'><a href=b>");
        assert_eq!((found.links.len(), found.nofollow), (0, 2));
    }

    #[test]
    fn utf16_is_read() {
        let page: Vec<u8> = "\u{feff}<a href=x>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(links(&page).links, ["x"]);
    }

    #[test]
    fn nesting_costs_nothing() {
        let page = "<div><b a=".repeat(200_000) + "><a href=end>";
        assert_eq!(links(page.as_bytes()).links, ["end"]);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(page in proptest::collection::vec(any::<u8>(), 0..200), markup in "[<>a-f =\"';&#-]{0,80}") {
            links(&page);
            links(markup.as_bytes());
            refresh(&markup);
        }
    }
}
