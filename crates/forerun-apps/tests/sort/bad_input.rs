//! Every request that cannot be met is refused with a sentence before any work.

use std::path::PathBuf;

use forerun_apps::sort::{ElementType, SortJob, SortOptions};

use crate::driver::options;

fn refused(inputs: &[PathBuf], options: SortOptions, expected: &str) {
    let error = SortJob::open(inputs, options).expect_err(expected).to_string();
    assert!(error.contains(expected), "{error}");
    assert!(!error.contains('\n'), "{error}");
}

#[test]
fn inputs() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| directory.path().join(name);
    let plain = || options(ElementType::I32, 1 << 20);
    std::fs::write(at("cut"), [0; 10]).expect("written");
    std::fs::write(at("good"), [0; 12]).expect("written");
    refused(&[], plain(), "no input");
    refused(&[at("absent")], plain(), "absent does not exist");
    refused(&[directory.path().into()], plain(), "is a directory");
    refused(
        &[at("cut")],
        plain(),
        "cut has 10 bytes, which is no whole number of i32 elements of 4 bytes (2 left over)",
    );
    refused(&[at("good")], options(ElementType::F64, 1 << 20), "(4 left over)");
    // Lines of numbers, of a length that whole elements have and of another; few bytes tell nothing.
    for text in ["100\n99\n98\n97\n96\n", "-1.5e3\r\n+2 \n0.25\n7\n"] {
        std::fs::write(at("text"), text).expect("written");
        refused(
            &[at("good"), at("text")],
            plain(),
            "text holds text that looks like lines of numbers, not i32",
        );
    }
    std::fs::write(at("text"), "1\n2\n".repeat(3)).expect("written");
    SortJob::open(&[at("text")], plain()).expect("three numbers");
    refused(
        &[at("good"), at("good")],
        SortOptions { output: Some(at("out")), ..plain() },
        "good is given twice",
    );
    refused(&[at("good"), at("cut")], plain(), "cut has 10 bytes");
    std::fs::write(at("other"), [0; 8]).expect("written");
    refused(&[at("good"), at("other")], plain(), "name it (with -o)");
    refused(&[at("good")], options(ElementType::I32, 1000), "at least 64 KiB");
    refused(&[at("good")], SortOptions { ranks: 0, ..plain() }, "at least one rank");
    #[cfg(unix)]
    refused(&["/dev/null".into()], plain(), "is not a regular file");
}

#[test]
fn outputs() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| directory.path().join(name);
    let to = |name: PathBuf| SortOptions { output: Some(name), ..SortOptions::default() };
    std::fs::write(at("good"), [0; 12]).expect("written");
    refused(&[at("good")], to(at("no/out")), "does not exist");
    refused(&[at("good")], to(directory.path().into()), "is a directory");
    refused(&[at("good")], to(at("good/out")), "cannot write the output");
    #[cfg(unix)]
    {
        let _held = std::os::unix::net::UnixListener::bind(at("socket")).expect("a socket");
        refused(&[at("good")], to(at("socket")), "it is a socket");
        std::fs::remove_file(at("socket")).expect("removed");
    }
    let temporary = Some(at("none"));
    refused(
        &[at("good")],
        SortOptions { temporary, ..SortOptions::default() },
        "for temporary files does not exist",
    );
    assert_eq!(crate::driver::names(directory.path()), ["good"]);
}

#[test]
fn types_have_names() {
    for element in ElementType::ALL {
        assert_eq!(element.name().parse(), Ok(element));
    }
    let error = "i33".parse::<ElementType>().expect_err("no such type");
    assert!(error.contains("\"i33\"") && error.contains("i32, i64, u32, u64, f64, lines"), "{error}");
}
