//! Writing a profile file.

use super::{Cost, JoinAt, Profile, Wait, farm, scatter_gather};
use crate::file::Writer;
use crate::units::{PartBytes, Seconds, SecondsPerByte};

impl Profile {
    /// The profile as a file, which [`Profile::from_toml`] reads back as the same.
    pub fn to_toml(&self) -> String {
        let mut out = Writer::new();
        out.text("application", &self.application);
        out.text("source", &self.source);
        if let Some(program) = &self.program {
            out.text("program", program);
        }
        if let Some(reduction) = &self.reduction {
            out.header("[reduction]");
            out.raw("task", cost(&reduction.task));
            out.raw("merge", cost(&reduction.merge));
            out.raw("sink", cost(&reduction.sink));
            out.raw("finish", cost(&reduction.finish));
            out.raw("result_bytes", size(reduction.result_bytes));
            if !reduction.growth.is_empty() {
                out.raw("growth", format_args!("{:?}", reduction.growth));
            }
            if reduction.grown_from > 0.0 {
                out.quantity("grown_from", PartBytes(reduction.grown_from));
            }
            if let Some(join) = &reduction.join {
                let at = match join.at {
                    JoinAt::Sink => "sink",
                    JoinAt::Finish => "finish",
                };
                out.text("join_at", at);
                out.raw("join", cost(&join.cost));
                if join.beside > 0.0 {
                    out.quantity("join_beside", SecondsPerByte(join.beside));
                }
            }
            if reduction.contention != 0.0 {
                out.raw("contention", format_args!("{:?}", reduction.contention));
            }
            if reduction.new_memory > 0.0 {
                out.quantity("new_memory", SecondsPerByte(reduction.new_memory));
            }
            if reduction.tried > 0.0 {
                out.quantity("tried", PartBytes(reduction.tried));
            }
            if let Some(spill) = &reduction.spill {
                out.header("[reduction.spill]");
                out.quantity("room", PartBytes(spill.room));
                if spill.ways > 0.0 {
                    out.raw("ways", format_args!("{:?}", spill.ways));
                }
                out.raw("write", cost(&spill.write));
                out.raw("read", cost(&spill.read));
            }
        }
        if let Some(costs) = &self.scatter_gather {
            out.header("[scatter_gather]");
            scatter_gather::write(costs, &mut out);
        }
        if let Some(costs) = &self.farm {
            out.header("[farm]");
            farm::write(costs, &mut out);
        }
        out.finish()
    }
}

pub(super) fn size((fixed, per_byte): (f64, f64)) -> String {
    let fixed = PartBytes(fixed);
    format!("{{ fixed = \"{fixed:#}\", per_byte = {per_byte:?} }}")
}

pub(super) fn cost(c: &Cost) -> String {
    let mut parts = line(c.fixed, c.per_byte, c.per_result);
    let Wait { fixed, per_byte, per_result } = c.wait;
    if !c.wait.is_none() {
        parts.push(format!("wait = {{ {} }}", line(fixed, per_byte, per_result).join(", ")));
    }
    if c.spread != 0.0 {
        parts.push(format!("spread = {:?}", c.spread));
    }
    if c.error != 0.0 {
        parts.push(format!("error = {:?}", c.error));
    }
    format!("{{ {} }}", parts.join(", "))
}

fn line(fixed: f64, per_byte: f64, per_result: f64) -> Vec<String> {
    let mut parts = vec![format!("fixed = \"{:#}\"", Seconds(fixed))];
    if per_byte != 0.0 {
        parts.push(format!("per_byte = \"{:#}\"", SecondsPerByte(per_byte)));
    }
    if per_result != 0.0 {
        parts.push(format!("per_result = \"{:#}\"", Seconds(per_result)));
    }
    parts
}
