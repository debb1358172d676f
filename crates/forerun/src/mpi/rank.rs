//! A process of a run.

use std::io::Write as _;
use std::process::ExitCode;

use forerun_mpi::{Inside, measure};
use forerun_skeleton::RunError;
use mpi::traits::Communicator as _;

use super::{Order, Report, job};
use crate::error::{CliError, failed, request};

/// The life of a process that [`super::run`] starts.
pub fn rank() -> ExitCode {
    forerun_apps::command::tell_waits(|what| {
        // Where nobody listens there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "waiting   {what}");
    });
    let said = Inside::enter().and_then(|inside| {
        let report =
            match Order::decode(inside.input()).map_err(request).and_then(|order| obey(&inside, &order)) {
                Ok(None) => return Ok(()),
                Ok(Some(report)) => report,
                Err(CliError::Request(what)) => Report::Refused(what),
                Err(e) => Report::Failed(e.to_string()),
            };
        // What went wrong is the same on every rank.
        if inside.world().rank() != 0 {
            return Ok(());
        }
        inside.report(
            &serde_json::to_string(&report).map_err(|e| forerun_skeleton::AppError::new(e.to_string()))?,
        )
    });
    match said {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "forerun: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the order says; the first rank has something to report.
fn obey(inside: &Inside, order: &Order) -> Result<Option<Report>, CliError> {
    match order {
        Order::Job(order) => Ok(job::run(inside, order)?.map(|told| Report::Done(Box::new(told)))),
        Order::Calibrate { seconds } => match measure(&inside.world(), *seconds, inside.cancel()) {
            Ok(measured) => Ok(measured.map(Report::Measured)),
            // Whoever ended it knows why: the command, or the launcher, of which a rank was killed.
            Err(RunError::Cancelled) => Ok(None),
            Err(e) => Err(failed(e)),
        },
    }
}
