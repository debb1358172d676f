//! Kuntraruk, Pottenger and Ross: the parallel-pipeline.

use forerun_model::kuntraruk::{self as paper, Drain};
use forerun_platform::units::Quantity as _;
use forerun_platform::{Bytes, BytesPerSecond, Seconds};

use super::{Arguments, Gives, Model, Parameter, number, one, time, whole};
use crate::reproduce::quantity::Dimension::{Number, Rate, Size, Time};

const TASKS: Parameter = number("tasks");
const PROCESSORS: Parameter = whole("processors");

/// P, which the equations need to be a power of two.
fn p(a: &Arguments<'_>) -> Result<u64, String> {
    match a.whole("processors") {
        p if p >= 2 && p.is_power_of_two() => Ok(p),
        p => Err(format!("processors is {p}, where the equations need a power of two, 2 or more")),
    }
}

fn total(a: &Arguments<'_>, t_merge: f64, drain: Drain) -> Result<f64, String> {
    Ok(paper::t_total(a.get("tasks"), p(a)?, a.get("t_comp"), t_merge, a.get("t_comm"), drain))
}

fn t_comm(a: &Arguments<'_>) -> Result<f64, String> {
    let size = Bytes::from_number(a.get("size")).ok_or("size is a whole number of bytes")?;
    let capacity = BytesPerSecond::from_number(a.get("capacity")).ok_or("capacity is 0 or more")?;
    let t_comp = Seconds::from_number(a.get("t_comp")).ok_or("t_comp is 0 or more")?;
    paper::t_comm(size, capacity, t_comp).map(|t| t.0).map_err(|e| e.to_string())
}

fn per_result(a: &Arguments<'_>) -> Result<paper::PerResult, String> {
    Ok(paper::per_result(p(a)?, a.get("t_comp"), a.get("merge_per_result")))
}

const PER_RESULT: &[Parameter] = &[PROCESSORS, time("t_comp"), time("merge_per_result")];

pub(super) static MODELS: &[Model] = &[
    Model {
        name: "kuntraruk-equation-1",
        about: "T_seq: N tasks and N − 1 merges on one processor",
        parameters: &[TASKS, time("t_comp"), time("t_merge")],
        gives: Gives::One(Time),
        compute: |a| Ok(paper::t_seq(a.get("tasks"), a.get("t_comp"), a.get("t_merge"))),
    },
    Model {
        name: "kuntraruk-equation-1-for-t-merge",
        about: "equation 1 solved for T_merge",
        parameters: &[TASKS, time("t_comp"), time("t_seq")],
        gives: Gives::One(Time),
        compute: |a| Ok(paper::t_merge(a.get("tasks"), a.get("t_comp"), a.get("t_seq"))),
    },
    Model {
        name: "kuntraruk-equation-3",
        about: "depth of the pipeline, 2 lg P + 1",
        parameters: &[PROCESSORS],
        gives: Gives::One(Number),
        compute: |a| Ok(paper::depth(p(a)?)),
    },
    Model {
        name: "kuntraruk-equation-5",
        about: "the speedup model, P / (2 lg P + 1) · 2 lg P",
        parameters: &[PROCESSORS],
        gives: Gives::One(Number),
        compute: |a| Ok(paper::speedup(p(a)?)),
    },
    Model {
        name: "kuntraruk-speedup-bound",
        about: "S ≤ P, the bound that the tables print",
        parameters: &[PROCESSORS],
        gives: Gives::One(Number),
        compute: |a| Ok(paper::speedup_bound(p(a)?)),
    },
    Model {
        name: "kuntraruk-equation-6",
        about: "T_Total with the two drain terms in lg P",
        parameters: &[TASKS, PROCESSORS, time("t_comp"), time("t_merge"), time("t_comm")],
        gives: Gives::One(Time),
        compute: |a| total(a, a.get("t_merge"), Drain::Counted),
    },
    Model {
        name: "kuntraruk-equation-6-without-drain",
        about: "T_Total as equations 12 and 13 use it (footnotes 6 and 7)",
        parameters: &[TASKS, PROCESSORS, time("t_comp"), time("t_comm")],
        gives: Gives::One(Time),
        compute: |a| total(a, 0.0, Drain::Ignored),
    },
    Model {
        name: "kuntraruk-equation-11",
        about: "T_comm: leaf, spine, leaf of the paper's Myrinet, M/M/1 stations",
        parameters: &[one("size", Size), one("capacity", Rate), time("t_comp")],
        gives: Gives::One(Time),
        compute: t_comm,
    },
    Model {
        name: "kuntraruk-steps",
        about: "(N − P) / (P/2), the steps after the first in equation 6",
        parameters: &[TASKS, PROCESSORS],
        gives: Gives::One(Number),
        compute: |a| {
            let p = p(a)? as f64;
            Ok((a.get("tasks") - p) / (p / 2.0))
        },
    },
    Model {
        name: "kuntraruk-pipeline-per-result",
        about: "seconds a result of a parallel-pipeline in step, from T_comp and the merge cost a result",
        parameters: PER_RESULT,
        gives: Gives::One(Time),
        compute: |a| per_result(a).map(|r| r.parallel_pipeline),
    },
    Model {
        name: "kuntraruk-master-slave-per-result",
        about: "the same of master-slave",
        parameters: PER_RESULT,
        gives: Gives::One(Time),
        compute: |a| per_result(a).map(|r| r.master_slave),
    },
    Model {
        name: "kuntraruk-tree-per-result",
        about: "the same of the binary reduction tree",
        parameters: PER_RESULT,
        gives: Gives::One(Time),
        compute: |a| per_result(a).map(|r| r.reduction_tree),
    },
    Model {
        name: "kuntraruk-largest-p",
        about: "the largest P at which T_merge is no more than T_comp (section III-A)",
        parameters: &[time("t_comp"), time("merge_per_result")],
        gives: Gives::One(Number),
        compute: |a| Ok(paper::largest_p(a.get("t_comp"), a.get("merge_per_result")) as f64),
    },
];
