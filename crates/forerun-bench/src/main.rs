//! Benches beside rivals, in one run: `cargo xtask bench --help`.
//!
//! Contenders take turns, A B A B, so that whatever else the machine does falls on all of them; the
//! table has the median and the lowest and highest of the rounds.

mod accuracy;
mod hip;
mod lsi;
mod mandelbrot;
mod messages;
mod mpi_reduce;
mod pepa;
mod place;
mod python;
mod record;
mod reuters;
mod scatter;
mod simulate;
mod sort;
mod spill;
mod table;
mod testbed;
mod testbed_calibration;
mod testbed_farm;
mod testbed_text;
mod text;

use std::io;
use std::process::ExitCode;

use record::Record;

const HELP: &str = "\
Measures beside rivals, in one run, and keeps a dated record under benches/runs.

Usage: cargo xtask bench [NAME] [--rounds N] [--no-record]

Names (without one, all):
  accuracy   how far off predictions are of `forerun run`: a sort and word counts by external
             commands, on 1 and 2 processors, by every strategy; needs 1 GB of disk
  hip        rotations of a femur against a pelvis a second, beside FCL (python-fcl, installed as for text), and
             whether the answers are the same; FORERUN_HIP names the directory of the bones of TLEM 2 (tlem2_femur_r.stl,
             tlem2_pelvis.stl), without which a stem and a cup are made
  lsi        milliseconds to find 100 singular values of the tf-idf matrix of Reuters-21578, beside scikit-learn's
             solvers (installed as for text); FORERUN_REUTERS names its directory
  mandelbrot   million iterations a second on one thread, beside the plain loop
  messages   nanoseconds a message on the threads endpoint: stream, ping-pong, many to one,
             beside crossbeam-channel, the standard library's sync_channel and rtrb
  mpi-reduce the library's pipelined reduction beside MPI_Reduce with its defaults and with Open MPI's algorithms
             forced, on 2 and 4 ranks, and as root on 4 and 8 hosts of a cluster in a box; only where it is named
  pepa       seconds to explore and solve PEPA models of up to 8·10^6 states, beside Storm on the same
             chains (stormpy, which is installed beside this program if it is not there). Parts of it are
             pepa-explore, pepa-polling-15, pepa-polling-16, pepa-workshop and pepa-tandem
  sort       milliseconds to sort numbers on two ranks, beside sort_unstable and rayon in
             memory, and beside GNU sort from file to file; needs 3 GiB of memory
  scatter    how far off predictions are of a sort by scatter-gather: 5·10^6 to 10^8 numbers, on 1
             and 2 processors; needs 1.2 GB of disk. A round takes about 20 s
  spill      seconds to sort 4 GiB in 1 GiB of memory, which is checked; needs 17 GiB of disk. Only where it is named
  simulate   messages a second in virtual time, and bytes a rank, on 16 to 2^20 ranks
  text       milliseconds to tag documents and to find their noun phrases, on one thread and on two, beside
             NLTK, spaCy and TextBlob (installed under target/; FORERUN_BENCH_PYTHON names another Python);
             FORERUN_REUTERS names the directory of Reuters-21578, FORERUN_BROWN the Brown corpus as a zip
  testbed    how far off predictions are on 2 to 32 hosts of a cluster in a box: timed tasks and a sort by
             every strategy, over MPI, from a calibration there; as all of this name only where it is asked for.
             Needs root, an MPI and nothing else to do for about 35 minutes; goes on where an earlier one was ended
  testbed-calibration   what `forerun calibrate --on mpi` finds on 2 to 16 hosts, twice, beside what was set and
             what a plain socket reaches. Needs root, an MPI and 10 minutes
  testbed-farm   how far off predictions are of farms (a picture of the Mandelbrot set, a hip's range of motion, external commands)
             and of a reduction by external commands, on 2 to 16 hosts; how many slaves a master keeps up with, and
             what further and dynamic masters are good for. FORERUN_HIP names a directory with a femur and a pelvis
             as STL files. Needs 30 minutes
  testbed-scatter   how far off predictions are of a sort by scatter-gather on hosts with slow disks and little memory. Needs
             10 minutes
  testbed-text   how far off predictions are of features of documents and lists for queries, from files or a web server into
             PostgreSQL, on 1 to 16 hosts. Needs nginx and PostgreSQL too, and 25 minutes

Options:
  --rounds N    rounds of each contender [default: 9, at least 1]
  --no-record   print only";

/// What was asked for.
struct Request {
    names: Vec<String>,
    rounds: usize,
    record: bool,
}

/// A bench: measures and adds its tables to the record.
type Bench = fn(usize, &mut Record) -> io::Result<()>;

/// All there are.
const BENCHES: &[(&str, Bench)] = &[
    ("accuracy", accuracy::bench),
    ("hip", hip::bench),
    ("lsi", lsi::bench),
    ("mandelbrot", mandelbrot::bench),
    ("messages", messages::bench),
    ("mpi-reduce", mpi_reduce::bench),
    ("pepa", pepa::bench),
    ("pepa-explore", pepa::explore),
    ("pepa-polling-15", pepa::polling_15),
    ("pepa-polling-16", pepa::polling_16),
    ("pepa-workshop", pepa::workshop_alone),
    ("pepa-tandem", pepa::tandem_queue),
    ("sort", sort::bench),
    ("scatter", scatter::bench),
    ("spill", spill::bench),
    ("simulate", simulate::bench),
    ("text", text::bench),
    ("testbed", testbed::bench),
    ("testbed-calibration", testbed_calibration::bench),
    ("testbed-farm", testbed_farm::bench),
    ("testbed-scatter", testbed::scatter::bench),
    ("testbed-text", testbed_text::bench),
];

fn request(arguments: impl Iterator<Item = String>) -> Result<Option<Request>, String> {
    let mut request = Request { names: Vec::new(), rounds: 9, record: true };
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--no-record" => request.record = false,
            "--rounds" => {
                let number = arguments.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                request.rounds = number.ok_or("--rounds takes a number of rounds, at least 1")?;
            }
            name if BENCHES.iter().any(|b| b.0 == name) => request.names.push(argument),
            other => {
                let names: Vec<_> = BENCHES.iter().map(|b| b.0).collect();
                return Err(format!("there is no bench `{other}`: expected {}", names.join(", ")));
            }
        }
    }
    if request.names.is_empty() {
        let is_extra = |name: &str| {
            name.starts_with("testbed")
                || name.starts_with("pepa-")
                || ["mpi-reduce", "spill"].contains(&name)
        };
        request.names = BENCHES.iter().map(|b| b.0.to_owned()).filter(|name| !is_extra(name)).collect();
    }
    Ok(Some(request))
}

fn main() -> ExitCode {
    // A process of its own for a run whose memory is measured.
    if let Some(line) = simulate::alone(std::env::args()) {
        println!("{line}");
        return ExitCode::SUCCESS;
    }
    // An end of a socket whose rate is measured.
    if let Some(done) = testbed_calibration::end(std::env::args()) {
        return done.map_or_else(
            |e| {
                eprintln!("bench: {e}");
                ExitCode::FAILURE
            },
            |()| ExitCode::SUCCESS,
        );
    }
    let request = match request(std::env::args().skip(1)) {
        Ok(Some(request)) => request,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(sentence) => {
            eprintln!("bench: {sentence}");
            return ExitCode::from(2);
        }
    };
    for (name, bench) in BENCHES.iter().filter(|b| request.names.iter().any(|n| n == b.0)) {
        let mut record = Record::new(name);
        let done = bench(request.rounds, &mut record).and_then(|()| {
            if request.record {
                println!("\nrecord: {}", record.write()?.display());
            }
            Ok(())
        });
        if let Err(e) = done {
            eprintln!("bench: {name}: {e}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
