//! What is to be built of a platform: hosts with their limits, switches and links. Builds nothing.

use forerun_platform::{Bytes, Host, Platform, Seconds, SecondsPerByte, Throttle};

/// Least quota that the kernel takes.
const LEAST_QUOTA: Seconds = Seconds(1e-3);
/// Periods that the kernel takes.
const PERIODS: (Seconds, Seconds) = (Seconds(1e-3), Seconds(1.0));
/// The period of a host of which none is stated, as the kernel's default.
const PERIOD: Seconds = Seconds(0.1);
/// More hosts than this have no addresses.
const MOST_HOSTS: usize = 1000;

/// A cluster as it is built.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// What it is called: letters, digits and dashes.
    pub(crate) name: String,
    /// The hosts, in the order of the file.
    pub(crate) hosts: Vec<Node>,
    /// The switches, level by level from the hosts upwards; the last is the only one of its level.
    pub(crate) switches: Vec<Switch>,
    /// Rate of the hosts' own interfaces, bytes per second.
    pub(crate) rate: f64,
    /// Rates of reading and writing a host's disk, bytes per second, where the file states storage.
    pub(crate) disk: Option<(f64, f64)>,
    /// What the file states and a testbed has not, a sentence each.
    pub(crate) left_out: Vec<String>,
}

/// One host.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Its name, also the one that its processes see.
    pub(crate) name: String,
    /// Its address.
    pub(crate) address: String,
    /// Its processor time.
    pub(crate) throttle: Throttle,
    /// Its memory, where it is limited.
    pub(crate) memory: Option<Bytes>,
    /// The switch it hangs on.
    pub(crate) switch: usize,
}

/// One switch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Switch {
    /// The switch above, where there is one.
    pub(crate) above: Option<usize>,
    /// Rate of every port of it, bytes per second.
    pub(crate) rate: f64,
}

impl Layout {
    /// The layout of a platform.
    ///
    /// # Errors
    /// What cannot be built, in a sentence.
    pub(crate) fn of(platform: &Platform) -> Result<Layout, String> {
        let name = plain(&platform.name);
        if name.is_empty() {
            return Err(format!("\"{}\" has no letter for a testbed's name: rename it", platform.name));
        }
        let count: usize = platform.hosts.iter().map(|h| h.count).sum();
        if !(1..=MOST_HOSTS).contains(&count) {
            return Err(format!("a testbed has 1 to {MOST_HOSTS} hosts, not {count}: lower count"));
        }
        let network = &platform.network;
        let (levels, switches) = switches(platform, count)?;
        let mut hosts = Vec::with_capacity(count);
        for group in &platform.hosts {
            let throttle = throttle(group)?;
            for number in 1..=group.count {
                let name = plain(&if group.count == 1 {
                    group.name.clone()
                } else {
                    format!("{}{number}", group.name)
                });
                if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
                    return Err(format!(
                        "host \"{}\" would be called \"{name}\", and a host's name begins with a letter: rename it",
                        group.name
                    ));
                }
                if hosts.iter().any(|h: &Node| h.name == name) {
                    return Err(format!(
                        "a second host would be called \"{name}\", made of \"{}\": rename that group",
                        group.name
                    ));
                }
                let (at, memory) = (hosts.len(), group.memory);
                hosts.push(Node { name, address: address(at), throttle, memory, switch: at / levels });
            }
        }
        Ok(Layout {
            name,
            hosts,
            switches,
            rate: rate(network.gap_per_byte.value, "the network")?,
            disk: platform.storage.map(|s| (s.read.value.0, s.write.value.0)),
            left_out: left_out(platform),
        })
    }

    /// Processors that all hosts together take, if all are busy.
    pub(crate) fn processors(&self) -> f64 {
        self.hosts.iter().map(|h| h.throttle.quota.0 / h.throttle.period.0).sum()
    }
}

