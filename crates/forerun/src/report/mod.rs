//! One self-contained HTML file: what was predicted and measured, where the time went, who did what when.
//!
//! The page needs no network and no script: styles are inline and every chart is inline SVG. Marks carry
//! tooltips (`<title>`), and every figure a chart shows is in a table as well. A content security
//! policy in the page forbids to load or run anything, whatever a name tries. Names from outcomes are escaped.
//!
//! | part | what it shows |
//! |---|---|
//! | `headline` | the fastest configuration: predicted, measured, error, plan and reason |
//! | `curve` | makespan against processors, a panel a strategy; `strip` where there is one P |
//! | `errors` | predicted beside measured, relative errors |
//! | `stages` | where the time of every rank went, by stage |
//! | `timeline` | ranks over time; aggregated where it would be too many marks |

mod curve;
mod errors;
mod file;
mod headline;
mod mark;
mod scene;
mod stages;
mod strip;
mod timeline;

use forerun_platform::Outcome;

pub use file::{WriteError, write};

use crate::text;
use mark::escape;
use scene::Scene;

/// The page as text, for at least one outcome. Cost: linear in the outcomes and their timelines; timelines
/// together are held under about 1.2 MB whatever their length.
pub fn html(outcomes: &[Outcome]) -> String {
    let scenes = scene::scenes(outcomes);
    let title = match scenes.as_slice() {
        [one] => one.title(),
        several => format!("{} jobs", several.len()),
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{0} · Forerun</title>\n\
         <style>\n{1}</style>\n</head>\n<body>\n<main>\n",
        escape(&title),
        include_str!("style.css"),
    );
    if scenes.len() > 1 {
        page += &format!(
            "<header><p class=\"kicker\">Forerun report</p>\n<h1>{title}</h1>\n<p class=\"sub\">{}</p>\n<ul>",
            text::plural(outcomes.len() as u64, "outcome")
        );
        for (at, scene) in scenes.iter().enumerate() {
            page += &format!("<li><a href=\"#job-{}\">{}</a></li>", at + 1, escape(&scene.title()));
        }
        page += "</ul></header>\n";
    }
    let mut budget = timeline::BYTES;
    let level = if scenes.len() > 1 { 2 } else { 1 };
    for (at, scene) in scenes.iter().enumerate() {
        page += &format!("<article id=\"job-{}\">\n", at + 1);
        page += &part(scene, level, &mut budget);
        page += "</article>\n";
    }
    page += "</main>\n<footer><p>Relative error is (predicted − measured) / measured, measured being the median of the runs. \
             Whiskers of measured points reach from the least to the greatest run; bands and whiskers of predictions \
             are their 95 % intervals.</p></footer>\n</body>\n</html>\n";
    page
}

/// Everything about one job on one input and one platform; `level` is that of its title.
fn part(scene: &Scene<'_>, level: u8, budget: &mut usize) -> String {
    let mut out = headline::render(scene, level);
    let sections = [
        ("Makespan", if scene.processors().len() > 1 { curve::render(scene) } else { strip::render(scene) }),
        ("Relative error", errors::render(scene)),
        ("Where the time went", stages::render(scene)),
        ("Ranks over time", timeline::render(scene, level + 2, budget)),
    ];
    for (name, body) in sections.into_iter().filter(|(_, body)| !body.is_empty()) {
        out += &format!("<section>\n<h{0} class=\"part\">{name}</h{0}>\n{body}</section>\n", level + 1);
    }
    out
}
