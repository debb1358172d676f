//! Relevance judgements, in the forms in which they come with collections.
//!
//! | columns | form |
//! |---|---|
//! | 2 to 3 | query, document, and a grade (Cranfield: 1 the best, 4 the least, 5 of no interest; a negative one is a slip of the pen in that collection and counts as relevant) |
//! | 4 | TREC: query, iteration, document, and a grade above 0 where it is relevant; MED writes documents as `MED-13` |

use std::path::Path;

use forerun_platform::{FileError, file::Problem};

use super::Relevant;
use crate::LsiError;

/// The grade that Cranfield gives to a document of no interest.
const OF_NO_INTEREST: i64 = 5;

/// Reads judgements.
///
/// # Errors
/// The file cannot be read, or lines of it have another form; all of them are named.
pub fn read(path: &Path) -> Result<Relevant, LsiError> {
    parse(&path.display().to_string(), &super::text(path)?)
}

fn parse(file: &str, text: &str) -> Result<Relevant, LsiError> {
    let mut relevant = Relevant::new();
    let mut problems = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.trim_end().len();
        at += line.len();
        let words: Vec<&str> = line.split_whitespace().collect();
        let grade = |word: &str| word.parse::<i64>().ok();
        let judged = match words[..] {
            [] => continue,
            [query, document] => Some((query, document, true)),
            [query, document, g] => grade(g).map(|g| (query, document, g != OF_NO_INTEREST)),
            [query, _, document, g] => grade(g).map(|g| (query, document, g > 0)),
            _ => None,
        };
        let Some((query, document, is_relevant)) = judged else {
            problems.push(Problem::at(
                text,
                span,
                "expected a query, a document and a whole number, or a query, 0, a document and a whole number"
                    .into(),
            ));
            continue;
        };
        let documents = relevant.entry(plain(query)).or_default();
        if is_relevant {
            documents.insert(plain(document));
        }
    }
    relevant.retain(|_, documents| !documents.is_empty());
    if problems.is_empty() { Ok(relevant) } else { Err(FileError::wrong(file, problems).into()) }
}

/// `13` for `013` and for `MED-13`; what is no number stays.
pub(crate) fn plain(name: &str) -> String {
    let number = name.rsplit_once('-').filter(|(set, _)| !set.is_empty()).map_or(name, |(_, number)| number);
    match number.parse::<u64>() {
        Ok(number) => number.to_string(),
        Err(_) => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_forms_are_read() {
        let two = parse("f", "1 184 2 \r\n1 29 -1\n1 7 5\n2 5 5\n").unwrap();
        assert_eq!(two.len(), 1);
        assert_eq!(two["1"].iter().map(String::as_str).collect::<Vec<_>>(), ["184", "29"]);
        let trec = parse("f", "1 0 MED-13 1\n01 0 MED-14 0\n\n").unwrap();
        assert_eq!(trec["1"].iter().map(String::as_str).collect::<Vec<_>>(), ["13"]);
        let error = parse("f", "1 2 3\n1 2 x\n1 2 3 4 5\n").unwrap_err().to_string();
        assert!(error.contains("f:2:") && error.contains("f:3:") && !error.contains("f:1:"), "{error}");
    }
}
