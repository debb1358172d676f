//! One sentence for a run that ended without a report, out of all that its launcher says.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use super::record::Roster;

/// Names and values that are quoted at most.
const LISTED: usize = 3;

/// What Open MPI says where the system refuses a thread or a process.
const NO_THREAD: [&str; 3] =
    ["progress_thread", "limit on number of children", "system limit exceeded on number of processes"];

/// The sentence.
pub(crate) fn sentence(
    launcher: &str,
    ranks: usize,
    status: ExitStatus,
    said: &[String],
    roster: &Roster,
) -> String {
    if let Some(one) = open_mpi(said).or_else(|| mpich(said, roster)) {
        return format!("{one}; all other ranks were ended");
    }
    if said.iter().any(|line| NO_THREAD.iter().any(|words| line.contains(words))) {
        return format!(
            "the {ranks} ranks ended without a result: {launcher} or a rank could not begin a thread or a process; a limit (ulimit -u, or of a \
             control group) allows no more: allow more, or use fewer ranks"
        );
    }
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or(0)),
    };
    let what = format!("the {ranks} ranks ended without a result: {launcher} ended with {how}");
    match condensed(said) {
        Some(first) => format!("{what} and says: {first}"),
        None => what,
    }
}

/// What a launcher says, in a sentence: what `ssh` says of a host, else the first sentence, which is the cause as a rule, with the
/// names and values that are listed after it.
pub(super) fn condensed(said: &[String]) -> Option<String> {
    let has_words = |line: &&str| line.chars().any(char::is_alphabetic);
    let mut lines = said.iter().map(|line| line.trim()).filter(has_words);
    if let Some(ssh) = lines.clone().find(|line| line.starts_with("ssh: ")) {
        return Some(ssh.to_owned());
    }
    let mut all = lines.next()?.to_owned();
    let mut lines = lines.peekable();
    while !ends(&all) {
        let Some(line) = lines.next() else { break };
        all = format!("{all} {line}");
    }
    if let Some((first, _)) = all.split_once(". ") {
        // What follows in the same line explains.
        return Some(format!("{first}."));
    }
    let listed: Vec<String> = std::iter::from_fn(|| lines.next_if(|line| is_listed(line, &all)))
        .take(LISTED)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ").replace(" :", ":"))
        .collect();
    if listed.is_empty() {
        return Some(all);
    }
    Some(format!(
        "{} {}",
        all.trim_end_matches('.').trim_end_matches(':').to_owned() + ":",
        listed.join(", ")
    ))
}

/// Whether a sentence is at its end, or at that of one of its lines.
fn ends(all: &str) -> bool {
    all.ends_with(['.', ':', '!', '"']) || all.contains(". ")
}

/// Whether a line names something that the sentence speaks of: `Variable : x`, or after a colon, a name alone.
fn is_listed(line: &str, sentence: &str) -> bool {
    let names = line.split_once(':').is_some_and(|(name, value)| {
        !value.trim().is_empty() && name.split_whitespace().count() <= 2 && !name.starts_with('[')
    });
    names || sentence.ends_with(':') && line.split_whitespace().count() <= 2
}

/// `… process rank 3 with PID 0 on node vm exited on signal 9 (Killed).`
fn open_mpi(said: &[String]) -> Option<String> {
    let line = said.iter().find(|line| line.contains("process rank "))?;
    let (_, after) = line.split_once("process rank ")?;
    let rank: usize = after.split_whitespace().next()?.parse().ok()?;
    let host = after.split_once(" on node ").and_then(|(_, host)| host.split_whitespace().next());
    let how = after.split_once(" exited on ").map(|(_, how)| how.trim_end_matches('.'));
    let how = how.map_or("ended without a result".into(), |how| format!("was ended by {how}"));
    Some(format!("rank {rank}{} {how}", host.map_or(String::new(), |host| format!(" on {host}"))))
}

/// `PID 13875 RUNNING AT vm` and `EXIT CODE: 139`, whose process the roster knows.
fn mpich(said: &[String], roster: &Roster) -> Option<String> {
    let line = said.iter().find(|line| line.contains(" RUNNING AT "))?;
    let (process, host) = line.split_once(" RUNNING AT ")?;
    let (process, host) = (process.split_whitespace().last()?.parse::<u32>().ok()?, host.trim());
    let code = said.iter().find_map(|line| line.split_once("EXIT CODE: ")).map(|(_, code)| code.trim());
    if code == Some("9") {
        // It ends the others by the same signal, and may come upon one of them first.
        return Some(format!("a rank on {host} was ended by signal 9 (Killed), MPICH does not say which"));
    }
    let rank = roster.iter().position(|(name, pid)| *pid == process && same_host(name, host))?;
    let code = code.map_or(String::new(), |code| format!(" (MPICH's exit code {code})"));
    Some(format!("rank {rank} on {host} ended without a result{code}"))
}

