//! Storm, through its Python package.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, io};

/// The version that is installed if there is none.
const VERSION: &str = "2.0.0";
/// Seconds of CPU time after which a run is ended.
pub(super) const LIMIT: u32 = 60;

/// Its linear equations are solved by gmm++'s GMRES: the default, an iteration of values, took 65 times as long on polling of 12 stations, its
/// own power iterations gave NaN, and Eigen's solver nothing within 40 s.
///
/// Reads a PRISM model and the name of a reward; prints states, transitions, seconds of CPU time to build and to solve, and the
/// reward's mean in the long run.
const SCRIPT: &str = r#"
import resource, sys, time
import stormpy
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[3]),) * 2)
program = stormpy.parse_prism_program(sys.argv[1], prism_compatibility=True)
properties = stormpy.parse_properties('R{"%s"}=? [ LRA ]' % sys.argv[2], program)
begun = time.process_time()
model = stormpy.build_model(program, properties)
built = time.process_time()
environment = stormpy.Environment()
environment.solver().set_linear_equation_solver_type(
    stormpy.core._analysis.environments.EquationSolverType.GMMXX)
result = stormpy.model_checking(model, properties[0], environment=environment)
solved = time.process_time()
print("RESULT", model.nr_states, model.nr_transitions, built - begun, solved - built,
      result.get_value(model.initial_states[0]))
"#;

/// What a run gave.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ran {
    pub(super) states: usize,
    pub(super) built: f64,
    pub(super) solved: f64,
    pub(super) value: f64,
}

/// A Python that has it.
pub(super) struct Storm {
    python: PathBuf,
    pub(super) version: String,
}

impl Storm {
    /// Finds it: in `FORERUN_BENCH_PYTHON`, in `python3`, or in an environment of its own beside this program, where
    /// it is installed if that is possible.
    pub(super) fn find() -> Option<Storm> {
        let own = env::current_exe().ok()?.with_file_name("bench-peers");
        let given = env::var_os("FORERUN_BENCH_PYTHON").map(PathBuf::from);
        let inside = own.join("bin").join("python");
        let known = given.into_iter().chain([inside.clone(), "python3".into()]);
        known.into_iter().find_map(Storm::of).or_else(|| {
            let quiet = |command: &mut Command| {
                command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
            };
            let made = quiet(Command::new("python3").args(["-m", "venv"]).arg(&own));
            let package = format!("stormpy=={VERSION}");
            (made && quiet(Command::new(&inside).args(["-m", "pip", "install", "-q", &package])))
                .then(|| Storm::of(inside))?
        })
    }

    fn of(python: PathBuf) -> Option<Storm> {
        let print = "import stormpy; print(stormpy.__version__)";
        let output = Command::new(&python).args(["-c", print]).stderr(Stdio::null()).output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_string();
        (output.status.success() && !version.is_empty()).then_some(Storm { python, version })
    }

    /// Builds a model and finds a reward's mean.
    ///
    /// # Errors
    /// That it failed or took too long.
    pub(super) fn run(&self, model: &Path, reward: &str) -> io::Result<Ran> {
        let output = Command::new(&self.python)
            .args(["-c", SCRIPT])
            .arg(model)
            .args([reward, &LIMIT.to_string()])
            .stderr(Stdio::null())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|l| l.strip_prefix("RESULT "));
        let numbers: Vec<f64> =
            line.unwrap_or_default().split(' ').filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [states, _, built, solved, value] => Ok(Ran { states: states as usize, built, solved, value }),
            _ => Err(io::Error::other(format!("Storm gave no result within {LIMIT} s of CPU time"))),
        }
    }
}
