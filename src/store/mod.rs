//! Where buckets live.

pub(crate) mod local;
#[cfg(feature = "redis")]
pub(crate) mod redis;
