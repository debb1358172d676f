//! The operations whose answer depends on the order of virtual time: receive-from-any, its try,
//! and claims. The README beside this file says why their answers are final.

mod inbox;
mod queue;

pub(crate) use inbox::Inbox;
pub(crate) use queue::Queue;
