//! Units are read exactly, printed readably, and read back as they were.

use proptest::prelude::*;

use super::*;

fn error<T: Quantity + std::fmt::Debug>(text: &str) -> UnitError {
    text.parse::<T>().expect_err(text)
}

#[test]
fn every_unit_is_read_to_the_last_bit() {
    for (text, seconds) in [
        ("50 us", 50e-6),
        ("50us", 50e-6),
        ("50 \u{b5}s", 50e-6),
        ("50 \u{3bc}s", 50e-6),
        ("12.4 ms", 12.4e-3),
        ("1.5 s", 1.5),
        ("2 min", 120.0),
        ("3 h", 10_800.0),
        ("7 ns", 7e-9),
        ("7 ps", 7e-12),
        ("+.5 s", 0.5),
        ("5. s", 5.0),
        ("1.21e1 us", 12.1e-6),
        ("  0 s ", 0.0),
    ] {
        assert_eq!(text.parse(), Ok(Seconds(seconds)), "{text}");
    }
    for (text, bytes) in [
        ("12 B", 12),
        ("64 KiB", 65_536),
        ("1 MiB", 1 << 20),
        ("5 GB", 5_000_000_000),
        ("1.5 kB", 1500),
        ("0.5 KiB", 512),
        ("15 EiB", 15 << 60),
        ("1 EB", 1_000_000_000_000_000_000),
    ] {
        assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
    }
    for (text, rate) in [
        ("100 Mbit/s", 12.5e6),
        ("1.28 Gbit/s", 160e6),
        ("95 MB/s", 95e6),
        ("1.5 GiB/s", 1.5 * 1073741824.0),
        ("9 B/s", 9.0),
        ("8 kbit / s", 1000.0),
    ] {
        assert_eq!(text.parse(), Ok(BytesPerSecond(rate)), "{text}");
    }
    for (text, cost) in
        [("0.8 ns/B", 0.8e-9), ("12 ps/B", 12e-12), ("26.8 ns/B", 26.8e-9), ("1.73 \u{b5}s/B", 1.73e-6)]
    {
        assert_eq!(text.parse(), Ok(SecondsPerByte(cost)), "{text}");
    }
}

