//! PEPA models explored and solved, beside Storm on the same chains.

mod models;
mod storm;

use std::cell::Cell;
use std::time::Instant;
use std::{fs, io};

use forerun_pepa::export::prism;
use forerun_pepa::measures::Measures;
use forerun_pepa::model::{Settings, System, compile};
use forerun_pepa::solve::{Solving, steady};
use forerun_pepa::space::{Exploration, Space};
use forerun_pepa::syntax::{Dialect, parse};

use self::models::{Model, client_server, polling, tandem, workshop};
use self::storm::{LIMIT, Ran, Storm};
use crate::record::Record;
use crate::simulate::cpu_seconds;
use crate::table::{Contender, Table};

/// Measures how fast states are found, then models explored and solved.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    exploring(rounds, record)?;
    symmetric(record)?;
    models(&[polling(15), polling(16), workshop(), tandem(707)], rounds, record)
}

/// How fast states are found, alone.
pub(crate) fn explore(rounds: usize, record: &mut Record) -> io::Result<()> {
    exploring(rounds, record)?;
    symmetric(record)
}

/// Polling of 15 stations alone.
pub(crate) fn polling_15(rounds: usize, record: &mut Record) -> io::Result<()> {
    models(&[polling(15)], rounds, record)
}

/// Polling of 16 stations alone.
pub(crate) fn polling_16(rounds: usize, record: &mut Record) -> io::Result<()> {
    models(&[polling(16)], rounds, record)
}

/// The workshop alone.
pub(crate) fn workshop_alone(rounds: usize, record: &mut Record) -> io::Result<()> {
    models(&[workshop()], rounds, record)
}

/// The tandem queue alone.
pub(crate) fn tandem_queue(rounds: usize, record: &mut Record) -> io::Result<()> {
    models(&[tandem(707)], rounds, record)
}

/// Models explored and solved.
fn models(models: &[Model], rounds: usize, record: &mut Record) -> io::Result<()> {
    let storm = Storm::find();
    match &storm {
        Some(storm) => record.note(&format!(
            "Storm: stormpy {}, on the PRISM text that `forerun pepa export --as prism` writes of the same model (of the tandem queue, on \
             one written by hand), solved by gmm++, the fastest of its solvers here. Figures are seconds of CPU time; a run of Storm is ended after {LIMIT} of them, and not \
             tried again.",
            storm.version
        )),
        None => record.note("Storm is not here: `pip install stormpy` was not possible."),
    }
    models.iter().try_for_each(|model| solving(model, storm.as_ref(), rounds, record))
}

/// The system of a model.
fn system(model: &Model) -> io::Result<System> {
    let wrong = || io::Error::other(format!("{} is not a model", model.name));
    let parsed = parse(&model.text, Dialect::Any).model.ok_or_else(wrong)?;
    compile(&parsed, &Settings::new()).system.ok_or_else(wrong)
}

fn explored(system: &System, threads: usize, aggregate: bool) -> io::Result<Space> {
    let how = Exploration { threads, aggregate, ..Exploration::default() };
    Space::explore(system, &how, &mut |_| true).map_err(io::Error::other)
}

fn exploring(rounds: usize, record: &mut Record) -> io::Result<()> {
    let model = client_server(200, 28);
    let system = system(&model)?;
    let space = explored(&system, 1, false)?;
    let (states, transitions, bytes) = (space.states(), space.transitions(), space.bytes_per_state());
    drop(space);
    let speed = |seconds: f64| states as f64 / seconds / 1e6;
    let one = Contender::new("1 thread, of CPU time", || {
        let begun = cpu_seconds();
        explored(&system, 1, false).map_or(f64::NAN, |_| speed(cpu_seconds() - begun))
    });
    let two = Contender::new("2 threads, of time", || {
        let begun = Instant::now();
        explored(&system, 2, false).map_or(f64::NAN, |_| speed(begun.elapsed().as_secs_f64()))
    });
    let title = format!("{}: {states} states, {transitions} transitions explored", model.name);
    record.add(&Table::measure(title, "million states a second", rounds, vec![one, two]));
    record.note(&format!("{bytes:.1} bytes a state: packed states, hash table, transitions."));
    Ok(())
}

