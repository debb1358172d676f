//! Queueing formulas beside discrete-event simulations of the same queues.
//!
//! Every comparison is with the confidence interval of the simulated mean (batch means, seeded), at a
//! level of 99.95 % so that all twenty-odd hold together with 99 %. It must be narrow, within 6 % of
//! the mean, or it would say nothing.

mod closed;
mod random;
mod stations;
