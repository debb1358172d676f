//! Where the time of the ranks went: a stacked bar and the seconds of every stage, a row an outcome.

use forerun_platform::{Outcome, Stage, Way};

use super::mark::{escape, n, stage_class, stage_legend};
use super::scene::{Scene, WAYS};
use crate::compare::Compared;
use crate::text::{self, TimeUnit};

const WIDTH: f64 = 250.0;

/// The table with its bars. Each way of a configuration is shown by its outcome with the median makespan.
pub(super) fn render(scene: &Scene<'_>) -> String {
    let has_stages = |o: &Outcome| o.stages.values().any(|s| s.total_s > 0.0);
    let rows: Vec<(&Compared, Vec<&Outcome>)> = scene
        .compared
        .iter()
        .map(|c| {
            let of = |way| scene.representative(&c.configuration, way, has_stages);
            (c, WAYS.into_iter().filter_map(of).collect())
        })
        .filter(|(_, outcomes): &(_, Vec<_>)| !outcomes.is_empty())
        .collect();
    let takes_time = |s: &Stage| {
        rows.iter().flat_map(|(_, all)| all).any(|o| o.stages.get(s).is_some_and(|t| t.total_s > 0.0))
    };
    let stages: Vec<Stage> = Stage::ALL.into_iter().filter(takes_time).collect();
    if stages.is_empty() {
        return String::new();
    }
    let count =
        |c: &Compared, outcome: &Outcome| scene.alternatives(&c.configuration, outcome.way, has_stages);
    let several = rows.iter().any(|(c, all)| all.iter().any(|outcome| count(c, outcome) > 1));
    let of_several = match several {
        true => {
            " A row is one outcome: where there are several, that with the median makespan, or of an even number the shorter of the \
             middle two, while the table of relative errors has their mean."
        }
        false => "",
    };
    // A closed form may have a makespan alone.
    let lacks =
        |way: &Way| scene.count(*way) > 0 && !rows.iter().any(|(_, all)| all.iter().any(|o| o.way == *way));
    let lacking: Vec<&str> = WAYS.into_iter().filter(lacks).map(Way::name).collect();
    let without = match &lacking[..] {
        [] => String::new(),
        names => format!(" Of {} no stages are known.", names.join(" and ")),
    };
    let mut out = format!(
        "<p class=\"note\">Time of a rank in each stage, the mean of all ranks. Bars of one configuration share a scale; \
         what a bar lacks to its tick, the makespan, is time after a rank's end.{of_several}{without}</p>\n",
    );
    out += &stage_legend(stages.iter().copied());
    out += "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Time by stage\"><table class=\"tight\">\n<thead><tr>\
            <th scope=\"col\" class=\"num\">P</th><th scope=\"col\">Way</th>\
            <th scope=\"col\" class=\"num\">Makespan</th><th scope=\"col\">Share of a rank’s time</th>";
    let greatest = rows.iter().flat_map(|(_, all)| all).flat_map(|o| means(o, &stages)).fold(0.0, f64::max);
    let unit = TimeUnit::of(greatest);
    for stage in &stages {
        out += &format!("<th scope=\"col\" class=\"num\">{}, {}</th>", stage.name(), unit.symbol);
    }
    out += "</tr></thead>\n";
    for group in
        rows.chunk_by(|(a, _), (b, _)| a.configuration.strategy_label() == b.configuration.strategy_label())
    {
        let name = escape(&group[0].0.configuration.strategy_label());
        let columns = stages.len() + 4;
        out += &format!("<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"{columns}\">{name}</th></tr>\n");
        for (c, outcomes) in group {
            let longest =
                outcomes.iter().map(|o| o.makespan_s.max(means(o, &stages).iter().sum())).fold(0.0, f64::max);
            let processors = text::count(c.configuration.processors as u64);
            let mut p = format!("<td class=\"num\" rowspan=\"{}\">{processors}</td>", outcomes.len());
            for outcome in outcomes {
                let class = if p.is_empty() { "" } else { " class=\"first\"" };
                out += &format!("<tr{class}>{}", std::mem::take(&mut p));
                out += &row(outcome, count(c, outcome), &stages, longest, unit);
                out += "</tr>\n";
            }
        }
        out += "</tbody>\n";
    }
    out + "</table></div>\n"
}

/// Seconds that a rank spent in each stage, the mean over all ranks.
fn means(outcome: &Outcome, stages: &[Stage]) -> Vec<f64> {
    let total = |s: &Stage| outcome.stages.get(s).map_or(0.0, |t| t.total_s);
    stages.iter().map(|s| total(s) / outcome.processors as f64).collect()
}

fn row(outcome: &Outcome, of: usize, stages: &[Stage], longest: f64, unit: TimeUnit) -> String {
    let means = means(outcome, stages);
    let makespan = text::seconds(outcome.makespan_s);
    let name = outcome.way.name();
    let way = if of > 1 { format!("{name}, 1 of {}", text::count(of as u64)) } else { name.into() };
    let mut out = format!("<td>{way}</td><td class=\"num\">{makespan}</td><td class=\"drawn\">");
    let scale = |seconds: f64| if longest > 0.0 { seconds / longest * (WIDTH - 2.0) } else { 0.0 };
    let words: Vec<String> = stages
        .iter()
        .zip(&means)
        .filter(|(_, m)| **m > 0.0)
        .map(|(s, m)| format!("{} {}", s.name(), text::seconds(*m)))
        .collect();
    out += &format!(
        "<svg width=\"{0}\" height=\"16\" viewBox=\"0 0 {0} 16\" role=\"img\" aria-label=\"{1}\">",
        n(WIDTH),
        words.join(", ")
    );
    let mut at = 0.0;
    for ((stage, mean), words) in stages.iter().zip(&means).filter(|(_, m)| **m > 0.0).zip(&words) {
        let (y, height) = if *stage == Stage::Wait { (5, 6) } else { (1, 14) };
        let share =
            if outcome.makespan_s > 0.0 { text::share(mean / outcome.makespan_s) } else { "—".into() };
        out += &format!(
            "<rect class=\"{}\" x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{height}\"><title>{words}, {share} of the makespan</title></rect>",
            stage_class(*stage),
            n(at),
            n(scale(*mean)),
        );
        at += scale(*mean);
    }
    out += &format!(
        "<path class=\"whisker\" d=\"M{} 0v16\"><title>makespan {makespan}</title></path></svg></td>",
        n(scale(outcome.makespan_s) + 1.0)
    );
    for (stage, mean) in stages.iter().zip(&means) {
        match outcome.stages.get(stage).filter(|t| t.total_s > 0.0) {
            Some(total) => {
                let all = format!(
                    "{}, {} over all ranks",
                    text::plural(total.count, "call"),
                    text::seconds(total.total_s)
                );
                out += &format!("<td class=\"num\" title=\"{all}\">{}</td>", text::fixed(*mean, unit));
            }
            None => out += "<td class=\"num none\">–</td>",
        }
    }
    out
}
