//! The reader, the printer and the checker on any bytes. `check` explores small state spaces, so these are
//! fuzzed as well.
#![no_main]

use forerun_pepa::check::check;
use forerun_pepa::syntax::{Dialect, parse, print};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for dialect in Dialect::ALL {
        let parsed = parse(text, dialect);
        for diagnostic in &parsed.diagnostics {
            // Points into the text, between characters.
            let _ = diagnostic.problem(text);
        }
        if let Some(model) = parsed.model {
            let canonical = print(&model);
            let again = parse(&canonical, Dialect::Any);
            assert_eq!(again.model.map(|m| print(&m)).as_deref(), Some(canonical.as_str()));
        }
    }
    for diagnostic in check(text, Dialect::Any) {
        let _ = diagnostic.problem(text);
    }
});
