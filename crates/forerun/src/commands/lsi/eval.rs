//! `forerun lsi eval`.

use forerun_lsi::evaluation::{Evaluation, evaluate};
use forerun_lsi::ranking::Hit;
use forerun_lsi::{Collection, Model, collection, plain};
use serde::Serialize;

use super::{fault, note_rank, options};
use crate::chart::{LineChart, Series, Spacing, Style};
use crate::cli::lsi::EvalArgs;
use crate::commands::Context;
use crate::drawn::Sheet;
use crate::error::{CliError, request};
use crate::execute::stop_if_interrupted;
use crate::paths::Paths;
use crate::text::{Align, Table, colour, one_or_many, plural};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Evaluated {
    collection: String,
    documents: usize,
    queries: usize,
    terms: usize,
    weighting: &'static str,
    stop_words: bool,
    stemmed: bool,
    dimensions: usize,
    notes: Vec<String>,
    lsi: Evaluation,
    /// The same weights without reduction.
    plain: Evaluation,
}

/// Indexes a collection, ranks for its queries, and says how good that is, beside the vector space itself.
///
/// # Errors
/// What is wrong with the collection or the options.
pub(super) fn run(args: &EvalArgs, context: &mut Context) -> Result<(), CliError> {
    let files = collection::directory::files(&args.directory, &args.collection).map_err(request)?;
    let read = [&files.documents, &files.queries, &files.judged];
    let paths = args.draw.among(Paths::new().reads(read));
    paths.check(&mut context.console, |_| false)?;
    args.draw.writable()?;
    let options = options(&args.index)?;
    let collection = files.read().map_err(request)?;
    let texts: Vec<&str> = collection.queries.iter().map(|query| query.text.as_str()).collect();
    let all = collection.documents.len();
    let model = context.interrupt.busy(|| Model::build(&collection.documents, &options).map_err(fault))?;
    stop_if_interrupted(&context.interrupt)?;
    note_rank(options.svd.rank, &model, context)?;
    let lsi = judged(&collection, &model.ranked(&texts, all, options.svd.threads));
    let plain = judged(&collection, &plain(&collection.documents, &texts, all, &options));
    let found = Evaluated {
        collection: args.collection.clone(),
        documents: all,
        queries: lsi.queries,
        terms: model.vocabulary().terms().len(),
        weighting: model.weighting().name(),
        stop_words: model.analysis().stop_words,
        stemmed: model.analysis().stem,
        dimensions: model.rank(),
        notes: collection.notes,
        lsi,
        plain,
    };
    say(&found, context)?;
    args.draw.write(|| sheet(&found), || plot(&found))?;
    context.console.data(&found)
}

fn judged(collection: &Collection, lists: &[Vec<Hit>]) -> Evaluation {
    let name = |hit: &Hit| collection.documents[hit.document as usize].id.as_str();
    let lists: Vec<(String, Vec<&str>)> = collection
        .queries
        .iter()
        .zip(lists)
        .map(|(query, hits)| (query.id.clone(), hits.iter().map(name).collect()))
        .collect();
    evaluate(&lists, &collection.relevant)
}

fn say(found: &Evaluated, context: &Context) -> Result<(), CliError> {
    let console = &context.console;
    for note in &found.notes {
        console.note("note", note)?;
    }
    console.note(
        "input",
        &format!(
            "{}: {} × {}, {} with judgements; {}",
            found.collection,
            plural(found.documents as u64, "document"),
            plural(found.terms as u64, "term"),
            one_or_many(found.queries as u64, "query", "queries"),
            found.weighting
        ),
    )?;
    let mut table = Table::new(&[
        ("", Align::Left),
        ("MAP", Align::Right),
        ("P@10", Align::Right),
        ("R-precision", Align::Right),
    ]);
    for (name, of) in
        [(format!("LSI, k = {}", found.dimensions), &found.lsi), ("vector space".into(), &found.plain)]
    {
        let three = |x: f64| format!("{x:.3}");
        table.row(vec![name, three(of.map), three(of.p10), three(of.r_precision)]);
    }
    console.text(&table.render(colour(&std::io::stdout())))?;
    let mut curve =
        Table::new(&[("recall", Align::Right), ("LSI", Align::Right), ("vector space", Align::Right)]);
    for (tenths, (lsi, plain)) in found.lsi.curve.iter().zip(found.plain.curve).enumerate() {
        curve.row(vec![format!("{:.1}", tenths as f64 / 10.0), format!("{lsi:.3}"), format!("{plain:.3}")]);
    }
    console.text(&curve.render(colour(&std::io::stdout())))
}

fn sheet(found: &Evaluated) -> Sheet {
    let mut sheet = Sheet::new(&["recall", "precision_lsi", "precision_vector_space"]);
    for (tenths, (lsi, plain)) in found.lsi.curve.iter().zip(found.plain.curve).enumerate() {
        sheet.rows.push(vec![(tenths as f64 / 10.0).into(), (*lsi).into(), plain.into()]);
    }
    sheet
}

fn plot(found: &Evaluated) -> LineChart {
    let series = |name: String, style: Style, of: &Evaluation| Series {
        name,
        style,
        points: (0..).zip(of.curve).map(|(tenths, y)| (f64::from(tenths) / 10.0, y)).collect(),
        ..Series::default()
    };
    LineChart {
        title: format!("{}: precision by recall, {}", found.collection, found.weighting),
        x: "recall".into(),
        y: "interpolated precision".into(),
        x_spacing: Spacing::Even,
        y_spacing: Spacing::Even,
        series: vec![
            series(format!("LSI, k = {}", found.dimensions), Style::Line, &found.lsi),
            series("vector space".into(), Style::Dashed, &found.plain),
        ],
    }
}
