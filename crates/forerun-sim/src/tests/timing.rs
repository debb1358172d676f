//! Times that were worked out by hand from the formulas of `LogGps`.

use forerun_platform::{
    Cost, Host, Level, Network, Platform, ReductionProfile, Seconds, SecondsPerByte, Service, Share, Stage,
    Switching, Topology, TopologyKind,
};
use forerun_skeleton::Charge;

use super::script::Op::{Claim, ReceiveAny, ReceiveFrom, Send, TryReceiveAny, Work};
use super::script::{Saw, Script};
use super::{Wire, ends, go};
use crate::pricing::Profiled;
use crate::world::PollOrder;
use crate::{LogGps, Pricing, Time};

const WIRE: Wire = Wire {
    latency: 100,
    send: (10, 1),
    receive: (20, 2),
    gap: 30,
    gap_per_byte: 4,
    receive_gap_per_byte: 0,
    fair: false,
    interference_per_byte: 0,
    send_interference_per_byte: 0,
    rendezvous: None,
    segment: None,
};

#[test]
fn one_message() {
    // Sender: 10 + 5. Injected at 15; arrives 4 · 4 + 100 later; received in 20 + 2 · 5.
    let script = Script(vec![vec![Send(1, 5)], vec![ReceiveFrom(0)]]);
    assert_eq!(ends(&script, &WIRE, 2, 4), [15, 15 + 16 + 100 + 30]);
}

#[test]
fn the_port_spaces_messages_but_does_not_hold_the_sender() {
    // Injected at 10, then at 10 + 30 (gap), then at 40 + 30; the sender is done at 3 · 10.
    let script = Script(vec![vec![Send(1, 0); 3], vec![ReceiveFrom(0); 3]]);
    assert_eq!(ends(&script, &WIRE, 2, 4), [30, 70 + 100 + 20]);
    // A message of 21 bytes holds the port for 80 + 30: injected at 31, then at 141.
    let script = Script(vec![vec![Send(1, 21), Send(1, 0)], vec![ReceiveFrom(0); 2]]);
    // The second has arrived before the first is received.
    assert_eq!(ends(&script, &WIRE, 2, 4), [41, 31 + 80 + 100 + 62 + 20]);
}

#[test]
fn segments_follow_each_other_through_the_port() {
    // 25 bytes in segments of 10: the port is held for 36 + 30, 36 + 30, and 16 + 30 for the last, of 5.
    let wire = Wire { segment: Some(10), ..WIRE };
    let script = Script(vec![vec![Send(1, 25), Send(2, 0)], vec![ReceiveFrom(0)], vec![ReceiveFrom(0)]]);
    let injected = 10 + 25;
    let next = injected + 66 + 66 + 46;
    assert_eq!(ends(&script, &wire, 3, 4), [injected + 10, injected + 132 + 16 + 100 + 70, next + 100 + 20]);
}

#[test]
fn messages_to_one_rank_share_its_port() {
    // Both are injected at 15 and would arrive at 15 + 16 + 100 = 131, their first bytes 16 before. The port takes 20 for
    // each, so that the first is there at 115 + 20 and received in 30, the second at 155.
    let wire = Wire { receive_gap_per_byte: 5, ..WIRE };
    let script = |first, second| {
        Script(vec![vec![first, second], vec![Send(0, 5)], vec![Send(0, 5)], vec![Send(0, 1)]])
    };
    assert_eq!(ends(&script(ReceiveFrom(1), ReceiveFrom(2)), &wire, 4, 4)[0], 115 + 20 + 30 + 30);
    // A message of one byte takes no time of it, and is there at 11 + 100.
    assert_eq!(ends(&script(ReceiveFrom(1), ReceiveFrom(3)), &wire, 4, 4)[0], 115 + 20 + 30 + 22);
    // A rank that looks out sees a message when all of it has come in.
    let script = |before| Script(vec![vec![Work(before), TryReceiveAny], vec![Send(0, 5)]]);
    assert_eq!(ends(&script(134), &wire, 2, 4)[0], 134);
    assert_eq!(ends(&script(135), &wire, 2, 4)[0], 135 + 30);
}

