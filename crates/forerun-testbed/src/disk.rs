//! A disk for every host, with a rate: a file as a loop device with a file system.
//!
//! A device of its own is what makes the rate hold for buffered writes under control groups of version
//! 1, where they are the kernel's and no group's: the limit there is set for everybody, on that device.

use std::fs::{self, File};
use std::path::Path;

use crate::cgroup::{Controller, write};
use crate::layout::Layout;
use crate::place::Place;
use crate::tool::run;

/// Size of a disk; what is not written takes no room.
const SIZE: u64 = 8 << 30;
/// Files that it can hold; few, since room for them is written beforehand.
const FILES: &str = "8192";

/// Makes and mounts the disks.
///
/// # Errors
/// What cannot be made, in a sentence.
pub(crate) fn build(place: &Place, layout: &Layout) -> Result<(), String> {
    let Some((read, written)) = layout.disk else { return Ok(()) };
    for host in &layout.hosts {
        let (image, dir) = (place.path("images").join(&host.name), place.path("disks").join(&host.name));
        let failed = |e: std::io::Error| format!("no disk for {}: {e}", host.name);
        fs::create_dir_all(place.path("images")).map_err(failed)?;
        fs::create_dir_all(&dir).map_err(failed)?;
        File::create(&image).and_then(|f| f.set_len(SIZE)).map_err(failed)?;
        let (image, dir) = (image.to_string_lossy().into_owned(), dir.to_string_lossy().into_owned());
        // Without a journal, which would be written at the same rate.
        run("mkfs.ext4", &["-q", "-F", "-O", "^has_journal", "-m", "0", "-N", FILES, &image])?;
        let device = run("losetup", &["--find", "--show", "--direct-io=on", &image])?;
        let device = device.trim();
        run("mount", &["-o", "noatime", device, &dir])?;
        limit(place, &host.name, device, read, written)?;
    }
    Ok(())
}

fn limit(place: &Place, host: &str, device: &str, read: f64, written: f64) -> Result<(), String> {
    let number = number(device)?;
    if let Some(old) = Controller::find("blkio") {
        for (file, rate) in [("read", read), ("write", written)] {
            write(&old.root().join(throttle(file)), &format!("{number} {rate:.0}"))?;
        }
        return Ok(());
    }
    let io = Controller::find("io")
        .filter(Controller::unified)
        .ok_or("the file states storage and no control group for it is mounted: leave [storage] out")?;
    let group = io.make(place.name(), host, "io")?;
    write(&group.join("io.max"), &format!("{number} rbps={read:.0} wbps={written:.0}"))
}

fn throttle(direction: &str) -> String {
    format!("blkio.throttle.{direction}_bps_device")
}

/// The numbers of a device such as `/dev/loop0`, as the kernel writes them.
fn number(device: &str) -> Result<String, String> {
    let name = Path::new(device).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = Path::new("/sys/class/block").join(name).join("dev");
    let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    Ok(text.trim().to_string())
}

/// Takes the disks away, once no process uses them.
///
/// # Errors
/// What a tool said.
pub(crate) fn remove(place: &Place) -> Result<(), String> {
    let disks = fs::read_dir(place.path("disks")).into_iter().flatten().flatten();
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    for dir in disks.map(|d| d.path().to_string_lossy().into_owned()) {
        if mounts.lines().any(|l| l.split(' ').nth(1) == Some(dir.as_str())) {
            // What is not yet written need not be: it would be at the disk's rate.
            free(place, &dir)?;
            run("umount", &[&dir])?;
        }
    }
    for image in fs::read_dir(place.path("images")).into_iter().flatten().flatten() {
        let image = image.path().to_string_lossy().into_owned();
        for device in run("losetup", &["--noheadings", "--output", "NAME", "--associated", &image])?.lines() {
            unlimited(device.trim());
            run("losetup", &["--detach", device.trim()])?;
        }
    }
    Ok(())
}

/// Lifts the limits before the disk is unmounted, which waits for its writes.
fn free(place: &Place, dir: &str) -> Result<(), String> {
    let host = Path::new(dir).file_name().unwrap_or_default();
    let image = place.path("images").join(host).to_string_lossy().into_owned();
    for device in run("losetup", &["--noheadings", "--output", "NAME", "--associated", &image])?.lines() {
        unlimited(device.trim());
    }
    Ok(())
}

/// A limit under version 1 outlives its device, so it is taken back; the next one may be somebody else's.
fn unlimited(device: &str) {
    if let (Some(old), Ok(number)) = (Controller::find("blkio"), number(device)) {
        for direction in ["read", "write"] {
            let _ = write(&old.root().join(throttle(direction)), &format!("{number} 0"));
        }
    }
}
