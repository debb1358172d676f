//! Building a testbed, and taking it down.

use std::fs;
use std::io;
use std::path::Path;

use forerun_platform::Platform;

use crate::layout::Layout;
use crate::place::{Place, lock, namespaces};
use crate::{cgroup, disk, entry, network, process};

/// A testbed that is up.
pub(crate) struct Standing {
    /// Where it is.
    pub(crate) place: Place,
    /// What it was built from.
    pub(crate) layout: Layout,
}

impl Standing {
    /// The testbed of a description.
    ///
    /// # Errors
    /// It is not up, or not as the description now says.
    pub(crate) fn of(platform: &Platform) -> Result<Standing, String> {
        let layout = Layout::of(platform)?;
        let place = Place::of(&layout.name);
        match state(&place, platform) {
            State::Whole => Ok(Standing { place, layout }),
            State::Other => Err(format!(
                "testbed {} is up, but its file has been changed since: `testbed down` and `up` bring it up as it is now",
                layout.name
            )),
            State::Nothing | State::Parts => {
                Err(format!("testbed {} is not up: `testbed up` with its file comes first", layout.name))
            }
        }
    }
}

enum State {
    Nothing,
    Parts,
    /// Complete, of another description.
    Other,
    Whole,
}

fn state(place: &Place, platform: &Platform) -> State {
    let there = namespaces().iter().any(|n| *n == place.switches());
    match fs::read_to_string(place.description()) {
        Ok(text) if there && text == platform.to_toml() => State::Whole,
        Ok(_) if there => State::Other,
        _ if there || place.dir().exists() => State::Parts,
        _ => State::Nothing,
    }
}

/// Builds a testbed; gives what to tell. One that is up as described stays as it is; one that is up otherwise is
/// built anew if nothing runs on it, and so is what is left of one.
///
/// # Errors
/// Why it cannot be, in a sentence; nothing is left then.
pub(crate) fn up(platform: &Platform, oversubscribe: bool) -> Result<String, String> {
    let layout = Layout::of(platform)?;
    root()?;
    let cores = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
    if layout.processors() > cores && !oversubscribe {
        return Err(format!(
            "the hosts take {:.2} processors if all are busy, and this machine has {cores}: lower their quotas or \
             count, or say --oversubscribe if they never are",
            layout.processors()
        ));
    }
    lock().map_err(|e| format!("no testbed can be kept here: {e}"))?;
    let place = Place::of(&layout.name);
    match state(&place, platform) {
        State::Whole => return Ok(format!("testbed {} is up already", layout.name)),
        State::Other if !process::of(&place).is_empty() => {
            return Err(format!(
                "testbed {} is up with another description and something runs on it: `testbed down` ends that",
                layout.name
            ));
        }
        State::Other | State::Parts => clear(&place).map(drop)?,
        State::Nothing => clear(&place).map(drop)?,
    }
    if let Err(sentence) = build(&place, &layout, platform) {
        return Err(match clear(&place) {
            Ok(_) => sentence,
            Err(more) => format!("{sentence}; and what was built could not all be removed: {more}"),
        });
    }
    let mut told = format!(
        "testbed {} is up: {} hosts, {} to {}, on {} switch{}; they take {:.2} of {cores} processors",
        layout.name,
        layout.hosts.len(),
        layout.hosts[0].name,
        layout.hosts[layout.hosts.len() - 1].name,
        layout.switches.len(),
        if layout.switches.len() == 1 { "" } else { "es" },
        layout.processors()
    );
    for what in &layout.left_out {
        told += &format!("\nnot built: {what}");
    }
    Ok(told)
}

fn build(place: &Place, layout: &Layout, platform: &Platform) -> Result<(), String> {
    let failed = |e: io::Error| format!("{} cannot be written: {e}", place.dir().display());
    fs::create_dir_all(place.dir()).map_err(failed)?;
    let groups: Vec<_> =
        layout.hosts.iter().map(|h| cgroup::limit(place.name(), h)).collect::<Result<_, _>>()?;
    disk::build(place, layout)?;
    network::build(place, layout)?;
    entry::write(place, layout, &groups).map_err(failed)?;
    // Last, since it says that the rest is there.
    fs::write(place.description(), platform.to_toml()).map_err(failed)
}

/// Takes a testbed down, or what is left of it; gives what to tell.
///
/// # Errors
/// What could not be removed.
pub(crate) fn down(place: &Place) -> Result<String, String> {
    root()?;
    lock().map_err(|e| format!("testbeds cannot be looked at: {e}"))?;
    let there = place.dir().exists()
        || namespaces().iter().any(|n| n.starts_with(&place.namespace_prefix()))
        || cgroup::testbeds().iter().any(|t| t == place.name());
    let killed = clear(place)?;
    Ok(match (there, killed) {
        (false, _) => format!("testbed {} is not up", place.name()),
        (true, 0) => format!("testbed {} is down", place.name()),
        (true, n) => format!("testbed {} is down, and {n} processes on it are ended", place.name()),
    })
}

/// Removes everything of a testbed, in whatever state; gives how many processes were killed.
fn clear(place: &Place) -> Result<usize, String> {
    // First the sign that it is whole.
    let _ = fs::remove_file(place.description());
    let killed = process::kill(place)?;
    network::remove(place)?;
    disk::remove(place)?;
    cgroup::remove(place.name())?;
    match fs::remove_dir_all(place.dir()) {
        Ok(()) => Ok(killed),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(killed),
        Err(e) => Err(format!("{} stays: {e}", place.dir().display())),
    }
}

/// Every testbed of which something is left.
pub(crate) fn all() -> Vec<Place> {
    Place::all(&namespaces(), &cgroup::testbeds())
}

/// Refuses whoever may not make namespaces.
fn root() -> Result<(), String> {
    if !rustix::process::geteuid().is_root() {
        return Err(
            "a testbed is made of namespaces and control groups, which only root may make: use sudo".into()
        );
    }
    if !Path::new("/proc/self/ns/net").exists() {
        return Err("this kernel has no network namespaces (CONFIG_NET_NS), of which hosts are made".into());
    }
    Ok(())
}