#[test]
fn what_comes_while_a_rank_works_takes_of_its_processor() {
    // Injected at 15; the bytes come from 115 to 131. Received in 20 + 2 · 5.
    let wire = Wire { interference_per_byte: 6, ..WIRE };
    let end = |work| {
        let script = Script(vec![vec![Work(work), ReceiveFrom(1)], vec![Send(0, 5)]]);
        ends(&script, &wire, 2, 4)[0]
    };
    // Nothing of a rank that waits, or ends its work as they begin to come.
    assert_eq!(end(0), 131 + 30);
    assert_eq!(end(115), 131 + 30);
    // A quarter of them comes before: the work takes 30 · 4 / 16 longer, and ends while the others come.
    assert_eq!(end(119), 131 + 30);
    // Three quarters: it ends when they have come.
    assert_eq!(end(127), 127 + 22 + 30);
    // All of them.
    assert_eq!(end(131), 131 + 30 + 30);
    assert_eq!(end(500), 500 + 30 + 30);
    // By a port of 5 a byte they come from 115 to 135.
    let wire = Wire { receive_gap_per_byte: 5, ..wire };
    let script = Script(vec![vec![Work(125), ReceiveFrom(1)], vec![Send(0, 5)]]);
    assert_eq!(ends(&script, &wire, 2, 4)[0], 125 + 15 + 30);
}

#[test]
fn what_leaves_while_a_rank_works_takes_of_its_processor() {
    // Sent at 15; on the port until 15 + 4 · 4 + 7 = 38, which takes 12 of 23: 11 are left for work.
    let wire = Wire { send_interference_per_byte: 3, gap_per_byte: 4, gap: 7, ..WIRE };
    let wire = Wire { send_interference_per_byte: 2, ..wire };
    let port = 15 + 4 * wire.gap_per_byte + 7;
    let end = |work: &[u64]| {
        let work = work.iter().map(|w| Work(*w));
        ends(&Script(vec![[Send(1, 5)].into_iter().chain(work).collect(), vec![ReceiveFrom(0)]]), &wire, 2, 4)
            [0]
    };
    let sent = end(&[]);
    let (whole, toll) = (port - sent, 10);
    assert_eq!((sent, whole), (15, 23));
    // Work that ends before the port is free is slower all the time, and other work by all of it.
    assert_eq!(end(&[0]), sent);
    assert_eq!(end(&[6]), sent + 6 * 23 / 13);
    assert_eq!(end(&[13]), port);
    assert_eq!(end(&[14]), sent + 14 + toll);
    assert_eq!(end(&[500]), sent + 500 + toll);
    // In parts it takes as long, but for parts of picoseconds.
    assert!(end(&[4, 4, 6]).abs_diff(sent + 14 + toll) <= 1);
    // What takes more than there is leaves nothing for work until the port is free.
    let wire = Wire { send_interference_per_byte: 50, ..wire };
    let script = Script(vec![vec![Send(1, 5), Work(3)], vec![ReceiveFrom(0)]]);
    assert_eq!(ends(&script, &wire, 2, 4)[0], port + 3);
    // What leaves while it waits takes nothing: the answer arrives at 15 + 16 + 100 + 30, + 15, + 16 + 100, and is received in 30.
    let script = Script(vec![vec![Send(1, 5), ReceiveFrom(1), Work(3)], vec![ReceiveFrom(0), Send(0, 5)]]);
    assert_eq!(ends(&script, &wire, 2, 4)[0], 161 + 15 + 116 + 30 + 3);
}

#[test]
fn a_sender_waits_for_the_message_c_before() {
    let wire = Wire { latency: 100, send: (10, 0), receive: (20, 0), ..Wire::FREE };
    // Window 2, the receiver starts at 1000: received at 1020, 1040; so the third is sent at
    // 1020 + 10 and the fourth at 1040 + 10, which arrive at 1130 and 1150.
    let script = Script(vec![
        vec![Send(1, 0), Send(1, 0), Send(1, 0), Send(1, 0)],
        vec![Work(1000), ReceiveFrom(0), ReceiveFrom(0), ReceiveFrom(0), ReceiveFrom(0)],
    ]);
    assert_eq!(ends(&script, &wire, 2, 2), [1050, 1170]);
    assert_eq!(ends(&script, &wire, 2, 4), [40, 1080]);
}

