//! How good ranked lists are, by relevance judgements: as TREC's evaluation program measures it.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::collection::Relevant;

/// Points of the recall curve.
pub const POINTS: usize = 11;

/// The means over all queries that have relevant documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Queries with relevant documents.
    pub queries: usize,
    /// Mean average precision: of each query the mean of the precision at every relevant document, 0 for one that is not found.
    pub map: f64,
    /// Precision among the first ten documents.
    pub p10: f64,
    /// Precision among the first R documents, R the number of relevant ones.
    pub r_precision: f64,
    /// Interpolated precision at recall 0, 0.1, … 1: the largest precision at this recall or more.
    pub curve: [f64; POINTS],
    /// The average precision of each query.
    pub each: Vec<(String, f64)>,
}

/// Evaluates lists of documents, best first, given with the query's name. A query without relevant documents does not count;
/// one that has some and no list counts as 0.
pub fn evaluate<D: AsRef<str>>(lists: &[(String, Vec<D>)], relevant: &Relevant) -> Evaluation {
    let mut sum = Evaluation {
        queries: 0,
        map: 0.0,
        p10: 0.0,
        r_precision: 0.0,
        curve: [0.0; POINTS],
        each: Vec::new(),
    };
    let none = Vec::new();
    for (query, wanted) in relevant.iter().filter(|(_, wanted)| !wanted.is_empty()) {
        let list = lists.iter().find(|(name, _)| name == query).map_or(&none, |(_, list)| list);
        let one = of_query(list, wanted);
        sum.queries += 1;
        sum.map += one.average;
        sum.p10 += one.p10;
        sum.r_precision += one.r_precision;
        sum.curve.iter_mut().zip(one.curve).for_each(|(sum, point)| *sum += point);
        sum.each.push((query.clone(), one.average));
    }
    let count = (sum.queries as f64).max(1.0);
    sum.map /= count;
    sum.p10 /= count;
    sum.r_precision /= count;
    sum.curve.iter_mut().for_each(|point| *point /= count);
    sum
}

/// What a query's list is worth.
struct OfQuery {
    average: f64,
    p10: f64,
    r_precision: f64,
    curve: [f64; POINTS],
}

fn of_query<D: AsRef<str>>(list: &[D], wanted: &BTreeSet<String>) -> OfQuery {
    let count = wanted.len();
    // The relevant documents found up to each place.
    let found: Vec<usize> = list
        .iter()
        .scan(0, |found, document| {
            *found += usize::from(wanted.contains(document.as_ref()));
            Some(*found)
        })
        .collect();
    let upto = |places: usize| found.get(..places).map_or(found.last(), |f| f.last()).copied().unwrap_or(0);
    let mut curve = [0.0f64; POINTS];
    let (mut average, mut before) = (0.0, 0);
    for (place, &hits) in (1..).zip(&found) {
        if hits > before {
            let precision = hits as f64 / f64::from(place);
            average += precision / count as f64;
            for (tenths, point) in curve.iter_mut().enumerate() {
                if hits * 10 >= tenths * count {
                    *point = point.max(precision);
                }
            }
        }
        before = hits;
    }
    OfQuery { average, p10: upto(10) as f64 / 10.0, r_precision: upto(count) as f64 / count as f64, curve }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn by_hand() {
        let relevant =
            [("q".to_string(), ["a", "b", "x"].map(String::from).into()), ("r".into(), ["c".into()].into())];
        let lists = [("q".to_string(), vec!["a", "n", "b", "m"])];
        let found = evaluate(&lists, &relevant.into());
        let average = (1.0 + 2.0 / 3.0) / 3.0;
        assert_eq!(found.queries, 2);
        assert!((found.map - average / 2.0).abs() < 1e-15);
        assert!((found.p10 - 0.1).abs() < 1e-15);
        assert!((found.r_precision - 1.0 / 3.0).abs() < 1e-15);
        // Recall 1/3 is reached with precision 1, recall 2/3 with 2/3, recall 1 never.
        let expected = [1.0, 1.0, 1.0, 1.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 0.0, 0.0, 0.0, 0.0];
        for (point, expected) in found.curve.iter().zip(expected) {
            assert!((point - expected / 2.0).abs() < 1e-15, "{:?}", found.curve);
        }
    }
}
