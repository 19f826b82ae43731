//! Buckets in this process: a table of fixed size that is lock-free on a hit.

mod latch;
mod policy;
mod slot;
mod table;

pub(crate) use policy::{Label, Live, Policies, Policy, PolicyId, Setup};
pub(crate) use table::{Answer, Entry, Swept, Table};
