//! What `forerun calibrate --on mpi` finds on a cluster in a box, beside what was set there and what a plain socket reaches, and whether it
//! finds the same again.

mod socket;

use std::{fs, io};

use forerun_platform::{Measured, Platform};

pub(crate) use self::socket::end;

use crate::place::in_memory;
use crate::record::Record;
use crate::testbed::up::{Tools, Up, done};

/// Numbers of hosts, and their files.
const HOSTS: [(usize, &str); 4] =
    [(2, "tenth-2.toml"), (4, "tenth-4.toml"), (8, "tenth-8.toml"), (16, "tenth-16.toml")];
/// How far off the link's rate may be that the socket reaches.
const AIM: f64 = 0.03;

/// A figure that is told with an interval.
type Figure = (&'static str, fn(&Platform) -> Option<[f64; 3]>);

const FIGURES: [Figure; 6] = [
    ("L, µs", |p| told(&p.network.latency, |t| 1e6 * t.0)),
    ("o of the sender, µs", |p| told(&p.network.send_overhead.base, |t| 1e6 * t.0)),
    ("o of the receiver, µs", |p| told(&p.network.receive_overhead.base, |t| 1e6 * t.0)),
    ("g, µs", |p| told(&p.network.gap, |t| 1e6 * t.0)),
    ("G, ns/B", |p| told(&p.network.gap_per_byte, |t| 1e9 * t.0)),
    ("background, %", |p| told(&p.hosts.first()?.background, |share| 100.0 * share.0)),
];

/// A figure, and its interval.
fn told<T: Copy>(figure: &Measured<T>, value: impl Fn(T) -> f64) -> Option<[f64; 3]> {
    let (low, high) = figure.interval?;
    Some([value(figure.value), value(low), value(high)])
}

/// Calibrates every number of hosts twice.
pub(crate) fn bench(_rounds: usize, record: &mut Record) -> io::Result<()> {
    let dir = in_memory()?;
    let tools = Tools::find(dir.path())?;
    let mut links = String::from(
        "## The link, from host to host\n\n\
         | hosts | set, MB/s | a plain socket, MB/s | calibrated, MB/s (95 % interval) | off the socket | again | off the socket |\n|---|---|---|---|---|---|---|\n",
    );
    let mut again = String::from(
        "## Twice the same\n\n| hosts | figure | first | second | intervals |\n|---|---|---|---|---|\n",
    );
    let mut shares =
        String::from("## The part of a core\n\n| hosts | set | calibrated | again |\n|---|---|---|---|\n");
    let (mut met, mut overlapping, mut all) = (0, 0, 0);
    for (hosts, file) in HOSTS {
        let up = Up::new(&tools, file)?;
        let truth = Platform::load(tools.files.join(file)).map_err(io::Error::other)?;
        let socket = socket::rate(&up, ["node1", "node2"])?;
        let calibrate = |which: usize| -> io::Result<Platform> {
            eprintln!("calibrating {hosts} hosts");
            let out = tools.dir.join(format!("calibrated-{hosts}-{which}.toml"));
            let (ranks, out) = (hosts.to_string(), out.to_string_lossy().into_owned());
            done(
                &mut up.forerun(&["calibrate", "--on", "mpi", "-p", &ranks, "--out", &out, "-q"]),
                "calibrate",
            )?;
            let platform = Platform::load(&out).map_err(io::Error::other);
            fs::remove_file(&out)?;
            platform
        };
        let both = [calibrate(1)?, calibrate(2)?];
        drop(up);
        let rate = |p: &Platform| told(&p.network.gap_per_byte, |g| 1e-6 / g.0);
        let link = |p: &Platform| match rate(p) {
            Some([value, high, low]) => {
                let off = 1e6 * value / socket - 1.0;
                (
                    format!("{value:.2} ({low:.2} to {high:.2})"),
                    format!("{:+.1} %", 100.0 * off),
                    off.abs() <= AIM,
                )
            }
            None => ("not told".into(), String::new(), false),
        };
        let set = 1e-6 / truth.network.gap_per_byte.value.0;
        let [(first, first_off, a), (second, second_off, b)] = both.each_ref().map(link);
        links += &format!(
            "| {hosts} | {set:.2} | {:.2} | {first} | {first_off} | {second} | {second_off} |\n",
            1e-6 * socket
        );
        met += usize::from(a) + usize::from(b);
        for (name, of) in FIGURES {
            let Some((a, b)) = of(&both[0]).zip(of(&both[1])) else { continue };
            let overlap = a[1] <= b[2] && b[1] <= a[2];
            let cell = |f: [f64; 3]| format!("{:.2} ({:.2} to {:.2})", f[0], f[1], f[2]);
            let word = if overlap { "overlap" } else { "apart" };
            again += &format!("| {hosts} | {name} | {} | {} | {word} |\n", cell(a), cell(b));
            (overlapping, all) = (overlapping + usize::from(overlap), all + 1);
        }
        let share = |p: &Platform| p.hosts.first().map_or(0.0, |host| 100.0 * host.free_speed() / host.speed);
        shares += &format!(
            "| {hosts} | {:.2} % | {:.2} % | {:.2} % |\n",
            share(&truth),
            share(&both[0]),
            share(&both[1])
        );
    }
    record.note(&links);
    record.note(&format!(
        "The aim is the rate that the socket reaches, within {:.0} %: {met} of {} calibrations are.\n",
        100.0 * AIM,
        2 * HOSTS.len()
    ));
    record.note(&shares);
    record.note(&again);
    record.note(&format!("Intervals of both calibrations overlap in {overlapping} of {all} figures.\n"));
    Ok(())
}