/// Whether two names are of one host, with or without its domain.
fn same_host(a: &str, b: &str) -> bool {
    let short = |name: &str| name.trim().split('.').next().map(str::to_owned);
    short(a) == short(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn told(said: &str) -> String {
        let roster = vec![("vm".into(), 10), ("other".into(), 12), ("vm".into(), 11), ("vm.net".into(), 12)];
        sentence("mpirun", 4, ExitStatus::from_raw(1 << 8), &lines(said), &roster)
    }

    #[test]
    fn the_rank_that_died_is_named() {
        let open = "Primary job  terminated normally\nmpirun noticed that process rank 3 with PID 0 on node vm \
                    exited on signal 9 (Killed).";
        assert_eq!(told(open), "rank 3 on vm was ended by signal 9 (Killed); all other ranks were ended");
        let mpich = "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\nPID 12 RUNNING AT vm\nEXIT CODE: ";
        assert_eq!(
            told(&format!("{mpich}139")),
            "rank 3 on vm ended without a result (MPICH's exit code 139); all other ranks were ended"
        );
        assert_eq!(
            told(&format!("{mpich}9")),
            "a rank on vm was ended by signal 9 (Killed), MPICH does not say which; all other ranks were ended"
        );
    }

    #[test]
    fn what_a_launcher_says_of_a_file_is_quoted_with_its_name() {
        for (said, sentence) in [
            (
                "-----\nOpen RTE was unable to open the hostfile:\n    none\nCheck to make sure the path is right.\n-----\nmore",
                "Open RTE was unable to open the hostfile: none",
            ),
            ("A parse error in:\n\n    hosts\n\nIt occurred on line 1", "A parse error in: hosts"),
            (
                "The specified mapping policy is not recognized:\n  Policy: nosuch\nPlease check for a typo or ensure that \
                 the option is a supported\none.",
                "The specified mapping policy is not recognized: Policy: nosuch",
            ),
            (
                "An invalid value was supplied for an enum variable.\n  Variable     : plm_base_verbose\n  Value        : x\n\
                 It looks like orte_init failed for some reason; your parallel process is\nlikely to abort.",
                "An invalid value was supplied for an enum variable: Variable: plm_base_verbose, Value: x",
            ),
            (
                "mpirun was unable to find the specified executable file, and therefore\ndid not launch the job.  This error was \
                 first reported for process\nrank 0; it may",
                "mpirun was unable to find the specified executable file, and therefore did not launch the job.",
            ),
            (
                "ORTE was unable to reliably start one or more daemons.\nThis usually is caused by:\n\n* not finding the \
                 required libraries",
                "ORTE was unable to reliably start one or more daemons.",
            ),
            (
                "ORTE was unable to reliably start one or more daemons.\nThis usually is caused by:\nssh: Could not resolve \
                 hostname nosuchhost: Name or service not known",
                "ssh: Could not resolve hostname nosuchhost: Name or service not known",
            ),
            (
                "mpirun: Error: unknown option \"--nosuch\"\nmore",
                "mpirun: Error: unknown option \"--nosuch\"",
            ),
        ] {
            let told = told(said);
            assert!(told.ends_with(&format!("says: {sentence}")), "{told}");
        }
    }

    #[test]
    fn a_limit_of_processes_is_told() {
        for said in [
            "[vm:1] PMIX ERROR: ERROR in file ../../../src/runtime/pmix_progress_threads.c at line 219",
            "[vm:1] [[28100,0],0] ORTE_ERROR_LOG: The system limit on number of children a process can have was reached in file x.c",
        ] {
            let told = told(said);
            assert!(told.contains("could not begin a thread or a process; a limit (ulimit -u"), "{told}");
        }
    }

    #[test]
    fn what_is_not_understood_is_quoted() {
        assert_eq!(
            told("----\nThere are not enough slots available"),
            "the 4 ranks ended without a result: mpirun ended with status 1 and says: There are not enough slots \
             available"
        );
    }
}
