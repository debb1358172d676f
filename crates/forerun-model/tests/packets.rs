//! The packet model beside pipelines that are run packet by packet in virtual time.

mod common;

use std::collections::BTreeMap;

use forerun_model::packet::{Communication, Pipeline, StageCost};
use forerun_platform::Stage;
use forerun_sim::pricing::{Free, Pricing};
use forerun_sim::{LogGps, Time, run};
use forerun_skeleton::{Charge, Endpoint, Message, Options, Program, Stop};
use proptest::prelude::*;

/// Bytes of an element: enough that every size is whole after four stages of ratios in sixteenths.
const ELEMENT: u64 = 1 << 16;

/// A packet; the last says so.
struct Packet {
    bytes: u64,
    last: bool,
}

impl Message for Packet {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// A stage a rank. Knows nothing of the model: sizes are whole bytes, and packets fill up as they come.
struct Filters {
    /// Sixteenths given out for a unit taken in.
    sixteenths: Vec<u64>,
    communication: Communication,
    elements: u64,
    /// Elements of a packet.
    size: u64,
}

impl Program for Filters {
    type Msg = Packet;
    type Out = u64;

    async fn rank<E: Endpoint<Packet>>(&self, e: &mut E) -> Result<u64, Stop> {
        let me = e.rank();
        let full = self.size * ELEMENT;
        let (mut left, mut held, mut done) = (self.elements * ELEMENT, 0, 0);
        loop {
            let packet = if me == 0 {
                let bytes = left.min(full);
                left -= bytes;
                Packet { bytes, last: left == 0 }
            } else {
                e.recv_from(me - 1).await?
            };
            let charge = Charge { stage: Stage::Task, item: done, bytes: packet.bytes, results: 1 };
            e.work(charge, || Ok(())).await?;
            done += 1;
            held += packet.bytes * self.sixteenths[me] / 16;
            if me + 1 < e.size() {
                if self.communication == Communication::FixedSize {
                    // What is left over goes with the last.
                    while held > full || (held == full && !packet.last) {
                        held -= full;
                        e.send(me + 1, Packet { bytes: full, last: false }).await?;
                    }
                }
                if packet.last || self.communication == Communication::FixedFrequency {
                    e.send(me + 1, Packet { bytes: std::mem::take(&mut held), last: packet.last }).await?;
                }
            }
            if packet.last {
                return Ok(done);
            }
        }
    }
}

/// What each rank takes for a packet.
struct Stages<'a>(&'a [StageCost]);

impl Pricing for Stages<'_> {
    fn price<T>(&self, rank: usize, _: Time, charge: Charge, f: impl FnOnce() -> T) -> (T, Time) {
        let seconds = self.0[rank].seconds(charge.bytes as f64);
        (f(), Time::from_seconds(seconds).expect("a time"))
    }
}

/// A pipeline of whole sizes.
#[derive(Debug, Clone)]
struct Case {
    stages: Vec<StageCost>,
    communication: Communication,
    elements: u64,
}

impl Case {
    fn pipeline(&self) -> Pipeline {
        Pipeline::new(self.stages.clone(), self.communication, self.elements, ELEMENT as f64).expect("valid")
    }

    fn filters(&self, size: u64) -> Filters {
        let sixteenths = self.stages.iter().map(|s| (s.ratio * 16.0) as u64).collect();
        Filters { sixteenths, communication: self.communication, elements: self.elements, size }
    }

    /// Seconds and packets of every rank, all stages ranks and the network free.
    fn simulate(&self, size: u64) -> (f64, Vec<u64>) {
        let options = Options { window: 1 << 10, ..Options::new(self.stages.len()) };
        let ran = run(&self.filters(size), &LogGps::free(), &Stages(&self.stages), &options).expect("ends");
        (ran.makespan_s, ran.outs)
    }
}

fn stage() -> impl Strategy<Value = StageCost> {
    (0..5u32, 0..5u32, prop_oneof![Just(16u64), 1..40u64]).prop_map(|(fixed, per_element, sixteenths)| {
        let per_byte = f64::from(per_element) * 0.3 / ELEMENT as f64;
        StageCost::new(f64::from(fixed) * 0.7, per_byte).with_ratio(sixteenths as f64 / 16.0)
    })
}

