//! What is asked for beside throughputs and populations.

use forerun_pepa::measures::{Measures, evaluate};
use forerun_pepa::syntax::{Expr, parse_expression};

use crate::error::{CliError, request};

/// An expression over mean values, and what it is called.
pub(super) struct Wanted {
    pub(super) name: String,
    expr: Expr,
    text: String,
}

impl Wanted {
    /// Reads `[name =] expression`.
    pub(super) fn read(text: &str) -> Result<Wanted, CliError> {
        let (name, body) = text.split_once('=').unwrap_or((text, text));
        let expr = parse_expression(body.trim()).map_err(|why| {
            request(format!("--measure \'{text}\': {why}, such as \'W = Waiting / request\'"))
        })?;
        Ok(Wanted { name: name.trim().to_string(), expr, text: text.to_string() })
    }

    /// Its value.
    pub(super) fn value(&self, measures: &Measures) -> Result<f64, CliError> {
        let named = |name: &str| measures.population_of(name).or_else(|| measures.throughput_of(name));
        let value = evaluate(&self.expr, &named).map_err(|why| {
            let actions: Vec<&str> = measures.throughput.iter().map(|(n, _)| n.as_str()).collect();
            request(format!("--measure \'{}\': {why}; actions are {}", self.text, actions.join(", ")))
        })?;
        if value.is_finite() {
            return Ok(value);
        }
        Err(request(format!("--measure \'{}\': it is {value} here, which is no number", self.text)))
    }
}
