//! The help of every job: what it lists, the job takes.

use std::fs;

use crate::util::Place;

/// What an option needs beside it, and a value that it takes; `None` of what takes no value.
fn with_value(option: &str) -> (&'static [&'static str], Option<&'static str>) {
    match option {
        "shell" | "commutative" | "split-lines" | "ordered" | "unordered" | "left" => (&[], None),
        "quiet" => (&[], None),
        "skeleton" => (&[], Some("reduction")),
        "strategy" => (&[], Some("adaptive")),
        "on" => (&[], Some("threads")),
        "by" => (&[], Some("analytic")),
        "platform" => (&[], Some("lehigh-fire")),
        "profile" => (&[], Some("profile.toml")),
        "efficiency" => (&[], Some("0.5")),
        "write-model" => (&["-p", "2"], Some("written")),
        "patience" => (&["--db", "sqlite:db"], Some("1 s")),
        "every" => (&["-o", "out"], Some("1 s")),
        "timeout" => (&[], Some("10 s")),
        "grain" => (&[], Some("5 kB")),
        "head" => (&[], Some("20")),
        "cup" | "neck-length" => (&[], Some("40")),
        "memory" | "max-output" | "max-file" | "size-limit" => (&[], Some("1 MiB")),
        "block" | "ahead" => {
            (&["--skeleton", "scatter-gather"], Some(if option == "block" { "64 KiB" } else { "0" }))
        }
        "hostfile" => (&["--on", "mpi"], Some("hosts")),
        "mpirun" => (&["--on", "mpi"], Some("mpirun")),
        "type" => (&[], Some("i32")),
        "centre" => (&[], Some("0,0")),
        "femur-centre" | "pelvis-centre" => (&[], Some("0,0,0")),
        "flexion" | "abduction" | "rotation" => (&[], Some("0:1:1")),
        "width" => (&[], Some("1.5")),
        "include" => (&[], Some("*")),
        "files-from" => (&[], Some("list")),
        "db" => (&[], Some("sqlite:db")),
        "below" => (&[], Some("http://127.0.0.1/")),
        "out" | "json" | "csv" | "svg" | "sbatch" | "write-profile" | "deliver" | "tmp" | "resume"
        | "model" | "fields" | "crawl-dir" => (&[], Some("written")),
        _ => (&[], Some("2")),
    }
}

/// The long options that a help lists.
fn listed(help: &str) -> Vec<String> {
    let options = help.lines().filter_map(|line| {
        let word = line
            .trim_start()
            .trim_start_matches("-p, ")
            .trim_start_matches("-o, ")
            .trim_start_matches("-q, ");
        let name = word.strip_prefix("--")?.split([' ', '<', '[', '=']).next()?;
        line.starts_with("  ").then(|| name.trim_end_matches('.').to_owned())
    });
    options.filter(|name| !["help", "json", "quiet"].contains(&name.as_str())).collect()
}

/// Jobs that end for want of an input, a host or a file once their options were looked at, or that are soon done.
const JOBS: [(&str, &[&str]); 8] = [
    ("sort", &["none", "--profile", "profile.toml"]),
    ("features", &["none", "--db", "sqlite:db", "--profile", "profile.toml"]),
    ("reduce", &["none", "--map", "cat", "--merge", "cat", "--profile", "profile.toml"]),
    ("lsi", &["none", "none", "--profile", "profile.toml"]),
    ("tasks", &["4", "--size", "5 kB", "--profile", "profile.toml"]),
    ("farm", &["cat", "none"]),
    ("mandelbrot", &["--size", "8x8", "--iterations", "10"]),
    ("hip", &["--femur", "none", "--pelvis", "none"]),
];

#[test]
fn no_option_that_a_help_lists_is_refused_by_its_job() {
    let mut refused = Vec::new();
    for verb in ["run", "plan", "predict"] {
        for (job, words) in JOBS {
            let place = Place::new();
            let help = place.run(&format!("{verb} {job} --help")).ok().text();
            let options = listed(&help);
            assert!(options.len() > 5, "{verb} {job}: {help}");
            for option in options {
                place.profile();
                place.write("list", "");
                place.write("hosts", "localhost\n");
                let (beside, value) = with_value(&option);
                let given = |name: &str| words.contains(&name);
                let mut line = vec![verb, job];
                let own: Vec<&str> = match given(&format!("--{option}")) {
                    true => words.to_vec(),
                    false => words.iter().chain(beside.iter().filter(|w| !given(w))).copied().collect(),
                };
                line.extend(own);
                let word = format!("--{option}");
                if !given(&word) {
                    line.push(&word);
                    line.extend(value);
                }
                let said = place.say(&line);
                // What is not built in is not a matter of the job.
                let no_mpi = said.err.contains("built without MPI") || beside.contains(&"mpi");
                // Nor is what only pages or processes take, which the help says.
                let of_input = said.err.contains("is of a crawl, and no URL is named");
                let of_mpi = option == "platform" && said.err.contains("are of --on mpi");
                let excused = no_mpi || of_input || of_mpi;
                if said.status.code() == Some(2) && said.err.contains(&word) && !excused {
                    refused.push(format!("{}: {}", line.join(" "), said.err.trim()));
                }
                let _ = fs::remove_file(place.path("written"));
                let _ = fs::remove_dir_all(place.path("written"));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn what_only_other_jobs_take_is_listed_for_those_alone() {
    let place = Place::new();
    let options = |line: &str| listed(&place.run(line).ok().text());
    for verb in ["run", "plan", "predict"] {
        for (job, _) in JOBS {
            let has = |name: &str| options(&format!("{verb} {job} --help")).iter().any(|o| o == name);
            assert_eq!(has("block"), ["sort", "tasks"].contains(&job), "{verb} {job}");
            assert_eq!(has("strategy"), !["farm", "mandelbrot", "hip"].contains(&job), "{verb} {job}");
            assert_eq!(has("sbatch"), verb == "plan" && job != "tasks");
        }
    }
    assert!(!options("reduce --help").iter().any(|o| o == "block"));
    // Given all the same, it is refused in words that say where it is of use.
    place.run("plan lsi none none --skeleton scatter-gather").refused(2, &["sort can be run so"]);
}
