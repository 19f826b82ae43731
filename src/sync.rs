//! The atomics and locks of the crate, in one place so that a model checker can stand in for them.

#[cfg(not(loom))]
mod machine {
    #![expect(
        clippy::disallowed_types,
        reason = "this is the one place that wraps the standard mutex"
    )]

    use std::sync::{MutexGuard, PoisonError};

    pub(crate) use portable_atomic::AtomicU128;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

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
}

/// For the models in `models/`, which include this file.
#[cfg(loom)]
mod machine {
    use loom::sync::MutexGuard;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("no model panics while it holds a lock")
        }
    }

    /// Loom has no atomic of this width; a lock orders its accesses at least as strictly.
    #[derive(Debug)]
    pub(crate) struct AtomicU128(Mutex<u128>);

    impl AtomicU128 {
        pub(crate) fn new(value: u128) -> Self {
            Self(Mutex::new(value))
        }

        pub(crate) fn load(&self, _: Ordering) -> u128 {
            *self.0.lock()
        }

        pub(crate) fn compare_exchange(
            &self,
            current: u128,
            new: u128,
            _: Ordering,
            _: Ordering,
        ) -> Result<u128, u128> {
            let mut value = self.0.lock();
            if *value != current {
                return Err(*value);
            }
            *value = new;
            Ok(current)
        }
    }
}

pub(crate) use machine::*;
