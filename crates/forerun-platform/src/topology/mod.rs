//! What messages pass between hosts.

mod service;

pub use service::Service;
