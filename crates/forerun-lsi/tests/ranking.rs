//! Laws of ranked lists, and matching against comparing one by one.

use forerun_lsi::ranking::{Best, Hit};
use forerun_lsi::{Document, Model, ModelOptions};
use proptest::prelude::*;

/// Hits with few scores, so that there are many ties.
fn hits() -> impl Strategy<Value = Vec<Hit>> {
    prop::collection::vec((0u8..4, 0u32..30), 0..25).prop_map(|hits| {
        hits.into_iter().map(|(score, document)| Hit { score: f32::from(score) / 4.0, document }).collect()
    })
}

fn merged(mut left: Best, right: &Best, most: usize) -> Best {
    left.merge(right.clone(), most);
    left
}

proptest! {
    #[test]
    fn merging_is_associative_commutative_and_idempotent(
        a in hits(), b in hits(), c in hits(), most in 1usize..20,
    ) {
        let [a, b, c] = [a, b, c].map(|hits| Best::of(hits, most));
        let left = merged(merged(a.clone(), &b, most), &c, most);
        prop_assert_eq!(&left, &merged(a.clone(), &merged(b.clone(), &c, most), most));
        prop_assert_eq!(merged(a.clone(), &b, most), merged(b.clone(), &a, most));
        prop_assert_eq!(&merged(left.clone(), &left, most), &left);
        prop_assert_eq!(&merged(left.clone(), &Best::default(), most), &left);
        prop_assert_eq!(&merged(Best::default(), &left, most), &left);
        prop_assert!(left.hits().is_sorted_by(|x, y| x.order(y).is_lt()));
    }

    #[test]
    fn merging_parts_gives_the_best_of_all(a in hits(), b in hits(), most in 1usize..20) {
        let all: Vec<Hit> = a.iter().chain(&b).copied().collect();
        let parts = merged(Best::of(a, most), &Best::of(b, most), most);
        let mut sorted = all;
        sorted.sort_by(Hit::order);
        sorted.dedup();
        sorted.truncate(most);
        prop_assert_eq!(parts.into_hits(), sorted);
    }
}

fn model() -> (Model, Vec<String>) {
    let words = ["wing", "flow", "heat", "shock", "jet", "plate", "cone", "gas", "drag", "lift", "wave"];
    let text = |i: usize| {
        (0..8).map(|j| words[(i * i + 3 * j * (i % 5 + 1)) % words.len()]).collect::<Vec<_>>().join(" ")
    };
    let documents: Vec<Document> = (0..61).map(|i| Document { id: format!("d{i}"), text: text(i) }).collect();
    let queries = (0..7).map(|i| text(i * 13 + 5)).chain(["nothing known".to_string()]).collect();
    (Model::build(&documents, &ModelOptions::new(5)).unwrap(), queries)
}

#[test]
fn lists_are_the_same_however_documents_and_queries_are_cut() {
    let (model, queries) = model();
    let whole = model.matched(&model.fold(&queries), 0..61, 20);
    for cut in [1, 2, 3, 30, 59] {
        let folded = model.fold(&queries);
        let mut left = model.matched(&folded, 0..cut, 20);
        for (left, right) in left.iter_mut().zip(model.matched(&folded, cut..61, 20)) {
            left.merge(right, 20);
        }
        assert_eq!(left, whole);
    }
    for (query, whole) in queries.iter().zip(&whole) {
        assert_eq!(&model.matched(&model.fold(&[query]), 0..61, 20)[0], whole);
    }
    let lists: Vec<Vec<Hit>> = whole.into_iter().map(Best::into_hits).collect();
    assert_eq!(model.ranked(&queries, 20, 3), lists);
    // A query of unknown words is as near to all: ties, in the order of the documents.
    let last = lists.last().unwrap();
    assert!((0u32..).zip(last).all(|(i, hit)| hit.score == 0.0 && hit.document == i), "{last:?}");
}

#[test]
fn a_document_is_nearest_to_its_own_text() {
    let (model, _) = model();
    let text = "wing shock plate drag";
    let best = model.ranked(&[text], 61, 1).remove(0);
    assert!(best.is_sorted_by(|a, b| a.score >= b.score));
    assert!(best.iter().all(|hit| (-1.00001..=1.00001).contains(&hit.score)));
}

#[test]
fn a_model_comes_back_from_its_bytes_and_damage_is_seen() {
    let (model, queries) = model();
    let bytes = model.to_bytes().unwrap();
    let read = Model::from_bytes(&bytes).unwrap();
    assert_eq!(read.ranked(&queries, 10, 1), model.ranked(&queries, 10, 1));
    assert_eq!((read.ids(), read.values()), (model.ids(), model.values()));
    assert_eq!(read.vocabulary(), model.vocabulary());
    assert_eq!(read.to_bytes().unwrap(), bytes);
    // Of its file too, which is mapped, and stays what it was when another takes its name.
    let dir = tempfile::tempdir().unwrap();
    let (path, next) = (dir.path().join("model"), dir.path().join("next"));
    std::fs::write(&path, &bytes).unwrap();
    let mapped = Model::open(&path).unwrap();
    std::fs::write(&next, &bytes[..bytes.len() - 1]).unwrap();
    std::fs::rename(&next, &path).unwrap();
    assert_eq!(mapped.ranked(&queries, 10, 2), model.ranked(&queries, 10, 1));
    assert_eq!(mapped.to_bytes().unwrap(), bytes);
    assert!(Model::open(&path).unwrap_err().to_string().contains("damaged"));
    let mut padding = 0;
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        // Only zeros between sections belong to nothing.
        match Model::from_bytes(&damaged) {
            Ok(_) => padding += 1,
            Err(what) => assert!(what.contains("model"), "{what}"),
        }
    }
    assert!(padding < 8 * 64, "{padding} bytes are not checked");
    for length in [0, 7, 30, 100, bytes.len() - 1] {
        assert!(Model::from_bytes(&bytes[..length]).is_err());
    }
}