#[test]
fn a_large_message_meets_its_receiver() {
    let wire = Wire { rendezvous: Some(4), ..WIRE };
    let script = Script(vec![vec![Send(1, 5)], vec![Work(500), ReceiveFrom(0)]]);
    // Request: sent at 10, there at 110. Taken up at 500, answered at 500 + 20 + 10, back at 630.
    // The sender is busy 20 + 15; the message takes 16 + 100; the receiver is busy 30.
    assert_eq!(ends(&script, &wire, 2, 4), [665, 665 + 116 + 30]);
    // One of 4 bytes does not.
    let script = Script(vec![vec![Send(1, 4)], vec![Work(500), ReceiveFrom(0)]]);
    assert_eq!(ends(&script, &wire, 2, 4), [14, 528]);
}

#[test]
fn receive_from_any_takes_what_arrives_first_not_what_was_sent_first() {
    let wire = Wire { latency: 100, ..Wire::FREE };
    // Rank 1 sends at 300, rank 2 at 200, rank 3 at 200 too.
    let script = Script(vec![
        vec![ReceiveAny, ReceiveAny, ReceiveAny],
        vec![Work(300), Send(0, 0)],
        vec![Work(200), Send(0, 0)],
        vec![Work(200), Send(0, 0)],
    ]);
    let done = go(&script, &wire, 4, 4, PollOrder::FirstInFirstOut).expect("the run ends");
    assert_eq!(done.outs[0], [2, 3, 1].map(|r| Saw::Message(r, 0)));
    assert_eq!(done.makespan(), Time::from_picos(400));
}

#[test]
fn a_try_sees_only_what_has_arrived() {
    let wire = Wire { latency: 100, ..Wire::FREE };
    let script = Script(vec![vec![Work(99), TryReceiveAny, Work(1), TryReceiveAny], vec![Send(0, 0)]]);
    let done = go(&script, &wire, 2, 4, PollOrder::FirstInFirstOut).expect("the run ends");
    assert_eq!(done.outs[0], [Saw::Nothing, Saw::Message(1, 0)]);
    assert_eq!(done.ends[0], Time::from_picos(100));
}

#[test]
fn a_rank_that_asks_again_at_once_lets_time_pass() {
    let script = Script(vec![vec![TryReceiveAny; 5], vec![Work(3500), Send(0, 0)]]);
    let done = go(&script, &Wire::FREE, 2, 4, PollOrder::FirstInFirstOut).expect("the run ends");
    let mut expected = vec![Saw::Nothing; 4];
    expected.push(Saw::Message(1, 0));
    assert_eq!(done.outs[0], expected);
}

#[test]
fn claims_are_served_as_they_arrive() {
    let wire = Wire { latency: 100, send: (10, 0), receive: (20, 0), ..Wire::FREE };
    // Rank 1's request arrives at 110, rank 0's own at 111 (it pays no wire), rank 2's at 112.
    let script = Script(vec![vec![Work(111), Claim(0)], vec![Claim(0)], vec![Work(2), Claim(0), Claim(1)]]);
    let done = go(&script, &wire, 3, 4, PollOrder::FirstInFirstOut).expect("the run ends");
    assert_eq!(done.outs[0], [Saw::Number(1)]);
    assert_eq!(done.outs[1], [Saw::Number(0)]);
    assert_eq!(done.outs[2], [Saw::Number(2), Saw::Number(0)]);
    let ends: Vec<u64> = done.ends.iter().map(|t| t.picos()).collect();
    assert_eq!(ends, [111, 230, 232 + 230]);
}

