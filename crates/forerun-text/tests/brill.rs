//! Brill's rules: the index gives what the published procedure gives, and files are read as they are meant.

use forerun_text::tagger::model::brill::BrillFiles;
use forerun_text::tagger::{Model, Tagger};
use proptest::prelude::*;

const LEXICON: &str =
    "the DT\na DT NN\ncan MD NN VB\nrust NN VB\nwill MD NN VB\nout RP IN RB\nrun VB NN VBN\nit PRP\n";

fn model(lexical: &str, contextual: &str) -> Tagger {
    Tagger::new(
        Model::brill(BrillFiles {
            lexicon: ("LEXICON", LEXICON),
            lexical: ("LEXICALRULEFILE", lexical),
            contextual: ("CONTEXTUALRULEFILE", contextual),
            bigrams: ("BIGRAMS", ""),
        })
        .unwrap(),
    )
}

fn tags(tagger: &Tagger, words: &[&str]) -> Vec<String> {
    tagger.tag(words).into_iter().map(|t| tagger.model().tags.name(t).to_owned()).collect()
}

#[test]
fn unknown_words_get_their_tags_by_the_lexical_rules_in_order() {
    let tagger = model(
        "NN s fhassuf 1 NNS x\nNN - fchar JJ x\nly hassuf 2 RB x\nre deletepref 2 VB x\nNNS ss fhassuf 2 NN x",
        "",
    );
    let words = ["dogs", "Peter", "well-known", "slowly", "rerun", "glass", "can"];
    assert_eq!(tags(&tagger, &words), ["NNS", "NNP", "JJ", "RB", "VB", "NN", "MD"]);
}

#[test]
fn a_directory_of_the_files_is_a_model() {
    let directory = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    put("LEXICON", LEXICON);
    put("LEXICALRULEFILE", "NN s fhassuf 1 NNS x\n");
    let missing = Model::load(directory.path()).unwrap_err().to_string();
    assert!(missing.contains("CONTEXTUALRULEFILE"), "{missing}");
    put("CONTEXTUALRULEFILE", "MD NN PREVTAG DT\n");
    let loaded = Tagger::load(directory.path()).unwrap();
    assert_eq!(tags(&loaded, &["the", "can", "dogs"]), ["DT", "NN", "NNS"]);
    put("LEXICALRULEFILE", "\nNN s\n");
    let wrong = Model::load(directory.path()).unwrap_err().to_string();
    assert!(wrong.contains("LEXICALRULEFILE:2: expected a lexical rule"), "{wrong}");
}

#[test]
fn a_known_word_gets_no_tag_that_its_line_does_not_list() {
    let tagger = model("", "DT NN NEXTTAG MD\nMD NN PREVTAG NN");
    assert_eq!(tags(&tagger, &["the", "can"]), ["DT", "MD"]);
    assert_eq!(tags(&tagger, &["a", "can"]), ["NN", "NN"]);
}

#[test]
fn a_line_that_is_no_rule_is_named() {
    let files = |lexical, contextual| BrillFiles {
        lexicon: ("LEX", LEXICON),
        lexical: ("LEXRULES", lexical),
        contextual: ("CONRULES", contextual),
        bigrams: ("", ""),
    };
    let error = |lexical, contextual| Model::brill(files(lexical, contextual)).unwrap_err().to_string();
    assert!(error("NN s fhassuf 1 NNS x\nNN s what", "").starts_with("LEXRULES:2: "));
    assert!(error("", "NN VB PREVTAG TO\nNN VB SURROUNDTAG TO").starts_with("CONRULES:2: "));
    assert!(error("", "NN VB NOWHERE TO").starts_with("CONRULES:1: "));
}

