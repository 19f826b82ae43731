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

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: u64 = 0xABCD_EF01_2345_6789;

    fn owner(hash: u64, policy: u16, generation: bool) -> Owner {
        Owner::new(hash, PolicyId::from_index(policy), generation)
    }

    #[test]
    fn an_owner_is_48_bits_of_a_hash_a_policy_and_a_generation() {
        for policy in [1, 2, 0x2AAA, 0x5555, 32_766] {
            let [first, second] = [false, true].map(|generation| owner(HASH, policy, generation));
            assert_eq!([first, second].map(Owner::generation), [false, true]);
            for owner in [first, second] {
                assert_eq!(owner.policy().index(), policy);
                assert_eq!([false, true].map(|other| owner.in_generation(other)), [first, second]);
            }
        }
    }

    #[test]
    fn a_key_is_the_same_in_both_generations_and_under_one_policy_alone() {
        let one = owner(HASH, 7, false);
        assert!(one.is_key_of(one) && one.is_key_of(owner(HASH, 7, true)));
        // The lowest 16 bits are in no fingerprint.
        assert!(one.is_key_of(owner(HASH ^ 0xFFFF, 7, true)));
        assert!(!one.is_key_of(owner(HASH ^ 0x1_0000, 7, false)));
        assert!(!one.is_key_of(owner(HASH, 6, false)) && !one.is_key_of(owner(HASH, 6, true)));
    }

    #[test]
    fn a_slot_is_an_owner_and_a_word() {
        for word in [0, 1, 0xAAAA_AAAA_AAAA_AAAA, u64::MAX] {
            let owner = owner(HASH, 7, true);
            let slot = Slot::new(owner, word);
            assert_eq!((slot.owner(), slot.word(), slot.is_vacant()), (owner, word, false));
        }
        assert!(Slot::EMPTY.is_vacant() && Slot::BLOCKED.is_vacant());
    }
}