/// States that are put together.
fn symmetric(record: &mut Record) -> io::Result<()> {
    let copies = |name: &str, count: usize| vec![name; count].join(" <> ");
    let text = client_server(1, 1).text;
    let (definitions, _) = text.rsplit_once(';').unwrap_or_default();
    let model = Model {
        name: "9 clients, 9 servers, each a component".into(),
        text: format!(
            "{definitions}; ({}) <request, response> ({})",
            copies("Client", 9),
            copies("Server", 9)
        ),
        action: "response",
        prism: None,
    };
    let system = system(&model)?;
    let begun = cpu_seconds();
    let space = explored(&system, 1, true)?;
    let seconds = cpu_seconds() - begun;
    record.note(&format!(
        "{}: {} states stand for {:.0}, found in {seconds:.4} s with --aggregate.",
        model.name,
        space.states(),
        space.distinguished()
    ));
    Ok(())
}

fn solving(model: &Model, storm: Option<&Storm>, rounds: usize, record: &mut Record) -> io::Result<()> {
    let system = system(model)?;
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("model.sm");
    let text = match &model.prism {
        Some(text) => text.clone(),
        None => prism(&system).map_err(io::Error::other)?,
    };
    fs::write(&file, text)?;
    let reward = format!("{}_a", model.action);
    let ours = Cell::new(Ran::default());
    let how = Cell::new(String::new());
    let theirs = Cell::new(None);
    let mut contenders = vec![Contender::new("forerun, 1 thread", || match once(&system, model.action) {
        Ok((ran, solver)) => {
            ours.set(ran);
            how.set(solver);
            ran.built + ran.solved
        }
        Err(_) => f64::NAN,
    })];
    if let Some(storm) = storm {
        let (theirs, file, reward) = (&theirs, &file, &reward);
        let mut ended = false;
        contenders.push(Contender::new("Storm", move || {
            let ran = if ended { None } else { storm.run(file, reward).ok() };
            ended |= ran.is_none();
            theirs.set(ran);
            ran.map_or(f64::NAN, |ran| ran.built + ran.solved)
        }));
    }
    let title = format!("{}, explored and solved", model.name);
    record.add(&Table::measure(title, "s of CPU time", rounds, contenders));
    let ours = ours.get();
    let throughput = |ran: &Ran| format!("throughput of {} {:.9}", model.action, ran.value);
    let mut text = format!(
        "forerun: {} states, explored in {:.2} s and solved in {:.2}, {}: {}.",
        ours.states,
        ours.built,
        ours.solved,
        how.take(),
        throughput(&ours)
    );
    match theirs.get() {
        Some(theirs) => {
            text += &format!(
                " Storm: {} states, built in {:.2} s and solved in {:.2}: {}.",
                theirs.states,
                theirs.built,
                theirs.solved,
                throughput(&theirs)
            );
        }
        None if storm.is_some() => {
            text += &format!(" Storm gave no result within {LIMIT} s of CPU time.");
        }
        None => {}
    }
    record.note(&text);
    Ok(())
}

/// Explores and solves; says how.
fn once(system: &System, action: &str) -> io::Result<(Ran, String)> {
    let begun = cpu_seconds();
    let space = explored(system, 1, false)?;
    let built = cpu_seconds();
    let solution = steady(system, &space, &Solving::default(), &|| false).map_err(io::Error::other)?;
    let measures = Measures::of(system, &space, &solution.x);
    let solved = cpu_seconds();
    let value = measures.throughput_of(action).unwrap_or(f64::NAN);
    let ran = Ran { states: space.states(), built: built - begun, solved: solved - built, value };
    Ok((ran, format!("{}, residual {:.1e}, {:?}", solution.solver, solution.residual, solution.confirmation)))
}
