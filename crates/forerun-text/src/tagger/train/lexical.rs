//! Learning lexical rules: transformation-based learning over unknown words by themselves (Brill 1994).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::super::guess::LONGEST;
use super::super::lexical::{LexicalRule, Test};
use super::super::lexicon::{Candidate, Lexicon};
use super::super::shape::Shape;
use super::super::tags::Tag;
use super::super::{Tagger, Workspace};
use super::corpus::Corpus;
use super::counts::{Tagged, candidates, smooth_over};

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// Unknown words with what is true of them.
#[derive(Default)]
pub(crate) struct Samples {
    tests: Vec<Test>,
    numbers: Map<Test, u32>,
    samples: Vec<Sample>,
    /// Where the sample of a word, with its shape, truth and fold, is.
    places: Map<(u32, u8, Tag, u32), u32>,
    folds: u32,
}

struct Sample {
    tag: Tag,
    truth: Tag,
    weight: u32,
    /// The tests that it passes.
    tests: Vec<u32>,
    by: Option<u32>,
}

/// A rule must put right so many unknown words more than it puts wrong.
const LEAST: i64 = 4;
/// How many words of a rule the words of all rules with its outcome are worth.
const RULE: f64 = 4.0;

impl Samples {
    /// Adds the unknown words of sentences that the tagger has not seen.
    pub(crate) fn add(&mut self, corpus: &Corpus, tagger: &Tagger, sentences: &[&Tagged]) {
        let mut space = Workspace::default();
        let fold = self.folds;
        self.folds += 1;
        for sentence in sentences {
            tagger.start(sentence.iter().map(|&(word, _)| corpus.words.get(word)), &mut space);
            for (i, &(word, truth)) in sentence.iter().enumerate().filter(|&(i, _)| space.is_unknown(i)) {
                let shape = space.shapes[i];
                let next = self.samples.len() as u32;
                let place = *self.places.entry((word, shape as u8, truth, fold)).or_insert(next);
                if place < next {
                    self.samples[place as usize].weight += 1;
                    continue;
                }
                let spelled = corpus.words.get(word);
                let by_ending = tagger.guesser().map_or(&[][..], |g| g.by_ending(spelled, shape));
                let tag = by_ending.first().map_or(Tag::BOUNDARY, |c| c.tag);
                let tests = tests(spelled, shape, &tagger.model().lexicon)
                    .into_iter()
                    .map(|test| {
                        *self.numbers.entry(test).or_insert_with_key(|test| {
                            self.tests.push(test.clone());
                            self.tests.len() as u32 - 1
                        })
                    })
                    .collect();
                self.samples.push(Sample { tag, truth, weight: 1, tests, by: None });
            }
        }
    }

    /// Learns at most so many rules, and for each the distribution of tags where it was the last.
    pub(crate) fn learn(mut self, most: usize) -> (Vec<LexicalRule>, Vec<Vec<Candidate>>) {
        let mut rules: Vec<LexicalRule> = Vec::new();
        let mut good: Map<(u32, Tag, Tag), i64> = Map::default();
        let mut bad: Map<(u32, Tag), i64> = Map::default();
        while rules.len() < most {
            good.clear();
            bad.clear();
            for s in &self.samples {
                for &test in &s.tests {
                    if s.tag == s.truth {
                        *bad.entry((test, s.tag)).or_default() += i64::from(s.weight);
                    } else {
                        *good.entry((test, s.tag, s.truth)).or_default() += i64::from(s.weight);
                    }
                }
            }
            let score = |(&(test, from, to), &n): (&(u32, Tag, Tag), &i64)| {
                (n - bad.get(&(test, from)).copied().unwrap_or(0), std::cmp::Reverse((test, from, to)))
            };
            let Some((gain, std::cmp::Reverse((test, from, to)))) = good.iter().map(score).max() else {
                break;
            };
            if gain < LEAST {
                break;
            }
            let number = rules.len() as u32;
            for s in &mut self.samples {
                if s.tag == from && s.tests.contains(&test) {
                    (s.tag, s.by) = (to, Some(number));
                }
            }
            rules.push(LexicalRule { from: Some(from), test: self.tests[test as usize].clone(), to });
        }
        let of_rule = self.outcomes(&rules);
        (rules, of_rule)
    }

    fn outcomes(&self, rules: &[LexicalRule]) -> Vec<Vec<Candidate>> {
        let mut of_tag: Map<Tag, Map<Tag, u32>> = Map::default();
        let mut of_rule: Vec<Map<Tag, u32>> = vec![Map::default(); rules.len()];
        for s in &self.samples {
            *of_tag.entry(s.tag).or_default().entry(s.truth).or_default() += s.weight;
            if let Some(by) = s.by {
                *of_rule[by as usize].entry(s.truth).or_default() += s.weight;
            }
        }
        let list = |map: &Map<Tag, u32>| map.iter().map(|(&tag, &n)| (tag, n)).collect::<Vec<_>>();
        let of_tag: Map<Tag, Vec<Candidate>> =
            of_tag.iter().map(|(&tag, map)| (tag, candidates(&smooth_over(&list(map), &[], 0.0)))).collect();
        let outcome = |(rule, map): (&LexicalRule, &Map<Tag, u32>)| {
            let back = of_tag.get(&rule.to).map_or(&[][..], Vec::as_slice);
            candidates(&smooth_over(&list(map), back, RULE))
        };
        rules.iter().zip(&of_rule).map(outcome).collect()
    }
}

/// The tests that an unknown word passes, of those that can be learned.
fn tests(word: &str, shape: Shape, lexicon: &Lexicon) -> Vec<Test> {
    let mut list = vec![Test::Shape(shape as u8)];
    let ends = || word.char_indices().map(|(at, _)| at).skip(1);
    for at in ends().collect::<Vec<_>>().into_iter().rev().take(LONGEST) {
        let (stem, end) = word.split_at(at);
        list.push(Test::Suffix(end.to_owned()));
        if let Some(tag) = lexicon.first_tag(stem) {
            list.push(Test::DeleteSuffix(end.to_owned()));
            list.push(Test::StemIs(end.to_owned(), tag));
        }
    }
    for at in ends().take(LONGEST) {
        let (start, rest) = word.split_at(at);
        list.push(Test::Prefix(start.to_owned()));
        if let Some(tag) = lexicon.first_tag(rest) {
            list.push(Test::DeletePrefix(start.to_owned()));
            list.push(Test::RestIs(start.to_owned(), tag));
        }
    }
    for end in ["s", "ed", "d", "ing", "ly", "er", "e", "y", "n", "'s"] {
        if lexicon.has(&format!("{word}{end}")) {
            list.push(Test::AddSuffix(end.to_owned()));
        }
    }
    for start in ["un", "re", "in", "non", "dis", "mis", "over", "pre"] {
        if lexicon.has(&format!("{start}{word}")) {
            list.push(Test::AddPrefix(start.to_owned()));
        }
    }
    list.extend(word.chars().filter(|c| !c.is_alphabetic()).map(|c| Test::Has(c.to_string())));
    if shape.has_case() {
        list.extend(lexicon.first_tag(&word.to_lowercase()).map(Test::LowerIs));
    }
    list.extend(word.rsplit_once('-').and_then(|(_, tail)| lexicon.first_tag(tail)).map(Test::TailIs));
    list.extend(word.split_once('-').and_then(|(head, _)| lexicon.first_tag(head)).map(Test::HeadIs));
    list.sort_by_cached_key(|test| format!("{test:?}"));
    list.dedup();
    list
}
