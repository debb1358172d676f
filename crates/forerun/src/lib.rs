//! What the command `forerun` is made of.
//!
//! | module | what it does |
//! |---|---|
//! | [`cli`] | what can be said on the command line |
//! | [`commands`] | what each command does |
//! | [`figures`], [`pilot`] | the platform's figures and the job's |
//! | [`planning`], [`simulate`], [`effort`] | plans, and predictions by virtual time, with how much that has to follow |
//! | [`models`] | models that stand alone: packets, farms |
//! | [`mapping`] | where the stages of a pipeline go |
//! | [`execute`] | running a job as planned |
//! | [`scatter`], [`farm`] | the same for jobs as scatter-gather, and as farms |
//! | [`mpi`] | jobs whose ranks are processes |
//! | [`mod@compare`], [`report`], [`outcomes`] | predicted beside measured; pages; the files that `--json` wrote |
//! | [`describe`], [`text`], [`console`] | what a person reads |
//! | [`mod@reproduce`] | the source papers' tables beside ours |
//! | [`drawn`], [`drawings`], [`chart`] | tables as CSV, plots as SVG |
//! | [`mod@file`], [`paths`], [`signals`], [`guardian`] | files whole or not there, and apart; ending early; being killed |

#![forbid(missing_docs)]

pub mod algebra;
pub mod allocation;
pub mod calibrate;
pub mod chart;
pub mod cli;
pub mod commands;
pub mod compare;
pub mod console;
pub mod crawling;
pub mod describe;
pub mod drawings;
pub mod drawn;
pub mod effort;
pub mod error;
pub mod execute;
pub mod farm;
pub mod figures;
pub mod file;
pub mod gathering;
pub mod guardian;
pub mod jobs;
pub mod load;
pub mod mapping;
pub mod models;
pub mod mpi;
pub mod outcomes;
pub mod paths;
pub mod pilot;
pub mod planning;
pub mod report;
pub mod reproduce;
pub mod sbatch;
pub mod scatter;
pub mod signals;
pub mod simulate;
pub mod storage;
pub mod text;
pub mod turns;
