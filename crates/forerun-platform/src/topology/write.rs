//! Writing `[network.topology]`.

use super::{Level, Service, Topology, TopologyKind};
use crate::Measured;
use crate::file::{Writer, figure};

pub(crate) fn write(out: &mut Writer, topology: &Topology) {
    out.header("[network.topology]");
    out.raw("kind", format_args!("\"{}\"", topology.kind.name()));
    out.raw("switching", format_args!("\"{}\"", topology.switching.name()));
    match topology.service {
        Service::Deterministic => out.raw("service", "\"deterministic\""),
        Service::Exponential => out.raw("service", "\"exponential\""),
        Service::General { scv } => out.raw("service", format_args!("{{ scv = {scv:?} }}")),
    }
    for (i, level) in topology.levels.iter().enumerate() {
        match topology.kind {
            TopologyKind::FatTree => out.header("[[network.topology.level]]"),
            _ => out.header(&format!("[network.topology.{}]", topology.level_name(i))),
        }
        self::level(out, level);
    }
}

fn level(out: &mut Writer, level: &Level) {
    out.raw("fan_in", level.fan_in);
    out.raw("gap_per_byte", figure(&level.gap_per_byte));
    if level.latency != Measured::default() {
        out.raw("latency", figure(&level.latency));
    }
    if level.background != Measured::default() {
        out.raw("background", figure(&level.background));
    }
    if let Some(size) = level.background_message {
        out.quantity("background_message", size);
    }
}