fn case() -> impl Strategy<Value = Case> {
    (prop::collection::vec(stage(), 1..5), any::<bool>(), 1..60u64).prop_map(|(stages, size, elements)| {
        let communication = if size { Communication::FixedSize } else { Communication::FixedFrequency };
        Case { stages, communication, elements }
    })
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// For every size: the makespan and the busy times are those of the run; so the optimum beats or
    /// equals every size and every number of packets, and the flat region is the sizes within 1 % of it.
    #[test]
    fn the_optimum_beats_or_equals_every_size_that_is_run(case in case()) {
        let pipeline = case.pipeline();
        let mut ran = BTreeMap::new();
        for size in 1..=case.elements {
            let (seconds, packets) = case.simulate(size);
            let makespan = pipeline.makespan(size);
            prop_assert!(close(seconds, makespan), "size {size}: ran {seconds}, predicted {makespan}");
            for ((busy, packets), (i, stage)) in
                pipeline.busy(size).iter().zip(packets).zip(case.stages.iter().enumerate())
            {
                let volume = case.stages[..i].iter().map(|s| s.ratio).product::<f64>();
                let bytes = volume * (case.elements * ELEMENT) as f64;
                let worked = stage.fixed * packets as f64 + stage.per_byte * bytes;
                prop_assert!(close(*busy, worked), "size {size}, stage {i}: {busy} for {worked}");
            }
            ran.insert(size, seconds);
        }
        let best = pipeline.optimum();
        let least = ran.values().copied().fold(f64::INFINITY, f64::min);
        prop_assert!(close(best.makespan_s, least), "{best:?}, ran {least}");
        prop_assert!(close(ran[&best.size], least));
        let flat = pipeline.flat(0.01);
        prop_assert_eq!(flat.best, best);
        for (&size, &seconds) in &ran {
            // On the edge rounding decides.
            if !close(seconds, 1.01 * least) {
                prop_assert_eq!(flat.contains(size), seconds <= 1.01 * least, "size {}", size);
            }
        }
        let count = (1..=case.elements).filter(|size| flat.contains(*size)).count();
        prop_assert_eq!(flat.count(), count as u64);
    }

    /// A link of G and g is a network of L = g = G that a byte occupies for g.
    #[test]
    fn links_are_what_a_network_does(
        computing in prop::collection::vec(stage(), 2..4),
        (fixed, per_byte) in (1..5u32, 0..5u32),
        (elements, by_size) in (1..40u64, any::<bool>()),
    ) {
        let link = StageCost::new(f64::from(fixed) * 0.2, f64::from(per_byte) * 0.1 / ELEMENT as f64);
        let communication = Communication::ALL[usize::from(by_size)];
        let mut stages = Vec::new();
        for stage in &computing {
            stages.extend([*stage, link]);
        }
        stages.pop();
        let pipeline = Pipeline::new(stages, communication, elements, ELEMENT as f64).expect("valid");
        // LogGPS counts the first byte in L and in g.
        let mut network = common::network(link.fixed + link.per_byte, 0.0, link.per_byte);
        network.gap = network.latency;
        let network = LogGps::new(&network, computing.len()).expect("valid");
        let case = Case { stages: computing, communication, elements };
        let options = Options { window: 1 << 10, ..Options::new(case.stages.len()) };
        for size in 1..=elements {
            let ran = run(&case.filters(size), &network, &Stages(&case.stages), &options).expect("ends");
            let (ran, makespan) = (ran.makespan_s, pipeline.makespan(size));
            prop_assert!(close(ran, makespan), "size {size}: ran {ran}, predicted {makespan}");
        }
    }
}

/// Nothing costs nothing, and no packet is needed for nothing to go wrong.
#[test]
fn a_pipeline_that_costs_nothing_takes_no_time() {
    let case = Case {
        stages: vec![StageCost::new(0.0, 0.0); 3],
        communication: Communication::FixedSize,
        elements: 20,
    };
    assert_eq!(case.pipeline().optimum().makespan_s, 0.0);
    assert_eq!(case.simulate(3).0, 0.0);
    let ran = run(&case.filters(3), &LogGps::free(), &Free, &Options::new(3)).expect("ends");
    assert_eq!(ran.outs, [7, 7, 7]);
}

#[test]
fn memory_limits_the_size_of_packets() {
    let stages =
        vec![StageCost::new(2.0, 0.001).with_ratio(2.0), StageCost::new(0.0, 0.002).with_ratio(0.25)];
    let of = |communication| Pipeline::new(stages.clone(), communication, 1000, 10.0).expect("valid");
    // Two packets in and one out: at fixed frequency 2 + 2 and 2 (2 + 1/4) packets as they were cut, at
    // fixed size 2 + 2 and 2 + 1/4, of which the quarter may leave a packet over.
    for (communication, needs) in
        [(Communication::FixedFrequency, [4.0, 4.5]), (Communication::FixedSize, [4.0, 3.25])]
    {
        let free = of(communication);
        assert_eq!([0, 1].map(|i| free.memory(i, 1, 2)), needs.map(|n| 10.0 * n));
        let limits = [None, Some(10.0 * needs[1] * 30.0)];
        let limited = of(communication).with_memory(&limits, 2).expect("one fits");
        assert_eq!((free.largest(), limited.largest()), (1000, 30));
        let least = (1..=30).map(|size| limited.makespan(size)).fold(f64::INFINITY, f64::min);
        assert_eq!(limited.optimum().makespan_s, least);
        assert!(limited.flat(0.5).largest() <= 30);
        let none = of(communication).with_memory(&[Some(1.0), None], 2).expect_err("none fits").to_string();
        assert!(none.contains("stage 1 needs 40 B") && none.contains("has 1 B"), "{none}");
    }
}