/// Hosts on a switch of the first level, and the switches.
fn switches(platform: &Platform, hosts: usize) -> Result<(usize, Vec<Switch>), String> {
    let Some(topology) = &platform.network.topology else {
        let rate = rate(platform.network.gap_per_byte.value, "the network")?;
        return Ok((hosts, vec![Switch { above: None, rate }]));
    };
    let (mut switches, mut below): (Vec<Switch>, usize) = (Vec::new(), hosts);
    for (i, level) in topology.levels.iter().enumerate() {
        let (begin, count) = (switches.len(), below.div_ceil(level.fan_in));
        let rate = rate(level.gap_per_byte.value, &topology.level_name(i))?;
        let above = |at: usize| topology.levels.get(i + 1).map(|next| begin + count + at / next.fan_in);
        switches.extend((0..count).map(|at| Switch { above: above(at).filter(|_| count > 1), rate }));
        if count == 1 {
            return Ok((topology.levels[0].fan_in, switches));
        }
        below = count;
    }
    Err(format!(
        "{below} switches at the top are not connected to each other: let the {} have a fan_in of {}",
        topology.level_name(topology.levels.len().saturating_sub(1)),
        below * topology.levels.last().map_or(1, |l| l.fan_in)
    ))
}

/// The throttle of a group's hosts: the one stated, or as much as their cores give.
fn throttle(group: &Host) -> Result<Throttle, String> {
    if group.speed != 1.0 {
        return Err(format!(
            "host \"{}\" has speed {}, and a testbed's cores are this machine's: leave speed out, or state \
             throttle = {{ quota = \"1 ms\", period = \"10 ms\" }}",
            group.name, group.speed
        ));
    }
    let Some(throttle) = group.throttle else {
        return Ok(Throttle { quota: Seconds(PERIOD.0 * group.cores as f64), period: PERIOD });
    };
    let Throttle { quota, period } = throttle;
    if quota < LEAST_QUOTA {
        return Err(format!(
            "host \"{}\" has a quota of {quota}, and the kernel takes none below {LEAST_QUOTA}: lengthen quota and period alike",
            group.name
        ));
    }
    if period < PERIODS.0 || period > PERIODS.1 {
        return Err(format!(
            "host \"{}\" has a period of {period}, and the kernel takes {} to {}: change quota and period alike",
            group.name, PERIODS.0, PERIODS.1
        ));
    }
    Ok(throttle)
}

/// The rate of links that take so long for a byte.
fn rate(gap: SecondsPerByte, links: &str) -> Result<f64, String> {
    // tc counts in whole bytes a second; below this, a packet takes longer than its queue waits.
    if gap.0 > 0.0 && 1.0 / gap.0 >= 10e3 {
        return Ok(1.0 / gap.0);
    }
    Err(format!(
        "the links of {links} take {gap}: a testbed's have a rate from 80 kbit/s on; state bandwidth"
    ))
}

/// What a testbed cannot have, or has only on demand.
fn left_out(platform: &Platform) -> Vec<String> {
    let mut out = Vec::new();
    let mut say = |condition: bool, sentence: &str| {
        if condition {
            out.push(sentence.to_string());
        }
    };
    let topology = platform.network.topology.as_ref();
    let level =
        |has: fn(&forerun_platform::Level) -> bool| topology.is_some_and(|t| t.levels.iter().any(has));
    let host = |has: fn(&Host) -> bool| platform.hosts.iter().any(has);
    say(level(|l| l.latency.value.0 > 0.0), "latency of switches: theirs is that of a bridge in the kernel");
    say(
        level(|l| l.background.value.0 > 0.0) || host(|h| h.background.value.0 > 0.0),
        "background: start traffic with `testbed load`",
    );
    say(host(|h| !h.availability.is_empty()), "availability: the speed of a host does not change");
    say(
        host(|h| h.contention != Default::default()),
        "contention: cores slow each other as this machine's do",
    );
    out
}

/// The address of the host of this number.
fn address(at: usize) -> String {
    format!("10.213.{}.{}", at / 250, at % 250 + 1)
}

/// The addresses of all hosts.
pub(crate) const ADDRESSES: &str = "10.213.0.0/16";

