//! The computer that this program runs on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Bytes, control_group};

/// What identifies a computer to somebody who compares measurements: no names, no addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor, or the architecture where the system does not say.
    pub cpu: String,
    /// Processors that this program may use (affinity and quotas respected).
    pub cores: usize,
    /// Memory that this program may use (limits of control groups respected), where the system says.
    #[serde(
        rename = "memory_bytes",
        with = "crate::json::optional_bytes",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub memory: Option<Bytes>,
    /// Operating system and its release.
    pub os: String,
}

impl Machine {
    /// This computer: from `/proc` where there is one, else what the standard library knows.
    pub fn here() -> Machine {
        let file = |path| std::fs::read_to_string(path).unwrap_or_default();
        let release = file("/proc/sys/kernel/osrelease");
        let memory = field(&file("/proc/meminfo"), "MemTotal").and_then(kilobytes);
        let memory = memory.into_iter().chain(control_group::memory()).min();
        Machine::of(&file("/proc/cpuinfo"), memory, release.trim())
    }

    fn of(cpuinfo: &str, memory: Option<Bytes>, release: &str) -> Machine {
        // x86 has "model name", ARM boards "Model" or only part numbers, POWER "cpu".
        let model = ["model name", "cpu model", "cpu", "Model", "CPU part"]
            .iter()
            .find_map(|key| field(cpuinfo, key))
            .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|name| !name.is_empty());
        let os = std::env::consts::OS;
        Machine {
            cpu: model.unwrap_or_else(|| std::env::consts::ARCH.to_string()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory,
            os: if release.is_empty() { os.to_string() } else { format!("{os} {release}") },
        }
    }

    /// Sixteen hexadecimal digits that stay the same as long as the processor, the cores, the
    /// system's release and, to the nearest GiB, the memory do; the same in every build.
    pub fn fingerprint(&self) -> String {
        let gib = self.memory.map_or(0, |m| (m.0 + (1 << 29)) >> 30);
        let text = format!("{}\0{}\0{gib}\0{}", self.cpu, self.cores, self.os);
        // FNV-1a: the standard library's hashes promise nothing from one release to the next.
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        format!("{hash:016x}")
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.cores == 1 { "" } else { "s" };
        write!(f, "{}, {} core{plural}", self.cpu, self.cores)?;
        if let Some(memory) = self.memory {
            write!(f, ", {:.1} GiB", memory.0 as f64 / (1u64 << 30) as f64)?;
        }
        write!(f, ", {}", self.os)
    }
}

/// The value of the first line `key : value`.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

fn kilobytes(text: &str) -> Option<Bytes> {
    let kib: u64 = text.strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024).map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_read_from_proc() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Some  CPU @ 2.00GHz\ncpu MHz\t\t: 2000.0\n";
        let m = Machine::of(cpuinfo, kilobytes("16314256 kB"), "6.1.0");
        assert_eq!(m.cpu, "Some CPU @ 2.00GHz");
        assert_eq!(m.memory, Some(Bytes(16_314_256 * 1024)));
        assert!(m.os.ends_with(" 6.1.0"), "{}", m.os);
        assert!(m.to_string().contains("15.6 GiB"), "{m}");
    }

    #[test]
    fn without_proc_the_architecture_stands_for_the_model() {
        let m = Machine::of("", None, "");
        assert_eq!((m.cpu.as_str(), m.os.as_str()), (std::env::consts::ARCH, std::env::consts::OS));
        assert!(m.cores >= 1);
    }

    #[test]
    fn the_fingerprint_is_stable_and_tells_machines_apart() {
        let a = Machine { cpu: "X".into(), cores: 2, memory: Some(Bytes(8 << 30)), os: "linux 6".into() };
        assert_eq!(a.fingerprint(), "174a0f9b1b179c21");
        let more = |b: u64| Machine { memory: Some(Bytes(b)), ..a.clone() };
        assert_eq!(more((8 << 30) + 4096).fingerprint(), a.fingerprint());
        assert_ne!(more(16 << 30).fingerprint(), a.fingerprint());
        assert_ne!(Machine { cores: 3, ..a.clone() }.fingerprint(), a.fingerprint());
        assert_ne!(Machine { cpu: "Y".into(), ..a.clone() }.fingerprint(), a.fingerprint());
        assert_ne!(Machine { os: "linux 7".into(), ..a.clone() }.fingerprint(), a.fingerprint());
    }
}
