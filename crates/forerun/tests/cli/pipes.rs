//! Outputs and inputs that are no regular files: pipes, sockets, devices, standard input.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::util::{Place, ended_by, finish};

/// Longer than anybody is waited for who does not open a pipe, on a machine with a lot to do.
const GIVEN_UP: Duration = Duration::from_secs(30);

/// Every option that names an output, each in a line that ends with its value.
const OUTPUTS: [&str; 25] = [
    "run sort in --profile profile.toml -o",
    "run sort in --skeleton scatter-gather -o",
    "run mandelbrot --size 8x8 --iterations 9 -o",
    "run sort in --profile profile.toml -o sorted --json",
    "run sort in -o sorted --write-profile",
    "run farm cat in --profile profile.toml -o",
    "farm cat in --profile profile.toml -o",
    "farm cat in -o x --json",
    "farm cat in -o x --profile profile.toml --write-profile",
    "reduce --map cat --merge cat in --profile profile.toml -o",
    "reduce --map cat --merge cat in -o x --profile profile.toml --write-profile",
    "plan sort in --profile profile.toml --json",
    "plan sort in --profile profile.toml --sbatch",
    "predict sort in --profile profile.toml --json",
    "predict sort in --profile profile.toml --csv",
    "predict sort in --profile profile.toml --svg",
    "predict sort in --profile profile.toml -p 2 --strategy reduction-tree --write-model",
    "compare o.json --json",
    "compare o.json --csv",
    "report o.json -o",
    "generate numbers 10 -o",
    "calibrate --quick --out",
    "pepa export m.pepa --as prism -o",
    "pepa fmt m.pepa --json",
    "reproduce kuntraruk-speedup --csv",
];

fn place() -> Place {
    let place = Place::new();
    place.profile();
    place.write("in", (0..5000i32).flat_map(i32::to_le_bytes).collect::<Vec<_>>());
    place.write("m.pepa", "P = (a, 1).P;\nP");
    place.run("run sort in -p 1 --profile profile.toml -o sorted --json o.json").ok();
    place
}

#[test]
fn an_output_that_nobody_reads_is_given_up() {
    let place = place();
    place.pipe("pipe");
    let begun = Instant::now();
    let lines = OUTPUTS.map(|line| format!("{line} pipe"));
    let running: Vec<_> = lines.iter().map(|line| place.start(line.split_whitespace())).collect();
    for (line, running) in lines.iter().zip(running) {
        let said = running.end();
        assert_eq!(said.status.code(), Some(2), "{line}: {} {}", said.err, said.text());
        assert!(
            said.err.contains("it is a pipe that nobody reads: start what does so before"),
            "{line}: {}",
            said.err
        );
    }
    assert!(begun.elapsed() < 2 * GIVEN_UP, "{:?}", begun.elapsed());
    place.run("farm cat in -o x --resume pipe").refused(2, &["it is no regular file"]);
    place.run("run lsi m.pepa in --db pipe").refused(2, &[]);
}

#[test]
fn sockets_are_no_outputs() {
    let place = place();
    let _held = UnixListener::bind(place.path("socket")).unwrap();
    for line in OUTPUTS {
        place.run(&format!("{line} socket")).refused(2, &["it is a socket, where a file is expected"]);
    }
}

#[test]
fn what_reads_a_pipe_gets_the_whole_output() {
    let place = place();
    let through = |line: &str, late: u64| {
        let pipe = place.pipe("pipe");
        let from = pipe.clone();
        let reader = spawn(move || {
            sleep(Duration::from_millis(late));
            let mut read = Vec::new();
            File::open(from).unwrap().read_to_end(&mut read).unwrap();
            read
        });
        place.run(&format!("{line} pipe")).ok();
        std::fs::remove_file(pipe).unwrap();
        reader.join().unwrap()
    };
    for late in [0, 600] {
        assert_eq!(through("generate numbers 100k --type i64 -o", late).len(), 800_000);
        assert!(through("run mandelbrot --size 8x8 --iterations 9 -o", late).starts_with(b"\x89PNG"));
        let json = through("predict sort in --profile profile.toml --json", late);
        assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok());
        assert_eq!(through("farm cat in --profile profile.toml -o", late), place.read("in"));
        assert_eq!(
            through("reduce --map cat --merge cat in --profile profile.toml -o", late),
            place.read("in")
        );
    }
}

/// What is too long to be kept comes once, and is enough.
#[test]
fn a_long_profile_from_a_pipe_is_read_once() {
    let place = place();
    let long = place.text("profile.toml") + &"# a remark\n".repeat(120_000);
    let pipe = place.pipe("costs");
    let writer = spawn(move || std::fs::write(pipe, long));
    let said = place.run("run tasks 20 --size 1kB -p 1 --profile costs").ok();
    assert!((said.text() + &said.err).contains("20 results"));
    writer.join().unwrap().unwrap();
}

