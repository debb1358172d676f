//! `forerun lsi query`.

use forerun_lsi::ranking::written;
use forerun_lsi::{Model, Query, collection};
use serde::Serialize;

use crate::cli::lsi::QueryArgs;
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::paths::Paths;
use crate::text::{Align, Table, colour, printable};

/// A document in a query's list.
#[derive(Debug, Serialize)]
struct Ranked {
    rank: usize,
    document: String,
    cosine: f32,
}

/// What `--json` gets for each query.
#[derive(Debug, Serialize)]
struct Answer {
    query: String,
    text: String,
    documents: Vec<Ranked>,
}

/// Ranks and prints.
///
/// # Errors
/// What is wrong with the model or the queries.
pub(super) fn run(args: &QueryArgs, context: &mut Context) -> Result<(), CliError> {
    let paths = Paths::new().reads([&args.model]).reads(&args.file);
    paths.check(&mut context.console, |_| false)?;
    if args.top == 0 {
        return Err(request("--top 0: at least one document is needed"));
    }
    let model = Model::open(&args.model).map_err(request)?;
    let given = (1usize..).zip(&args.queries);
    let mut queries: Vec<Query> =
        given.map(|(n, text)| Query { id: n.to_string(), text: text.clone() }).collect();
    if let Some(file) = &args.file {
        queries.extend(collection::queries(file).map_err(request)?);
    }
    let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let lists = model.ranked(&texts, args.top, threads);
    let answers = queries.iter().zip(&lists).map(|(query, hits)| Answer {
        query: query.id.clone(),
        text: query.text.clone(),
        documents: (1..)
            .zip(hits)
            .map(|(rank, hit)| Ranked {
                rank,
                document: model.ids()[hit.document as usize].clone(),
                cosine: hit.score,
            })
            .collect(),
    });
    let answers: Vec<Answer> = answers.collect();
    for answer in &answers {
        context
            .console
            .say("query", &printable(&answer.text.split_whitespace().collect::<Vec<_>>().join(" ")))?;
        if answer.documents.iter().all(|d| d.cosine == 0.0) {
            let why = match answer.text.contains(char::is_alphanumeric) {
                true => "none of its words is in the model: every document is as far from it as any other",
                false => "there is no word in it",
            };
            context.console.say("note", why)?;
            continue;
        }
        let mut table =
            Table::new(&[("rank", Align::Right), ("document", Align::Left), ("cosine", Align::Right)]);
        for Ranked { rank, document, cosine } in &answer.documents {
            table.row(vec![rank.to_string(), printable(document), written(*cosine, 4)]);
        }
        context.console.text(&table.render(colour(&std::io::stdout())))?;
    }
    context.console.data(&answers)
}
