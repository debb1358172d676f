//! The platforms that are shipped: machines of the papers that the models come from.

use crate::{FileError, Platform};

/// A shipped platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What machine it is, in a line.
    pub about: &'static str,
    /// Its file, which says where each figure comes from.
    pub toml: &'static str,
}

impl Preset {
    /// The platform.
    ///
    /// # Errors
    /// None, as long as the shipped file is right.
    pub fn platform(&self) -> Result<Platform, FileError> {
        Platform::from_toml(self.toml, &format!("{}.toml", self.name))
    }
}

macro_rules! shipped {
    ($($name:literal: $about:literal;)*) => {
        &[$(Preset {
            name: $name,
            about: $about,
            toml: include_str!(concat!("../presets/", $name, ".toml")),
        }),*]
    };
}

static PRESETS: &[Preset] = shipped! {
    "ncsa-ia32-myrinet": "484 nodes of 2 processors, Myrinet 1.28 Gbit/s (Kuntraruk et al., section VI)";
    "lehigh-fire": "48 nodes, 100 Mbit/s Ethernet (Kuntraruk et al., section VII)";
    "bme-pc-cluster": "11 PCs of 225 MHz and 64 MB, switched 100 Mbit/s Ethernet (Juhász and Charaf)";
    "edinburgh-three-processors": "3 equal processors with links of 0.1 ms (Benoit et al., section 4.2)";
    "osaka-fast-ethernet": "64 nodes of 1 GHz, MPICH on 100 Mbit/s Ethernet (Mizutani et al., table 2)";
    "osu-myrinet": "4 nodes of 700 MHz, Myrinet under a data-flow middleware (Du et al., section 5)";
};

/// The shipped platforms.
pub fn presets() -> &'static [Preset] {
    PRESETS
}

/// The shipped platform of that name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, Seconds};

    #[test]
    fn every_preset_loads_and_says_where_its_figures_come_from() {
        for preset in presets() {
            let platform = preset.platform().unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(platform.name, preset.name);
            assert!(platform.source.len() > 100, "{}", preset.name);
            assert!(platform.machine.is_some(), "{}", preset.name);
            assert!(platform.network.latency.value > Seconds(0.0), "{}", preset.name);
            let again = Platform::from_toml(&platform.to_toml(), "again").unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(platform, again);
        }
    }

    #[test]
    fn the_figures_are_the_papers() {
        let load = |name| preset(name).unwrap().platform().unwrap();
        let ncsa = load("ncsa-ia32-myrinet");
        assert_eq!(ncsa.cores(), 968);
        // 23,720 bytes at 1.28 Gbit/s: the x = 8L/C of equation 12.
        assert_close((ncsa.network.gap_per_byte.value * Bytes(23_720)).0, 8.0 * 23_720.0 / 1.28e9);

        // o(64, 8) + o(64, 12) is the master's time for a round trip, 48.9 us.
        let osaka = load("osaka-fast-ethernet").network;
        let trip = osaka.send_overhead.of(64, Bytes(8)) + osaka.receive_overhead.of(64, Bytes(12));
        assert_eq!(format!("{:.1}", trip.0 * 1e6), "48.9");

        // Equation 10: 2^16 integers take l_n + s/b_n, a distribution bandwidth of 0.775 M/s.
        let bme = load("bme-pc-cluster").network;
        let block = bme.gap.value + bme.gap_per_byte.value * Bytes(4 << 16);
        assert_eq!(format!("{:.3}", 65536.0 / block.0 / 1e6), "0.775");

        assert_eq!(load("edinburgh-three-processors").network.latency.value, Seconds(0.0001));
        assert_eq!(load("osu-myrinet").network.latency.value, Seconds(32.6e-6));
        assert_eq!(load("lehigh-fire").cores(), 48);
    }

    fn assert_close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
    }

    #[test]
    fn a_name_that_is_none_lists_the_presets() {
        assert_eq!(Platform::resolve("osu-myrinet").unwrap().name, "osu-myrinet");
        let error = Platform::resolve("osaka-fast-etherent").unwrap_err().to_string();
        assert!(error.contains("did you mean osaka-fast-ethernet?"), "{error}");
        assert!(error.contains("lehigh-fire") && error.contains("path of a platform file"), "{error}");
        let error = Platform::resolve("no/such/file.toml").unwrap_err();
        assert!(error.to_string().starts_with("no/such/file.toml does not exist"), "{error}");
    }
}
