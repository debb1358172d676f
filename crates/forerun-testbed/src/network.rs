//! Namespaces, links and switches. The switches are in a namespace of their own: nothing of a testbed
//! is in the machine's network.

use crate::layout::Layout;
use crate::place::{Place, namespace_file, namespaces};
use crate::tool::{batch, run};

/// What may pass a link at once after a pause, at least: some packets, since the kernel passes on several
/// together. More would let short messages pass at no cost.
const BURST: f64 = 10e3;
/// The same as a time, so that fast links are not held up by the clock's steps.
const BURST_TIME: f64 = 200e-6;
/// What a stream may have on its way, as a time at the link's rate, some periods of a stalled receiver, and
/// at least in bytes.
const WINDOW: (f64, f64) = (0.04, 262_144.0);

/// Builds the network.
///
/// # Errors
/// What a tool said.
pub(crate) fn build(place: &Place, layout: &Layout) -> Result<(), String> {
    let switches = place.switches();
    run("ip", &["netns", "add", &switches])?;
    // No packet of a stream is lost, whoever sends to whom: every link holds a window from every host. With
    // losses a stream would wait for its timer, 200 ms and more, which no prediction knows.
    let window = WINDOW.1.max(layout.rate * WINDOW.0).round();
    let queue = window * layout.hosts.len() as f64;
    let (mut links, mut rates) = (Vec::new(), Vec::new());
    for at in 0..layout.switches.len() {
        links.push(format!("link add switch{at} type bridge forward_delay 0 mcast_snooping 0"));
        links.push(format!("link set switch{at} addrgenmode none up"));
    }
    for (at, switch) in layout.switches.iter().enumerate() {
        if let Some(above) = switch.above {
            links.push(format!("link add up{at} type veth peer name down{at}"));
            for (end, on) in [("up", at), ("down", above)] {
                links.push(format!("link set {end}{at} addrgenmode none master switch{on} up"));
                rates.push(rate(&format!("{end}{at}"), layout.switches[on].rate, queue));
            }
        }
    }
    for (at, host) in layout.hosts.iter().enumerate() {
        let namespace = place.namespace(&host.name);
        run("ip", &["netns", "add", &namespace])?;
        links.push(format!("link add port{at} type veth peer name eth0 netns {namespace}"));
        links.push(format!("link set port{at} addrgenmode none master switch{} up", host.switch));
        rates.push(rate(&format!("port{at}"), layout.switches[host.switch].rate, queue));
    }
    batch("ip", &["-n", &switches, "-batch", "-"], &links)?;
    batch("tc", &["-n", &switches, "-batch", "-"], &rates).map_err(without_tbf)?;
    for host in &layout.hosts {
        let namespace = place.namespace(&host.name);
        let lines = [
            "link set lo up".to_string(),
            "link set eth0 addrgenmode none".to_string(),
            format!("addr add {}/16 dev eth0", host.address),
            "link set eth0 up".to_string(),
        ];
        batch("ip", &["-n", &namespace, "-batch", "-"], &lines)?;
        batch("tc", &["-n", &namespace, "-batch", "-"], &[rate("eth0", layout.rate, queue)])
            .map_err(without_tbf)?;
        let net = format!("--net={}", namespace_file(&namespace).display());
        let limit = format!("echo 4096 131072 {window} > /proc/sys/net/ipv4/tcp_rmem");
        run("nsenter", &[&net, "sh", "-c", &limit])?;
    }
    Ok(())
}

/// The line of `tc` that gives a link its rate in bytes a second and its queue in bytes.
fn rate(device: &str, rate: f64, queue: f64) -> String {
    let burst = BURST.max(rate * BURST_TIME).round();
    let limit = burst + queue;
    format!("qdisc replace dev {device} root tbf rate {:.0}bit burst {burst} limit {limit}", rate * 8.0)
}

fn without_tbf(said: String) -> String {
    if said.contains("unknown") || said.contains("No such file") {
        format!("links get no rate, since this kernel has no tbf (CONFIG_NET_SCH_TBF): {said}")
    } else {
        said
    }
}

/// Removes what is left of the network, once no process is in it: links go with their namespaces.
///
/// # Errors
/// What a tool said.
pub(crate) fn remove(place: &Place) -> Result<(), String> {
    let prefix = place.namespace_prefix();
    for namespace in namespaces().iter().filter(|n| n.starts_with(&prefix)) {
        run("ip", &["netns", "del", namespace])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_in_bits_and_its_burst_some_packets() {
        let line = rate("eth0", 12.5e6, 1e6);
        assert_eq!(line, "qdisc replace dev eth0 root tbf rate 100000000bit burst 10000 limit 1010000");
        assert!(rate("eth0", 125e6, 1e6).contains("rate 1000000000bit burst 25000 "));
    }
}
