//! PEPA, the performance evaluation process algebra (Hillston, *A Compositional Approach to Performance
//! Modelling*, 1996): its language, its state spaces, their Markov chains and what these say.
//!
//! ```
//! use forerun_pepa::{check, measures, model, solve, space, syntax};
//!
//! let text = "
//!     Client = (request, 1).Wait;  Wait = (serve, infty).Client;
//!     Server = (serve, 2).Server;
//!     Client[3] <serve> Server";
//! let parsed = syntax::parse(text, syntax::Dialect::Any);
//! let model = parsed.model.ok_or("what is wrong is in parsed.diagnostics")?;
//! let compiled = model::compile(&model, &model::Settings::new());
//! let system = compiled.system.ok_or("what is wrong is in compiled.problems")?;
//! let space = space::Space::explore(&system, &space::Exploration::default(), &mut |_| true)?;
//! assert_eq!((space.states(), space.transitions()), (4, 6));
//! let long_run = solve::steady(&system, &space, &solve::Solving::default(), &|| false)?;
//! let measures = measures::Measures::of(&system, &space, &long_run.x);
//! // The server idles with probability 4/19.
//! assert!((measures.throughput_of("serve").unwrap() - 2.0 * 15.0 / 19.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | from | to | with |
//! |---|---|---|
//! | text | model | [`syntax::parse`], [`syntax::print`], [`check::check`] |
//! | model | system of sequential components | [`model::compile`] |
//! | system | states and transitions | [`space::Space::explore`] |
//! | states | long run | [`solve::steady`] |
//! | states | times | [`transient::transient`], [`transient::passage`] |
//! | system | very many components | [`fluid::fluid`] |
//! | system | estimates | [`simulate::simulate`] |
//! | any of them | files of other programs | [`export`] |
//! | a job: its ranks and what they do | models, the makespan | [`job`] |
//! | a pipeline's stages and processors | models, the best mapping | [`mapping`] |
//!
//! What is guaranteed: a distribution whose residual is above the tolerance, or whose measures still move when it
//! is tightened, is never given. State counts and numbers do not depend on threads. No text makes the reader panic.
//!
//! What is not: passive rates that stay without a partner, rates that depend on the state, priorities and
//! immediate actions are refused, not guessed at.
#![forbid(missing_docs)]

pub mod chain;
pub mod check;
pub mod export;
pub mod fluid;
pub mod job;
pub mod mapping;
pub mod measures;
pub mod model;
pub mod simulate;
pub mod solve;
pub mod space;
pub mod syntax;
pub mod transient;
