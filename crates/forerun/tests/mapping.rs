//! The mappings of Benoit, Cole, Gilmore and Hillston (2004), section 4.2: best mapping and throughput of each set of
//! parameters.

use forerun::mapping::{Candidates, Description, Reading, Source};
use forerun_pepa::mapping::{Objective, Ranked, Search, rank, search};

/// Latencies between processors 1 and 2, 2 and 3, 1 and 3; the time of a stage on each processor; the best mapping
/// and its throughput as printed.
type Row = ([f64; 3], [f64; 3], [usize; 3], f64);

const TABLE: [Row; 7] = [
    ([1e-4, 1e-4, 1e-4], [0.1, 0.1, 0.1], [1, 2, 3], 5.63467),
    ([1e-4, 1e-4, 1e-4], [0.2, 0.2, 0.2], [1, 2, 3], 2.81892),
    ([1e-4, 1e-4, 1e-4], [0.1, 0.1, 1.0], [1, 2, 1], 3.36671),
    ([0.1, 0.1, 0.1], [0.1, 0.1, 1.0], [1, 2, 2], 2.59914),
    ([1.0, 1.0, 1.0], [0.1, 0.1, 1.0], [1, 1, 1], 1.87963),
    ([0.1, 1.0, 1.0], [0.1, 0.1, 0.1], [1, 2, 2], 2.59914),
    ([0.1, 1.0, 1.0], [1.0, 1.0, 0.01], [1, 3, 3], 0.49988),
];

fn describe(links: [f64; 3], times: [f64; 3], candidates: &str) -> String {
    let mut text = format!("format = 1\nstages = 3\nlocal = \"0.1 ms\"\ncandidates = {candidates}\n");
    for time in times {
        text += &format!("[[processor]]\ntime = \"{time} s\"\n");
    }
    for (between, latency) in ["[1, 2]", "[2, 3]", "[1, 3]"].into_iter().zip(links) {
        text += &format!("[[link]]\nbetween = {between}\nlatency = \"{latency} s\"\n");
    }
    text
}

/// The candidates of a description, the best first.
fn ranked(description: &Description) -> Vec<Ranked> {
    let Candidates::Listed(all) = &description.candidates else { panic!("no list") };
    rank(&description.grid(None), all, Objective::Throughput, 2, &|| false, &|| {}).unwrap()
}

#[test]
fn the_paper_s_table_comes_out() {
    let candidates = "[[1,1,1], [1,1,2], [1,2,2], [1,2,1], [1,1,3], [1,3,3], [1,3,1], [1,2,3]]";
    for (links, times, best, printed) in TABLE {
        let description = Description::read(&describe(links, times, candidates), "table").unwrap();
        let ranked = ranked(&description);
        assert_eq!(ranked.len(), 8);
        assert!(ranked.iter().all(|c| (c.solved.states, c.solved.transitions) == (27, 51)), "{ranked:?}");
        let mapping = best.map(|p| vec![p - 1]);
        let throughput = ranked.iter().find(|c| c.mapping == mapping).unwrap().solved.throughput;
        // The third row is printed cut, not rounded.
        assert!((throughput - printed).abs() < 1.01e-5, "{best:?} {throughput} {printed}");
        assert!(ranked[0].solved.throughput - throughput < 1e-12, "{ranked:?}");
    }
}

#[test]
fn the_search_finds_what_the_paper_found_among_its_candidates() {
    for (links, times, best, _) in TABLE {
        let description = Description::read(&describe(links, times, "\"all\""), "all").unwrap();
        let grid = description.grid(None);
        let found = search(&grid, &Search::default(), &|| false, &mut |_| {}).unwrap();
        let listed =
            rank(&grid, &[best.map(|p| vec![p - 1]).to_vec()], Objective::Throughput, 1, &|| false, &|| {})
                .unwrap();
        // The paper looks at mappings that begin on the first processor only.
        assert!(found.best[0].solved.throughput >= listed[0].solved.throughput * (1.0 - 1e-9));
        assert_eq!(found.counts.mappings, 27.0);
    }
}

