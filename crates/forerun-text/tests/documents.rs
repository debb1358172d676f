//! Documents: fields, references, encodings, and offsets that refer to the file.

use forerun_text::document::{Config, Document, read};
use proptest::prelude::*;

fn documents(file: &[u8], name: &str, config: &Config) -> Vec<Document> {
    let mut list = Vec::new();
    let _ = read(file, name, config, &mut |d| list.push(d));
    list
}

/// Every character of every field is in the file at its offset, or stands for a reference, a tag or a fault there.
fn check(file: &str, list: &[Document]) -> Result<(), TestCaseError> {
    let source: Vec<char> = file.strip_prefix('\u{feff}').unwrap_or(file).chars().collect();
    for field in list.iter().flat_map(|d| &d.fields) {
        let mut last = 0;
        for (at, c) in field.text.char_indices() {
            let offset = field.map.offset(&field.text, at);
            prop_assert!(offset.character >= last, "offsets go up");
            last = offset.character;
            let there = source.get(offset.character as usize).copied();
            prop_assert!(there == Some(c) || there == Some('&') || c == '\n', "{c:?} is not {there:?}");
            let byte = offset.byte.unwrap() as usize;
            prop_assert_eq!(file.get(byte..).and_then(|s| s.chars().next()), there);
        }
    }
    Ok(())
}

const REUTERS: &str = "<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n<REUTERS TOPICS=\"YES\" OLDID=\"5\" NEWID=\"1\">\n\
    <DATE>26-FEB-1987</DATE><TOPICS><D>cocoa</D></TOPICS><UNKNOWN>&#5;&#5;C T</UNKNOWN>\n<TEXT>&#2;\n\
    <TITLE>AT&T BUYS &lt;XYZ></TITLE><DATELINE> ROME - </DATELINE><BODY>Showers fell, 3 < 4.\n&#3;</BODY></TEXT>\n\
    </REUTERS>\n<REUTERS NEWID=\"2\"><TEXT TYPE=\"UNPROC\">All \u{fc}ber.</TEXT></REUTERS>\n";