/// A name of which hosts' names, files and interfaces can be made.
fn plain(name: &str) -> String {
    let word: String = name
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(48)
        .collect();
    word.trim_matches('-').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(rest: &str) -> Result<Layout, String> {
        let text = format!(
            "format = 1\nname = \"My lab\"\n[network]\nlatency = '50 us'\nbandwidth = '100 Mbit/s'\n{rest}"
        );
        Layout::of(&Platform::from_toml(&text, "lab.toml").unwrap_or_else(|e| panic!("{e}")))
    }

    const EIGHT: &str =
        "[[host]]\nname = 'Node'\ncount = 8\nthrottle = { quota = '1 ms', period = '10 ms' }\n";

    #[test]
    fn hosts_hang_on_one_switch_unless_more_are_stated() {
        let lab = layout(EIGHT).unwrap();
        assert_eq!((lab.name.as_str(), lab.hosts.len(), lab.switches.len()), ("my-lab", 8, 1));
        assert_eq!((lab.hosts[7].name.as_str(), lab.hosts[7].address.as_str()), ("node8", "10.213.0.8"));
        assert!((lab.rate - 12.5e6).abs() < 1.0 && (lab.processors() - 0.8).abs() < 1e-12);
    }

    #[test]
    fn leaves_hang_on_the_spine_with_the_rates_of_their_levels() {
        let spine = "[network.topology]\nkind = 'leaf-spine'\nleaf = { fan_in = 3 }\n\
                     spine = { fan_in = 3, bandwidth = '50 Mbit/s' }\n";
        let lab = layout(&format!("{spine}{EIGHT}")).unwrap();
        let above: Vec<_> = lab.switches.iter().map(|s| s.above).collect();
        assert_eq!(above, [Some(3), Some(3), Some(3), None]);
        let rates: Vec<_> = lab.switches.iter().map(|s| (s.rate / 1e4).round()).collect();
        assert_eq!(rates, [1250.0, 1250.0, 1250.0, 625.0]);
        let on: Vec<_> = lab.hosts.iter().map(|h| h.switch).collect();
        assert_eq!(on, [0, 0, 0, 1, 1, 1, 2, 2]);
        // One leaf that holds all needs no spine.
        let one = layout(&format!("{}{EIGHT}", spine.replace("leaf = { fan_in = 3", "leaf = { fan_in = 8")))
            .unwrap();
        assert_eq!(one.switches.len(), 1);
        let apart =
            layout(&format!("{}{EIGHT}", spine.replace("{ fan_in = 3,", "{ fan_in = 2,"))).unwrap_err();
        assert!(apart.starts_with("2 switches at the top are not connected"), "{apart}");
    }

    #[test]
    fn what_cannot_work_is_refused_in_a_sentence() {
        let with = |part: &str, by: &str| layout(&EIGHT.replace(part, by)).unwrap_err();
        assert!(with("'1 ms'", "'0.9 ms'").contains("has a quota of 900 µs"));
        assert!(with("'10 ms'", "'2 s'").contains("has a period of 2 s"));
        assert!(with("count = 8", "count = 2000").contains("1 to 1000 hosts, not 2000"));
        assert!(with("count = 8", "count = 8\nspeed = 0.5").contains("has speed 0.5"));
        assert!(
            with("'Node'", "'???'").contains("would be called \"1\", and a host's name begins with a letter")
        );
        let twice = format!("[[host]]\nname = 'node1'\n{EIGHT}");
        assert!(layout(&twice).unwrap_err().contains("a second host would be called \"node1\""));
    }

    #[test]
    fn a_host_without_a_throttle_gets_its_cores() {
        let lab = layout("[[host]]\nname = 'n'\ncores = 2\n").unwrap();
        assert_eq!((lab.processors(), lab.hosts[0].name.as_str()), (2.0, "n"));
    }

    #[test]
    fn the_examples_can_be_built_on_two_processors() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/testbed");
        let files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
        assert!(files.len() >= 7);
        for file in files {
            let platform = Platform::load(&file).unwrap_or_else(|e| panic!("{e}"));
            let layout = Layout::of(&platform).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            // The hosts where commands are given, and servers, wait while the others work.
            let most = if layout.name.starts_with("served-") { 3.0 } else { 1.6 };
            assert!(layout.processors() <= most + 1e-9, "{}", file.display());
            assert_eq!(Some(layout.name.as_str()), file.file_stem().and_then(|s| s.to_str()));
        }
    }
}
