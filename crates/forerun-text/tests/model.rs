//! The trainer learns, and its model's file is read as it was written or refused.

use forerun_text::tagger::train::{Corpus, Training, eval::evaluate, train};
use forerun_text::tagger::{Model, Tagger};
use proptest::prelude::*;

/// Sentences in which *run* is a verb after *to* and a noun after *the*, and words in -ing are participles.
fn corpus() -> Corpus {
    let mut corpus = Corpus::default();
    for file in 0..10 {
        let mut text = String::new();
        for n in 0..30 {
            text += "they/ppss want/vb to/to run/vb ./.\nthe/at run/nn was/bedz good/jj ./.\n";
            text += &format!("he/pps is/bez w{file}x{n}ing/vbg the/at thing{n}/nn-tl ./.\n");
        }
        assert!(corpus.add(&format!("f{file}"), &text).unwrap());
    }
    corpus
}

#[test]
fn files_without_tags_are_passed_over_and_marks_are_removed() {
    let mut corpus = Corpus::default();
    assert!(!corpus.add("CONTENTS", "A list of all files and/or sources").unwrap());
    assert!(corpus.add("a", "The/at-hl Times/nps-tl 1/2/cd-tl-hl --/--\n").unwrap());
    let names: Vec<&str> = corpus.tags.iter().skip(1).map(|(_, name)| name).collect();
    assert_eq!(names, ["AT", "NPS", "CD", "--"]);
}

#[test]
fn words_in_context_and_unknown_words_are_learned() {
    let corpus = corpus();
    let model = train(&corpus, &Training::default(), |file| file < 9, &mut |_| {});
    let bytes = model.to_bytes();
    let again = train(&corpus, &Training::default(), |file| file < 9, &mut |_| {});
    assert!(bytes == again.to_bytes(), "the same corpus gives the same model");
    let tagger = Tagger::new(model);
    let accuracy = evaluate(&tagger, &corpus, |file| file == 9);
    assert_eq!(accuracy.unknown, 30);
    assert_eq!(accuracy.overall(), 1.0);
    let read = Tagger::new(Model::from_bytes(&bytes, "model").unwrap());
    assert_eq!(evaluate(&read, &corpus, |file| file == 9), accuracy);
    assert!(Model::from_bytes(&bytes, "model").unwrap().to_bytes() == bytes, "read as written");
}

#[test]
fn other_files_and_versions_are_refused_in_words() {
    let refusal = |bytes: &[u8]| Model::from_bytes(bytes, "x").unwrap_err().to_string();
    assert!(refusal(b"ELF").contains("x is no tagger's model"));
    let mut bytes = train(&corpus(), &Training::default(), |f| f < 3, &mut |_| {}).to_bytes();
    bytes[8] = 99;
    assert!(refusal(&bytes).contains("version 99"));
    bytes[8] = 1;
    *bytes.last_mut().unwrap() ^= 1;
    assert!(refusal(&bytes).contains("damaged"));
}

proptest! {
    #[test]
    fn damage_that_the_check_does_not_see_does_not_panic(at in 24_usize..4000, byte: u8, cut in 0_usize..4000) {
        thread_local!(static MODEL: Vec<u8> = train(&corpus(), &Training::default(), |f| f < 3, &mut |_| {}).to_bytes());
        let mut bytes = MODEL.with(Clone::clone);
        let at = 24 + at % (bytes.len() - 24);
        bytes[at] = byte;
        bytes.truncate((bytes.len() - cut % 50).max(25));
        // The check as the documentation of the file names it, so that what follows it is read.
        let check = bytes[24..].iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        bytes[16..24].copy_from_slice(&check.to_le_bytes());
        if let Ok(model) = Model::from_bytes(&bytes, "model") {
            Tagger::new(model).tag(&["the", "run", "Unheard-of", "is"]);
        }
    }
}
