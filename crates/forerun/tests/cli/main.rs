//! The command line, as a hard user meets it.

mod bad_input;
mod by_pepa;
mod calibrate;
mod crawl;
mod farm;
mod features;
mod features_crawl;
mod help;
mod job_files;
mod json;
mod killed;
mod lsi;
mod model;
mod output;
mod pepa;
mod pipes;
mod plan_predict;
mod reduce;
mod refused;
mod reproduce;
mod scatter;
mod signals;
#[path = "../../../forerun-platform/tests/common/skipped.rs"]
mod skipped;
mod sort;
mod stream;
mod trouble;
mod util;
