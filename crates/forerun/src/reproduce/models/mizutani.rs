//! Mizutani, Ino and Hagihara: the master of a farm.

use forerun_model::mizutani::{self as paper, Constants};

use super::{Arguments, Gives, Model, Parameter, number, one, time};
use crate::reproduce::quantity::Dimension::{Number, Size, Time, TimePerByte};

const BASE: Parameter = time("base");
const PER_PROCESSOR: Parameter = time("per_processor");
const PROCESSORS: Parameter = number("processors");

fn constants(a: &Arguments<'_>, per_byte: &str) -> Constants {
    Constants { base: a.get("base"), per_processor: a.get("per_processor"), per_byte: a.get(per_byte) }
}

/// What the pair of equations of section 5 gives, of `among` processors `overheads`.
fn pair(a: &Arguments<'_>) -> Result<(f64, f64), String> {
    let (few, many) = (a.get("few"), a.get("many"));
    if few == many {
        return Err("few and many are the same, so that the pair of equations has no solution".into());
    }
    Ok(paper::constants_of((few, a.get("overhead_few")), (many, a.get("overhead_many"))))
}

const PAIR: &[Parameter] = &[number("few"), number("many"), time("overhead_few"), time("overhead_many")];

fn round_trip(a: &Arguments<'_>) -> f64 {
    let (send, receive) = (constants(a, "send_per_byte"), constants(a, "receive_per_byte"));
    paper::round_trip(&send, &receive, a.get("processors"), a.get("task"), a.get("answer"))
}

pub(super) static MODELS: &[Model] = &[
    Model {
        name: "mizutani-overhead",
        about: "o = o'_a + o'_b P + O k (section 3.2)",
        parameters: &[BASE, PER_PROCESSOR, one("per_byte", TimePerByte), PROCESSORS, one("size", Size)],
        gives: Gives::One(Time),
        compute: |a| Ok(paper::overhead(&constants(a, "per_byte"), a.get("processors"), a.get("size"))),
    },
    Model {
        name: "mizutani-base",
        about: "o'_a from the overheads among two numbers of processors (section 5)",
        parameters: PAIR,
        gives: Gives::One(Time),
        compute: |a| pair(a).map(|(base, _)| base),
    },
    Model {
        name: "mizutani-per-processor",
        about: "o'_b from the same",
        parameters: PAIR,
        gives: Gives::One(Time),
        compute: |a| pair(a).map(|(_, per_processor)| per_processor),
    },
    Model {
        name: "mizutani-round-trip",
        about: "what a round trip takes of the master at least: o_s of the task and o_r of the answer (section 5.1)",
        parameters: &[
            BASE,
            PER_PROCESSOR,
            one("send_per_byte", TimePerByte),
            one("receive_per_byte", TimePerByte),
            PROCESSORS,
            one("task", Size),
            one("answer", Size),
        ],
        gives: Gives::One(Time),
        compute: |a| Ok(round_trip(a)),
    },
    Model {
        name: "mizutani-linear-term",
        about: "what o'_b P adds to so many round trips among `to` processors over `from` (section 5.1)",
        parameters: &[number("round_trips"), PER_PROCESSOR, number("from"), number("to")],
        gives: Gives::One(Time),
        compute: |a| {
            Ok(paper::linear_term(a.get("round_trips"), a.get("per_processor"), a.get("from"), a.get("to")))
        },
    },
    Model {
        name: "mizutani-increasing-rate",
        about: "σ = RTT_many / RTT_few − 1 (table 1)",
        parameters: &[time("few"), time("many")],
        gives: Gives::One(Number),
        compute: |a| match a.get("few") > 0.0 {
            true => Ok(paper::increasing_rate(a.get("few"), a.get("many")) / 100.0),
            false => Err("few is 0, where a round trip takes time".into()),
        },
    },
    Model {
        name: "mizutani-twice",
        about: "the P at which o is so many times what it is among `few` processors (section 5)",
        parameters: &[
            BASE,
            PER_PROCESSOR,
            one("per_byte", TimePerByte),
            one("size", Size),
            number("few"),
            number("times"),
        ],
        gives: Gives::One(Number),
        compute: |a| {
            let c = constants(a, "per_byte");
            let few = paper::overhead(&c, a.get("few"), a.get("size"));
            let rest = a.get("times") * few - paper::overhead(&c, 0.0, a.get("size"));
            match c.per_processor > 0.0 {
                true => Ok(rest / c.per_processor),
                false => Err("per_processor is 0, so that the overhead does not grow with P".into()),
            }
        },
    },
];
