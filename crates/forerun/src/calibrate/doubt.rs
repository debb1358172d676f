//! Whether a calibration can be relied on: what a machine that does other things spoils.
//!
//! A figure that was measured while the threads waited for processors is off by turns of the scheduler, milliseconds instead of
//! nanoseconds, and predictions of many messages with it.

use forerun_platform::{Measured, Platform, Seconds};

use super::{Figure, Key};
use crate::text;
use forerun_platform::statistics::FEWEST;

/// The part of their processors that measuring threads need at least: with half of them, medians of what was not disturbed are still
/// right.
const ENOUGH: f64 = 0.4;
/// Seconds that nothing of a message between threads of one machine takes, each awake.
const MESSAGE_S: f64 = 1e-4;
/// The same of a thread that sleeps.
const WAKING_S: f64 = 1e-3;
/// An interval that is as wide as this part of its figure, and the part of the bounds above, is too wide.
const WIDE: (f64, f64) = (2.0, 0.2);

/// Seconds that a figure on which predictions of messages depend cannot reach; `None` of other figures.
fn bound(key: Key) -> Option<f64> {
    match key {
        Key::RoundTrip | Key::Latency | Key::Send | Key::Receive | Key::Gap | Key::WideGap => Some(MESSAGE_S),
        Key::WakeUp | Key::WakingSend => Some(WAKING_S),
        _ => None,
    }
}

/// Why the figures cannot be relied on, if they cannot; `got` is the part of their processors that the threads got which
/// measured.
pub(super) fn doubt(figures: &[Figure], got: f64) -> Option<String> {
    if got < ENOUGH {
        let got = text::share(got);
        return Some(format!("other programs ran, and what measured had {got} of its processors"));
    }
    let bounded = || figures.iter().filter_map(|f| bound(f.key).map(|bound| (f, bound)));
    if let Some((f, _)) = bounded().find(|(f, bound)| f.estimate.value > *bound) {
        let value = f.key.show(f.estimate.value);
        return Some(format!("{} of {value} is none of threads that have their processors", f.key.name()));
    }
    if let Some((f, _)) = bounded().find(|(f, _)| f.estimate.repetitions < FEWEST) {
        let times = text::plural(f.estimate.repetitions as u64, "time");
        return Some(format!("{} was measured {times} only before the time was over", f.key.name()));
    }
    let wide = |(f, bound): &(&Figure, f64)| {
        let width = 2.0 * f.estimate.half_width();
        width > WIDE.0 * f.estimate.value.abs() && width > WIDE.1 * bound
    };
    bounded().find(wide).map(|(f, _)| {
        let [low, high] = [f.estimate.low, f.estimate.high].map(|end| f.key.show(end));
        format!("{} is known as {low} to {high} only", f.key.name())
    })
}

/// Whether figures of a kept calibration are of the kind that is in doubt: of no interval, or beyond what threads of one machine take. (A
/// clock that is coarse gives intervals without a width.)
pub(super) fn of_kept(platform: &Platform) -> bool {
    let network = &platform.network;
    let awake =
        [network.latency, network.send_overhead.base, network.receive_overhead.base, network.gap].into_iter();
    let figures = awake.map(|figure| (figure, MESSAGE_S)).chain([(network.wake_up, WAKING_S)]);
    figures.into_iter().any(|(figure, bound)| unknown(&figure) || figure.value.0 > bound)
}

/// That a figure above 0 has no interval.
fn unknown(figure: &Measured<Seconds>) -> bool {
    figure.value.0 > 0.0 && figure.interval.is_none()
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Host, Network};

    use super::*;
    use forerun_platform::statistics::estimate;

    fn figures(key: Key, values: &[f64]) -> Vec<Figure> {
        let good: Vec<f64> = (0..10).map(|n| 2e-7 + 1e-9 * f64::from(n)).collect();
        let keys =
            [Key::RoundTrip, Key::Latency, Key::Send, Key::Receive, Key::Gap, Key::WideGap, Key::WakeUp];
        let of = |k| if k == key { estimate(values) } else { estimate(&good) };
        keys.into_iter().map(|k| Figure { key: k, estimate: of(k).expect("there are values") }).collect()
    }

    #[test]
    fn what_a_busy_machine_spoils_is_in_doubt() {
        let near: Vec<f64> = (0..10).map(|n| 3e-7 + 1e-8 * f64::from(n)).collect();
        assert_eq!(doubt(&figures(Key::Gap, &near), 0.55), None);
        let of = |key, values: &[f64], got| doubt(&figures(key, values), got).expect("it is in doubt");
        assert!(of(Key::Gap, &near, 0.3).contains("30 % of its processors"), "{}", of(Key::Gap, &near, 0.3));
        for key in [Key::RoundTrip, Key::Send, Key::Receive, Key::Gap, Key::WideGap, Key::WakeUp] {
            let said = of(key, &[6.6e-3; 10], 1.0);
            assert!(said.contains(key.name()) && said.contains("6.6 ms"), "{said}");
            for few in 1..FEWEST {
                let said = of(key, &near[..few], 1.0);
                assert!(said.contains(key.name()) && said.contains(&format!("{few} time")), "{said}");
            }
            let far: Vec<f64> = (0..10).map(|n| 9e-5 * f64::from(n * n) / 20.0).collect();
            let wide: Vec<f64> = far.iter().map(|s| s * bound(key).unwrap() / MESSAGE_S).collect();
            let said = of(key, &wide, 1.0);
            assert!(said.contains(key.name()) && said.contains(" to "), "{said}");
        }
        // What does not cost messages is not judged by them, and nanoseconds more or less do not matter.
        assert_eq!(doubt(&[Figure { key: Key::Kernel, estimate: estimate(&[0.5]).unwrap() }], 1.0), None);
        assert_eq!(doubt(&figures(Key::Latency, &[0.0, 1e-9, 5e-8, 0.0, 1e-6, 3e-8, 4e-6]), 1.0), None);
    }

    #[test]
    fn a_kept_calibration_without_intervals_is_in_doubt() {
        let figure =
            |s: f64, width: f64| Measured::within(Seconds(s), Seconds(s - width), Seconds(s + width));
        let kept = |gap| {
            let network = Network { gap, latency: figure(1e-7, 1e-8), ..Network::default() };
            of_kept(&Platform::new("here", vec![Host::new("here", 1, 2)], network))
        };
        for good in [figure(2e-7, 1e-9), figure(2e-7, 0.0), Measured::default()] {
            assert!(!kept(good), "{good:?}");
        }
        assert!(kept(Measured::stated(Seconds(2e-7))) && kept(figure(6.6e-3, 1e-3)));
    }
}
