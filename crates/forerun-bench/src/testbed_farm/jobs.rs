//! What is run: applications that are farms, and a reduction by external commands, each large enough for a number of hosts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::{env, iter};

use forerun_platform::Strategy;
use forerun_platform::random::Random;

/// Where the bones of a hip are: a femur and a pelvis as STL files.
const HIP: &str = "FORERUN_HIP";
/// The middle of that pelvis' socket, which is not where the femur's head is: as in the example of `forerun run hip --help`.
const SOCKET: &str = "-36.7,-78.2,81.2";
/// Files of an external command for each slave, and their bytes.
const FILES: (usize, usize) = (60, 500_000);
/// Files of the reduction for each host, and their bytes.
const PARTS: (usize, usize) = (16, 150_000);
/// Different texts; more files than these have the same content as others.
const TEXTS: u64 = 20;
/// How often each word occurs, of which there are as many as are left.
const COUNTS: &str = "tr -cs A-Za-z '\\n' | sort | uniq -c";
const ADD: &str = "sort -m -k2 \"$@\" | awk '$2!=w{if(n)print n,w;w=$2;n=0}{n+=$1}END{if(n)print n,w}'";

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Job {
    /// A picture of the Mandelbrot set, a task a row.
    Mandelbrot,
    /// The range of motion of a hip, a task a row of rotations.
    Hip,
    /// `wc` of many files.
    Command,
    /// How often words occur in many files, by commands, in this way.
    Reduce(&'static str),
}

impl Job {
    /// All, without the hip where there are no bones.
    pub(super) fn all(bones: Option<&Bones>) -> Vec<Job> {
        let reductions = [Strategy::ParallelPipeline, Strategy::Adaptive].map(|s| Job::Reduce(s.name()));
        let hip = bones.map(|_| Job::Hip);
        [Job::Mandelbrot].into_iter().chain(hip).chain([Job::Command]).chain(reductions).collect()
    }

    /// The name in tables and of files.
    pub(super) fn name(self) -> String {
        match self {
            Job::Mandelbrot => "mandelbrot".into(),
            Job::Hip => "hip".into(),
            Job::Command => "farm-wc".into(),
            Job::Reduce(strategy) => format!("reduce-{strategy}"),
        }
    }

    /// The file that it makes.
    pub(super) fn result(self) -> &'static str {
        match self {
            Job::Mandelbrot => "picture.png",
            Job::Hip => "motion.csv",
            Job::Command => "sums",
            Job::Reduce(_) => "counts",
        }
    }

    /// The job on the command line, as large as so many hosts have to do for some seconds.
    pub(super) fn words(self, hosts: usize, bones: Option<&Bones>) -> Vec<String> {
        let slaves = hosts - 1;
        let words: Vec<String> = match self {
            Job::Mandelbrot => {
                let iterations = (10_000 * slaves).to_string();
                ["mandelbrot", "--size", "512x512", "--iterations", &iterations].map(String::from).to_vec()
            }
            Job::Hip => {
                // All of the default rotations are for 15 slaves; others have as much of them each.
                let flexion = format!("--flexion=-30:130:{}", [32, 10, 4, 2][hosts.ilog2() as usize - 1]);
                let bones = bones.map(Bones::words).unwrap_or_default();
                iter::once("hip".to_owned()).chain(bones).chain([flexion]).collect()
            }
            Job::Command => ["farm", "wc {}", "files"].map(String::from).to_vec(),
            Job::Reduce(_) => {
                ["reduce", "--shell", "--commutative", "--map", COUNTS, "--merge", ADD, "parts"]
                    .map(String::from)
                    .to_vec()
            }
        };
        words.into_iter().chain(["-o".to_owned(), self.result().to_owned()]).collect()
    }

    /// What else a run on several hosts is told.
    pub(super) fn how(self) -> Vec<&'static str> {
        match self {
            Job::Reduce(strategy) => vec!["--strategy", strategy, "--groups", "1"],
            _ => Vec::new(),
        }
    }
}

/// A picture of which all rows take as long, as all of it is within the set.
pub(super) fn even(hosts: usize) -> Vec<String> {
    let iterations = (3_000 * (hosts - 1)).to_string();
    let of =
        ["mandelbrot", "--size", "512x512", "--centre=-0.1,0", "--width", "0.2", "--iterations", &iterations];
    of.into_iter().chain(["-o", Job::Mandelbrot.result()]).map(String::from).collect()
}

/// Bones of a hip.
pub(super) struct Bones {
    femur: PathBuf,
    pelvis: PathBuf,
}

impl Bones {
    /// Those that the environment names, if it does.
    pub(super) fn find() -> io::Result<Option<Bones>> {
        let Some(directory) = env::var_os(HIP).map(PathBuf::from) else { return Ok(None) };
        let [femur, pelvis] = [bone(&directory, "femur")?, bone(&directory, "pelvis")?];
        Ok(Some(Bones { femur, pelvis }))
    }

    fn words(&self) -> Vec<String> {
        let [femur, pelvis] = [&self.femur, &self.pelvis].map(|bone| bone.to_string_lossy().into_owned());
        vec!["--femur".into(), femur, "--pelvis".into(), pelvis, format!("--pelvis-centre={SOCKET}")]
    }
}

/// The one STL file of which the name has this in it.
fn bone(directory: &Path, name: &str) -> io::Result<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(directory)?.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| {
        let file = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        file.contains(name) && file.ends_with(".stl")
    });
    match &mut found[..] {
        [one] => Ok(std::mem::take(one)),
        _ => Err(io::Error::other(format!("{HIP} is to name a directory with one STL file of a {name}"))),
    }
}

/// Makes the inputs of all jobs for so many hosts below `dir`, in the place of others.
pub(super) fn make(dir: &Path, hosts: usize) -> io::Result<()> {
    let words = words();
    for (name, (each, bytes), times) in [("files", FILES, hosts - 1), ("parts", PARTS, hosts)] {
        let below = dir.join(name);
        match fs::remove_dir_all(&below) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => fs::create_dir(&below)?,
        }
        let texts: Vec<Vec<u8>> = (0..TEXTS).map(|seed| text(&words, bytes, seed)).collect();
        for n in 0..each * times {
            fs::write(below.join(format!("{n:04}")), &texts[n % texts.len()])?;
        }
    }
    Ok(())
}

/// 5,000 words of 2 to 9 letters.
fn words() -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    (0..5000).map(|_| (0..random.size(2, 9)).map(|_| b'a' + random.below(26) as u8).collect()).collect()
}

/// Lines of ten words, of which few are frequent, as in languages.
fn text(words: &[Vec<u8>], bytes: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::stream(2, seed);
    let mut text = Vec::with_capacity(bytes + 100);
    while text.len() < bytes {
        for n in 0..10 {
            // The n-th word is drawn about as often as 1 / n.
            let drawn = (words.len() as f64).powf(random.unit()) as usize - 1;
            text.extend_from_slice(&words[drawn.min(words.len() - 1)]);
            text.push(if n < 9 { b' ' } else { b'\n' });
        }
    }
    text
}