#[test]
fn errors_say_what_was_wrong_and_what_to_write() {
    use UnitErrorKind::*;
    let time: &[(&str, UnitErrorKind, &str)] = &[
        (
            "50",
            MissingUnit,
            "has no unit: write one of ps, ns, us, ms, s, min, h after the number, as in \"50 us\"",
        ),
        ("", NotANumber, "does not begin with a number"),
        ("us", NotANumber, "does not begin with a number"),
        (". s", NotANumber, "does not begin with a number"),
        ("1,5 s", NotANumber, "one decimal point"),
        ("1.5.2 s", NotANumber, "one decimal point"),
        ("-3 ms", Negative, "is negative: a time is 0 or more"),
        ("inf s", NotFinite, "not a finite number"),
        ("NaN s", NotFinite, "not a finite number"),
        ("1e300 s", NotFinite, "is more than can be computed with: a time is at most 1e30 s"),
        ("1e400 s", NotFinite, "is more than can be computed with"),
        ("1e99999999999 s", NotFinite, "is more than can be computed with"),
        ("1e-300 s", NotFinite, "is less than can be computed with: a time is 0, or at least 1e-30 s"),
        ("1e-400 s", NotFinite, "is less than can be computed with"),
        ("5 sec", UnknownUnit, "did you mean \"5 s\"?"),
        ("5 m", UnknownUnit, "did you mean \"5 min\"?"),
        ("5 MS", UnknownUnit, "did you mean \"5 ms\"?"),
        ("5 parsec", UnknownUnit, "not one of a time (ps, ns, us, ms, s, min, h)"),
        ("5 KiB", UnknownUnit, "is a size, where a time is expected"),
    ];
    for (text, kind, part) in time {
        let e = error::<Seconds>(text);
        assert_eq!(e.kind(), *kind, "{e}");
        assert!(e.to_string().contains(part), "{e}");
        assert!(e.to_string().starts_with(&format!("\"{text}\" ")), "{e}");
    }
    let rate: &[(&str, UnitErrorKind, &str)] = &[
        ("100 Mb/s", AmbiguousUnit, "b may mean bits or bytes: write \"100 Mbit/s\" or \"100 MB/s\""),
        ("100 b/s", AmbiguousUnit, "write \"100 bit/s\" or \"100 B/s\""),
        ("100 Mb", AmbiguousUnit, "write \"100 Mbit/s\" or \"100 MB/s\""),
        ("100 KB/s", AmbiguousUnit, "write \"100 kB/s\" for thousands of bytes or \"100 KiB/s\""),
        ("100 Mbps", AmbiguousUnit, "write \"100 Mbit/s\""),
        ("100 Mbit", UnknownUnit, "did you mean \"100 Mbit/s\"?"),
        ("100 MB", UnknownUnit, "did you mean \"100 MB/s\"?"),
        ("100 mbit/s", UnknownUnit, "did you mean \"100 Mbit/s\"?"),
        ("100 us", UnknownUnit, "is a time, where a rate is expected"),
    ];
    for (text, kind, part) in rate {
        let e = error::<BytesPerSecond>(text);
        assert_eq!(e.kind(), *kind, "{e}");
        assert!(e.to_string().contains(part), "{e}");
    }
    let size: &[(&str, UnitErrorKind, &str)] = &[
        ("64 K", UnknownUnit, "did you mean \"64 KiB\"?"),
        ("64 KB", AmbiguousUnit, "write \"64 kB\" for thousands of bytes or \"64 KiB\" for 1024s"),
        ("64 kb", AmbiguousUnit, "b may mean bits or bytes: write \"64 kB\""),
        ("64 bytes", UnknownUnit, "did you mean \"64 B\"?"),
        ("0.5 B", NotWhole, "not a whole number of bytes"),
        ("99999 PiB", NotFinite, "too large"),
        ("16 EiB", NotFinite, "a size is below 16 EiB"),
        ("1 E", UnknownUnit, "did you mean \"1 EiB\"?"),
    ];
    for (text, kind, part) in size {
        let e = error::<Bytes>(text);
        assert_eq!(e.kind(), *kind, "{e}");
        assert!(e.to_string().contains(part), "{e}");
    }
    for (text, part) in [
        ("26.8 ns", "did you mean \"26.8 ns/B\"?"),
        // As costs are said to people.
        ("5 ms/MB", "did you mean \"5 ns/B\"?"),
        ("5e3 ms/GB", "did you mean \"5 ns/B\"?"),
        ("1 s/KiB", "did you mean \"976.5625 us/B\"?"),
        ("26.8 ms/KB", "not one of a time per byte (ps/B, ns/B, us/B, ms/B, s/B)"),
        ("5 NS/b", "did you mean \"5 ns/B\"?"),
    ] {
        let e = error::<SecondsPerByte>(text);
        assert!(e.to_string().contains(part), "{e}");
    }
    let e = error::<Seconds>("5 ms/MB");
    assert!(e.to_string().contains("a time for several bytes, where a time is expected"), "{e}");
    let e = error::<BytesPerSecond>("100 MB/min");
    assert!(!e.to_string().contains("did you mean"), "{e}");
}

