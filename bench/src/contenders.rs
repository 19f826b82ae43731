//! Everybody who decides, behind one question.

use std::hash::BuildHasher;
use std::hint::black_box;
use std::num::{NonZeroU32, NonZeroU64};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use ahash::RandomState;
use axum_gcra::gcra;
use governor::clock::{Clock as GovernorClock, DefaultClock, MonotonicClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use tollgate::clock::{Clock, SystemClock, TscClock};
use tollgate::{Class, Config, Decision, Limiter};

use crate::keys::Key;

/// Somebody who decides about requests of keys.
pub(crate) trait Contender<K>: Sync {
    /// Whether a request of this key is admitted.
    fn admits(&self, key: &K) -> bool;
}

/// A burst that no measurement uses up. More would overflow the nanoseconds of governor.
pub(crate) const PLENTY: u32 = 100_000_000;

/// Limits refill one token in this time, so that in a measurement nothing comes back.
const REFILL: Duration = Duration::from_mins(1);

/// This library: the real limiter on the reference catalogue, asked as a handler asks.
pub(crate) struct Tollgate(Limiter);

impl Tollgate {
    /// With slots for twice as many keys, as the operations guide says, and never fewer than by default.
    pub(crate) fn standard(keys: usize, burst: u32) -> Self {
        Self::with_slots(slots(keys), burst)
    }

    pub(crate) fn with_slots(slots: u64, burst: u32) -> Self {
        Self::new(slots, burst, SystemClock::new())
    }

    /// On the kind of clock that governor has by default.
    pub(crate) fn tsc(keys: usize, burst: u32) -> Self {
        Self::new(slots(keys), burst, TscClock::new())
    }

    fn new(slots: u64, burst: u32, clock: impl Clock + 'static) -> Self {
        let config = Config::builder()
            .max_tracked_keys(slots)
            .class(Class::Read, |read| read.per_minute(1).burst(burst.into()))
            .build()
            .expect("all of it is in range");
        Self(Limiter::with_clock(&config, clock).expect("there is memory for it"))
    }
}

/// The slots for so many keys.
pub(crate) fn slots(keys: usize) -> u64 {
    (2 * keys as u64).max(100_000)
}

impl<K: Key> Contender<K> for Tollgate {
    #[inline]
    fn admits(&self, key: &K) -> bool {
        let mut acquire = self.0.acquire(Class::Read, key);
        match Pin::new(&mut acquire).poll(&mut Context::from_waker(Waker::noop())) {
            // All of the decision is made, not only whether it admits.
            Poll::Ready(decision) => black_box(&decision).as_ref().is_ok_and(Decision::permitted),
            Poll::Pending => unreachable!("a local class never waits"),
        }
    }
}

/// governor with keys in its default store.
pub(crate) struct Governor<K, S, C>(Keyed<K, S, C>)
where
    K: Key,
    S: BuildHasher + Clone,
    C: GovernorClock;

type Keyed<K, S, C> =
    RateLimiter<K, DashMapStateStore<K, S>, C, NoOpMiddleware<<C as GovernorClock>::Instant>>;
type StdState = std::collections::hash_map::RandomState;

impl<K: Key> Governor<K, StdState, DefaultClock> {
    /// As it is by default.
    pub(crate) fn quanta(burst: u32) -> Self {
        Self(RateLimiter::dashmap(quota(burst)))
    }
}

impl<K: Key> Governor<K, StdState, MonotonicClock> {
    /// On the clock that this library has by default.
    pub(crate) fn standard(burst: u32) -> Self {
        Self(RateLimiter::dashmap_with_clock(quota(burst), MonotonicClock))
    }
}

impl<K: Key> Governor<K, RandomState, DefaultClock> {
    /// With the faster hasher.
    pub(crate) fn ahash(burst: u32) -> Self {
        Self(RateLimiter::dashmap_with_hasher(quota(burst), RandomState::new()))
    }
}

fn quota(burst: u32) -> Quota {
    let burst = NonZeroU32::new(burst).expect("a burst is positive");
    Quota::with_period(REFILL).expect("the period is positive").allow_burst(burst)
}

impl<K, S, C> Contender<K> for Governor<K, S, C>
where
    K: Key,
    S: BuildHasher + Clone + Send + Sync,
    C: GovernorClock + Sync,
    C::Instant: Send + Sync,
{
    #[inline]
    fn admits(&self, key: &K) -> bool {
        black_box(&self.0.check_key(key)).is_ok()
    }
}

/// The limiter inside of `axum_gcra`, which is asked with the time.
pub(crate) struct Gcra<K: Key> {
    limiter: gcra::RateLimiter<K, RandomState>,
    quota: gcra::Quota,
}

impl<K: Key> Gcra<K> {
    pub(crate) fn new(burst: u32) -> Self {
        let burst = NonZeroU64::new(burst.into()).expect("a burst is positive");
        // It would look for old keys after so many new ones; that is switched off.
        let limiter = gcra::RateLimiter::new(u64::MAX, RandomState::new());
        Self { limiter, quota: gcra::Quota::new(REFILL, burst) }
    }
}

impl<K: Key> Contender<K> for Gcra<K> {
    #[inline]
    fn admits(&self, key: &K) -> bool {
        black_box(&self.limiter.req_sync(key.clone(), self.quota, Instant::now())).is_ok()
    }
}

/// What nobody can be faster than who reads a clock, hashes the key with a secret, and changes one place of a table, one after
/// the other: just these three. It limits nothing.
pub(crate) struct Limit {
    started: Instant,
    hashes: RandomState,
    table: Box<[AtomicU64]>,
}

impl Limit {
    /// With as many bytes as this library has slots for these keys.
    pub(crate) fn new(keys: usize) -> Self {
        let words = 2 * slots(keys);
        let table = (0..words).map(AtomicU64::new).collect();
        Self { started: Instant::now(), hashes: RandomState::new(), table }
    }
}

impl<K: Key> Contender<K> for Limit {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the product's upper half is an index")]
    fn admits(&self, key: &K) -> bool {
        let now = self.started.elapsed().as_nanos() as u64;
        let hash = u128::from(key.hashed(&self.hashes));
        let place = &self.table[((hash * self.table.len() as u128) >> 64) as usize];
        let seen = place.load(Ordering::Acquire);
        let swapped = place.compare_exchange(seen, now, Ordering::AcqRel, Ordering::Acquire);
        black_box(&swapped).is_ok()
    }
}
