//! The mappings of Benoit, Cole, Gilmore and Hillston (2004), section 4.2: best mapping and throughput of each set of
//! parameters.

use forerun::mapping::{Description, rank};

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

#[test]
fn the_paper_s_table_comes_out() {
    let candidates = "[[1,1,1], [1,1,2], [1,2,2], [1,2,1], [1,1,3], [1,3,3], [1,3,1], [1,2,3]]";
    for (links, times, best, printed) in TABLE {
        let description = Description::read(&describe(links, times, candidates), "table").unwrap();
        let ranked = rank(&description, 2, &|| false, &|| {}).unwrap();
        assert_eq!(ranked.len(), 8);
        assert!(ranked.iter().all(|c| (c.states, c.transitions) == (27, 51)), "{ranked:?}");
        let throughput = ranked.iter().find(|c| c.mapping == best).unwrap().throughput;
        // The third row is printed cut, not rounded.
        assert!((throughput - printed).abs() < 1.01e-5, "{best:?} {throughput} {printed}");
        assert!(ranked[0].throughput - throughput < 1e-12, "{ranked:?}");
    }
}

#[test]
fn all_mappings_can_be_looked_at_and_threads_do_not_matter() {
    let text = describe([0.01, 0.1, 0.2], [0.1, 0.2, 0.3], "\"all\"");
    let description = Description::read(&text, "all").unwrap();
    assert_eq!(description.candidates.len(), 27);
    let one = rank(&description, 1, &|| false, &|| {}).unwrap();
    assert_eq!(one, rank(&description, 3, &|| false, &|| {}).unwrap());
    assert!(one.windows(2).all(|pair| pair[0].throughput > pair[1].throughput - 1e-9));
}

#[test]
fn input_that_must_be_moved_slows_a_mapping_down() {
    let text = describe([0.1, 0.1, 0.1], [0.1, 0.1, 0.1], "[[1, 1, 1]]");
    let near = Description::read(&text, "near").unwrap();
    let far =
        Description::read(&text.replace("stages = 3", "stages = 3\ninput = 2\noutput = 3"), "far").unwrap();
    let throughput = |d: &Description| rank(d, 1, &|| false, &|| {}).unwrap()[0].throughput;
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
