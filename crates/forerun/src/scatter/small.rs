//! What a block costs beside its bytes, which shows where blocks are small: calls, messages, handing over from thread to thread.

use forerun_platform::{PhaseCost, ScatterGatherProfile, Stage};

use super::costs::Call;
use super::rehearsal::Calls;

/// The profile with what each call costs beside its bytes, from a rehearsal of small blocks of which `ahead` were read
/// ahead.
///
/// Of each phase it is what its calls took above what their bytes cost. What else the first rank's time went to in the
/// deal (messages, waiting for room, waking the thread that reads) is in reading a block, and in the second phase in
/// writing a packet: there its time goes by the block, whatever it is spent on.
pub(super) fn with_calls(profile: ScatterGatherProfile, calls: &Calls, ahead: usize) -> ScatterGatherProfile {
    let element = profile.element_bytes;
    let blocks = calls.process.len() as f64;
    let (packets, merged) = calls.packets;
    let written = calls.write.len() as f64;
    if blocks == 0.0 || packets == 0.0 || written == 0.0 {
        return profile;
    }
    let global: Vec<Call> = calls.global.into_iter().collect();
    let process = above(&profile.process, &calls.process, blocks, |c| (c.bytes / element).max(1.0));
    let local = above(&profile.local, &calls.local, packets, |c| c.ways);
    let global = above(&profile.global, &global, merged, |c| c.ways);
    let spent = |stages: &[Stage]| -> f64 {
        stages.iter().filter_map(|stage| calls.first.stages.get(stage)).map(|total| total.total_s).sum()
    };
    // What goes on beside reading and writing is no part of them.
    let (own_deal, own_gather) = match ahead {
        0 => (spent(&[Stage::Process]), spent(&[Stage::ResolveLocal, Stage::ResolveGlobal])),
        _ => (0.0, 0.0),
    };
    let dealing = spent(&[Stage::Read, Stage::Process, Stage::Send]) - own_deal;
    let gathering =
        spent(&[Stage::ResolveLocal, Stage::ResolveGlobal, Stage::Write, Stage::Receive, Stage::Wait])
            - own_gather;
    let (size, packet) = (sum(&calls.read) / blocks, sum(&calls.write) / written);
    let read = (dealing / blocks - profile.read.seconds(size, 1.0)).max(0.0);
    let write = (gathering / written - profile.write.seconds(packet, 1.0)).max(0.0);
    let with = |cost: PhaseCost, fixed: f64| PhaseCost { fixed: cost.fixed + fixed, ..cost };
    ScatterGatherProfile {
        read: with(profile.read, read),
        process: with(profile.process, process),
        local: with(profile.local, local),
        global: with(profile.global, global),
        write: with(profile.write, write),
        ..profile
    }
}

fn sum(calls: &[Call]) -> f64 {
    calls.iter().map(|call| call.bytes).sum()
}

/// Seconds of each of `count` calls beyond what their bytes cost.
fn above(cost: &PhaseCost, calls: &[Call], count: f64, ways: impl Fn(&Call) -> f64) -> f64 {
    let beyond: f64 = calls.iter().map(|call| call.seconds - cost.seconds(call.bytes, ways(call))).sum();
    if count > 0.0 { (beyond / count).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use forerun_platform::{RankTimes, StageTotal};

    use super::*;

    fn rate(seconds: f64) -> PhaseCost {
        PhaseCost::per_byte(seconds)
    }

    #[test]
    fn what_is_beside_the_bytes_is_by_the_call() {
        let profile = ScatterGatherProfile {
            read: rate(1.0),
            process: rate(2.0),
            local: rate(3.0),
            global: rate(1.0),
            write: rate(1.0),
            element_bytes: 1.0,
            ..ScatterGatherProfile::default()
        };
        let call = |bytes: f64, seconds: f64| Call { bytes, ways: 1.0, seconds };
        // Ten blocks of a byte on each of two ranks, ten packets of two bytes.
        let total = |total_s: f64| StageTotal { count: 10, total_s };
        let stages = [
            (Stage::Read, total(40.0)),
            (Stage::Process, total(70.0)),
            (Stage::Send, total(20.0)),
            (Stage::ResolveLocal, total(35.0)),
            (Stage::ResolveGlobal, total(30.0)),
            (Stage::Write, total(25.0)),
            (Stage::Wait, total(15.0)),
        ];
        let calls = Calls {
            read: vec![call(1.0, 2.0); 20],
            process: vec![call(1.0, 7.0); 20],
            local: vec![call(10.0, 35.0); 2],
            global: Some(call(20.0, 30.0)),
            write: vec![call(2.0, 2.5); 10],
            packets: (20.0, 10.0),
            first: RankTimes { stages: stages.into(), ..RankTimes::default() },
            ..Calls::default()
        };
        let fixed = |ahead| {
            let p = with_calls(profile.clone(), &calls, ahead);
            [p.read.fixed, p.process.fixed, p.local.fixed, p.global.fixed, p.write.fixed]
        };
        // 60 s of 20 blocks less a byte's second each; 40 s of 10 packets less two.
        assert_eq!(fixed(0), [2.0, 5.0, 0.5, 1.0, 2.0]);
        // With reading beside: 130 s of 20 blocks, 105 s of 10 packets.
        assert_eq!(fixed(2), [5.5, 5.0, 0.5, 1.0, 8.5]);
        // Nothing is below what the bytes cost.
        let cheap = with_calls(profile.clone(), &Calls::default(), 0);
        assert_eq!(cheap, profile);
    }
}
