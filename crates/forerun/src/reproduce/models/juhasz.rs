//! Juhász and Charaf: scatter-gather sorting. Sizes are in data units, bandwidths in data units a second.

use forerun_model::juhasz::{self as paper, Cluster};

use super::{Arguments, Gives, Model, Parameter, number, one, time, whole};
use crate::reproduce::quantity::Dimension::{Number, PerSecond, Time};

const N: Parameter = number("n");
const P: Parameter = whole("p");
const S: Parameter = number("s");
const C_M: Parameter = time("c_m");
const B_IO: Parameter = one("b_io", PerSecond);
const B_GATHER: Parameter = one("b_gather", PerSecond);

fn cluster(a: &Arguments<'_>) -> Cluster {
    Cluster {
        c_q: a.get("c_q"),
        c_m: a.get("c_m"),
        c_local: a.get("c_local"),
        b_io: a.get("b_io"),
        l_n: a.get("l_n"),
        b_n: a.get("b_n"),
        b_gather: a.get("b_gather"),
        s: a.get("s"),
    }
}

const CLUSTER: &[Parameter] =
    &[N, P, time("c_q"), C_M, time("c_local"), B_IO, time("l_n"), one("b_n", PerSecond), B_GATHER, S];

/// b_gather c_m, of which equation 19 is made.
fn discriminant(a: &Arguments<'_>) -> Result<f64, String> {
    let bc = a.get("b_gather") * a.get("c_m");
    let under = 1.0 - 4.0 * a.get("n") * bc * bc / a.get("s");
    if under < 0.0 {
        return Err("b_resolution never reaches b_gather, so that equation 18 has no solution".into());
    }
    Ok(under.sqrt())
}

pub(super) static MODELS: &[Model] = &[
    Model {
        name: "juhasz-equation-1",
        about: "b_dist = s / (l_n + s / b_n), and equation 10",
        parameters: &[S, time("l_n"), one("b_n", PerSecond)],
        gives: Gives::One(PerSecond),
        compute: |a| Ok(paper::b_dist(a.get("s"), a.get("l_n"), a.get("b_n"))),
    },
    Model {
        name: "juhasz-equation-6",
        about: "t_proc = c_q s ln s, and equation 13",
        parameters: &[S, time("c_q")],
        gives: Gives::One(Time),
        compute: |a| Ok(paper::t_proc(a.get("s"), a.get("c_q"))),
    },
    Model {
        name: "juhasz-equation-7",
        about: "b_proc = s / t_proc, and equation 11",
        parameters: &[S, time("c_q")],
        gives: Gives::One(PerSecond),
        compute: |a| Ok(paper::b_proc(a.get("s"), a.get("c_q"))),
    },
    Model {
        name: "juhasz-equation-8",
        about: "t_local = c_m N / p, and equation 14",
        parameters: &[N, P, C_M],
        gives: Gives::One(Time),
        compute: |a| Ok(paper::t_local(a.get("n"), a.whole("p"), a.get("c_m"))),
    },
    Model {
        name: "juhasz-equation-9",
        about: "b_resolution = 1 / (c_m (N / (s p) + p)), and equation 15",
        parameters: &[N, P, S, C_M],
        gives: Gives::One(PerSecond),
        compute: |a| Ok(paper::b_resolution(a.get("n"), a.whole("p"), a.get("s"), a.get("c_m"))),
    },
    Model {
        name: "juhasz-equation-12",
        about: "t_read = N / min(b_io, b_dist, b_proc)",
        parameters: CLUSTER,
        gives: Gives::One(Time),
        compute: |a| Ok(cluster(a).t_read(a.get("n"))),
    },
    Model {
        name: "juhasz-equation-16",
        about: "t_write = N / min(b_io, b_gather, b_resolution)",
        parameters: CLUSTER,
        gives: Gives::One(Time),
        compute: |a| Ok(cluster(a).t_write(a.get("n"), a.whole("p"))),
    },
    Model {
        name: "juhasz-equation-17",
        about: "t_total: reading, processing the last block, local resolution, writing",
        parameters: CLUSTER,
        gives: Gives::One(Time),
        compute: |a| Ok(cluster(a).t_total(a.get("n"), a.whole("p"))),
    },
    Model {
        name: "juhasz-equation-19",
        about: "the p at which b_resolution equals b_gather",
        parameters: &[N, S, C_M, B_GATHER],
        gives: Gives::One(Number),
        compute: |a| {
            let root = discriminant(a)?;
            Ok((1.0 - root) / (2.0 * a.get("b_gather") * a.get("c_m")))
        },
    },
    Model {
        name: "juhasz-equation-20-root",
        about: "the square root in equation 19",
        parameters: &[N, S, C_M, B_GATHER],
        gives: Gives::One(Number),
        compute: discriminant,
    },
    Model {
        name: "juhasz-equation-21",
        about: "2 N / b_io, reading and writing alone",
        parameters: &[N, B_IO],
        gives: Gives::One(Time),
        compute: |a| Ok(paper::io_bound(a.get("n"), a.get("b_io"))),
    },
    Model {
        name: "juhasz-enough",
        about: "the least p whose t_total is at most `share` above that of the best p up to `most`",
        parameters: &[
            N,
            whole("most"),
            number("share"),
            time("c_q"),
            C_M,
            time("c_local"),
            B_IO,
            time("l_n"),
            one("b_n", PerSecond),
            B_GATHER,
            S,
        ],
        gives: Gives::One(Number),
        compute: |a| Ok(cluster(a).enough(a.get("n"), a.whole("most"), a.get("share")) as f64),
    },
];
