//! Writing a platform file.

use super::{Contention, Overhead, Platform, Sharing, StartUp, Throttle};
use crate::Measured;
use crate::file::{Writer, figure};
use crate::units::{Quantity, Seconds};

impl Platform {
    /// The platform as a file, which [`Platform::from_toml`] reads back as the same.
    pub fn to_toml(&self) -> String {
        let mut out = Writer::new();
        out.text("name", &self.name);
        out.text("source", &self.source);
        for (key, text) in [
            ("machine", &self.machine),
            ("clock", &self.clock),
            ("measured", &self.measured),
            ("doubt", &self.doubt),
        ] {
            out.text(key, text.as_deref().unwrap_or_default());
        }
        for host in &self.hosts {
            out.header("[[host]]");
            out.text("name", &host.name);
            out.raw("count", host.count);
            out.raw("cores", host.cores);
            out.raw("speed", format_args!("{:?}", host.speed));
            if let Some(memory) = host.memory {
                out.quantity("memory", memory);
            }
            if !host.availability.is_empty() {
                let change =
                    |(at, speed): &(Seconds, f64)| format!("{{ at = \"{at:#}\", speed = {speed:?} }}");
                let changes: Vec<String> = host.availability.iter().map(change).collect();
                out.raw("availability", format_args!("[{}]", changes.join(", ")));
            }
            if let Some(kernel) = &host.kernel {
                out.raw("kernel", figure(kernel));
            }
            if host.background != Measured::default() {
                out.raw("background", figure(&host.background));
            }
            if host.contention != Contention::default() {
                let Contention { compute, memory } = &host.contention;
                let both = format!("{{ compute = {}, memory = {} }}", figure(compute), figure(memory));
                out.raw("contention", both);
            }
            if let Some(Throttle { quota, period }) = &host.throttle {
                out.raw("throttle", format_args!("{{ quota = \"{quota:#}\", period = \"{period:#}\" }}"));
            }
        }
        let network = &self.network;
        out.header("[network]");
        out.raw("latency", figure(&network.latency));
        out.raw("send_overhead", overhead(&network.send_overhead));
        out.raw("receive_overhead", overhead(&network.receive_overhead));
        out.raw("gap", figure(&network.gap));
        if network.wake_up != Measured::default() {
            out.raw("wake_up", figure(&network.wake_up));
        }
        if let Some(StartUp { base, per_rank }) = &network.start_up {
            let both = format!("{{ base = {}, per_rank = {} }}", figure(base), figure(per_rank));
            out.raw("start_up", both);
        }
        out.raw("gap_per_byte", figure(&network.gap_per_byte));
        if network.receive_gap_per_byte != Measured::default() {
            out.raw("receive_gap_per_byte", figure(&network.receive_gap_per_byte));
            // Without anything to share it says nothing.
            if network.receive_sharing != Sharing::default() {
                out.text("receive_sharing", network.receive_sharing.name());
            }
        }
        if network.interference_per_byte != Measured::default() {
            out.raw("interference_per_byte", figure(&network.interference_per_byte));
        }
        if network.send_interference_per_byte != Measured::default() {
            out.raw("send_interference_per_byte", figure(&network.send_interference_per_byte));
        }
        for (key, size) in
            [("rendezvous_threshold", network.rendezvous_threshold), ("segment", network.segment)]
        {
            if let Some(size) = size {
                out.quantity(key, size);
            }
        }
        if let Some(topology) = &network.topology {
            crate::topology::write(&mut out, topology);
        }
        if let Some(storage) = &self.storage {
            out.header("[storage]");
            out.raw("read", figure(&storage.read));
            out.raw("write", figure(&storage.write));
        }
        out.finish()
    }
}

fn overhead(o: &Overhead) -> String {
    fn part<T: Quantity>(key: &str, m: &Measured<T>) -> Option<String> {
        let zero = m.value.number() == 0.0 && m.interval.is_none();
        (!zero).then(|| format!("{key} = {}", figure(m)))
    }
    let parts = [part("per_rank", &o.per_rank), part("per_byte", &o.per_byte)];
    let rest: Vec<String> = parts.into_iter().flatten().collect();
    if rest.is_empty() {
        return figure(&o.base);
    }
    format!("{{ base = {}, {} }}", figure(&o.base), rest.join(", "))
}
