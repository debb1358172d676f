//! Reading `[network.topology]`.

use super::{Level, Service, Switching, Topology, TopologyKind};
use crate::Measured;
use crate::file::{Allowed, Section};
use crate::platform::read::LONGEST;
use crate::units::{SecondsPerByte, Share};

/// The topology; `network` is its network's gap per byte, which links have that state none, and `gap`
/// reads that of a section.
pub(crate) fn topology(
    section: &Section<'_, '_>,
    network: Option<Measured<SecondsPerByte>>,
    gap: fn(&Section<'_, '_>) -> Option<Measured<SecondsPerByte>>,
) -> Option<Topology> {
    let kind = section.text("kind");
    let kind = section.required("kind", "\"switch\" (or \"leaf-spine\", \"fat-tree\")", kind);
    let kind = kind.and_then(|name| section.named("kind", &name, &TopologyKind::ALL, TopologyKind::name));
    let switching = section.text("switching");
    let switching = switching.map(|name| section.named("switching", &name, &Switching::ALL, Switching::name));
    let service = service(section);
    let sections = match kind? {
        TopologyKind::Switch => tables(section, &["switch"]),
        TopologyKind::LeafSpine => tables(section, &["leaf", "spine"]),
        TopologyKind::FatTree => {
            let list = section.sections("level");
            if !section.has("level") || list.as_ref().is_some_and(Vec::is_empty) {
                section.missing("level", "[{ fan_in = 8 }, { fan_in = 8 }], one for each level of switches");
            }
            list
        }
    };
    section.finish();
    let levels = sections?.iter().map(|s| level(s, network, gap)).collect::<Vec<_>>();
    Some(Topology {
        kind: kind?,
        switching: switching.unwrap_or_else(|| Some(Switching::default()))?,
        service: service?,
        levels: levels.into_iter().collect::<Option<_>>()?,
    })
}

fn tables<'a, 'i>(section: &Section<'a, 'i>, keys: &[&'static str]) -> Option<Vec<Section<'a, 'i>>> {
    let table = |&key| section.required(key, "{ fan_in = 8 }", section.section(key));
    let all: Vec<_> = keys.iter().map(table).collect();
    all.into_iter().collect()
}

fn level(
    section: &Section<'_, '_>,
    network: Option<Measured<SecondsPerByte>>,
    gap: fn(&Section<'_, '_>) -> Option<Measured<SecondsPerByte>>,
) -> Option<Level> {
    let fan_in = section.count("fan_in");
    let fan_in = section.required("fan_in", "8", fan_in);
    let stated = section.has("bandwidth") || section.has("gap_per_byte");
    let gap_per_byte = if stated {
        gap(section)
    } else {
        // Asked for so that they are known.
        let _ = (section.quantity::<SecondsPerByte>("gap_per_byte"), section.text("bandwidth"));
        network
    };
    let latency = section.measured_to("latency", LONGEST).unwrap_or_default();
    let background = background(section);
    let background_message = section.quantity("background_message");
    section.finish();
    Some(Level { fan_in: fan_in?, gap_per_byte: gap_per_byte?, latency, background, background_message })
}

/// The share of something that other jobs take: below all of it.
pub(crate) fn background(section: &Section<'_, '_>) -> Measured<Share> {
    let share = section.measured::<Share>("background").unwrap_or_default();
    let most = share.interval.map_or(share.value, |(_, high)| high);
    if most.0 >= 1.0 {
        section.note(
            "background",
            format!("background is {most}, which leaves nothing (it is saturated): state less than 100 %"),
        );
    }
    share
}

fn service(section: &Section<'_, '_>) -> Option<Service> {
    if let Some(table) = section.inner("service") {
        let scv = table.number("scv", Allowed::NotNegative);
        let scv = table.required("scv", "0.5", scv);
        table.finish();
        return Some(Service::General { scv: scv? });
    }
    if !section.has("service") {
        return Some(Service::default());
    }
    let names = [Service::Deterministic, Service::Exponential];
    let name = section.text("service")?;
    section.named("service", &name, &names, |s| {
        if s == Service::Exponential { "exponential" } else { "deterministic" }
    })
}
