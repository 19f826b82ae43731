//! [`Key`]: a key that is kept for a while.

use std::fmt;

use super::{Component, KeySink, ToKey, sealed};

/// A key that owns its components: what a function returns that chooses a key at run time.
///
/// It names the same bucket as the value it was made of. Its `Debug` shows nothing of it.
///
/// ```
/// use tollgate::key::Key;
///
/// let by_account = Key::new(("acme", 7));
/// assert_eq!(by_account, Key::new(("acme", 7_u64)));
/// assert_ne!(by_account, Key::global());
/// assert_eq!(format!("{by_account:?}"), "Key(..)");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key {
    components: Vec<(Component, Box<[u8]>)>,
}

impl Key {
    /// Keeps the components of `key`.
    #[must_use]
    pub fn new(key: impl ToKey) -> Self {
        let mut kept = Self::global();
        key.write_key(&mut kept);
        kept
    }

    /// The empty key: everybody shares its bucket.
    #[must_use]
    pub const fn global() -> Self {
        Self { components: Vec::new() }
    }
}

impl ToKey for Key {
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        for (kind, bytes) in &self.components {
            sink.component(*kind, bytes);
        }
    }
}

impl sealed::Sealed for Key {}

impl KeySink for Key {
    fn component(&mut self, kind: Component, bytes: &[u8]) {
        self.components.push((kind, bytes.into()));
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}
