//! [`Recent`]: the names of buckets that were asked for lately, so that a hot key is not digested again and again.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher};

use ahash::RandomState;

use super::key::KeyId;
use crate::key::{Fingerprint, ToKey};

/// Tells keys apart by two hashes with random seeds, 128 bits together: a digest is a hundred times slower. What is remembered
/// lies with the threads that ask, so none waits for another.
pub(crate) struct Recent {
    seeds: [RandomState; 2],
}

/// A key of a policy in one revision, as far as this process is concerned.
type Print = [u64; 2];

const PLACES: usize = 256;

thread_local! {
    /// Of all limiters; their seeds differ.
    static PLACES_OF_THREAD: RefCell<Vec<Option<(Print, KeyId)>>> = const { RefCell::new(Vec::new()) };
}

impl Recent {
    pub(crate) fn new() -> Self {
        Self { seeds: [RandomState::new(), RandomState::new()] }
    }

    /// The name of the bucket of `key`, from `digest` when it was not asked for lately. Keys of another `scope` are
    /// other keys.
    #[expect(clippy::cast_possible_truncation, reason = "any part of a hash will do")]
    pub(crate) fn identify(
        &self,
        scope: u64,
        key: &(impl ToKey + ?Sized),
        digest: impl FnOnce() -> Option<KeyId>,
    ) -> Option<KeyId> {
        let print = self.seeds.each_ref().map(|seed| {
            let mut hasher = seed.build_hasher();
            hasher.write_u64(scope);
            let mut fingerprint = Fingerprint::new(hasher);
            key.write_key(&mut fingerprint);
            fingerprint.finish()
        });
        let place = print[0] as usize % PLACES;
        let known = PLACES_OF_THREAD.with_borrow(|places| places.get(place).copied().flatten());
        if let Some((_, id)) = known.filter(|(known, _)| *known == print) {
            return Some(id);
        }
        let id = digest()?;
        PLACES_OF_THREAD.with_borrow_mut(|places| {
            places.resize(PLACES, None);
            if let Some(place) = places.get_mut(place) {
                *place = Some((print, id));
            }
        });
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::redis::key::Keyring;

    #[test]
    fn every_key_of_every_scope_keeps_the_name_that_its_digest_gives() {
        let (keyring, recent) = (Keyring::new("test", "secret"), Recent::new());
        let scopes = [(1, keyring.scope("rl.read", "")), (2, keyring.scope("rl.read", "2"))];
        // More than there are places, and each again.
        for number in (0..1_000_u32).chain(0..1_000) {
            for (salt, scope) in &scopes {
                let digested = scope.clone().identify(&number);
                let named = recent.identify(*salt, &number, || Some(digested));
                assert!(named == Some(digested), "{number} of {salt}");
            }
        }
    }

    #[test]
    fn a_key_that_is_asked_for_again_is_not_digested_again() {
        let (scope, recent) = (Keyring::new("test", "secret").scope("rl.read", ""), Recent::new());
        let first = recent.identify(1, "alice", || Some(scope.identify("alice")));
        assert!(first.is_some() && recent.identify(1, "alice", || None) == first);
        assert!(recent.identify(2, "alice", || None).is_none(), "another scope");
        assert!(Recent::new().identify(1, "alice", || None).is_none(), "another limiter");
    }
}
