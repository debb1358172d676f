//! What is read: pages of Rust's documentation as a site of its own and as a directory, and as a collection with queries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// Pages of more bytes are left out, so that they are alike.
const LARGEST: u64 = 40_000;
/// Words of a query.
const WORDS: usize = 6;

/// Makes `count` pages below `dir/www`, which link to each other as a tree, a collection of them in `dir/collection` and as many queries
/// in `dir/queries`.
pub(super) fn make(dir: &Path, count: usize) -> io::Result<()> {
    let (www, mut documents, mut queries) = (dir.join("www"), String::new(), String::new());
    fs::create_dir_all(&www)?;
    let files = found(count)?;
    for (n, file) in files.iter().enumerate() {
        let html = String::from_utf8_lossy(&fs::read(file)?).into_owned();
        let page = without(&without(&html, "<script", "</script>"), "<a ", ">").replace("</a>", "");
        let below = (2 * n + 1..=2 * n + 2).filter(|below| *below < files.len());
        let links: String = below.map(|below| format!("<a href=\"{below}.html\">more</a> ")).collect();
        let text = without(&page, "<", ">");
        fs::write(www.join(format!("{n}.html")), page.replace("</body>", &format!("{links}</body>")))?;
        documents += &format!(".I {n}\n.W\n{}\n", text.replace("\n.", "\n"));
        let words: Vec<&str> = text.split_whitespace().filter(|word| word.len() > 3).collect();
        // From the middle, where pages differ.
        let middle = words.len() / 2;
        let query = words[middle..words.len().min(middle + WORDS)].join(" ");
        queries += &format!(".I {n}\n.W\n{query}\n");
    }
    fs::write(dir.join("collection"), documents)?;
    fs::write(dir.join("queries"), queries)
}

/// The first `count` pages of the toolchain's documentation, in the order of their names.
fn found(count: usize) -> io::Result<Vec<PathBuf>> {
    let said = Command::new("rustc").args(["--print", "sysroot"]).output()?;
    let root = PathBuf::from(String::from_utf8_lossy(&said.stdout).trim()).join("share/doc/rust/html");
    let (mut files, mut open) = (Vec::new(), vec![root.join("std"), root.join("core"), root.join("alloc")]);
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "html") && entry.metadata()?.len() <= LARGEST {
                files.push(path);
            }
        }
    }
    files.sort();
    files.truncate(count);
    match files.len() == count {
        true => Ok(files),
        false => Err(io::Error::other(format!(
            "{count} pages of Rust's documentation are needed: rustup component add rust-docs"
        ))),
    }
}

/// The text without what is between `from` and `to`, these included.
fn without(text: &str, from: &str, to: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(from) {
        left.push_str(before);
        rest = after.split_once(to).map_or("", |(_, after)| after);
    }
    left + rest
}
