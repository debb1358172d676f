//! `forerun calibrate --on mpi`.

use forerun_mpi::Probe;
use forerun_platform::file::is_standard_output;
use forerun_platform::{Bytes, BytesPerSecond, Machine, Sharing};

use super::super::{Figure, busy, cache, in_doubt, table};
use super::drawing::drawing;
use super::{Fitted, Samples, fitted, platform};
use crate::calibrate::Key;
use crate::cli::CalibrateArgs;
use crate::console::Console;
use crate::error::{CliError, failed, request};
use crate::file;
use crate::mpi::{Order, Report, launch, launcher};
use crate::signals::Interrupt;

/// Seconds that measuring takes at most, quick or not.
const SECONDS: (f64, f64) = (5.0, 52.0);

/// Measures messages between MPI processes, prints the figures, and writes the platform file.
///
/// # Errors
/// What is wrong with the request; what failed; interrupted.
pub fn calibrate_mpi(args: &CalibrateArgs, console: &Console, interrupt: &Interrupt) -> Result<(), CliError> {
    let ranks = args.processors.unwrap_or(2);
    if ranks < 2 {
        return Err(request("--on mpi: messages are measured between at least 2 ranks: give -p 2 or more"));
    }
    if let Some(path) = &args.svg {
        file::check("--svg", path)?;
    }
    let starter = launcher(&args.mpi, Some(ranks))?;
    let busy = busy(&Machine::here());
    let seconds = if args.quick { SECONDS.0 } else { SECONDS.1 };
    let input = Order::Calibrate { seconds }.encode().map_err(failed)?;
    let told =
        console.timed(seconds, "measuring", || launch(ranks, &args.mpi, &input, (console, interrupt)))?;
    let measured = match told {
        Report::Measured(all) => all,
        Report::Failed(what) | Report::Refused(what) => return Err(failed(what)),
        Report::Done(_) => return Err(failed("the first rank is another build of forerun")),
    };
    let samples = Samples::new(&measured, ranks);
    let fitted = fitted(&samples);
    let quick = if args.quick { " --quick" } else { "" };
    let source = format!(
        "forerun calibrate --on mpi -p {ranks}{quick} {}, started by {}; medians with 95 % intervals; ranks wait as in a run, and \
         the latency is that to a rank that has waited; speed 1 is that of the host where a profile is measured",
        env!("CARGO_PKG_VERSION"),
        starter.name(),
    );
    let mut platform = platform(ranks, &fitted, source);
    let notes: Vec<String> = busy.into_iter().chain(unsure(&fitted.figures)).collect();
    platform.doubt = in_doubt(notes.iter().map(String::as_str));
    console.text(&table(&fitted.figures))?;
    if let Some(byte) = fitted.figures.iter().find(|f| f.key == Key::GapPerByte).map(|f| f.estimate)
        && byte.low > 0.0
    {
        let rate = |byte: f64| BytesPerSecond(1.0 / byte);
        console.note("link", &format!("{} ({} to {})", rate(byte.value), rate(byte.high), rate(byte.low)))?;
    }
    match fitted.threshold {
        Some(bytes) => {
            console.note("S", &format!("messages of more than {} wait for their receiver", Bytes(bytes)))?
        }
        None => console.note("S", "no message waits for its receiver")?,
    }
    console.note("s", &segments(&samples, &fitted))?;
    if let Some(even) = fitted.even.filter(|_| platform.network.receive_gap_per_byte.value.0 > 0.0) {
        let told = match platform.network.receive_sharing {
            Sharing::Turns => "one after the other",
            Sharing::Fair => "evenly",
        };
        let sharing = format!(
            "messages of several ranks to one share its link {told} (0 would be in turns, 1 evenly: {:.2})",
            even.value
        );
        console.note("sharing", &sharing)?;
    }
    match fitted.link {
        Some(link) => console.note(
            "topology",
            &format!(
                "{} hosts share a link on the way to the others: all at once, their streams take {:.1} times as long as one",
                link.hosts, link.slower
            ),
        )?,
        None if ranks > 3 => console.note("topology", "streams side by side do not slow each other: one switch")?,
        None => {}
    }
    for note in &notes {
        console.note("note", note)?;
    }
    if let Some(path) = &args.svg {
        file::write(path, drawing(&samples, &fitted).as_bytes())?;
    }
    console.data(&platform)?;
    match &args.out {
        Some(path) if is_standard_output(path) => file::write(path, platform.to_toml().as_bytes()),
        Some(path) => {
            file::write(path, cache::text(&platform, None).as_bytes())?;
            console.note("written", &path.display().to_string())
        }
        None => console.note("note", "it is kept nowhere: --out FILE writes a platform file for --platform"),
    }
}

/// Whether messages are seen to go in segments, and what the platform makes of it.
fn segments(samples: &Samples<'_>, fitted: &Fitted) -> String {
    let Some(segment) = fitted.segment else {
        let most = samples.sized(Probe::Segments).iter().fold(0.0f64, |most, s| most.max(s.0));
        return match most > 0.0 {
            true => format!("no steps of segments are seen in messages of up to {}", Bytes(most as u64)),
            false => "no message was long enough to look for segments".into(),
        };
    };
    let more = match fitted.is_cut {
        true => "",
        false => {
            "; the platform has none, since with a whole gap for each it is farther from what was measured"
        }
    };
    format!(
        "messages go in segments of {}, each further one takes {}{more}",
        Key::Segment.show(segment.bytes.value),
        Key::PerSegment.show(segment.step.value)
    )
}

/// Half of an interval's width, relative to its figure, above which this is not to be relied on.
const UNSURE: f64 = 0.25;

/// Which of the figures that all predictions depend on are not to be relied on, if any are: ranks that do not get their
/// processors when messages come make latencies of any length.
fn unsure(figures: &[Figure]) -> Option<String> {
    let counts = |key| matches!(key, Key::RoundTrip | Key::Latency | Key::Gap | Key::GapPerByte);
    let wide = |f: &&Figure| counts(f.key) && f.estimate.half_width() > UNSURE * f.estimate.value.abs();
    let names: Vec<&str> = figures.iter().filter(wide).map(|f| f.key.name()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "values differ too much for these to be relied on: {}; measure again when nothing else runs on the hosts, with a \
             processor for each rank",
            names.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use forerun_platform::statistics::estimate;

    #[test]
    fn what_spreads_is_named() {
        let figure = |key, values: &[f64]| Figure { key, estimate: estimate(values).unwrap() };
        let near: Vec<f64> = (0..20).map(|n| 1e-5 + 1e-8 * f64::from(n)).collect();
        let far: Vec<f64> = (0..20).map(|n| 1e-5 * f64::from(n * n + 1)).collect();
        let figures = [figure(Key::Latency, &near), figure(Key::Gap, &near), figure(Key::Send, &far)];
        assert_eq!(unsure(&figures), None);
        let figures = [figure(Key::Latency, &far), figure(Key::Gap, &near), figure(Key::RoundTrip, &far)];
        let said = unsure(&figures).unwrap();
        assert!(said.contains("latency L; round trip;"), "{said}");
    }
}