#[test]
fn reuters_has_several_documents_with_fields() {
    let list = documents(REUTERS.as_bytes(), "reut2-000.sgm", &Config::collections());
    let text = |n: usize, name: &str| list[n].field(name).map(|f| f.text.trim());
    assert_eq!(list.iter().map(|d| d.id.as_str()).collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(text(0, "title"), Some("AT&T BUYS <XYZ>"));
    assert_eq!(text(0, "body"), Some("Showers fell, 3 < 4."));
    assert_eq!(text(0, "date"), Some("26-FEB-1987"));
    assert_eq!(text(1, "body"), Some("All \u{fc}ber."));
    check(REUTERS, &list).unwrap();
}

/// What elements within a line are is up to the configuration, and the encoding to the sender but for a mark.
#[test]
fn elements_and_encodings_are_as_they_are_asked_for() {
    let page = "<html><body>One <code>x = 1</code> two <em>three</em> four</body></html>";
    let mut config = Config::default();
    config.left_out.push("code".into());
    config.fields[1].elements.push("em".into());
    let list = documents(page.as_bytes(), "index.html", &config);
    let text = |name: &str| list[0].field(name).unwrap().text.as_str();
    assert_eq!((text("heading"), text("body")), ("three", "One  two \n\n four"));
    check(page, &list).unwrap();

    config.encoding = Some("windows-1251".into());
    let body = |file: &[u8]| documents(file, "a.txt", &config)[0].field("body").unwrap().text.clone();
    assert_eq!(body(b"\xc4\xe0"), "\u{414}\u{430}");
    assert_eq!(body("\u{feff}\u{e4}".as_bytes()), "\u{e4}");
}

#[test]
fn pages_have_title_headings_and_body() {
    let page = "<!DOCTYPE html><html><head><title>A &mdash; b</title><script>var x = '<p>no';</script></head>\
        <body><h1>Top</h1><p>One <b>two</b>&nbsp;three<p>Four &notanentity; five &ampsix</body></html>";
    let list = documents(page.as_bytes(), "index", &Config::default());
    let text = |name: &str| list[0].field(name).unwrap().text.as_str();
    assert_eq!(text("title"), "A \u{2014} b");
    assert_eq!(text("heading"), "Top");
    assert!(text("body").contains("One two\u{a0}three\n\nFour"), "{:?}", text("body"));
    assert!(text("body").ends_with("five &six"), "{:?}", text("body"));
    check(page, &list).unwrap();
}

#[test]
fn xml_with_sections_of_characters_and_faults() {
    let config = Config::default();
    for (xml, body) in [
        ("<?xml version='1.0'?><a><title>T</title><x>1 &lt; 2 <![CDATA[<raw> & ]]></x></a>", "1 < 2 <raw> &"),
        ("<?xml version='1.0'?><a><x>well</y> & <not closed", "well\n\n & <not closed"),
    ] {
        let list = documents(xml.as_bytes(), "a.xml", &config);
        assert_eq!(list[0].field("body").unwrap().text.trim(), body);
        check(xml, &list).unwrap();
    }
}

#[test]
fn encodings_are_found_and_offsets_are_in_characters() {
    let config = Config::default();
    let body = |file: &[u8], name: &str| {
        let list = documents(file, name, &config);
        let field = list[0].field("body").unwrap().clone();
        let at = field.text.find("end").unwrap();
        (field.text.trim().to_owned(), field.map.offset(&field.text, at))
    };
    let latin = b"<html><meta charset=\"iso-8859-1\"><body>caf\xe9 end</body></html>";
    let (text, offset) = body(latin, "a.html");
    assert_eq!((text.as_str(), offset.character, offset.byte), ("caf\u{e9} end", 44, None));
    let utf16: Vec<u8> =
        std::iter::once(0xfeff).chain("na\u{ef}ve end".encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let (text, offset) = body(&utf16, "a.txt");
    assert_eq!((text.as_str(), offset.character), ("na\u{ef}ve end", 6));
    let (text, offset) = body("\u{feff}na\u{ef}ve end".as_bytes(), "a.txt");
    assert_eq!((text.as_str(), offset.character, offset.byte), ("na\u{ef}ve end", 6, Some(10)));
}

#[test]
fn binary_files_are_refused_and_long_ones_come_in_parts() {
    let binary: Vec<u8> = (0..2000_u32).map(|n| (n * 7 % 32) as u8).collect();
    assert!(read(&binary, "core", &Config::default(), &mut |_| {}).is_err());
    let mut config = Config::default();
    config.longest = 1000;
    let line = "word ".repeat(1000);
    let list = documents(line.as_bytes(), "a.txt", &config);
    assert_eq!(list.len(), 6);
    check(&line, &list).unwrap();
    let page = format!("<html><body>{}", "<p>word ".repeat(1000));
    let list = documents(page.as_bytes(), "a.html", &config);
    assert!(list[0].left_out.as_deref().unwrap().contains("1000 bytes"));
    check(&page, &list).unwrap();
}

#[test]
fn deep_nesting_takes_no_more_stack_or_time() {
    for name in ["a.html", "a.xml", "a.sgml"] {
        let file = format!("{}text", "<div><h1>".repeat(100_000));
        assert_eq!(documents(file.as_bytes(), name, &Config::default()).len(), 1);
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), kind in 0..4) {
        documents(&bytes, ["a.html", "a.xml", "a.sgml", "a"][kind as usize], &Config::default());
    }

    #[test]
    fn offsets_refer_to_the_file_whatever_the_markup(
        parts in prop::collection::vec(prop::sample::select(&[
            "<doc>", "</doc>", "<title>", "</title>", "<text>", "</text>", "<p>", "<b", ">", "&", "&amp;", "&#5;", "&#x20ac;",
            "&eacute", ";", "word ", "\u{e9}\u{20ac} ", "\u{1f600}", "<!--", "-->", "<![CDATA[", "]]>", "<?x", "?>", "\"", "=",
            "\r\n", "\n", "<", "/", "<script>", "</script>", "\0", " id='7'",
        ][..]), 0..60),
        kind in 0..4,
    ) {
        let file = parts.concat();
        let name = ["a.html", "a.xml", "a.sgml", "a.txt"][kind as usize];
        for config in [Config::default(), Config::collections()] {
            check(&file, &documents(file.as_bytes(), name, &config))?;
        }
    }
}
