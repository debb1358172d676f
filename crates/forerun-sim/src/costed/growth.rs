//! By what factor merging changes the size of results.

use forerun_platform::grown;
use forerun_skeleton::RunError;

/// Numbers of results up to which the factor is looked up.
const TABLE: u64 = 4096;

/// Γ(n): the factor on the bytes of n task results that are merged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Growth {
    levels: Vec<f64>,
    /// Γ(0), Γ(1), …; empty if Γ is 1 throughout.
    table: Vec<f64>,
}

impl Growth {
    /// From the factor of each level, of which the last holds for all further ones.
    pub(super) fn new(levels: &[f64]) -> Result<Self, RunError> {
        if let Some(bad) = levels.iter().find(|g| !(**g >= 0.0 && g.is_finite())) {
            return Err(RunError::Invalid(format!(
                "the growth by level in the profile holds {bad}: expected numbers from 0"
            )));
        }
        let mut growth = Growth { levels: levels.to_vec(), table: Vec::new() };
        if levels.iter().any(|&g| g != 1.0) {
            growth.table = (0..=TABLE).map(|n| growth.computed(n)).collect();
        }
        Ok(growth)
    }

    /// Whether Γ is 1 throughout.
    #[inline]
    pub(super) fn is_none(&self) -> bool {
        self.table.is_empty()
    }

    /// Γ(results), where there is any growth.
    pub(super) fn of(&self, results: u64) -> f64 {
        match self.table.get(results as usize) {
            Some(&factor) => factor,
            None => self.computed(results),
        }
    }

    fn computed(&self, results: u64) -> f64 {
        if results == 0 { 1.0 } else { grown(&self.levels, results as f64) }
    }
}
