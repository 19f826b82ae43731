//! Keys: what says whose bucket it is.
//!
//! A key is an ordered tuple of scalars. Anything that implements [`ToKey`] is one: strings, integers, addresses,
//! tuples of them, references to them, and types of your own. Distinct tuples are distinct keys; equal values of
//! different integer types are the same key; nested tuples count as one flat tuple.
//!
//! A limiter never keeps a key: the local store keeps a fingerprint under a random key of its own.

mod owned;
mod scalar;
mod tuple;

use std::hash::Hasher;

use ahash::AHasher;

pub use owned::Key;
/// Implements [`ToKey`](trait@ToKey) for a struct or an enum of components. Every field is one; to leave a field out,
/// implement the trait by hand.
///
/// `#[to_key(crate = path)]` says what the dependency is called when it is renamed.
pub use tollgate_macros::ToKey;

/// A value that names a bucket.
///
/// Derive it for a type of your own: its fields are the components, in their order, after the name of the variant for
/// an enum. By hand it is as short:
///
/// ```
/// use tollgate::key::{Key, KeySink, ToKey};
///
/// #[derive(ToKey)]
/// struct Account {
///     tenant: u32,
///     name: String,
/// }
///
/// struct Session {
///     account: Account,
///     last_seen: std::time::Instant,
/// }
///
/// impl ToKey for Session {
///     fn write_key<S: KeySink>(&self, sink: &mut S) {
///         self.account.write_key(sink);
///     }
/// }
///
/// let account = Account { tenant: 7, name: "alice".to_owned() };
/// assert_eq!(Key::new(&account), Key::new((7, "alice")));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a bucket",
    note = "a key is a string, an integer, an address, a tuple of them, `Key::global()`, or a type that implements `tollgate::key::ToKey`"
)]
pub trait ToKey {
    /// Writes the components of the key into `sink`, in order.
    fn write_key<S: KeySink>(&self, sink: &mut S);
}

/// Where the components of a key go. The library alone implements it.
pub trait KeySink: sealed::Sealed {
    /// One component.
    #[doc(hidden)]
    fn component(&mut self, kind: Component, bytes: &[u8]);

    /// Which variant of an enum the components after it belong to.
    #[doc(hidden)]
    fn variant(&mut self, name: &str) {
        self.component(Component::Variant, name.as_bytes());
    }
}

/// The kinds of components, each a space of values of its own.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Component {
    Absent = 1,
    Bool,
    Bytes,
    Char,
    Float,
    Ipv4,
    Ipv6,
    /// The distance below zero, less one.
    Negative,
    Text,
    Time,
    Unsigned,
    Uuid,
    Variant,
}

pub(crate) mod sealed {
    #[expect(unnameable_types, reason = "so that nobody else can implement it")]
    pub trait Sealed {}
}

/// The local store's sink: nothing but a keyed hash, so that building a key allocates nothing.
pub(crate) struct Fingerprint(AHasher);

impl Fingerprint {
    pub(crate) fn new(hasher: AHasher) -> Self {
        Self(hasher)
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0.finish()
    }
}

impl sealed::Sealed for Fingerprint {}

impl KeySink for Fingerprint {
    #[inline]
    fn component(&mut self, kind: Component, bytes: &[u8]) {
        // Kind and length go first, so no two sequences of components feed the hash the same. What is short is one
        // number with them, or one after them, because each that is written takes as long as all the rest of it.
        let head = ((bytes.len() as u64) << 8) | kind as u64;
        if let Ok(four) = <[u8; 4]>::try_from(bytes) {
            self.0.write_u64(u64::from(u32::from_ne_bytes(four)) << 32 | head);
        } else if let Ok(eight) = <[u8; 8]>::try_from(bytes) {
            self.0.write_u128(u128::from(u64::from_ne_bytes(eight)) << 64 | u128::from(head));
        } else {
            self.0.write_u64(head);
            self.0.write(bytes);
        }
    }
}

impl<T: ToKey + ?Sized> ToKey for &T {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        (**self).write_key(sink);
    }
}