/// The published procedure, word for word: each rule in turn goes over the sentence from left to right, and what it
/// changes counts at once.
fn published(rules: &[Vec<String>], words: &[&str]) -> Vec<String> {
    let listed = |word: &str| {
        LEXICON
            .lines()
            .find(|l| l.split(' ').next() == Some(word))
            .map(|l| l.split(' ').skip(1).collect::<Vec<_>>())
    };
    let mut tags: Vec<String> =
        words.iter().map(|w| listed(w).map_or("NN".into(), |l| l[0].into())).collect();
    for rule in rules {
        for i in 0..words.len() {
            let outside = "STAART";
            let tag =
                |o: isize| i.checked_add_signed(o).and_then(|i| tags.get(i)).map_or(outside, String::as_str);
            let word =
                |o: isize| i.checked_add_signed(o).and_then(|i| words.get(i)).copied().unwrap_or(outside);
            let (x, y) = (rule[3].as_str(), rule.get(4).map_or("", String::as_str));
            let holds = match rule[2].as_str() {
                "PREVTAG" => tag(-1) == x,
                "NEXT2TAG" => tag(2) == x,
                "PREV1OR2OR3TAG" => (1..=3).any(|o| tag(-o) == x),
                "NEXT1OR2TAG" => (1..=2).any(|o| tag(o) == x),
                "PREVBIGRAM" => tag(-2) == x && tag(-1) == y,
                "SURROUNDTAG" => tag(-1) == x && tag(1) == y,
                "PREV1OR2WD" => (1..=2).any(|o| word(-o) == x),
                "RBIGRAM" => word(0) == x && word(1) == y,
                "WDPREVTAG" => tag(-1) == x && word(0) == y,
                "WDAND2TAGAFT" => word(0) == x && tag(2) == y,
                "CURWD" => word(0) == x,
                other => unreachable!("{other}"),
            };
            let may = listed(words[i]).is_none_or(|l| l.contains(&rule[1].as_str()));
            if tags[i] == rule[0] && holds && may {
                tags[i] = rule[1].clone();
            }
        }
    }
    tags
}

const TAGS: [&str; 8] = ["DT", "NN", "VB", "MD", "RP", "IN", "RB", "STAART"];
const WORDS: [&str; 9] = ["the", "a", "can", "rust", "will", "out", "run", "it", "zyx"];

fn rule() -> impl Strategy<Value = Vec<String>> {
    let tag = || prop::sample::select(&TAGS[..7]);
    let shown = || prop::sample::select(&TAGS[..]);
    let word = || prop::sample::select(&WORDS[..]);
    let one = (prop::sample::select(&["PREVTAG", "NEXT2TAG", "PREV1OR2OR3TAG", "NEXT1OR2TAG"][..]), shown())
        .prop_map(|(n, x)| vec![n, x]);
    let two = (prop::sample::select(&["PREVBIGRAM", "SURROUNDTAG"][..]), shown(), shown())
        .prop_map(|(n, x, y)| vec![n, x, y]);
    let of_word = (prop::sample::select(&["PREV1OR2WD", "CURWD"][..]), word()).prop_map(|(n, x)| vec![n, x]);
    let mixed = prop_oneof![
        (word(), word()).prop_map(|(x, y)| vec!["RBIGRAM", x, y]),
        (shown(), word()).prop_map(|(x, y)| vec!["WDPREVTAG", x, y]),
        (word(), shown()).prop_map(|(x, y)| vec!["WDAND2TAGAFT", x, y]),
    ];
    (tag(), tag(), prop_oneof![one, two, of_word, mixed])
        .prop_filter("a rule changes something", |(from, to, _)| from != to)
        .prop_map(|(from, to, rest)| [vec![from, to], rest].concat().into_iter().map(str::to_owned).collect())
}

proptest! {
    #[test]
    fn the_index_gives_what_going_through_all_rules_gives(
        rules in prop::collection::vec(rule(), 1..40),
        words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..15),
    ) {
        let text: String = rules.iter().map(|r| r.join(" ") + "\n").collect();
        let tagger = model("", &text);
        prop_assert_eq!(tags(&tagger, &words), published(&rules, &words));
        let again = Tagger::new(Model::from_bytes(&tagger.model().to_bytes(), "model").unwrap());
        prop_assert_eq!(tags(&again, &words), published(&rules, &words));
    }
}