/// What a message says to write can be read where it is to be written, and is as much as what was there, where that is one quantity.
#[test]
fn hints_are_what_they_hint_at() {
    fn check<T: Quantity>(units: &[String], hinted: &mut usize) {
        let example = T::EXAMPLE.trim_matches('"');
        assert!(example.parse::<T>().is_ok(), "{example}");
        for unit in units {
            for number in ["5", "2.5e3"] {
                let Err(e) = format!("{number} {unit}").parse::<T>() else { continue };
                let said = e.to_string();
                // The first in quotes is what was there, or the unit of it.
                let quoted: Vec<&str> = said.split('"').skip(3).step_by(2).collect();
                for hint in quoted.into_iter().filter(|hint| hint.starts_with(|c: char| c.is_ascii_digit())) {
                    let read = hint.parse::<T>().unwrap_or_else(|e| panic!("{said}: {e}")).number();
                    *hinted += 1;
                    let Some((time, size)) = unit.split_once('/') else { continue };
                    let Some((time, size)) = format!("{number} {time}")
                        .parse::<Seconds>()
                        .ok()
                        .zip(format!("1 {size}").parse::<Bytes>().ok())
                    else {
                        continue;
                    };
                    if said.contains("did you mean") {
                        let is = time.0 / size.0 as f64;
                        assert!((read - is).abs() <= 1e-12 * is, "{said}: {read} for {is}");
                    }
                }
            }
        }
    }
    let words = [
        "ps", "ns", "us", "ms", "s", "min", "h", "sec", "MS", "B", "kB", "KB", "MB", "GB", "KiB", "MiB", "b",
        "kb", "Kb", "Kib", "Pb", "Mb", "bit", "Mbit", "mbit", "Mbps", "K", "m", "bytes", "%", "parsec",
    ];
    let both = words.iter().flat_map(|over| words.iter().map(move |under| format!("{over}/{under}")));
    let units: Vec<String> = words.iter().map(|word| (*word).to_string()).chain(both).collect();
    let mut hinted = 0;
    check::<Seconds>(&units, &mut hinted);
    check::<Bytes>(&units, &mut hinted);
    check::<BytesPerSecond>(&units, &mut hinted);
    check::<SecondsPerByte>(&units, &mut hinted);
    check::<Share>(&units, &mut hinted);
    assert!(hinted > 100, "{hinted}");
}

#[test]
fn four_digits_in_a_unit_that_suits() {
    for (seconds, short) in [
        (0.0, "0 s"),
        (12.4e-6, "12.4 µs"),
        (999.96e-6, "1 ms"),
        (1e-3, "1 ms"),
        (77.971_23, "77.97 s"),
        (999.96, "1000 s"),
        (1685.85, "28.1 min"),
        (36_000.0, "10 h"),
        (2.5e-13, "0.25 ps"),
        (-0.004, "-4 ms"),
    ] {
        assert_eq!(Seconds(seconds).to_string(), short);
    }
    for (bytes, short) in [
        (0, "0 B"),
        (9154, "9154 B"),
        (65_536, "64 KiB"),
        (23_720, "23.72 kB"),
        (8_000_000, "8 MB"),
        (1 << 32, "4 GiB"),
        (3 << 60, "3 EiB"),
        (12_300_000_000_000_000_000, "12.3 EB"),
    ] {
        assert_eq!(Bytes(bytes).to_string(), short);
    }
    assert_eq!(BytesPerSecond(12.5e6).to_string(), "12.5 MB/s");
    assert_eq!(BytesPerSecond(12.5e6).in_bits(), "100 Mbit/s");
    assert_eq!(SecondsPerByte(26.8e-9).to_string(), "26.8 ns/B");
    assert_eq!(format!("{:>9}|{:<7}|", Seconds(1.5), Bytes(7)), "    1.5 s|7 B    |");
    assert_eq!(SecondsPerByte(2e-6).to_string(), "2 µs/B");
    assert_eq!(format!("{:#}", SecondsPerByte(2e-6)), "2 us/B");
    // Sizes as people read them; files have the bytes.
    assert_eq!([20.5, 9e18].map(|b| PartBytes(b).to_string()), ["20.5 B", "9 EB"]);
    assert_eq!(format!("{:#}", PartBytes(4e6)), "4000000 B");
    assert_eq!(format!("{:#}", Seconds(1.0 / 3.0)), "333.3333333333333 ms");
}

