//! What a farm's tasks cost.

use serde::{Deserialize, Serialize};

use super::{Cost, ReductionProfile, read, result_bytes};
use crate::file::{Section, Writer};
use crate::json;

/// The costs of a farm: of each task, and of its answer at the master.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FarmProfile {
    /// Doing a task on an input; results are 1.
    pub task: Cost,
    /// Handing the answers of a message to the sink.
    #[serde(default)]
    pub sink: Cost,
    /// What remains when every answer is in the sink.
    #[serde(default)]
    pub finish: Cost,
    /// Size of an answer: `(bytes, bytes per byte of its task's input)`.
    #[serde(with = "result_bytes")]
    pub result_bytes: (f64, f64),
    /// How much longer a task takes, relative, for each other core of its host that is busy too.
    #[serde(default, deserialize_with = "json::not_negative")]
    pub contention: f64,
}

impl From<&FarmProfile> for ReductionProfile {
    /// The same costs, with merges that cost nothing: for what prices stages whatever the pattern.
    fn from(farm: &FarmProfile) -> ReductionProfile {
        ReductionProfile {
            task: farm.task,
            sink: farm.sink,
            finish: farm.finish,
            result_bytes: farm.result_bytes,
            contention: farm.contention,
            ..ReductionProfile::default()
        }
    }
}

pub(super) fn of(section: &Section<'_, '_>) -> Option<FarmProfile> {
    let task = read::cost(section, "task");
    let task = section.required("task", "\"150 ms\"", task);
    read::takes_time(section, task.as_ref());
    let sink = read::cost(section, "sink").unwrap_or_default();
    let finish = read::cost(section, "finish").unwrap_or_default();
    let size = read::result_bytes(section);
    let size = section.required("result_bytes", "\"20 B\"", size);
    let contention = section.number("contention", read::CONTENTION).unwrap_or(0.0);
    section.finish();
    Some(FarmProfile { task: task?, sink, finish, result_bytes: size?, contention })
}

pub(super) fn write(farm: &FarmProfile, out: &mut Writer) {
    out.raw("task", super::write::cost(&farm.task));
    out.raw("sink", super::write::cost(&farm.sink));
    out.raw("finish", super::write::cost(&farm.finish));
    out.raw("result_bytes", super::write::size(farm.result_bytes));
    if farm.contention != 0.0 {
        out.raw("contention", format_args!("{:?}", farm.contention));
    }
}

#[cfg(test)]
mod tests {
    use crate::Profile;

    const GOOD: &str = r#"format = 1
application = "mandelbrot"
[farm]
task = { fixed = "200 us", spread = 1.5 }
sink = { per_result = "1 us" }
result_bytes = "4 B"
contention = 0.1
"#;

    #[test]
    fn a_file_is_read_and_written_back() {
        let profile = Profile::from_toml(GOOD, "m.toml").unwrap_or_else(|e| panic!("{e}"));
        let farm = profile.farm.as_ref().expect("the section");
        assert_eq!((farm.task.fixed, farm.task.spread, farm.sink.per_result), (200e-6, 1.5, 1e-6));
        assert_eq!((farm.result_bytes, farm.contention), ((4.0, 0.0), 0.1));
        assert_eq!(Profile::from_toml(&profile.to_toml(), "x").unwrap_or_else(|e| panic!("{e}")), profile);
        let json = serde_json::to_string(&profile).expect("written");
        assert_eq!(serde_json::from_str::<Profile>(&json).expect("read"), profile);
    }

    /// Whoever does as the hints say, one after the other, gets a profile; of a farm where there was one to begin with.
    #[test]
    fn hints_lead_to_a_profile() {
        for begun in ["", "[farm]\n", "[reduction]\n", "source = \"x\"\n[farm]\ntask = \"1 ms\"\n"] {
            let mut text = format!("format = 1\n{begun}");
            let mut sections = Vec::new();
            for _ in 0..10 {
                let Err(error) = Profile::from_toml(&text, "p.toml") else { break };
                let problem = &error.problems()[0].message;
                let (_, hint) = problem.rsplit_once("add ").unwrap_or_else(|| panic!("{problem}"));
                if let Some(section) = hint.strip_prefix('[') {
                    sections.push(section.split(']').next().unwrap().to_owned());
                    text += &format!("[{}]\n", sections[0]);
                } else if hint.starts_with("application") {
                    text = text.replacen("format = 1\n", &format!("format = 1\n{hint}\n"), 1);
                } else {
                    text += &format!("{hint}\n");
                }
            }
            let profile = Profile::from_toml(&text, "p.toml").unwrap_or_else(|e| panic!("{text}: {e}"));
            let is_farm = profile.farm.is_some();
            assert_eq!(is_farm, begun.contains("[farm]") || sections == ["farm"], "{text}");
            assert_eq!(profile.application, if begun.contains("[farm]") { "farm" } else { "sort" });
        }
        // What says where it is from is a profile, whatever else is in it.
        let said = Profile::from_toml(
            "format = 1\napplication = \"farm\"\nsource = \"x\"\n[task]\nfixed = \"1 s\"\n",
            "p",
        );
        let said = said.expect_err("no costs").to_string();
        assert!(said.contains("[farm] with task and result_bytes") && !said.contains("job file"), "{said}");
    }

    #[test]
    fn faults_are_told() {
        for (part, by, message) in [
            ("result_bytes = \"4 B\"\n", "", "[farm] has no \"result_bytes\""),
            ("[farm]", "[fram]", "did you mean \"farm\"?"),
            ("{ fixed = \"200 us\", spread = 1.5 }", "\"0 s\"", "\"task\" takes no time"),
            ("\"4 B\"", "\"1e30 B\"", "cannot be more than"),
            ("\"200 us\"", "\"200 B\"", "is a size, where a time is expected"),
            ("0.1", "1.5", "\"contention\" is a number from 0 to 1"),
            ("\"200 us\"", "\"1e20 s\"", "cannot be more than"),
            ("contention", "contentoin", "did you mean \"contention\"?"),
        ] {
            let error = Profile::from_toml(&GOOD.replacen(part, by, 1), "m.toml").expect_err(by);
            let told = error.problems().iter().any(|p| p.message.contains(message));
            assert!(told, "{by:?}: {:?}", error.problems());
        }
    }
}
