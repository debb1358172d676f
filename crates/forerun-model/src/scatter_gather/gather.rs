//! The second phase: packets are gathered as they are needed, resolved and written.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forerun_platform::Stage;

use super::device::Writer;
use super::team::Team;
use crate::ModelError;

/// A packet of a rank on its way to the first, or there.
#[derive(Debug, Clone, Copy)]
struct Coming {
    arrival: f64,
    bytes: u64,
    last: bool,
}

/// Bytes of a rank's part that the first rank has, and of all of it.
#[derive(Debug, Clone, Copy)]
struct Part {
    upto: u64,
    total: u64,
}

/// Gathers packets of at most `packet` bytes and writes what becomes of them; gives when the first
/// rank has closed the result.
///
/// # Errors
/// That it was ended.
pub(super) fn gather(team: &mut Team<'_>, packet: u64, ahead: usize) -> Result<f64, ModelError> {
    let ranks = team.nodes.len();
    let mut writer = Writer::new(ahead);
    if ranks == 1 {
        loop {
            team.go_on()?;
            let bytes = team.packet(0, packet);
            if bytes == 0 {
                return Ok(writer.close(team.nodes[0].clock));
            }
            write(team, &mut writer, bytes);
        }
    }
    // First packets go unasked.
    let mut coming: Vec<Coming> = vec![Coming { arrival: 0.0, bytes: 0, last: true }; ranks];
    for (rank, slot) in coming.iter_mut().enumerate().skip(1) {
        team.go_on()?;
        let bytes = team.packet(rank, packet);
        *slot = dispatch(team, rank, bytes);
    }
    // All ranks are asked once; what they say tells how much there is of each.
    let mut parts: Vec<Part> = Vec::with_capacity(ranks);
    for (rank, coming) in coming.iter_mut().enumerate() {
        team.go_on()?;
        let upto = take(team, rank, packet, coming);
        parts.push(Part { upto, total: team.nodes[rank].total });
    }
    let all: u64 = parts.iter().map(|p| p.total).sum();
    let ways = parts.iter().filter(|p| p.total > 0).count() as f64;
    let reach = |p: &Part| (u128::from(all) * u128::from(p.upto) / u128::from(p.total)) as u64;
    let mut made = 0;
    // How far those reach that have something, the nearest first.
    let holders = parts.iter().enumerate().filter(|(_, part)| part.total > 0);
    let mut reached: BinaryHeap<Reverse<(u64, usize)>> =
        holders.map(|(rank, part)| Reverse((reach(part), rank))).collect();
    let mut due: Vec<usize> = Vec::new();
    while made < all {
        while let Some(&Reverse((to, rank))) = reached.peek()
            && to <= made
        {
            reached.pop();
            due.push(rank);
        }
        // They are asked in order.
        due.sort_unstable();
        for rank in due.drain(..) {
            // What a rank's next packet brings may not reach further either, where it is small.
            while parts[rank].upto < parts[rank].total && reach(&parts[rank]) <= made {
                team.go_on()?;
                parts[rank].upto += take(team, rank, packet, &mut coming[rank]);
            }
            reached.push(Reverse((reach(&parts[rank]), rank)));
        }
        let least = reached.peek().map_or(all, |&Reverse((to, _))| to.min(all));
        while made < least {
            team.go_on()?;
            let bytes = packet.min(least - made);
            let speed = team.nodes[0].speed;
            let takes = team.cost(Stage::ResolveGlobal, bytes, ways, speed);
            team.work(0, Stage::ResolveGlobal, takes);
            made += bytes;
            write(team, &mut writer, bytes);
        }
    }
    Ok(writer.close(team.nodes[0].clock))
}

fn write(team: &mut Team<'_>, writer: &mut Writer, bytes: u64) {
    let takes = team.cost(Stage::Write, bytes, 1.0, 1.0);
    team.nodes[0].clock = writer.write(team.nodes[0].clock, takes);
}

/// Rank `rank` sends a packet that it has made, and makes the next one.
fn dispatch(team: &mut Team<'_>, rank: usize, bytes: u64) -> Coming {
    let arrival = team.send(rank, bytes, 0.0);
    let last = team.nodes[rank].made == team.nodes[rank].total;
    Coming { arrival, bytes, last }
}

/// The first rank takes the next packet of `rank`: its own it makes, another's it receives and
/// polls for the one after it. Gives its bytes.
fn take(team: &mut Team<'_>, rank: usize, packet: u64, coming: &mut Coming) -> u64 {
    if rank == 0 {
        return team.packet(0, packet);
    }
    let Coming { arrival, bytes, last } = *coming;
    team.receive(0, bytes, arrival);
    if !last {
        let polled = team.send(0, 0, 0.0);
        let next = team.packet(rank, packet);
        team.receive(rank, 0, polled);
        *coming = dispatch(team, rank, next);
    }
    bytes
}