#[test]
fn products_have_the_right_unit() {
    let (size, cost) = (Bytes(1024), SecondsPerByte(0.25));
    assert_eq!(cost * size, Seconds(256.0));
    assert_eq!(size * cost, Seconds(256.0));
    assert_eq!(size / BytesPerSecond(512.0), Seconds(2.0));
    assert_eq!(size / Seconds(2.0), BytesPerSecond(512.0));
    assert_eq!(Seconds(256.0) / size, SecondsPerByte(0.25));
    assert_eq!(SecondsPerByte::from(BytesPerSecond(12.5e6)), SecondsPerByte(80e-9));
    assert_eq!(BytesPerSecond::from(SecondsPerByte(0.5)), BytesPerSecond(2.0));
    assert_eq!([Seconds(1.0), Seconds(2.5)].into_iter().sum::<Seconds>(), Seconds(3.5));
    assert_eq!(2.0 * Seconds(3.0) - Seconds(1.0), Seconds(5.0));
    assert_eq!(Seconds(3.0) / Seconds(2.0), 1.5);
}

#[test]
fn serde_spells_the_unit() {
    assert_eq!(serde_json::to_string(&Seconds(50e-6)).unwrap(), "\"50 us\"");
    assert_eq!(serde_json::from_str::<Bytes>("\"64 KiB\"").unwrap(), Bytes(65_536));
    let error = serde_json::from_str::<Bytes>("\"64\"").unwrap_err().to_string();
    assert!(error.contains("has no unit"), "{error}");
}

/// Numbers of 0 and more, of all magnitudes that can be computed with.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (0.0..10.0, -15i32..12).prop_map(|(x, e)| x * 10f64.powi(e)),
        1 => (1.0..10.0f64, -30i32..30).prop_map(|(x, e)| (x * 10f64.powi(e)).clamp(read::LEAST, read::MOST)),
        1 => Just(0.0),
    ]
}

fn reads_back<T: Quantity + std::fmt::Debug>(number: f64) -> Result<(), TestCaseError> {
    let quantity = T::from_number(number).unwrap();
    let long = format!("{quantity:#}");
    prop_assert_eq!(long.parse::<T>(), Ok(quantity), "{}", long);
    let short = quantity.to_string();
    let near = short.parse::<T>().map_err(|e| TestCaseError::fail(e.to_string()))?.number();
    prop_assert!((near - number).abs() <= 5.01e-4 * number, "{} for {}", short, number);
    Ok(())
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(x in number()) {
        prop_assume!(x == 0.0 || x >= 1e-29);
        reads_back::<Seconds>(x)?;
        reads_back::<BytesPerSecond>(x)?;
        reads_back::<SecondsPerByte>(x)?;
    }

    #[test]
    fn sizes_read_back(n in prop_oneof![0u64..1 << 20, (0u64..1 << 12, 0u32..40).prop_map(|(n, s)| n << s), 0u64..1 << 53]) {
        prop_assert_eq!(format!("{:#}", Bytes(n)).parse::<Bytes>(), Ok(Bytes(n)));
        let near = Bytes(n).to_string().parse::<Bytes>().map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert!(near.0.abs_diff(n) as f64 <= 5.01e-4 * n as f64, "{} for {}", Bytes(n), n);
    }

    #[test]
    fn reading_never_panics(text in "\\PC{0,12}", number in "[-+]?[0-9.eE]{0,6} ?[a-zA-Zµ/]{0,6}") {
        for text in [text, number] {
            for value in [
                text.parse::<Seconds>().map(|q| q.0),
                text.parse::<BytesPerSecond>().map(|q| q.0),
                text.parse::<SecondsPerByte>().map(|q| q.0),
                text.parse::<Bytes>().map(|q| q.0 as f64),
            ].into_iter().flatten() {
                prop_assert!(value.is_finite() && value >= 0.0);
            }
        }
    }
}
