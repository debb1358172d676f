//! What the launching process and the first rank say to each other.

use std::fs::File;
use std::io::Read as _;

use forerun_skeleton::AppError;

/// The first line on the first rank's standard input, before the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    token: String,
    length: usize,
}

/// What the line begins with.
const HELLO: &str = "forerun-mpi-1";
/// Bytes of chance in a token: no output has it by accident.
const CHANCE: usize = 16;

impl Header {
    /// A header for an input of that length.
    pub(crate) fn new(length: usize) -> Result<Self, AppError> {
        let mut chance = [0; CHANCE];
        File::open("/dev/urandom")
            .and_then(|mut f| f.read_exact(&mut chance))
            .map_err(|e| AppError::new(format!("cannot read /dev/urandom: {e}")))?;
        let token = chance.iter().fold(String::from("forerun:"), |s, b| s + &format!("{b:02x}"));
        Ok(Header { token, length })
    }

    /// What records begin with.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Bytes of the input.
    #[cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "for ranks"))]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The line.
    pub(crate) fn line(&self) -> String {
        format!("{HELLO} {} {}\n", self.token, self.length)
    }

    /// Reads a line.
    #[cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "for ranks"))]
    pub(crate) fn read(line: &str) -> Option<Header> {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            [HELLO, token, length] => Some(Header { token: (*token).into(), length: length.parse().ok()? }),
            _ => None,
        }
    }
}

/// Where each rank lives: host and process.
pub(crate) type Roster = Vec<(String, u32)>;

/// A line of the first rank for the launching process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
    /// Where each rank lives.
    Roster(Roster),
    /// What all of it came to.
    Report(String),
}

impl Record {
    /// Its line, after the token.
    #[cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "for ranks"))]
    pub(crate) fn line(&self, token: &str) -> Result<String, AppError> {
        let (kind, json) = match self {
            Record::Roster(roster) => ('r', serde_json::to_string(roster)),
            Record::Report(report) => ('e', serde_json::to_string(report)),
        };
        let json = json.map_err(|e| AppError::new(e.to_string()))?;
        Ok(format!("{token}{kind}{json}\n"))
    }

    /// Reads what is after the token.
    pub(crate) fn read(line: &[u8]) -> Option<Record> {
        match line.split_first()? {
            (b'r', json) => serde_json::from_slice(json).ok().map(Record::Roster),
            (b'e', json) => serde_json::from_slice(json).ok().map(Record::Report),
            _ => None,
        }
    }
}
