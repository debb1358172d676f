//! Words that keep their full stop.

/// After these comes a name or a number: they never end a sentence.
const TITLES: [u64; 46] = packed([
    "adm", "art", "brig", "capt", "cf", "cmdr", "col", "cpl", "dr", "eq", "fig", "figs", "fr", "ft", "gen",
    "gov", "hon", "lieut", "lt", "maj", "messrs", "mr", "mrs", "ms", "mt", "no", "nos", "pp", "pres", "prof",
    "pvt", "rep", "reps", "rev", "sec", "sen", "sens", "sgt", "st", "supt", "vol", "vols", "vs", "e.g",
    "i.e", "viz",
]);

/// These may end a sentence.
const OTHERS: [u64; 80] = packed([
    "al", "apr", "assn", "aug", "ave", "bldg", "blvd", "bros", "co", "corp", "dec", "dept", "dist", "etc",
    "feb", "fri", "hwy", "inc", "jan", "jr", "ltd", "mar", "mfg", "mon", "nov", "oct", "ph.d", "plc", "rd",
    "sat", "sept", "sep", "sr", "sun", "tel", "thu", "thurs", "tue", "tues", "univ", "wed", "approx", "est",
    "ala", "ariz", "ark", "calif", "colo", "conn", "del", "fla", "ga", "ill", "ind", "kan", "ky", "la",
    "mass", "md", "mich", "minn", "miss", "mo", "mont", "neb", "nev", "okla", "ore", "pa", "penn", "tenn",
    "tex", "va", "vt", "wash", "wis", "wyo", "oz", "lb", "lbs",
]);

/// A word of up to eight bytes as a number.
const fn pack(word: &[u8]) -> u64 {
    let (mut number, mut at) = (0, 0);
    while at < word.len() {
        number = number << 8 | word[at] as u64;
        at += 1;
    }
    number
}

/// A list as numbers, among which one is found sooner.
const fn packed<const N: usize>(words: [&str; N]) -> [u64; N] {
    let (mut numbers, mut at) = ([0; N], 0);
    while at < N {
        assert!(words[at].len() <= 8);
        numbers[at] = pack(words[at].as_bytes());
        at += 1;
    }
    numbers
}

/// Words that begin sentences much more often than they are part of a name after an abbreviation.
const BEGINNINGS: &[&str] = &[
    "a",
    "after",
    "all",
    "although",
    "an",
    "and",
    "as",
    "at",
    "because",
    "both",
    "but",
    "by",
    "during",
    "each",
    "even",
    "for",
    "from",
    "he",
    "her",
    "here",
    "his",
    "how",
    "however",
    "i",
    "if",
    "in",
    "it",
    "its",
    "last",
    "many",
    "meanwhile",
    "most",
    "no",
    "now",
    "of",
    "on",
    "one",
    "only",
    "other",
    "our",
    "she",
    "since",
    "so",
    "some",
    "such",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "though",
    "to",
    "under",
    "we",
    "what",
    "when",
    "where",
    "while",
    "who",
    "why",
    "with",
    "yet",
    "you",
];

/// What a full stop after a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It is part of the word, and the sentence goes on.
    Title,
    /// It is part of the word, and may end the sentence as well.
    Abbreviation,
    /// It ends the sentence.
    Sentence,
}

/// What a full stop after this word (without it) means.
pub(super) fn stop(word: &str) -> Stop {
    let mut chars = word.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        // An initial; "I." is rather the end of a sentence.
        return if c.is_uppercase() && c != 'I' { Stop::Title } else { Stop::Sentence };
    }
    if word.len() > 8 {
        return Stop::Sentence;
    }
    let mut lower = [0_u8; 8];
    let lower = &mut lower[..word.len()];
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    let number = pack(lower);
    let is = |list: &[u64]| list.contains(&number);
    // "no." and the like only where a capital says that a title is meant; states and months have one as well.
    let capital = word.starts_with(|c: char| c.is_uppercase());
    match () {
        () if is(&TITLES) && (capital || !matches!(&*lower, b"no" | b"art" | b"fig" | b"sec" | b"mt")) => {
            Stop::Title
        }
        () if is(&OTHERS)
            && (capital
                || matches!(&*lower, b"al" | b"etc" | b"approx" | b"est" | b"lb" | b"lbs" | b"oz")) =>
        {
            Stop::Abbreviation
        }
        () if word.contains('.') && word.split('.').all(|part| part.len() <= 2 && is_alphabetic(part)) => {
            Stop::Abbreviation
        }
        () => Stop::Sentence,
    }
}

fn is_alphabetic(part: &str) -> bool {
    !part.is_empty() && part.chars().all(char::is_alphabetic)
}

/// Whether a word after an abbreviation begins a sentence rather than that it goes on.
pub(super) fn begins(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word.starts_with(|c: char| c.is_uppercase()) && BEGINNINGS.contains(&lower.as_str())
}
