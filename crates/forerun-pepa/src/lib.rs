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
//!
//! # Speed
//!
//! Seconds of CPU time on one core of a virtual Xeon that others were using, all states told apart; beside them what was
//! recorded of other tools on the same machine at other times (`cargo xtask bench pepa` measures beside Storm in one run):
//!
//! | model | states | explored | solved and confirmed | others |
//! |---|---|---|---|---|
//! | 200 clients, 28 servers | 8,042,280 | 3.6 (2.2 million a second, 54 bytes each) | | |
//! | workshop of 8 workers, 9 tools | 1,730,601 | 2.1 | 0.4 | PEPA Eclipse plug-in 7.7 + 11.7 |
//! | polling, 15 stations | 737,280 | 0.7 | 2.3 | PRISM, hybrid, to 1e-6: 0.1 + 0.4 |
//! | polling, 16 stations | 1,572,864 | 1.6 | 5.2 | Storm 10.9 + 7.8 |
//! | tandem queue, c = 707 | 1,001,820 | 0.3 | 1.6 | Storm: not converged; PRISM: 10,000 sweeps are not enough |
//!
//! Equal components put together: 9 clients and 9 servers, each a component, have 231,960,007 states, for which 1,705 stand with
//! [`Exploration::aggregate`](space::Exploration::aggregate), found in a millisecond.
#![forbid(missing_docs)]

pub mod chain;
pub mod check;
pub mod export;
pub mod fluid;
pub mod job;
pub mod mapping;
pub mod measures;
pub mod model;
mod parallel;
pub mod simulate;
pub mod solve;
pub mod space;
pub mod syntax;
pub mod transient;
