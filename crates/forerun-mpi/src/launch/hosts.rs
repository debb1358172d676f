//! Names of hosts that a launcher is to start ranks on: those that nobody knows are found before anything is run.

use std::collections::BTreeSet;
use std::net::ToSocketAddrs as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::system::uname;

/// Names that are looked up at most: of more, a wrong one is found when ranks are started.
const MOST: usize = 64;
/// How long it is waited for all of them.
const PATIENCE: Duration = Duration::from_secs(3);

/// The names in a file of hosts, as Open MPI (`NAME slots=4`, `USER@NAME`) and MPICH (`NAME:4`) read it.
pub(super) fn of_file(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.filter_map(|line| name(line.split_whitespace().next()?)).collect()
}

/// The names in a launcher's words: `-H a:4,b`, `--host a`, `-hosts a,b`.
pub(super) fn of_words(words: &[String]) -> BTreeSet<String> {
    let listed = |two: &[String]| {
        ["-H", "-host", "--host", "-hosts"].contains(&two[0].as_str()).then(|| two[1].clone())
    };
    let lists: Vec<String> = words.windows(2).filter_map(listed).collect();
    lists.iter().flat_map(|list| list.split(',')).filter_map(name).collect()
}

/// Ranks that the hosts of a file have room for, where that is stated of all: `NAME slots=4`, `NAME:4`.
pub(super) fn slots(text: &str) -> Option<usize> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let of = |line: &str| {
        let stated = line.split_whitespace().find_map(|word| word.strip_prefix("slots="));
        // An address of IPv6 has many colons.
        stated.or_else(|| line.split_once(':').map(|(_, slots)| slots))?.parse::<usize>().ok()
    };
    lines.filter(|line| !line.is_empty()).map(of).sum()
}

/// Whether a name is one of this host.
pub(super) fn is_here(name: &str) -> bool {
    let own = uname();
    let own = String::from_utf8_lossy(own.nodename().to_bytes());
    let short = own.split('.').next().unwrap_or_default();
    ["localhost", "127.0.0.1", "::1", &*own, short].contains(&name)
}

fn name(word: &str) -> Option<String> {
    let word = word.rsplit('@').next().unwrap_or(word);
    // An address of IPv6 has many colons, and Open MPI's relative names (+n0, +e) are none.
    let name = if word.matches(':').count() > 1 { word } else { word.split(':').next().unwrap_or(word) };
    let is_name = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || "-._:".contains(c))
        && !name.starts_with('-');
    is_name.then(|| name.to_owned())
}

/// The first of the names that has no address, neither by itself nor as `ssh` is told to understand it. A name of which that is not known in time
/// is no such one.
pub(super) fn unknown(names: BTreeSet<String>) -> Option<String> {
    let (tell, told) = mpsc::channel();
    let mut waiting = 0;
    for name in names.into_iter().take(MOST) {
        let tell = tell.clone();
        // Not waited for: a look-up can take as long as a server of names that does not answer.
        let look = move || {
            let known = has_address(&name) || ssh_knows(&name);
            let _ = tell.send((!known).then_some(name));
        };
        if thread::Builder::new().name("names".into()).spawn(look).is_ok() {
            waiting += 1;
        }
    }
    let begun = Instant::now();
    let mut all = BTreeSet::new();
    for _ in 0..waiting {
        let Ok(name) = told.recv_timeout(PATIENCE.saturating_sub(begun.elapsed())) else { break };
        all.extend(name);
    }
    all.pop_first()
}

fn has_address(name: &str) -> bool {
    (name, 22).to_socket_addrs().is_ok_and(|mut all| all.next().is_some())
}

/// Whether `ssh` has another name for it, or a way there of its own.
fn ssh_knows(name: &str) -> bool {
    let mut ssh = Command::new("ssh");
    ssh.args(["-G", name]).stdin(Stdio::null()).stderr(Stdio::null());
    let Ok(said) = ssh.output() else { return false };
    String::from_utf8_lossy(&said.stdout).lines().filter_map(|line| line.split_once(' ')).any(
        |(key, value)| match key {
            "proxycommand" | "proxyjump" => value != "none",
            "hostname" => value != name && has_address(value),
            _ => false,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn names_are_read_as_launchers_do() {
        let file = "# hosts\nnode1 slots=4 max_slots=4\nme@node2.net slots=2 # here\n\nnode3:8\n10.0.0.1\nfe80::1\n+n0\n";
        assert_eq!(of_file(file), set(&["node1", "node2.net", "node3", "10.0.0.1", "fe80::1"]));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(of_words(&words("mpirun -H a:4,b --mca x y --host c")), set(&["a", "b", "c"]));
        assert_eq!(of_words(&words("mpiexec -hosts a,b:2 -H")), set(&["a", "b"]));
        assert_eq!(of_words(&words("mpirun --mca btl self")), set(&[]));
    }

    #[test]
    fn slots_are_those_of_all_hosts_or_of_none() {
        assert_eq!(slots("# hosts\nnode1 slots=4 max_slots=6\n\nme@node2 slots=2 # here\n"), Some(6));
        assert_eq!(slots("node1:4\nnode1:4\n"), Some(8));
        for unstated in ["node1 slots=4\nnode2\n", "fe80::1\n", "node1 slots=many\n"] {
            assert_eq!(slots(unstated), None, "{unstated}");
        }
    }

    #[test]
    fn this_host_is_known_by_its_names() {
        assert!(is_here("localhost") && is_here(&uname().nodename().to_string_lossy()));
        assert!(!is_here("node1") && !is_here(""));
    }

    #[test]
    fn names_that_nobody_knows_are_told() {
        // Too long for a name, whether any server of names answers or none.
        let gone = format!("{}.invalid", "x".repeat(64));
        assert_eq!(unknown(set(&["localhost", "127.0.0.1", &gone])), Some(gone));
        assert_eq!(unknown(set(&["localhost", "127.0.0.1"])), None);
        assert_eq!(unknown(set(&[])), None);
    }
}
