//! Launchers that start nothing: what is said of them, and that they can be ended. They are scripts; no MPI is needed.

#[path = "../../forerun-platform/tests/common/programs.rs"]
mod programs;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forerun_mpi::{Launch, Launcher};
use forerun_skeleton::Cancel;

/// A launcher that says that it is `version`, and then does `what`.
fn launcher(name: &str, version: &str, what: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo '{version}' && exit\n{what}\n");
    programs::write(&path, &script);
    path
}

fn launch(launcher: &Path, hostfile: Option<PathBuf>) -> Launch {
    Launch {
        launcher: Launcher::named(&[launcher.display().to_string()]).expect("a launcher"),
        ranks: 3,
        hostfile,
        program: "true".into(),
        arguments: Vec::new(),
        cancel: Cancel::new(),
        hurry: Cancel::new(),
        begin: Duration::from_millis(300),
        watcher: None,
    }
}

/// What is said of one that starts nothing, until it is given up then.
fn said_of(launch: &Launch) -> String {
    let (begun, mut said) = (Instant::now(), String::new());
    // More than a pipe holds, which nobody reads.
    let input = vec![b' '; 1 << 20];
    let ended = launch.run(&input, std::io::sink(), |late| {
        said = late.to_owned();
        launch.cancel.cancel();
    });
    assert_eq!(ended.map_err(|e| e.to_string()), Err("the run was cancelled".to_owned()));
    // No rank has begun that could end by itself.
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    said
}

#[test]
fn what_is_waited_for_is_said_where_no_rank_begins() {
    let silent = launcher("silent", "mpirun (Open MPI) 4.1.4", "exec sleep 30");
    let said = said_of(&launch(&silent, None));
    assert!(said.starts_with("no rank has begun after 0 s: ") && said.contains("silent"), "{said}");
    let said = said_of(&launch(&silent, Some("hosts.txt".into())));
    assert!(said.contains("the hosts of hosts.txt") && said.contains("password"), "{said}");
    let queued = "echo 'srun: job 7 queued and waiting for resources' >&2; exec sleep 30";
    let queued = launcher("queued", "slurm 22.05", queued);
    let said = said_of(&launch(&queued, None));
    assert!(
        said.contains("room for 3") && said.ends_with("says: srun: job 7 queued and waiting for resources"),
        "{said}"
    );
}

#[test]
fn nothing_is_said_of_one_that_ends_before() {
    let quick = launcher("quick", "HYDRA build details", "exit 3");
    let ended = launch(&quick, None).run(b"", std::io::sink(), |late| panic!("{late}"));
    assert!(ended.is_err_and(|e| e.to_string().contains("status 3")));
}
