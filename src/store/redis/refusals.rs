//! [`Refusals`]: refusals that hold for a while, so that a hot refused key asks the backend once.

use std::fmt;

use super::key::KeyId;
use crate::bucket::Level;
use crate::limits::Limits;
use crate::sync::{AtomicU64, Mutex, Ordering};

/// A bounded number of refusals by key. Forgetting one costs a round trip and nothing else.
pub(super) struct Refusals {
    sets: Box<[Mutex<Vec<Refusal>>]>,
    /// Refusals of an earlier epoch do not hold: between two epochs the backend failed.
    epoch: AtomicU64,
}

struct Refusal {
    key: KeyId,
    /// In this epoch,
    epoch: u64,
    /// at this time of this process in microseconds,
    at: u64,
    /// the bucket stood so,
    level: Level,
    /// which was too little for this cost.
    cost: u64,
}

const SETS: usize = 2_048;
/// With the sets, 16,384 refusals at most.
const WAYS: usize = 8;

impl Refusals {
    pub(super) fn new() -> Self {
        let sets = (0..SETS).map(|_| Mutex::new(Vec::new())).collect();
        Self { sets, epoch: AtomicU64::new(0) }
    }

    /// The present epoch. It is asked for before the backend is, so that a failure meanwhile voids the answer.
    pub(super) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// How the bucket of `key` stands at `now`, when it is known to be too empty for `cost`.
    pub(super) fn find(&self, key: &KeyId, limits: Limits, cost: u64, now: u64) -> Option<Level> {
        let set = self.set(key).lock();
        let refusal = set.iter().find(|refusal| refusal.key == *key)?;
        let holds = refusal.epoch == self.epoch()
            && refusal.level.limits == limits
            && refusal.cost <= cost
            && refusal.at <= now;
        let level = refusal.level.after(now.saturating_sub(refusal.at));
        (holds && !level.affords(refusal.cost)).then_some(level)
    }

    pub(super) fn remember(&self, key: KeyId, epoch: u64, level: Level, cost: u64, now: u64) {
        let mut set = self.set(&key).lock();
        set.retain(|refusal| {
            refusal.key != key
                && refusal.epoch == epoch
                && !refusal.level.after(now.saturating_sub(refusal.at)).affords(refusal.cost)
        });
        if set.len() == WAYS {
            // The one that was not renewed for the longest time.
            set.remove(0);
        }
        set.push(Refusal { key, epoch, at: now, level, cost });
    }

    pub(super) fn forget(&self, key: &KeyId) {
        self.set(key).lock().retain(|refusal| refusal.key != *key);
    }

    /// Lets no refusal hold that was heard before now.
    pub(super) fn forget_all(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    #[expect(clippy::indexing_slicing, reason = "a remainder of the number of sets")]
    fn set(&self, key: &KeyId) -> &Mutex<Vec<Refusal>> {
        &self.sets[key.spread() % SETS]
    }
}

impl fmt::Debug for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Refusals(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::redis::key::Keyring;

    const SECOND: u64 = 1_000_000;

    fn key(name: &str) -> KeyId {
        Keyring::new("test", "secret").scope("rl.read", "").identify(name)
    }

    /// 10 tokens, one a second.
    fn limits() -> Limits {
        Limits::per_minute(60, 10).unwrap()
    }

    fn left(level: Option<Level>) -> Option<u64> {
        level.map(|level| level.remaining())
    }

    /// 1 of 10 tokens is left; 4 were asked for at 50 s.
    fn refused() -> Refusals {
        let refusals = Refusals::new();
        let level = Level::shared(limits(), 9, 0, 0);
        refusals.remember(key("a"), refusals.epoch(), level, 4, 50 * SECOND);
        refusals
    }

    #[test]
    fn a_refusal_holds_until_its_wait_is_over() {
        let refusals = refused();
        let at = |now| left(refusals.find(&key("a"), limits(), 4, now));
        assert_eq!(at(50 * SECOND), Some(1));
        assert_eq!(at(53 * SECOND - 1), Some(3));
        assert_eq!(at(53 * SECOND), None);
        assert_eq!(at(50 * SECOND - 1), None, "the clock stepped back");
    }

    #[test]
    fn a_refusal_holds_for_costs_that_are_not_below_it() {
        let refusals = refused();
        let costing = |cost| left(refusals.find(&key("a"), limits(), cost, 50 * SECOND));
        assert_eq!((costing(3), costing(4), costing(9)), (None, Some(1), Some(1)));
    }

    #[test]
    fn a_refusal_holds_for_its_key_and_its_limits_alone() {
        let refusals = refused();
        let raised = Limits::per_minute(60, 11).unwrap();
        assert_eq!(left(refusals.find(&key("b"), limits(), 4, 50 * SECOND)), None);
        assert_eq!(left(refusals.find(&key("a"), raised, 4, 50 * SECOND)), None);
    }

    #[test]
    fn no_refusal_holds_across_a_failure() {
        let refusals = refused();
        let heard = refusals.epoch();
        refusals.forget_all();
        assert_eq!(left(refusals.find(&key("a"), limits(), 4, 50 * SECOND)), None);
        let level = Level::shared(limits(), 9, 0, 0);
        refusals.remember(key("a"), heard, level, 4, 50 * SECOND);
        assert_eq!(
            left(refusals.find(&key("a"), limits(), 4, 50 * SECOND)),
            None,
            "asked before it"
        );
    }

    #[test]
    fn the_number_of_refusals_is_bounded_and_the_last_ones_stay() {
        let refusals = Refusals::new();
        let level = Level::shared(limits(), 10, 0, 0);
        let scope = Keyring::new("test", "secret").scope("rl.read", "");
        let keys: Vec<KeyId> = (0..20_000_u32).map(|n| scope.clone().identify(&n)).collect();
        for key in &keys {
            refusals.remember(*key, refusals.epoch(), level, 1, 0);
        }
        let kept = keys.iter().filter(|key| refusals.find(key, limits(), 1, 0).is_some()).count();
        assert!(kept <= SETS * WAYS, "{kept}");
        assert!(refusals.find(keys.last().unwrap(), limits(), 1, 0).is_some());
    }
}
