//! The units of each quantity.

/// A unit: `name` is `10^ten · times` of the base unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) name: &'static str,
    /// Applied to the decimal digits before they become binary, so that `"12.1 us"` is `12.1e-6`.
    pub(super) ten: i32,
    pub(super) times: f64,
}

const fn ten(name: &'static str, ten: i32) -> Unit {
    Unit { name, ten, times: 1.0 }
}

const fn times(name: &'static str, times: f64) -> Unit {
    Unit { name, ten: 0, times }
}

const fn bits(name: &'static str, ten: i32) -> Unit {
    Unit { name, ten, times: 0.125 }
}

const KI: f64 = 1024.0;

/// The units of one quantity.
#[derive(Debug)]
pub(super) struct Family {
    /// What a quantity is called in messages.
    pub(super) noun: &'static str,
    /// How one is written.
    pub(super) example: &'static str,
    /// From small to large within each prefix family.
    pub(super) units: &'static [Unit],
}

impl Family {
    pub(super) fn find(&self, name: &str) -> Option<Unit> {
        self.units.iter().copied().find(|u| u.name == name)
    }

    /// A power of ten of the base unit, as it is written.
    pub(super) fn power(&self, ten: i32) -> String {
        let base = self.units.iter().find(|u| u.ten == 0 && u.times == 1.0).unwrap_or(&self.units[0]);
        format!("1e{} {}", ten - base.ten, base.name)
    }

    pub(super) fn names(&self) -> String {
        self.units.iter().map(|u| u.name).collect::<Vec<_>>().join(", ")
    }
}

pub(super) static TIME: Family = Family {
    noun: "a time",
    example: "50 us",
    units: &[
        ten("ps", -12),
        ten("ns", -9),
        ten("us", -6),
        ten("ms", -3),
        ten("s", 0),
        times("min", 60.0),
        times("h", 3600.0),
    ],
};

pub(super) static SIZE: Family = Family {
    noun: "a size",
    example: "64 KiB",
    units: &[
        ten("B", 0),
        ten("kB", 3),
        ten("MB", 6),
        ten("GB", 9),
        ten("TB", 12),
        ten("PB", 15),
        ten("EB", 18),
        times("KiB", KI),
        times("MiB", KI * KI),
        times("GiB", KI * KI * KI),
        times("TiB", KI * KI * KI * KI),
        times("PiB", KI * KI * KI * KI * KI),
        times("EiB", KI * KI * KI * KI * KI * KI),
    ],
};

pub(super) static RATE: Family = Family {
    noun: "a rate",
    example: "100 Mbit/s",
    units: &[
        ten("B/s", 0),
        ten("kB/s", 3),
        ten("MB/s", 6),
        ten("GB/s", 9),
        ten("TB/s", 12),
        ten("PB/s", 15),
        times("KiB/s", KI),
        times("MiB/s", KI * KI),
        times("GiB/s", KI * KI * KI),
        times("TiB/s", KI * KI * KI * KI),
        times("PiB/s", KI * KI * KI * KI * KI),
        bits("bit/s", 0),
        bits("kbit/s", 3),
        bits("Mbit/s", 6),
        bits("Gbit/s", 9),
        bits("Tbit/s", 12),
        bits("Pbit/s", 15),
    ],
};

pub(super) static TIME_PER_BYTE: Family = Family {
    noun: "a time per byte",
    example: "0.8 ns/B",
    units: &[ten("ps/B", -12), ten("ns/B", -9), ten("us/B", -6), ten("ms/B", -3), ten("s/B", 0)],
};

pub(super) static SHARE: Family = Family { noun: "a share", example: "12 %", units: &[ten("%", -2)] };

pub(super) static FAMILIES: [&Family; 5] = [&TIME, &SIZE, &RATE, &TIME_PER_BYTE, &SHARE];
