//! The dated record of a bench.

use std::path::PathBuf;
use std::{env, fs, io};

use forerun_platform::Machine;

use crate::table::Table;

/// What a bench found.
pub(crate) struct Record {
    name: &'static str,
    machine: Machine,
    tables: Vec<String>,
}

impl Record {
    /// An empty record of the bench `name`.
    pub(crate) fn new(name: &'static str) -> Self {
        Record { name, machine: Machine::here(), tables: Vec::new() }
    }

    /// Prints a table and keeps it.
    pub(crate) fn add(&mut self, table: &Table) {
        println!("\n{table}");
        self.tables.push(table.to_string());
    }

    /// Prints a sentence that belongs to the tables and keeps it.
    pub(crate) fn note(&mut self, sentence: &str) {
        println!("\n{sentence}");
        self.tables.push(format!("{sentence}\n"));
    }

    /// Writes the record; gives its file. A record of the same day is replaced.
    ///
    /// # Errors
    /// That it cannot be written.
    pub(crate) fn write(&self) -> io::Result<PathBuf> {
        let dir = env::var_os("FORERUN_BENCH_RUNS").map_or_else(|| "benches/runs".into(), PathBuf::from);
        fs::create_dir_all(&dir)?;
        let date = forerun_platform::today();
        let path = dir.join(format!("{date}-{}-{}.md", slug(&self.machine.cpu), self.name));
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let mut text = format!("# {}, {date}\n\n- machine: {}\n", self.name, self.machine);
        if let Some(load) = load.split(' ').next().filter(|l| !l.is_empty()) {
            text += &format!("- load at the end, over a minute: {load}\n");
        }
        text += &format!("- command: `cargo xtask bench {}`\n\n", self.name);
        text += &self.tables.join("\n");
        fs::write(&path, text)?;
        Ok(path)
    }
}

/// The processor's name as part of a file's.
fn slug(cpu: &str) -> String {
    let cpu = cpu.to_lowercase().replace("(r)", "").replace("(tm)", "");
    let words = cpu.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    words.take(4).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn a_processor_is_part_of_a_files_name() {
        assert_eq!(slug("Intel(R) Xeon(R) Processor"), "intel-xeon-processor");
        assert_eq!(slug("AMD EPYC 7B13 64-Core/2"), "amd-epyc-7b13-64");
    }
}
