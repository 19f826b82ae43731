//! [`List`]: a list that only grows and is read without a lock.

use std::sync::OnceLock;

/// A few entries, in the order in which they came.
pub(crate) struct List<T>(OnceLock<Box<Entry<T>>>);

struct Entry<T> {
    value: T,
    rest: List<T>,
}

impl<T> List<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Adds an entry at the end.
    pub(crate) fn push(&self, value: T) {
        let mut entry = Box::new(Entry { value, rest: Self::new() });
        let mut end = self;
        while let Err(refused) = end.0.set(entry) {
            entry = refused;
            end = &end.0.get().expect("only a taken place refuses an entry").rest;
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.get().is_none()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let entries = std::iter::successors(self.0.get(), |before| before.rest.0.get());
        entries.map(|entry| &entry.value)
    }
}

impl<T> Drop for List<T> {
    /// One entry after the other: by itself each would drop the rest within its own drop, and the stack is
    /// not as deep as a list may be long.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut entry) = next {
            next = entry.rest.0.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_may_be_longer_than_the_stack_is_deep() {
        let longer = |rest, value| List(OnceLock::from(Box::new(Entry { value, rest })));
        let list = (0..1_000_000).fold(List::new(), longer);
        assert!(!list.is_empty());
        drop(list);
    }

    #[test]
    fn entries_that_come_at_once_are_all_there() {
        let list = List::new();
        assert!(list.is_empty());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let list = &list;
                scope.spawn(move || (0..50).for_each(|entry| list.push((thread, entry))));
            }
        });
        let mut entries: Vec<_> = list.iter().copied().collect();
        entries.sort_unstable();
        let expected: Vec<_> = (0..4).flat_map(|t| (0..50).map(move |e| (t, e))).collect();
        assert_eq!(entries, expected);
    }
}
