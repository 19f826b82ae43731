//! [`Latch`]: a few words that are read all at once, without a lock, while they are being replaced.

use crate::sync::{AtomicU64, Ordering, fence};

/// Two copies and a version whose lowest bit says which copy is current.
///
/// A reader copies the current one and starts over when the version moved meanwhile. The writer fills the other
/// copy first, so a reader repeats only when a replacement is completed while it reads.
#[derive(Debug)]
pub(crate) struct Latch<const N: usize> {
    version: AtomicU64,
    copies: [Copy<N>; 2],
}

/// The first eight words are in one line of the cache.
#[derive(Debug)]
#[repr(align(64))]
struct Copy<const N: usize>([AtomicU64; N]);

impl<const N: usize> Latch<N> {
    pub(crate) fn new(words: [u64; N]) -> Self {
        let copy = || Copy(words.map(AtomicU64::new));
        Self { version: AtomicU64::new(0), copies: [copy(), copy()] }
    }

    /// The first words, as many as are asked for.
    #[inline]
    pub(crate) fn read<const M: usize>(&self) -> [u64; M] {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let Copy(copy) = self.copy(version);
            let copy = copy.first_chunk::<M>().expect("nobody asks for more words than there are");
            let words = copy.each_ref().map(|word| word.load(Ordering::Relaxed));
            // A word of a later version is seen only together with that version.
            fence(Ordering::Acquire);
            if self.version.load(Ordering::Relaxed) == version {
                return words;
            }
        }
    }

    /// Replaces the words. Calls must not overlap.
    pub(crate) fn write(&self, words: [u64; N]) {
        let next = self.version.load(Ordering::Relaxed).wrapping_add(1);
        // Readers two versions behind still read this copy: they must see the version that made it old.
        fence(Ordering::Release);
        for (place, word) in self.copy(next).0.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.version.store(next, Ordering::Release);
    }

    #[inline]
    fn copy(&self, version: u64) -> &Copy<N> {
        let [even, odd] = &self.copies;
        if version % 2 == 0 { even } else { odd }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    fn a_version_never_shares_its_copy_with_the_one_before() {
        let latch = Latch::new([0; 2]);
        for version in [0, 1, 2, u64::MAX - 1, u64::MAX] {
            let next = version.wrapping_add(1);
            assert!(!ptr::eq(latch.copy(version), latch.copy(next)), "{version}");
        }
    }

    #[test]
    fn what_is_written_is_read_in_full_or_as_far_as_is_asked_for() {
        let latch = Latch::new([1; 3]);
        assert_eq!(latch.read(), [1; 3]);
        for words in [[2, 3, 4], [5, 6, 7], [8, 9, 10]] {
            latch.write(words);
            assert_eq!(latch.read(), words);
            assert_eq!(latch.read::<1>(), [words[0]]);
        }
    }
}
