//! The shape of a word: its case, digits and hyphens.

/// What a word looks like, apart from its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Shape {
    /// Letters, none of them upper case.
    Lower,
    /// A capital first, in the middle of a sentence.
    Capital,
    /// A capital first, where any word has one.
    FirstCapital,
    /// Two letters or more, all upper case.
    Upper,
    /// A capital and a full stop: an initial.
    Initial,
    /// Digits, with what stands between and around digits of a number.
    Number,
    /// Digits and letters.
    Mixed,
    /// Hyphenated, none of it upper case.
    Hyphenated,
    /// Hyphenated with a capital first.
    HyphenatedCapital,
    /// With an apostrophe inside or at the end, none of it upper case.
    Apostrophe,
    /// With an apostrophe, and a capital first.
    ApostropheCapital,
    /// None of the letters is a letter.
    Symbol,
    /// Outside of the sentence.
    Outside,
}

impl Shape {
    /// How many there are.
    pub const COUNT: usize = 13;

    /// The shape of a word; `first` says whether it begins a sentence. Costs one look at each byte.
    pub fn of(word: &str, first: bool) -> Self {
        let (mut lower, mut upper, mut digits, mut hyphens, mut apostrophes, mut bytes) = (0, 0, 0, 0, 0, 0);
        for &b in word.as_bytes() {
            bytes += 1;
            match b {
                b'a'..=b'z' | 0x80.. => lower += 1,
                b'A'..=b'Z' => upper += 1,
                b'0'..=b'9' => digits += 1,
                b'-' => hyphens += 1,
                b'\'' => apostrophes += 1,
                _ => {}
            }
        }
        let letters = lower + upper;
        let capital = word.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
        match () {
            () if letters + digits == 0 => Self::Symbol,
            () if letters == 0 => Self::Number,
            () if digits > 0 => Self::Mixed,
            () if upper == 1 && letters == 1 && bytes == 2 && word.ends_with('.') => Self::Initial,
            () if hyphens > 0 && capital => Self::HyphenatedCapital,
            () if hyphens > 0 => Self::Hyphenated,
            () if apostrophes > 0 && capital => Self::ApostropheCapital,
            () if apostrophes > 0 => Self::Apostrophe,
            () if upper > 1 && lower == 0 => Self::Upper,
            () if capital && first => Self::FirstCapital,
            () if capital => Self::Capital,
            () => Self::Lower,
        }
    }

    /// The shape of a word with this one within a sentence, where `first` says whether it begins one.
    #[inline]
    pub(crate) fn at(self, first: bool) -> Self {
        if first && self == Self::Capital { Self::FirstCapital } else { self }
    }

    /// Whether it begins with a capital, so that the word in lower case is another one.
    pub fn has_case(self) -> bool {
        matches!(
            self,
            Self::Capital
                | Self::FirstCapital
                | Self::Upper
                | Self::HyphenatedCapital
                | Self::ApostropheCapital
        )
    }
}
