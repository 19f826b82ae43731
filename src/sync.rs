//! The atomics and locks of the crate, in one place so that a model checker can stand in for them.

#![expect(clippy::disallowed_types, reason = "this is the one place that wraps the standard mutex")]

pub(crate) use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

pub(crate) use portable_atomic::AtomicU128;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, fence};

/// A mutex whose data is consistent between any two statements, so a panic elsewhere spoils nothing.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
