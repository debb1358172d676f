//! What is counted in tagged text: the lexicon, the endings, the transitions.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::super::guess::{self, Guesser, endings, likelihoods};
use super::super::lexicon::{Candidate, Lexicon, cost};
use super::super::shape::Shape;
use super::super::tags::Tag;
use super::super::transitions::Transitions;
use super::corpus::Corpus;

type Counts<K> = HashMap<K, u32, FxBuildHasher>;
type Distribution = Vec<(Tag, f64)>;

/// Words seen at most so often say what unknown words are like.
const RARE: u32 = 10;
/// How many sightings of an ending its shorter ending is worth.
const ENDING: f64 = 3.0;
/// An ending is kept if it was seen so often.
const ENDING_SEEN: u32 = 3;
/// How many sightings of a word its ending is worth.
const WORD: f64 = 0.4;
/// A tag less probable than this is no candidate of a known word.
const UNLIKELY: f64 = 0.003;
/// A tag less probable than this is no candidate of an ending.
const UNLIKELY_ENDING: f64 = 0.002;

/// One sentence of the corpus.
pub(crate) type Tagged = [(u32, Tag)];

/// The lexicon, guesser (without rules) and transitions of these sentences.
pub(crate) fn count(corpus: &Corpus, sentences: &[&Tagged]) -> (Lexicon, Guesser, Transitions) {
    let tags = corpus.tags.len();
    let mut of_word: Vec<Vec<(Tag, u32)>> = vec![Vec::new(); corpus.words.len()];
    let mut of_tag = vec![0_u32; tags];
    for &(word, tag) in sentences.iter().copied().flatten() {
        of_tag[tag.index()] += 1;
        let list = &mut of_word[word as usize];
        match list.iter_mut().find(|(t, _)| *t == tag) {
            Some((_, n)) => *n += 1,
            None => list.push((tag, 1)),
        }
    }
    let total: u32 = of_tag.iter().sum();
    let prior: Vec<u16> =
        of_tag.iter().map(|&n| cost(f64::from(n.max(1)) / f64::from(total.max(1)))).collect();
    let guesser = guesser(corpus, sentences, &of_word, prior);
    let lexicon = lexicon(corpus, &mut of_word, &guesser);
    (lexicon, guesser, transitions(tags, sentences))
}

fn seen(list: &[(Tag, u32)]) -> u32 {
    list.iter().map(|(_, n)| n).sum()
}

fn guesser(corpus: &Corpus, sentences: &[&Tagged], of_word: &[Vec<(Tag, u32)>], prior: Vec<u16>) -> Guesser {
    // Counts of tags by shape and ending, of rare words.
    let mut counts: HashMap<String, Counts<Tag>, FxBuildHasher> = HashMap::default();
    let mut all: Counts<Tag> = Counts::default();
    let mut text = String::new();
    for sentence in sentences {
        let mut first = true;
        for &(word, tag) in *sentence {
            let spelled = corpus.words.get(word);
            let shape = Shape::of(spelled, first);
            first &= shape == Shape::Symbol;
            if seen(&of_word[word as usize]) > RARE {
                continue;
            }
            *all.entry(tag).or_default() += 1;
            let lower = spelled.to_lowercase();
            for ending in endings(&lower) {
                guess::key(shape, ending, &mut text);
                let list = counts.raw_entry_or(&text);
                *list.entry(tag).or_default() += 1;
            }
        }
    }
    // Shorter endings come first, since longer ones are smoothed by them.
    let mut keys: Vec<&String> = counts.keys().collect();
    keys.sort_by_key(|k| (k.chars().count(), k.as_str()));
    let base = smoothed(&all, &[], 0.0);
    let mut guesser = Guesser { prior, ..Guesser::default() };
    let mut smooth: HashMap<&str, Distribution, FxBuildHasher> = HashMap::default();
    for key in keys {
        let list = &counts[key];
        if list.values().sum::<u32>() < ENDING_SEEN {
            continue;
        }
        let shorter = shorter(key);
        let back = shorter.as_deref().and_then(|s| smooth.get(s)).unwrap_or(&base);
        let distribution = smoothed(list, back, ENDING);
        guesser.endings.put(key);
        guesser.of_ending.push(candidates(&distribution));
        smooth.insert(key, distribution);
    }
    guesser
}

/// An entry of a map by a borrowed key.
trait RawEntry {
    fn raw_entry_or(&mut self, key: &str) -> &mut Counts<Tag>;
}

impl RawEntry for HashMap<String, Counts<Tag>, FxBuildHasher> {
    fn raw_entry_or(&mut self, key: &str) -> &mut Counts<Tag> {
        self.entry_ref(key).or_default()
    }
}

/// The key of the next shorter ending of the same shape.
fn shorter(key: &str) -> Option<String> {
    let mut chars = key.chars();
    let shape = chars.next()?;
    chars.next()?;
    Some(std::iter::once(shape).chain(chars).collect())
}

