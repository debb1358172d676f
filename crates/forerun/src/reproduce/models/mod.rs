//! The models that study files name: a name, typed parameters, a function.
//!
//! Each is a published equation from `forerun-model`, or arithmetic. What their arguments are is the
//! study's business: there is no constant of a paper here.

mod arithmetic;
mod benoit;
mod du;
mod juhasz;
mod kuntraruk;
mod mizutani;

use super::quantity::Dimension;

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// One value.
    One(Dimension),
    /// A whole number of at least 1.
    Whole,
    /// A value of any dimension, the same for all such parameters of a model.
    Any,
    /// A list of values.
    Many(Dimension),
    /// A list of values of any dimension.
    ManyAny,
}

impl Takes {
    /// Whether it is a list.
    pub fn is_list(self) -> bool {
        matches!(self, Takes::Many(_) | Takes::ManyAny)
    }

    /// What is expected, in words.
    pub fn words(self) -> String {
        match self {
            Takes::One(dimension) => dimension.words().into(),
            Takes::Whole => "a whole number of at least 1".into(),
            Takes::Any => "a value with its unit".into(),
            Takes::Many(dimension) => format!("a list, each {}", dimension.words()),
            Takes::ManyAny => "a list of values of one kind, or { rows = \"the label of rows\" }".into(),
        }
    }
}

/// A parameter of a model.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
}

/// What a model gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// Always the same.
    One(Dimension),
    /// What its parameters of any dimension are.
    Same,
}

/// A function that study files can name.
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// What it calculates, with the source.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// What it gives, in the base unit.
    pub gives: Gives,
    /// The function; its errors are sentences.
    pub compute: fn(&Arguments<'_>) -> Result<f64, String>,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The values for a model's parameters, in their order; one value for each but lists.
#[derive(Debug)]
pub struct Arguments<'a> {
    /// The model's parameters.
    pub parameters: &'static [Parameter],
    /// Their values.
    pub values: &'a [Vec<f64>],
}

impl Arguments<'_> {
    /// The list of a parameter.
    fn list(&self, name: &str) -> &[f64] {
        let at = self.parameters.iter().position(|p| p.name == name);
        at.and_then(|at| self.values.get(at)).map_or(&[], Vec::as_slice)
    }

    /// The value of a parameter.
    fn get(&self, name: &str) -> f64 {
        self.list(name).first().copied().unwrap_or(f64::NAN)
    }

    /// The whole number of a parameter.
    fn whole(&self, name: &str) -> u64 {
        self.get(name) as u64
    }
}

const fn one(name: &'static str, dimension: Dimension) -> Parameter {
    Parameter { name, takes: Takes::One(dimension) }
}

const fn time(name: &'static str) -> Parameter {
    one(name, Dimension::Time)
}

const fn number(name: &'static str) -> Parameter {
    one(name, Dimension::Number)
}

const fn whole(name: &'static str) -> Parameter {
    Parameter { name, takes: Takes::Whole }
}

/// All models, by paper.
pub fn models() -> impl Iterator<Item = &'static Model> {
    [arithmetic::MODELS, kuntraruk::MODELS, juhasz::MODELS, benoit::MODELS, mizutani::MODELS, du::MODELS]
        .into_iter()
        .flatten()
}

/// The model of a name.
pub fn model(name: &str) -> Option<&'static Model> {
    models().find(|m| m.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_parameters_told_apart() {
        let mut names: Vec<_> = models().map(|m| m.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "{names:?}");
        for model in models() {
            let mut names: Vec<_> = model.parameters.iter().map(|p| p.name).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|w| w[0] != w[1]), "{}", model.name);
            // These are keys of a call themselves.
            assert!(!names.contains(&"model") && !names.contains(&"rows"), "{}", model.name);
        }
    }
}
