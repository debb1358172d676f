//! Tokens and sentences.

use forerun_text::token::{Style, Tokens};
use proptest::prelude::*;

fn sentences(text: &str, style: Style) -> Vec<Vec<String>> {
    let mut tokens = Tokens::default();
    tokens.read(text, style);
    (0..tokens.sentences())
        .map(|s| tokens.sentence(s).map(|i| tokens.form(text, i).to_owned()).collect())
        .collect()
}

fn words(text: &str) -> String {
    sentences(text, Style::Brown).into_iter().map(|s| s.join(" ")).collect::<Vec<_>>().join(" | ")
}

#[test]
fn brown_style() {
    for (text, expected) in [
        ("He didn't see Atlanta's mayor.", "He didn't see Atlanta's mayor ."),
        (
            "Mr. J. B. Hay of the U.S. paid $1,200.50 (12%).",
            "Mr. J. B. Hay of the U.S. paid $1,200.50 ( 12% ) .",
        ),
        ("He left at 5 p.m. The train was late.", "He left at 5 p.m. | The train was late ."),
        (
            "It rose to 3.5 in Feb. after 2.1. Then it fell.",
            "It rose to 3.5 in Feb. after 2.1 . | Then it fell .",
        ),
        ("\"Why?\" she asked. \"No.\" He left.", "`` Why ? '' she asked . | `` No . '' | He left ."),
        ("workers' hard-won rights--and more...", "workers' hard-won rights -- and more ..."),
        ("\u{201c}Don\u{2019}t,\u{201d} he said \u{2014} twice", "`` Don't , '' he said -- twice"),
        ("One line\n\nAnother", "One line | Another"),
        ("and/or 1/2 x=1 'quoted' 'tis", "and/or 1/2 x=1 ` quoted ' 'tis"),
    ] {
        assert_eq!(words(text), expected);
    }
}

#[test]
fn penn_style_cuts_contractions_and_signs() {
    let cut = |text| sentences(text, Style::Penn).concat().join(" ");
    assert_eq!(
        cut("He didn't see Atlanta's mayor; they'll cannot."),
        "He did n't see Atlanta 's mayor ; they 'll can not ."
    );
    assert_eq!(cut("workers' pay of $5 rose 10%."), "workers ' pay of $ 5 rose 10 % .");
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '\u{feff}' || c == '\u{200b}'
}

proptest! {
    #[test]
    fn tokens_cover_all_that_is_no_space_in_order(text in "(\\PC|[ \n.,'\"`()$%A-Za-z0-9\u{2019}-]){0,200}", penn: bool) {
        let mut tokens = Tokens::default();
        tokens.read(&text, if penn { Style::Penn } else { Style::Brown });
        let mut at = 0;
        for (i, token) in tokens.all().iter().enumerate() {
            let (start, end) = (token.start as usize, token.end as usize);
            prop_assert!(start < end && text.is_char_boundary(start) && text.is_char_boundary(end));
            prop_assert!(text[at..start].chars().all(is_space), "{:?}", &text[at..start]);
            prop_assert!(!tokens.form(&text, i).is_empty());
            at = end;
        }
        let rest = text[at..].chars().all(is_space);
        prop_assert!(rest);
        let ends: Vec<usize> = (0..tokens.sentences()).map(|s| tokens.sentence(s).end).collect();
        prop_assert!(ends.is_sorted());
        prop_assert_eq!(ends.last().copied().unwrap_or(0), tokens.all().len());
    }
}
