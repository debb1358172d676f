use std::collections::BTreeMap;

use forerun_skeleton::wire::{Plain, whole};
use forerun_text::phrase::Occurrence;
use proptest::prelude::*;

use super::*;

type Added = (DocumentNumber, String, Vec<Occurrence>);

fn added() -> impl Strategy<Value = Vec<Added>> {
    let document = (0u64..6, 1u64..4).prop_map(|(file, part)| DocumentNumber { file: file * 1000, part });
    let occurrence = (0u16..4, 0u64..2000, 1u64..300).prop_map(|(field, start, length)| Occurrence {
        field,
        start,
        end: start + length,
    });
    let occurrences = prop::collection::vec(occurrence, 1..4);
    prop::collection::vec((document, "[a-dé]{1,2}", occurrences), 0..40)
}

fn built(added: &[Added]) -> Dictionary {
    let mut builder = Builder::default();
    for (document, key, occurrences) in added {
        assert!(builder.add(*document, key, occurrences));
    }
    builder.finish()
}

/// Merges in an order that the numbers choose.
fn merged(mut parts: Vec<Dictionary>, choices: &[(usize, usize)]) -> Dictionary {
    for &(a, b) in choices.iter().cycle() {
        if parts.len() <= 1 {
            break;
        }
        let left = parts.swap_remove(a % parts.len());
        let right = parts.swap_remove(b % parts.len());
        parts.push(left.merge(right));
    }
    parts.pop().unwrap_or_default()
}

fn listed(dictionary: &Dictionary) -> BTreeMap<String, BTreeMap<DocumentNumber, Vec<Occurrence>>> {
    let mut all = BTreeMap::new();
    for (key, postings) in dictionary.iter() {
        let (mut documents, mut list) = (postings.iter(), Vec::new());
        let mut of_key = BTreeMap::new();
        while let Some(document) = documents.next_into(&mut list) {
            assert!(of_key.insert(document, list.clone()).is_none());
        }
        assert_eq!(postings.documents(), of_key.len() as u64);
        assert_eq!(postings.frequency(), of_key.values().map(|o| o.len() as u64).sum::<u64>());
        assert!(all.insert(key.to_owned(), of_key).is_none());
    }
    all
}

proptest! {
    /// What was added is what is there: a map of lists says the same.
    #[test]
    fn nothing_is_lost_or_made_up(added in added()) {
        let mut all: BTreeMap<String, BTreeMap<DocumentNumber, Vec<Occurrence>>> = BTreeMap::new();
        for (document, key, occurrences) in &added {
            all.entry(key.clone()).or_default().entry(*document).or_default().extend(occurrences);
        }
        all.values_mut().flat_map(|d| d.values_mut()).for_each(|o| o.sort());
        let dictionary = built(&added);
        prop_assert_eq!(&listed(&dictionary), &all);
        for (key, of_key) in &all {
            prop_assert_eq!(dictionary.get(key).unwrap().documents(), of_key.len() as u64);
        }
        prop_assert!(dictionary.get("zz").is_none());
    }

    /// Any tree of merges, over any division of the input, gives the bytes of one pass.
    #[test]
    fn every_merge_tree_gives_the_bytes_of_one_pass(
        added in added(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        choices in prop::collection::vec(any::<(usize, usize)>(), 1..9),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|c| c.index(added.len() + 1)).collect();
        cuts.extend([0, added.len()]);
        cuts.sort_unstable();
        let parts = cuts.windows(2).map(|w| built(&added[w[0]..w[1]])).collect();
        prop_assert_eq!(merged(parts, &choices), built(&added));
    }

    /// The same where each part has documents of its own, as ranks have them.
    #[test]
    fn parts_with_documents_of_their_own_are_appended(
        mut added in added(),
        size in 1usize..12,
        choices in prop::collection::vec(any::<(usize, usize)>(), 1..9),
    ) {
        added.sort_by_key(|a| a.0);
        let parts = added.chunks(size).map(built).collect();
        prop_assert_eq!(merged(parts, &choices), built(&added));
    }

    /// It goes over the wire, its size is said, and other bytes are refused or make some dictionary, and nothing
    /// done with that panics.
    #[test]
    fn over_the_wire(added in added(), at in any::<prop::sample::Index>(), byte: u8) {
        let dictionary = built(&added);
        let mut bytes = Vec::new();
        dictionary.encode(&mut bytes).unwrap();
        prop_assert_eq!(bytes.len() as u64, dictionary.bytes());
        prop_assert_eq!(&whole::<Dictionary>(&Plain, &bytes).unwrap(), &dictionary);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(other) = whole::<Dictionary>(&Plain, &bytes) {
            let mut list = Vec::new();
            for (_, postings) in other.iter() {
                let mut documents = postings.iter();
                while documents.next_into(&mut list).is_some() {}
            }
            let _ = other.merge(dictionary);
        }
    }
}

#[test]
fn what_is_too_long_is_refused_and_a_nul_replaced() {
    let mut builder = Builder::default();
    let document = DocumentNumber { file: 0, part: 1 };
    let at = [Occurrence { field: 0, start: 0, end: 1 }];
    assert!(!builder.add(document, &"x".repeat(LONGEST + 1), &at));
    assert!(builder.add(document, "a\0b", &at));
    let keys: Vec<String> = builder.finish().iter().map(|(key, _)| key.to_owned()).collect();
    assert_eq!(keys, ["a\u{fffd}b"]);
}
