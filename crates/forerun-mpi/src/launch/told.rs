//! One sentence for a run that ended without a report, out of all that its launcher says.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use super::record::Roster;

/// The sentence.
pub(crate) fn sentence(
    launcher: &str,
    ranks: usize,
    status: ExitStatus,
    said: &[String],
    roster: &Roster,
) -> String {
    let what = open_mpi(said).or_else(|| mpich(said, roster));
    let what = what.unwrap_or_else(|| format!("the {ranks} ranks ended without a result"));
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or(0)),
    };
    // What is said first is the cause, as a rule.
    let first = said.iter().find(|line| line.chars().any(char::is_alphabetic));
    match first {
        Some(line) if !what.starts_with("rank") => {
            format!("{what}: {launcher} ended with {how} and says: {line}")
        }
        _ if what.starts_with("rank") => format!("{what}; all other ranks were ended"),
        _ => format!("{what}: {launcher} ended with {how}"),
    }
}

/// `… process rank 3 with PID 0 on node vm exited on signal 9 (Killed).`
fn open_mpi(said: &[String]) -> Option<String> {
    let line = said.iter().find(|line| line.contains("process rank "))?;
    let (_, after) = line.split_once("process rank ")?;
    let rank: usize = after.split_whitespace().next()?.parse().ok()?;
    let host = after.split_once(" on node ").and_then(|(_, host)| host.split_whitespace().next());
    let how = after.split_once(" exited on ").map(|(_, how)| how.trim_end_matches('.'));
    Some(died(rank, host, &how.map_or("ended without a result".into(), |how| format!("was ended by {how}"))))
}

/// `PID 13875 RUNNING AT vm` and `EXIT CODE: 9`, whose process the roster knows.
fn mpich(said: &[String], roster: &Roster) -> Option<String> {
    let line = said.iter().find(|line| line.contains(" RUNNING AT "))?;
    let (process, host) = line.split_once(" RUNNING AT ")?;
    let process: u32 = process.split_whitespace().last()?.parse().ok()?;
    let rank = roster.iter().position(|(name, pid)| *pid == process && same_host(name, host))?;
    let code = said.iter().find_map(|line| line.split_once("EXIT CODE: ")).map(|(_, code)| code.trim());
    // Hydra prints the raw status: a signal's number, or an exit code.
    let how = match code.and_then(|code| code.parse::<i32>().ok()) {
        Some(9) => "was ended by signal 9 (Killed)".to_owned(),
        Some(code) => format!("ended without a result (MPICH's exit code {code})"),
        None => "ended without a result".to_owned(),
    };
    Some(died(rank, Some(host.trim()), &how))
}

fn died(rank: usize, host: Option<&str>, how: &str) -> String {
    format!("rank {rank}{} {how}", host.map_or(String::new(), |host| format!(" on {host}")))
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

    #[test]
    fn the_rank_that_died_is_named() {
        let status = ExitStatus::from_raw(137 << 8);
        let open = "Primary job  terminated normally\nmpirun noticed that process rank 3 with PID 0 on node vm \
                    exited on signal 9 (Killed).";
        let expected = "rank 3 on vm was ended by signal 9 (Killed); all other ranks were ended";
        assert_eq!(sentence("mpirun", 4, status, &lines(open), &Vec::new()), expected);
        let hydra =
            "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\nPID 12 RUNNING AT vm\nEXIT CODE: 9";
        let roster = vec![("vm".into(), 10), ("other".into(), 12), ("vm".into(), 11), ("vm.net".into(), 12)];
        assert_eq!(sentence("mpirun", 4, status, &lines(hydra), &roster), expected);
    }

    #[test]
    fn what_is_not_understood_is_quoted() {
        let said = lines("----\nThere are not enough slots available");
        assert_eq!(
            sentence("mpirun", 4, ExitStatus::from_raw(1 << 8), &said, &Vec::new()),
            "the 4 ranks ended without a result: mpirun ended with status 1 and says: There are not enough slots \
             available"
        );
    }
}
