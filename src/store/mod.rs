//! Where buckets live.

pub(crate) mod local;
