//! The names of buckets in the backend: `<namespace>:v1:<8 hex of the secret's digest>:<HMAC of the key>`.
//!
//! The backend sees a keyed digest of class, revision and key, and nothing else of them. Another secret is another
//! set of names, so changing it starts fresh buckets.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::key::{Component, KeySink, ToKey, sealed::Sealed};

/// Makes the names of all buckets of a limiter.
pub(crate) struct Keyring {
    mac: Hmac<Sha256>,
    /// What every name starts with.
    prefix: String,
}

/// The keys of one policy in one revision.
#[derive(Clone)]
pub(crate) struct Scope(Hmac<Sha256>);

/// A bucket, by the digest of its class, revision and key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KeyId([u8; 32]);

impl Keyring {
    pub(crate) fn new(namespace: &str, secret: &str) -> Self {
        let mut prefix = format!("{namespace}:v1:");
        let [first, second, third, fourth, ..]: [u8; 32] = Sha256::digest(secret).into();
        write_hex(&mut prefix, &[first, second, third, fourth]);
        prefix.push(':');
        let mac = Hmac::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
        Self { mac, prefix }
    }

    /// Neither a name nor a revision has a colon in it, so no two pairs of them are written the same.
    pub(crate) fn scope(&self, policy: &str, revision: &str) -> Scope {
        let mut mac = self.mac.clone();
        for part in [policy, revision] {
            mac.update(part.as_bytes());
            mac.update(b":");
        }
        Scope(mac)
    }

    pub(crate) fn name(&self, id: &KeyId) -> String {
        let mut name = String::with_capacity(self.prefix.len() + 2 * id.0.len());
        name.push_str(&self.prefix);
        write_hex(&mut name, &id.0);
        name
    }
}

impl Scope {
    pub(crate) fn identify(mut self, key: &(impl ToKey + ?Sized)) -> KeyId {
        key.write_key(&mut self);
        KeyId(self.0.finalize().into_bytes().into())
    }
}

impl Sealed for Scope {}

impl KeySink for Scope {
    fn component(&mut self, kind: Component, bytes: &[u8]) {
        // Kind and length go first, so no two sequences of components are digested the same.
        self.0.update(&[kind as u8]);
        self.0.update(&(bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }
}

impl KeyId {
    /// A number to spread keys by.
    pub(crate) fn spread(&self) -> usize {
        let [first, second, third, fourth, ..] = self.0;
        u32::from_be_bytes([first, second, third, fourth]) as usize
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring(..)")
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scope(..)")
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyId(..)")
    }
}

#[expect(clippy::indexing_slicing, reason = "half a byte is below 16")]
fn write_hex(text: &mut String, bytes: &[u8]) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 15)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    fn name(secret: &str, policy: &str, revision: &str, key: impl ToKey) -> String {
        let keyring = Keyring::new("chat", secret);
        keyring.name(&keyring.scope(policy, revision).identify(&key))
    }

    #[test]
    fn a_name_is_the_namespace_the_secrets_digest_and_a_keyed_digest() {
        // By hand, with `openssl dgst -sha256` of the secret, and `-hmac` over "rl.read:7:", the byte 9 for a text,
        // eight bytes of its length, and "alice".
        assert_eq!(
            name(SECRET, "rl.read", "7", "alice"),
            "chat:v1:3eb1bd43:f69c7deb4bc6b7553dbc1f1dc12957fcd6fab48064961082585ef8af83cd7aab"
        );
    }

    #[test]
    fn class_revision_key_and_secret_are_all_part_of_the_name() {
        let names = [
            name(SECRET, "rl.read", "7", "alice"),
            name(SECRET, "rl.write", "7", "alice"),
            name(SECRET, "rl.read", "8", "alice"),
            name(SECRET, "rl.read", "", "alice"),
            name(SECRET, "rl.read", "7", "bob"),
            name(SECRET, "rl.read", "7", ("ali", "ce")),
            name(SECRET, "rl.read", "7", ()),
            name("0123456789abcdef0123456789abcdeg", "rl.read", "7", "alice"),
        ];
        let distinct: std::collections::HashSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
    }
}
