//! The keys that are decided about.

use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ahash::RandomState;
use tollgate::ToKey;

/// What can be a key of every contender.
pub(crate) trait Key: ToKey + Hash + Eq + Clone + Send + Sync + 'static {
    /// How this kind of key is called.
    const KIND: &'static str;

    /// One of 2^32 distinct keys.
    fn numbered(number: u32) -> Self;

    /// The fastest keyed hash of it that is at hand.
    fn hashed(&self, hashes: &RandomState) -> u64;
}

/// An IPv6 address in the type that a server gets its peers in.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct V6(IpAddr);

impl Key for IpAddr {
    const KIND: &'static str = "IPv4";

    fn numbered(number: u32) -> Self {
        Ipv4Addr::from_bits(scattered(number)).into()
    }

    #[inline]
    fn hashed(&self, hashes: &RandomState) -> u64 {
        match self {
            Self::V4(address) => hashes.hash_one(address.to_bits()),
            Self::V6(address) => hashes.hash_one(address.to_bits()),
        }
    }
}

impl Key for V6 {
    const KIND: &'static str = "IPv6";

    fn numbered(number: u32) -> Self {
        let network = 0x2001_0db8_u128 << 96;
        Self(Ipv6Addr::from_bits(network | u128::from(scattered(number)) << 64).into())
    }

    #[inline]
    fn hashed(&self, hashes: &RandomState) -> u64 {
        self.0.hashed(hashes)
    }
}

impl ToKey for V6 {
    #[inline]
    fn write_key<S: tollgate::key::KeySink>(&self, sink: &mut S) {
        self.0.write_key(sink);
    }
}

impl Key for String {
    const KIND: &'static str = "36 characters";

    fn numbered(number: u32) -> Self {
        let number = scattered(number);
        format!("{number:08x}-2f6c-4a51-9d3e-5c1b{:08x}", number.rotate_left(13))
    }

    #[inline]
    fn hashed(&self, hashes: &RandomState) -> u64 {
        hashes.hash_one(self.as_bytes())
    }
}

/// Distinct keys in the order in which they are asked about, and the same ones in another order.
pub(crate) struct Keys<K> {
    walk: Box<[K]>,
    distinct: usize,
}

/// The shortest walk: fewer keys are repeated, so that walking costs the same for all.
const SHORTEST: usize = 1_000;

impl<K: Key> Keys<K> {
    pub(crate) fn new(count: u32) -> Self {
        let length = (count as usize).max(SHORTEST);
        let walk = (0..count).cycle().take(length).map(K::numbered).collect();
        Self { walk, distinct: count as usize }
    }

    pub(crate) fn count(&self) -> usize {
        self.distinct
    }

    pub(crate) fn walk(&self) -> &[K] {
        &self.walk
    }

    /// Each key once, and neighbours of the walk far apart: a store that allocates for each key has not put them
    /// side by side.
    pub(crate) fn scattered(&self) -> impl Iterator<Item = &K> {
        // A prime near the golden section of the count, and no count here is a multiple of it.
        let step = 6_180_341;
        (0..self.distinct).map(move |place| &self.walk[place * step % self.distinct])
    }
}

/// A permutation of the numbers, so that neighbours have little in common.
fn scattered(number: u32) -> u32 {
    number.wrapping_mul(0x9E37_79B1).rotate_left(16)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_are_distinct_and_scattering_misses_none() {
        for count in [1, 1_000, 100_000] {
            let keys = Keys::<String>::new(count);
            let walked: HashSet<_> = keys.walk().iter().collect();
            let scattered: HashSet<_> = keys.scattered().collect();
            assert_eq!(walked.len(), count as usize);
            assert_eq!(walked, scattered);
            assert!(walked.iter().all(|key| key.len() == 36));
        }
    }
}
