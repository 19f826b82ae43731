//! [`Slot`]: one bucket in 128 bits, and [`Owner`]: whose it is.

use super::policy::PolicyId;

/// A fingerprint of 48 bits, a policy of 15 and the generation of its limits: everything of a slot but its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner(u64);

/// Owner and word change together, in one compare-and-swap, so that a slot which changed hands is never charged for
/// the wrong key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) u128);

impl Owner {
    /// The owner of the key with this hash. The lower bits of the hash choose the sets.
    pub(crate) fn new(hash: u64, policy: PolicyId, generation: bool) -> Self {
        let fingerprint = hash & !0xFFFF;
        Self(fingerprint | (u64::from(policy.index()) << 1) | u64::from(generation))
    }

    /// Whether both are the same key, in whatever generation.
    pub(crate) fn is_key_of(self, other: Self) -> bool {
        (self.0 ^ other.0) <= 1
    }

    /// The same key in this generation.
    pub(crate) fn in_generation(self, generation: bool) -> Self {
        Self((self.0 & !1) | u64::from(generation))
    }

    pub(crate) fn generation(self) -> bool {
        self.0 & 1 == 1
    }

    #[expect(clippy::cast_possible_truncation, reason = "the policy is the lowest 16 bits")]
    pub(crate) fn policy(self) -> PolicyId {
        PolicyId::from_index((self.0 as u16) >> 1)
    }
}

impl Slot {
    /// Nobody's. No policy has index 0.
    pub(crate) const EMPTY: Self = Self(0);
    /// No place for a bucket: what is left of the last set when the slots are no multiple of four.
    pub(crate) const BLOCKED: Self = Self(u128::MAX);

    pub(crate) fn new(owner: Owner, word: u64) -> Self {
        Self((u128::from(owner.0) << 64) | u128::from(word))
    }

    pub(crate) fn owner(self) -> Owner {
        Owner((self.0 >> 64) as u64)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the word is the lower half")]
    pub(crate) fn word(self) -> u64 {
        self.0 as u64
    }

    /// Whether there is no bucket.
    pub(crate) fn is_vacant(self) -> bool {
        self == Self::EMPTY || self == Self::BLOCKED
    }
}