#[test]
fn a_signal_ends_the_wait_for_a_reader() {
    let place = place();
    place.pipe("pipe");
    let words = ["reduce", "--map", "cat", "--merge", "cat", "in", "--profile", "profile.toml", "-o", "pipe"];
    let mut running = place.start(words);
    running.wait_until_listening();
    sleep(Duration::from_millis(200));
    running.signal(Signal::INT);
    let said = running.end();
    assert!(ended_by(said.status, Signal::INT.as_raw()), "{:?} {}", said.status, said.err);
    // One that is open, and that nobody reads.
    let held = File::options().read(true).write(true).open(place.path("pipe")).unwrap();
    let mut running = place.start(["generate", "numbers", "1M", "-o", "pipe"]);
    running.wait_until_listening();
    sleep(Duration::from_millis(700));
    running.signal(Signal::INT);
    let said = running.end();
    assert!(ended_by(said.status, Signal::INT.as_raw()), "{:?} {}", said.status, said.err);
    drop(held);
}

#[test]
fn standard_output_has_other_names() {
    let place = place();
    for name in ["-", "/dev/stdout"] {
        let said = place.run(&format!("predict sort in --profile profile.toml --json {name}")).ok();
        assert!(said.json().is_array(), "{name}");
        let picture = place.run(&format!("run mandelbrot --size 8x8 --iterations 9 -o {name}")).ok();
        assert!(picture.out.starts_with(b"\x89PNG"), "{name}: {}", picture.text());
        // What is in a file that standard output leads to is not lost.
        let mut command =
            place.command(["predict", "sort", "in", "--profile", "profile.toml", "--csv", name]);
        let file = File::create(place.path("all")).unwrap();
        let ended = command.stdout(file).stderr(Stdio::null()).status().unwrap();
        assert!(ended.success() && place.text("all").contains("makespan"), "{name}: {}", place.text("all"));
    }
    assert!(!place.path("-").exists());
    place.run("predict sort in --profile profile.toml --json /dev/null").ok();
}

#[test]
fn a_dash_is_standard_input_once_or_is_said_to_be_no_file() {
    let place = place();
    let fed = |line: &str, file: &str| {
        let mut command = place.command(line.split_whitespace());
        command.stdin(File::open(place.path(file)).unwrap());
        finish(command)
    };
    let costs = fed("predict sort in --profile - -p 1 --json -", "profile.toml").ok().json();
    assert_eq!(costs[0]["processors"], 1);
    let shown = place.run("platform show osu-myrinet").ok();
    place.write("p.toml", &shown.out);
    let there =
        fed("predict sort in --profile profile.toml --platform - -p 4 --json -", "p.toml").ok().json();
    assert_eq!(there[0]["platform"], "osu-myrinet");
    fed("platform check -", "p.toml").ok();
    fed("pepa check -", "m.pepa").ok();
    fed("compare -", "o.json").ok();
    fed("predict sort in --profile -", "in").refused(2, &["standard input"]);
    for line in [
        "predict sort in --profile - --platform -",
        "farm cat --files-from - --profile - -o x",
        "reduce --map cat --merge cat --files-from - --profile - -o x",
    ] {
        fed(line, "profile.toml").refused(2, &["two inputs are to come from standard input"]);
    }
    let model = "[farm]\ntasks = 10\nwork = \"1 ms\"\n";
    place.write("farm.toml", model);
    fed("model farm - --platform -", "farm.toml").refused(2, &["two inputs are to come from standard input"]);
    // Whether there is a file of that name or not.
    for there in [false, true] {
        if there {
            std::fs::copy(place.path("in"), place.path("-")).unwrap();
        }
        for line in [
            "run sort -",
            "run sort in - -o x",
            "farm cat - -o x",
            "reduce --map cat --merge cat - -o x",
            "run features - --db x",
            "run lsi - in -o x",
            "run hip --femur - --pelvis in",
            "lsi build - -o x",
        ] {
            fed(line, "in").refused(2, &["- is no file", "standard input", "./-"]);
        }
    }
    place.run("run sort ./- -o x").ok();
    assert_eq!(place.read("x"), place.read("in"));
}

/// One rule for whatever goes to standard output: who has read enough, as `head` has, ends it without a word, as any filter.
#[test]
fn a_reader_that_has_had_enough_ends_it_without_a_word() {
    let place = place();
    let mut seen = 0;
    for line in OUTPUTS {
        for name in ["-", "/dev/stdout"] {
            // A result on standard output leaves no place for anything else, and models are written to files.
            if line.contains("-o sorted --json") && name == "-" || line.contains("--write-model") {
                continue;
            }
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let mut command = place.command(line.split_whitespace().chain([name]));
            command.stdout(writer).stderr(Stdio::piped());
            let said = crate::util::Running::new(command).end();
            assert_eq!(said.status.code(), Some(128 + Signal::PIPE.as_raw()), "{line} {name}: {}", said.err);
            assert!(!said.err.to_lowercase().contains("broken pipe"), "{line} {name}: {}", said.err);
            assert!(!said.err.contains("forerun: "), "{line} {name}: {}", said.err);
            seen += 1;
        }
    }
    assert!(seen > OUTPUTS.len());
}
