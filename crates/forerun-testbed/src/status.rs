//! What a testbed is doing.

use std::fmt::Write;
use std::fs;

use forerun_platform::{Bytes, BytesPerSecond};

use crate::cgroup::{Controller, processes_in};
use crate::place::namespace_file;
use crate::tool::run;
use crate::up::Standing;

/// A table of the hosts: their limits, what they have sent and received, how often they were stalled.
///
/// # Errors
/// A host cannot be looked at.
pub(crate) fn status(testbed: &Standing) -> Result<String, String> {
    let layout = &testbed.layout;
    let mut out = format!(
        "testbed {}: {} hosts at {}, {} switches\n{:<12} {:<13} {:>16} {:>9} {:>9} {:>15} {:>15} {:>17}\n",
        layout.name,
        layout.hosts.len(),
        BytesPerSecond(layout.rate).in_bits(),
        layout.switches.len(),
        "host",
        "address",
        "quota / period",
        "memory",
        "processes",
        "sent (bytes)",
        "received",
        "stalled periods",
    );
    let cpu = Controller::find("cpu");
    for host in &layout.hosts {
        let net = namespace_file(&testbed.place.namespace(&host.name));
        let counters = run("nsenter", &[&format!("--net={}", net.display()), "cat", "/proc/net/dev"])?;
        let (received, sent) = traffic(&counters).unwrap_or_default();
        let group = cpu.as_ref().map(|c| c.group(testbed.place.name(), &host.name)).unwrap_or_default();
        let stat = fs::read_to_string(group.join("cpu.stat")).unwrap_or_default();
        let count = |key: &str| {
            let value = stat.lines().find_map(|l| l.strip_prefix(key)?.trim().parse::<u64>().ok());
            value.unwrap_or_default()
        };
        let _ = writeln!(
            out,
            "{:<12} {:<13} {:>16} {:>9} {:>9} {:>15} {:>15} {:>17}",
            host.name,
            host.address,
            format!("{} / {}", host.throttle.quota, host.throttle.period),
            host.memory.map_or_else(|| "-".into(), |m: Bytes| m.to_string()),
            processes_in(&group).len(),
            sent,
            received,
            format!("{} of {}", count("nr_throttled"), count("nr_periods")),
        );
    }
    out.pop();
    Ok(out)
}

/// Bytes that `eth0` has received and sent, in what the kernel tells of a network's devices.
fn traffic(counters: &str) -> Option<(u64, u64)> {
    let line = counters.lines().find_map(|l| l.trim().strip_prefix("eth0:"))?;
    let mut numbers = line.split_whitespace().map(|n| n.parse::<u64>());
    Some((numbers.next()?.ok()?, numbers.nth(7)?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_is_read_from_the_ninth_column() {
        let text = "Inter-| Receive | Transmit\n    lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n  eth0: 500 5 0 0 0 0 0 0 700 7 0 0 0 0 0 0\n";
        assert_eq!(traffic(text), Some((500, 700)));
        assert_eq!(traffic("lo: 1"), None);
    }
}
