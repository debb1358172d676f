//! Du and Agrawal: packet sizes of a pipeline.

use forerun_model::du::{self as paper, FirstStage};
use forerun_model::packet::StageCost;

use super::{Arguments, Gives, Model, Parameter, Takes, number, one, time, whole};
use crate::reproduce::quantity::Dimension::{Number, Size, TimePerByte};

const BYTES: Parameter = one("bytes", Size);
/// g of every stage.
const PER_BYTE: Parameter = Parameter { name: "per_byte", takes: Takes::Many(TimePerByte) };
/// α of every stage.
const RATIO: Parameter = Parameter { name: "ratio", takes: Takes::Many(Number) };
/// G of the bottleneck.
const FIXED: Parameter = time("fixed");

/// The stages; of the fixed costs only the bottleneck's matters.
fn stages(a: &Arguments<'_>, bottleneck: usize) -> Result<Vec<StageCost>, String> {
    let (per_byte, ratio) = (a.list("per_byte"), a.list("ratio"));
    if per_byte.len() != ratio.len() {
        return Err(format!(
            "per_byte has {} values and ratio {}: give one of each for every stage",
            per_byte.len(),
            ratio.len()
        ));
    }
    if !(1..=per_byte.len()).contains(&bottleneck) {
        return Err(format!("there is no stage {bottleneck} among {}", per_byte.len()));
    }
    if a.get("fixed") <= 0.0 {
        return Err("fixed is 0: without a cost for every packet no number of packets is best".into());
    }
    let mut stages: Vec<StageCost> =
        per_byte.iter().zip(ratio).map(|(g, r)| StageCost::new(0.0, *g).with_ratio(*r)).collect();
    stages[bottleneck - 1].fixed = a.get("fixed");
    Ok(stages)
}

fn later(a: &Arguments<'_>) -> Result<(Vec<StageCost>, usize), String> {
    let b = a.whole("bottleneck") as usize;
    if b < 2 {
        return Err("bottleneck is 1, where the equation is for stage 2 and later".into());
    }
    Ok((stages(a, b)?, b))
}

const FIRST: &[Parameter] = &[BYTES, PER_BYTE, RATIO, FIXED];
const LATER: &[Parameter] = &[BYTES, PER_BYTE, RATIO, FIXED, whole("bottleneck")];

fn equation_11(a: &Arguments<'_>, first: FirstStage) -> Result<f64, String> {
    let (stages, b) = later(a)?;
    Ok(paper::best_k_at_fixed_frequency_later(&stages, b, a.get("bytes"), first))
}

pub(super) static MODELS: &[Model] = &[
    Model {
        name: "du-equation-7",
        about: "best k at fixed frequency, bottleneck at stage 1",
        parameters: FIRST,
        gives: Gives::One(Number),
        compute: |a| Ok(paper::best_k_at_fixed_frequency_first(&stages(a, 1)?, a.get("bytes"))),
    },
    Model {
        name: "du-equation-11",
        about: "best k at fixed frequency, bottleneck later, g_1 counted once as in section 5.3.2",
        parameters: LATER,
        gives: Gives::One(Number),
        compute: |a| equation_11(a, FirstStage::Once),
    },
    Model {
        name: "du-equation-11-as-printed",
        about: "the same with g_1 counted twice, as the equation reads",
        parameters: LATER,
        gives: Gives::One(Number),
        compute: |a| equation_11(a, FirstStage::Twice),
    },
    Model {
        name: "du-equation-17",
        about: "best k at fixed size, bottleneck later",
        parameters: LATER,
        gives: Gives::One(Number),
        compute: |a| {
            let (stages, b) = later(a)?;
            Ok(paper::best_k_at_fixed_size_later(&stages, b, a.get("bytes")))
        },
    },
    Model {
        name: "du-equation-21",
        about: "best k at fixed size, bottleneck at stage 1",
        parameters: FIRST,
        gives: Gives::One(Number),
        compute: |a| Ok(paper::best_k_at_fixed_size_first(&stages(a, 1)?, a.get("bytes"))),
    },
    Model {
        name: "du-packet-size",
        about: "B / k for the nearest whole k",
        parameters: &[BYTES, number("k")],
        gives: Gives::One(Size),
        compute: |a| Ok(a.get("bytes") / paper::packets(a.get("k")) as f64),
    },
];