#[test]
fn stages_may_take_different_times_and_be_replicated() {
    let text = "format = 1\nstages = 2\nreplicas = [1, 2]\ncandidates = [[1, [3, 2]], [1, 2]]\n\
                [[processor]]\ntimes = [\"10 ms\", \"1 s\"]\n\
                [[processor]]\ntime = \"0.1 s\"\n[[processor]]\ntime = \"0.1 s\"\n";
    let description = Description::read(text, "two").unwrap();
    assert_eq!(description.times, [[0.01, 0.1, 0.1], [1.0, 0.1, 0.1]]);
    let ranked = ranked(&description);
    assert_eq!(ranked[0].mapping, [vec![0], vec![2, 1]]);
    let gain = ranked[0].solved.throughput / ranked[1].solved.throughput;
    // Replicas take turns, so a quick dealer waits for the slower of two exponential times, 1.5 times the mean of one:
    // up to 2 / 1.5 times as fast by that, and more because the first stage's own time is hidden.
    assert!((4.0 / 3.0..1.6).contains(&gain), "{gain}");
    assert_eq!(description.grid(None).mappings(), 3.0 * 6.0);
}

#[test]
fn a_monitor_changes_speeds_and_links() {
    let text = describe([0.001, 0.001, 0.001], [0.1, 0.1, 0.1], "\"all\"");
    let description = Description::read(&text, "d").unwrap();
    let now =
        "format = 1\n[[processor]]\nnumber = 2\nspeed = 0.5\n[[link]]\nbetween = [3, 1]\nlatency = \"2 s\"\n";
    let reading = Reading::read(now, "m", 3).unwrap();
    let grid = description.grid(Some(&reading));
    assert_eq!(grid.times[1], [0.1, 0.2, 0.1]);
    assert_eq!((grid.transfers[0][2], grid.transfers[2][0], grid.transfers[0][1]), (2.0, 2.0, 0.001));
    let said = Source::Command(format!("printf '{now}'")).reading(3, None, &|| false).unwrap();
    assert_eq!(said, reading);
    let error = Reading::read(&now.replace("= 2\n", "= 4\n").replace("0.5", "0"), "m", 3).unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
    for wrong in ["exit 3", "echo format = 2", "printf '\\377'", "yes"] {
        let why = Source::Command(wrong.into()).reading(3, None, &|| false).unwrap_err();
        assert!(why.to_string().contains("--monitor-command") && why.status() == 1, "{why}");
        assert_eq!(why.to_string().contains("more than 16 MiB"), wrong == "yes", "{why}");
    }
    let stopped = Source::Command("sleep 30".into()).reading(3, None, &|| true).unwrap_err();
    assert!(stopped.to_string().contains("interrupted"), "{stopped}");
    // What it leaves behind holds its output open and is ended with it.
    let left = "sleep 30 & exit 3";
    let waited = std::time::Instant::now();
    let stop = || waited.elapsed().as_millis() > 300;
    Source::Command(left.into()).reading(3, None, &stop).unwrap_err();
    assert!(waited.elapsed().as_secs() < 20);
}

#[test]
fn input_that_must_be_moved_slows_a_mapping_down() {
    let text = describe([0.1, 0.1, 0.1], [0.1, 0.1, 0.1], "[[1, 1, 1]]");
    let near = Description::read(&text, "near").unwrap();
    let far =
        Description::read(&text.replace("stages = 3", "stages = 3\ninput = 2\noutput = 3"), "far").unwrap();
    let throughput = |d: &Description| ranked(d)[0].solved.throughput;
    assert!(throughput(&far) < 0.9 * throughput(&near));
}

#[test]
fn a_wrong_description_is_refused_at_each_of_its_faults() {
    let text = "format = 1\nstages = 3\ncandidates = [[1, 2], [1, 1, 9], [1, 1, 1]]\ninput = 7\n[[processor]]\ntime = \"0 s\"\n\
                [[link]]\nbetween = [1, 1]\nlatency = \"1 ms\"\n";
    let error = Description::read(text, "wrong.toml").unwrap_err();
    let lines: Vec<usize> = error.problems().iter().map(|p| p.line).collect();
    assert!([3, 4, 6, 8].iter().all(|line| lines.contains(line)), "{error}");
}

#[test]
fn the_example_is_read() {
    let text = include_str!("../../../examples/pipeline-mapping.toml");
    let description = Description::read(text, "pipeline-mapping.toml").unwrap();
    assert_eq!(description.candidates, Candidates::All);
    let grid = description.grid(None);
    assert_eq!((grid.stages(), grid.processors(), grid.mappings()), (8, 4, 65536.0));
    assert_eq!((grid.transfers[1][3], grid.transfers[0][1]), (0.05, 0.01));
}