fn smoothed(counts: &Counts<Tag>, back: &[(Tag, f64)], weight: f64) -> Distribution {
    let n = f64::from(counts.values().sum::<u32>()) + weight;
    let mut list: Distribution = back.iter().map(|&(tag, p)| (tag, weight * p / n)).collect();
    for (&tag, &c) in counts {
        match list.iter_mut().find(|(t, _)| *t == tag) {
            Some(entry) => entry.1 += f64::from(c) / n,
            None => list.push((tag, f64::from(c) / n)),
        }
    }
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    list
}

/// The probable tags of a distribution, with the costs of their probabilities.
pub(crate) fn candidates(distribution: &[(Tag, f64)]) -> Vec<Candidate> {
    let probable = distribution.iter().take(guess::MOST).filter(|(_, p)| *p >= UNLIKELY_ENDING);
    probable.map(|&(tag, p)| Candidate { tag, cost: cost(p) }).collect()
}

/// The distribution of counted tags, smoothed by another one that is worth `weight` sightings.
pub(crate) fn smooth_over(counts: &[(Tag, u32)], back: &[Candidate], weight: f64) -> Distribution {
    let counts: Counts<Tag> = counts.iter().copied().collect();
    let p = |c: &Candidate| (-f64::from(c.cost) / super::super::lexicon::COST).exp();
    smoothed(&counts, &back.iter().map(|c| (c.tag, p(c))).collect::<Vec<_>>(), weight)
}

fn lexicon(corpus: &Corpus, of_word: &mut [Vec<(Tag, u32)>], guesser: &Guesser) -> Lexicon {
    let mut lexicon = Lexicon::default();
    let mut list = Vec::new();
    for (number, word) in corpus.words.iter().enumerate() {
        let counts = &mut of_word[number];
        if counts.is_empty() {
            continue;
        }
        let back = guesser.by_ending(word, Shape::of(word, false));
        let mut tags = smooth_over(counts, back, WORD);
        tags.retain(|&(tag, p)| p >= UNLIKELY || counts.iter().any(|&(t, _)| t == tag));
        tags.truncate(guess::MOST);
        list.clear();
        likelihoods(&tags, &guesser.prior, &mut list);
        lexicon.push(word, &list);
    }
    lexicon
}

fn transitions(tags: usize, sentences: &[&Tagged]) -> Transitions {
    let mut ones = vec![0_u32; tags];
    let mut pairs = vec![0_u32; tags * tags];
    let mut triples: Counts<[Tag; 3]> = Counts::default();
    for sentence in sentences {
        let (mut a, mut b) = (Tag::BOUNDARY, Tag::BOUNDARY);
        let ends = std::iter::once(Tag::BOUNDARY);
        for c in sentence.iter().map(|&(_, tag)| tag).chain(ends) {
            ones[c.index()] += 1;
            pairs[b.index() * tags + c.index()] += 1;
            *triples.entry([a, b, c]).or_default() += 1;
            (a, b) = (b, c);
        }
    }
    let total: u32 = ones.iter().sum();
    // How often a tag precedes another, and a pair another tag: what each count is divided by.
    let before: Vec<u32> = pairs.chunks(tags).map(|row| row.iter().sum()).collect();
    let mut before_pair = vec![0_u32; tags * tags];
    for ([a, b, _], n) in &triples {
        before_pair[a.index() * tags + b.index()] += n;
    }
    let ratio = |part: u32, whole: u32| if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) };
    // Deleted interpolation (Brants 2000, figure 1): each triple votes for the order that predicts it best
    // when it is left out itself.
    let mut votes = [0.0_f64; 3];
    for ([a, b, c], &n) in &triples {
        let (ab, bc) = (a.index() * tags + b.index(), b.index() * tags + c.index());
        let without = [
            ratio(ones[c.index()] - 1, total - 1),
            ratio(pairs[bc] - 1, before[b.index()] - 1),
            ratio(n - 1, before_pair[ab] - 1),
        ];
        let best = if without[2] >= without[1] && without[2] >= without[0] {
            2
        } else {
            usize::from(without[1] >= without[0])
        };
        votes[best] += f64::from(n);
    }
    let sum: f64 = votes.iter().sum::<f64>().max(1.0);
    let [l1, l2, l3] = votes.map(|v| v / sum);
    // A tag that was not seen at all still gets half a sighting, so that no cost is without end.
    let one = |c: usize| (f64::from(ones[c])).max(0.5) / f64::from(total.max(1));
    let pair = |b: usize, c: usize| l1 * one(c) + l2 * ratio(pairs[b * tags + c], before[b]);
    let table = (0..tags * tags).map(|bc| cost(pair(bc / tags, bc % tags))).collect();
    let mut kept: Vec<([Tag; 3], u16)> = Vec::new();
    for (&[a, b, c], &n) in &triples {
        let third = ratio(n, before_pair[a.index() * tags + b.index()]);
        kept.push(([a, b, c], cost(pair(b.index(), c.index()) + l3 * third)));
    }
    Transitions::new(tags, table, kept)
}
