//! Parts what ranks write from what their launcher says of itself, and from records.

use std::io::Write;

use super::record::Record;

/// Bytes of a line that are held at most before they are passed on, unless it holds a record.
const LINE: usize = 64 << 10;
/// Lines kept of what the launcher says.
const SAID: usize = 200;
/// Dashes or equals signs of a rule between which launchers print what they have to say.
const RULE: usize = 60;

/// What launchers begin lines with.
const BEGINNINGS: [&str; 9] = [
    "[mpiexec@",
    "[proxy:",
    "srun: ",
    "slurmstepd: ",
    "mpirun",
    "mpiexec",
    "YOUR APPLICATION TERMINATED",
    "This typically refers to a problem with your application",
    "Please see the FAQ page for debugging suggestions",
];

/// What is said, by them and by what they start, only until ranks begin: afterwards it is what a rank writes.
const BEFORE: [&str; 2] = ["ssh: ", "Type 'mpi"];

/// Parts a stream.
pub(crate) struct Sieve<W> {
    to: W,
    token: Vec<u8>,
    held: Vec<u8>,
    /// Whether the held bytes begin a line.
    fresh: bool,
    /// Between two rules.
    ruled: bool,
    /// Whether ranks have begun, as far as is known.
    begun: bool,
    /// Empty lines that may be the launcher's, before a rule.
    blanks: usize,
    records: Vec<Record>,
    said: Vec<String>,
}

impl<W: Write> Sieve<W> {
    /// Passes on to `to`; records begin with `token`.
    pub(crate) fn new(to: W, token: &str) -> Self {
        let token = token.as_bytes().to_vec();
        Sieve {
            to,
            token,
            held: Vec::new(),
            fresh: true,
            ruled: false,
            begun: false,
            blanks: 0,
            records: Vec::new(),
            said: Vec::new(),
        }
    }

    /// Ranks have begun.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
    }

    /// Takes what has come.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|&b| b == b'\n') {
            self.held.extend_from_slice(&rest[..=at]);
            rest = &rest[at + 1..];
            self.line();
        }
        self.held.extend_from_slice(rest);
        if self.held.len() > LINE && self.find().is_none() {
            // A token may have begun at the end.
            let keep = self.held.len() - self.token.len();
            let part: Vec<u8> = self.held.drain(..keep).collect();
            self.pass(&part);
            self.fresh = false;
        }
    }

    /// Takes a whole line off.
    fn line(&mut self) {
        let fresh = std::mem::replace(&mut self.fresh, true);
        if let Some(at) = self.find() {
            let line = std::mem::take(&mut self.held);
            self.pass(&line[..at]);
            self.records.extend(Record::read(line[at + self.token.len()..].trim_ascii_end()));
            return;
        }
        let line = std::mem::take(&mut self.held);
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if fresh && is_rule(text) {
            self.ruled = !self.ruled;
            self.blanks = 0;
        } else if fresh && line == b"\n" {
            self.blanks += 1;
        } else if fresh && (self.ruled || is_launchers(text) || !self.begun && is_before(text)) {
            if self.said.len() < SAID {
                self.said.push(text.trim_matches(['=', ' ']).to_owned());
            }
        } else {
            self.pass(&line);
        }
    }

    /// Whether a record has come.
    pub(crate) fn has_records(&self) -> bool {
        !self.records.is_empty()
    }

    /// What the launcher has said last.
    pub(crate) fn last_said(&self) -> Option<&str> {
        self.said.iter().rev().map(String::as_str).find(|line| !line.is_empty())
    }

    fn find(&self) -> Option<usize> {
        self.held.windows(self.token.len()).position(|w| w == self.token)
    }

    fn pass(&mut self, bytes: &[u8]) {
        // Where nobody listens any more, the ranks still are to end well.
        for _ in 0..std::mem::take(&mut self.blanks) {
            let _ = self.to.write_all(b"\n");
        }
        let _ = self.to.write_all(bytes);
    }

    /// Passes on what is left; the records, and what the launcher said.
    pub(crate) fn end(mut self) -> (Vec<Record>, Vec<String>) {
        if !self.held.is_empty() {
            self.line();
        }
        self.pass(b"");
        let _ = self.to.flush();
        (self.records, self.said)
    }
}

/// A rule of a launcher.
pub(super) fn is_rule(line: &str) -> bool {
    line.len() >= RULE && (line.bytes().all(|b| b == b'-') || line.bytes().all(|b| b == b'='))
}

/// Whether a launcher says this, or MPI in its name: `[host:12345] …`.
fn is_launchers(line: &str) -> bool {
    let of_a_process = |line: &str| {
        let (name, _) = line.strip_prefix('[')?.split_once(']')?;
        let (_, process) = name.split_once(':')?;
        process.split(',').next()?.parse::<u32>().ok()
    };
    BEGINNINGS.iter().any(|begin| line.starts_with(begin)) || of_a_process(line).is_some()
}

/// Whether this is said before any rank begins.
fn is_before(line: &str) -> bool {
    BEFORE.iter().any(|begin| line.starts_with(begin)) || line.ends_with(" total processes failed to start")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What passes, the records and what was said, of `text` in pieces of `step` bytes.
    fn parted(text: &str, step: usize) -> (String, Vec<Record>, Vec<String>) {
        let mut out = Vec::new();
        let mut sieve = Sieve::new(&mut out, "forerun:77");
        text.as_bytes().chunks(step).for_each(|part| sieve.put(part));
        let (records, said) = sieve.end();
        (String::from_utf8(out).unwrap(), records, said)
    }

    #[test]
    fn ranks_are_heard_and_the_launcher_is_kept() {
        let rule = "-".repeat(74);
        let text = format!(
            "a\n\nline\n\n{rule}\nPrimary job terminated\n{rule}\n{rule}\nprocess rank 3\n{rule}\n\
             [vm:123] 1 more\n[x] is a rank's\nno end forerun:77e\"well\"\nlast"
        );
        for step in [1, 7, 1000] {
            let (passed, records, said) = parted(&text, step);
            assert_eq!(passed, "a\n\nline\n[x] is a rank's\nno end last");
            assert_eq!(records, [Record::Report("well".into())]);
            assert_eq!(said, ["Primary job terminated", "process rank 3", "[vm:123] 1 more"]);
        }
    }

    #[test]
    fn what_is_said_before_ranks_begin_is_a_ranks_afterwards() {
        for begun in [false, true] {
            let mut out = Vec::new();
            let mut sieve = Sieve::new(&mut out, "forerun:77");
            if begun {
                sieve.begin();
            }
            sieve.put(b"ssh: no such host\n2 total processes failed to start\nssh is a word\n");
            let (_, said) = sieve.end();
            assert_eq!((said.len(), out.len()), if begun { (0, 66) } else { (2, 14) });
        }
    }

    #[test]
    fn a_long_line_is_passed_on_and_a_long_record_is_not() {
        let report = "é\n".repeat(LINE);
        let record = Record::Report(report).line("forerun:77").unwrap();
        let text = format!("{}{record}", "x".repeat(3 * LINE));
        let (passed, records, _) = parted(&text, 4096);
        assert_eq!(passed.len(), 3 * LINE);
        assert!(matches!(&records[..], [Record::Report(r)] if r.len() == 3 * LINE));
    }
}
