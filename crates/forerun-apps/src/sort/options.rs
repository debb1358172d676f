//! What a sort is asked for.

use std::path::PathBuf;

use forerun_skeleton::Cancel;

use super::element::ElementType;

/// How to sort.
#[derive(Debug, Clone)]
pub struct SortOptions {
    /// What the files hold.
    pub element: ElementType,
    /// Where the output goes; `None`: beside the input, `.sorted` appended to its name (one input
    /// only).
    pub output: Option<PathBuf>,
    /// Whether the output is to be written. Where it is only foreseen, and none is named, it need not be possible: what is
    /// tried of it goes to `temporary`, else to the system's directory for temporary files.
    pub written: bool,
    /// Directory for runs that do not fit in memory; `None`: the output's.
    pub temporary: Option<PathBuf>,
    /// Bytes that all buffers of the process may take together, at least 64 KiB.
    pub memory: u64,
    /// Ranks that work at the same time in this process, at least 1: they share the memory.
    pub ranks: usize,
    /// Threads that one merge may use, at least 1.
    pub merge_threads: usize,
    /// Ends the sort early when it is set.
    pub cancel: Cancel,
}

impl Default for SortOptions {
    /// `i32`, output beside the input, 1 GiB, one rank, one thread a merge.
    fn default() -> Self {
        SortOptions {
            element: ElementType::default(),
            output: None,
            written: true,
            temporary: None,
            memory: 1 << 30,
            ranks: 1,
            merge_threads: 1,
            cancel: Cancel::new(),
        }
    }
}
