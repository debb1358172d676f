//! One job on one input and one platform: the outcomes of it that are reported together.

use std::collections::HashMap;

use forerun_platform::{Outcome, Way};

use crate::compare::{self, By, Compared, Configuration};

/// The outcomes of one job on one input and one platform.
pub(super) struct Scene<'a> {
    /// Configurations in the order of tables.
    pub(super) compared: Vec<Compared>,
    /// The outcomes of each configuration, in the order given.
    outcomes: HashMap<Configuration, Vec<&'a Outcome>>,
}

/// All ways, measured ones first, then in the order of predictors.
pub(super) const WAYS: [Way; 6] =
    [Way::Threads, Way::Mpi, Way::Analytic, Way::Pepa, Way::Simulated, Way::Emulated];

/// Parts outcomes by job, input and platform. Cost: n log n in the outcomes.
pub(super) fn scenes(outcomes: &[Outcome]) -> Vec<Scene<'_>> {
    let mut by_configuration: HashMap<Configuration, Vec<&Outcome>> = HashMap::new();
    for outcome in outcomes {
        by_configuration.entry(Configuration::of(outcome)).or_default().push(outcome);
    }
    let mut scenes: Vec<Scene<'_>> = Vec::new();
    for one in compare::compare(outcomes) {
        let same = |last: &Scene<'_>| {
            last.compared.first().is_some_and(|c| c.configuration.subject() == one.configuration.subject())
        };
        if !scenes.last().is_some_and(same) {
            scenes.push(Scene { compared: Vec::new(), outcomes: HashMap::new() });
        }
        let Some(last) = scenes.last_mut() else { continue };
        last.outcomes.extend(by_configuration.remove_entry(&one.configuration));
        last.compared.push(one);
    }
    scenes
}

impl Scene<'_> {
    /// The job with its input; may be empty.
    pub(super) fn job(&self) -> String {
        self.compared.first().map_or(String::new(), |c| c.configuration.job_label())
    }

    /// The platform; may be empty.
    pub(super) fn platform(&self) -> &str {
        self.compared.first().map_or("", |c| &c.configuration.platform)
    }

    /// The job and platform in a line.
    pub(super) fn title(&self) -> String {
        match (&*self.job(), self.platform()) {
            ("", "") => "A job without a name".into(),
            ("", platform) => format!("A job on {platform}"),
            (job, "") => job.into(),
            (job, platform) => format!("{job} on {platform}"),
        }
    }

    /// The numbers of ranks, ascending, each once.
    pub(super) fn processors(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.compared.iter().map(|c| c.configuration.processors).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The strategies of reductions and the other skeletons, in the order of tables.
    pub(super) fn patterns(&self) -> Vec<&'static str> {
        let mut all: Vec<&'static str> = Vec::new();
        for pattern in self.compared.iter().map(|c| c.configuration.pattern()) {
            if !all.contains(&pattern) {
                all.push(pattern);
            }
        }
        all
    }

    /// The predictors, in the order of tables.
    pub(super) fn predictors(&self) -> Vec<By> {
        let has = |by: &By| self.compared.iter().any(|c| c.predictions.iter().any(|p| p.by == *by));
        By::ALL.into_iter().filter(has).collect()
    }

    /// How many outcomes came about in a way.
    pub(super) fn count(&self, way: Way) -> usize {
        self.outcomes.values().flatten().filter(|o| o.way == way).count()
    }

    /// The configuration that the headline is of: the fastest measured, else the fastest predicted.
    pub(super) fn best(&self) -> Option<&Compared> {
        let fastest = |time: fn(&Compared) -> Option<f64>| {
            let timed = self.compared.iter().filter_map(|c| time(c).map(|t| (t, c)));
            timed.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, c)| c)
        };
        let measured = |c: &Compared| c.measured.iter().map(|runs| runs.median()).min_by(f64::total_cmp);
        let predicted =
            |c: &Compared| c.predictions.iter().map(|p| p.makespan.makespan_s).min_by(f64::total_cmp);
        fastest(measured).or_else(|| fastest(predicted))
    }

    /// How many outcomes of a configuration came about in a way and satisfy a condition.
    pub(super) fn alternatives(
        &self,
        configuration: &Configuration,
        way: Way,
        condition: impl Fn(&Outcome) -> bool,
    ) -> usize {
        let all = self.outcomes.get(configuration).into_iter().flatten();
        all.filter(|o| o.way == way && condition(o)).count()
    }

    /// The outcome that stands for a configuration and way: that with the median makespan (the lesser of
    /// the middle two), among those that satisfy a condition.
    pub(super) fn representative(
        &self,
        configuration: &Configuration,
        way: Way,
        condition: impl Fn(&Outcome) -> bool,
    ) -> Option<&Outcome> {
        let all = self.outcomes.get(configuration).into_iter().flatten().copied();
        let mut all: Vec<&Outcome> = all.filter(|o| o.way == way && condition(o)).collect();
        all.sort_by(|a, b| a.makespan_s.total_cmp(&b.makespan_s));
        all.get(all.len().saturating_sub(1) / 2).copied()
    }
}
