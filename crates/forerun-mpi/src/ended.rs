//! How a rank ended, and how all of them did, as they tell each other.

use forerun_platform::RankTimes;
use forerun_skeleton::wire::garbled;
use forerun_skeleton::{AppError, Failure, RunError, Wire};

/// How one rank ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ended {
    /// Well: what it returned, as bytes.
    Well(Vec<u8>),
    /// By a failure of its own, so many seconds after the start.
    Failed(f64, Failure),
    /// As another did, or as it was told.
    Aborted,
    /// Its program panicked outside its work.
    Panicked(String),
}

impl Ended {
    /// Its form on the wire, with where the rank's time went.
    pub(crate) fn with(&self, times: &RankTimes) -> Result<Vec<u8>, AppError> {
        let mut out = Vec::new();
        match self {
            Ended::Well(bytes) => {
                0u8.encode(&mut out)?;
                bytes.encode(&mut out)?;
            }
            Ended::Failed(at, failure) => {
                (1u8, *at).encode(&mut out)?;
                failure.encode(&mut out)?;
            }
            Ended::Aborted => 2u8.encode(&mut out)?,
            Ended::Panicked(what) => (3u8, what.clone()).encode(&mut out)?,
        }
        serde_json::to_writer(&mut out, times).map_err(|e| AppError::new(e.to_string()))?;
        Ok(out)
    }

    /// Reads what [`Ended::with`] wrote.
    pub(crate) fn read(mut bytes: &[u8]) -> Result<(Ended, RankTimes), AppError> {
        let ended = match u8::decode(&mut bytes)? {
            0 => Ended::Well(Wire::decode(&mut bytes)?),
            1 => Ended::Failed(Wire::decode(&mut bytes)?, Wire::decode(&mut bytes)?),
            2 => Ended::Aborted,
            3 => Ended::Panicked(Wire::decode(&mut bytes)?),
            _ => return Err(garbled("how a rank ended")),
        };
        let times = serde_json::from_slice(bytes).map_err(|_| garbled("where a rank's time went"))?;
        Ok((ended, times))
    }
}

/// What became of a run: nothing went wrong, or what did.
pub(crate) type Verdict = Result<(), RunError>;

/// The verdict on how the ranks 0, 1, 2, … ended: the first failure, by the clocks that they started together.
pub(crate) fn judge<'e>(ended: impl Iterator<Item = &'e Ended> + Clone) -> Verdict {
    let failures = ended.clone().filter_map(|ended| match ended {
        Ended::Failed(at, failure) => Some((at, failure)),
        _ => None,
    });
    if let Some((_, failure)) = failures.min_by(|a, b| a.0.total_cmp(b.0)) {
        return Err(RunError::Failed(failure.clone()));
    }
    for (rank, ended) in ended.clone().enumerate() {
        if let Ended::Panicked(what) = ended {
            return Err(RunError::Invalid(format!("the program of rank {rank} panicked: {what}")));
        }
    }
    if ended.clone().any(|ended| *ended == Ended::Aborted) { Err(RunError::Cancelled) } else { Ok(()) }
}

/// A verdict's form on the wire.
pub(crate) fn write(verdict: &Verdict) -> Result<Vec<u8>, AppError> {
    let mut out = Vec::new();
    match verdict {
        Ok(()) => 0u8.encode(&mut out)?,
        Err(RunError::Failed(failure)) => {
            1u8.encode(&mut out)?;
            failure.encode(&mut out)?;
        }
        Err(RunError::Cancelled) => 2u8.encode(&mut out)?,
        Err(other) => (3u8, other.to_string()).encode(&mut out)?,
    }
    Ok(out)
}

/// Reads what [`write()`] wrote.
pub(crate) fn read(mut bytes: &[u8]) -> Verdict {
    let mut verdict = || match u8::decode(&mut bytes)? {
        0 => Ok(Ok(())),
        1 => Ok(Err(RunError::Failed(Failure::decode(&mut bytes)?))),
        2 => Ok(Err(RunError::Cancelled)),
        _ => Ok(Err(RunError::Invalid(String::decode(&mut bytes)?))),
    };
    verdict().unwrap_or_else(|e: AppError| Err(RunError::Invalid(e.to_string())))
}
