//! What a tag is to a noun phrase.

use crate::tagger::TagSet;

/// The input of the machine: tags by what they do in a noun phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Anything else; it ends a phrase.
    Other,
    /// Articles, demonstratives, quantifiers, possessive pronouns.
    Determiner,
    /// Adverbs and qualifiers.
    Adverb,
    /// Adjectives.
    Adjective,
    /// Participles, which may modify a noun.
    Participle,
    /// Numbers, cardinal and ordinal; amounts.
    Number,
    /// Nouns, common and proper, and foreign ones.
    Noun,
    /// Nouns in the possessive.
    Possessive,
    /// The possessive by itself, as the Penn treebank cuts it.
    PossessiveMark,
    /// *and*, *or*, *&*.
    And,
    /// A comma.
    Comma,
    /// *of*.
    Of,
    /// Other prepositions.
    Preposition,
}

impl Class {
    /// How many there are.
    pub const COUNT: usize = 13;
}

/// The classes of all tags of a set, by number. Names of the Brown and of the Penn tagset are known.
pub(super) fn classes(tags: &TagSet) -> Vec<Class> {
    tags.iter().map(|(_, name)| class(name)).collect()
}

fn class(name: &str) -> Class {
    let name = name.to_uppercase();
    let name = name.strip_prefix("FW-").unwrap_or(&name);
    match name {
        "," => Class::Comma,
        "CC" => Class::And,
        "IN" => Class::Preposition,
        "POS" => Class::PossessiveMark,
        "CD" | "OD" => Class::Number,
        "VBN" | "VBG" => Class::Participle,
        "AT" | "AP" | "PP$" | "PRP$" | "WDT" | "WP$" | "PN$" | "PDT" | "DT" | "DTI" | "DTS" | "DTX"
        | "ABL" | "ABN" | "ABX" => Class::Determiner,
        "JJ" | "JJR" | "JJS" | "JJT" => Class::Adjective,
        "RB" | "RBR" | "RBS" | "RBT" | "QL" | "QLP" => Class::Adverb,
        "NN" | "NNS" | "NP" | "NPS" | "NNP" | "NNPS" | "NR" | "NRS" => Class::Noun,
        "NN$" | "NNS$" | "NP$" | "NPS$" | "NR$" | "AP$" | "CD$" | "DT$" | "JJ$" => Class::Possessive,
        _ => Class::Other,
    }
}

/// The class of a tag's word, where the word says more than its tag.
pub(super) fn refined(class: Class, form: &str) -> Class {
    match class {
        Class::And if !matches!(form, "and" | "or" | "&" | "And" | "Or" | "AND" | "OR") => Class::Other,
        Class::Preposition if form.eq_ignore_ascii_case("of") => Class::Of,
        // Brown tags amounts ($5, 10%) and some adverbs of time as nouns.
        Class::Noun if !form.bytes().any(|b| b.is_ascii_alphabetic() || b >= 0x80) => {
            if form.bytes().any(|b| b.is_ascii_digit()) { Class::Number } else { Class::Other }
        }
        Class::Noun if ADVERBS.iter().any(|w| form.eq_ignore_ascii_case(w)) => Class::Other,
        _ => class,
    }
}

const ADVERBS: [&str; 4] = ["today", "yesterday", "tomorrow", "tonight"];