/// As the answer does: who has sent something long draws on at once, and its port is free no later.
#[test]
fn claims_go_ahead_of_what_was_sent() {
    let wire = Wire { latency: 100, send: (10, 0), receive: (20, 0), gap_per_byte: 1, ..Wire::FREE };
    let first = vec![ReceiveFrom(1), ReceiveFrom(1)];
    let script = Script(vec![first, vec![Send(0, 5000), Claim(0), Send(0, 5000)]]);
    let done = go(&script, &wire, 2, 4, PollOrder::FirstInFirstOut).expect("the run ends");
    assert_eq!(done.outs[1], [Saw::Number(0)]);
    let ends: Vec<u64> = done.ends.iter().map(|t| t.picos()).collect();
    // Two of 5000 bytes by one port, one after the other; sent, asked, answered, sent again.
    assert_eq!(ends, [10 + 4999 + 4999 + 100 + 20, 10 + 10 + 200 + 20 + 10]);
}

#[test]
fn the_overhead_grows_with_the_ranks() {
    let mut network = WIRE.network();
    network.send_overhead.per_rank.value.0 = 7e-12;
    let of = |ranks| LogGps::new(&network, ranks).expect("valid").send_overhead(3);
    assert_eq!(of(2), Time::from_picos(10 + 14 + 3));
    assert_eq!(of(64), Time::from_picos(10 + 448 + 3));
}

/// Leaf, spine and leaf, passed on whole, the spine half used by messages like ours: on each byte (3 ps
/// at the hosts) the spine's link takes 4 ps and its wait, 4 ps · 0.5 / (1 − 0.5) of one in service, the
/// second leaf's 3 ps; what is left of the spine holds the port for 8 ps.
#[test]
fn switches_delay_what_they_pass_on() {
    let ps = |x: f64| x * 1e-12;
    let level = |fan_in, per_byte| Level {
        latency: Seconds(ps(5.0)).into(),
        ..Level::new(fan_in, SecondsPerByte(ps(per_byte)))
    };
    let spine = Level { background: Share(0.5).into(), ..level(4, 4.0) };
    let topology = Topology {
        switching: Switching::StoreAndForward,
        service: Service::Exponential,
        ..Topology::new(TopologyKind::LeafSpine, vec![level(2, 3.0), spine])
    };
    let wire = Wire { latency: 100, gap: 7, gap_per_byte: 3, segment: Some(11), ..Wire::FREE };
    let network = Network { topology: Some(topology), ..wire.network() };
    let mut platform = Platform::new("p", vec![Host::new("h", 8, 1)], network);
    let of = |platform: &Platform, ranks, bytes| {
        let network = LogGps::on(platform, ranks).expect("a valid platform");
        assert!(network.plain_send(bytes).is_none());
        let travel = network.travel(bytes);
        (travel.port.picos(), travel.arrival.picos())
    };
    assert_eq!(of(&platform, 8, 11), (7 + 10 * 8, 10 * 3 + 115 + 11 * (4 + 4 + 3)));
    // Cut in two: the second segment waits as the first does.
    assert_eq!(of(&platform, 8, 12), (87 + 7, 87 + 115 + 11 * 11));
    // Under one leaf nothing is added but its latency.
    let near = LogGps::on(&platform, 2).expect("a valid platform");
    assert_eq!((near.latency(), near.plain_send(11).is_some()), (Time::from_picos(105), true));
    assert_eq!(near, Wire { latency: 105, ..wire }.compile());
    // A host of whose time others take a quarter.
    platform.hosts[0].background = Share(0.25).into();
    let profile = ReductionProfile { task: Cost::constant(3e-9), ..ReductionProfile::default() };
    let prices = Profiled::new(&profile, &platform, 1).expect("a valid platform");
    let charge = Charge { stage: Stage::Task, item: 0, bytes: 0, results: 1 };
    assert_eq!(prices.price(0, Time::ZERO, charge, || ()).1, Time::from_picos(4000));
    // Others that take all.
    platform.network.topology.as_mut().expect("stated").levels[1].background = Share(1.0).into();
    let error = LogGps::on(&platform, 8).expect_err("saturated").to_string();
    assert!(error.contains("the links of the spine are saturated"), "{error}");
}
