//! [`Subject`]: whose bucket it is.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use super::{Caller, Part};
use crate::catalogue::KeyKind;
use crate::key::{Key, KeySink, ToKey};

/// Whose bucket it is: an identity together with its kind.
///
/// Subjects of different kinds never share a bucket, also where their values are equal: the device
/// `7` is not the token `7`, and the address that stands in for an anonymous caller is nobody's
/// principal. This is what the gate keys its buckets by, and what a gateway passes to
/// the limiter itself:
///
/// ```
/// use tollgate::Caller;
/// use tollgate::catalogue::KeyKind;
///
/// let caller = Caller::principal("alice").token("t-7");
/// assert!(caller.subject(KeyKind::DeviceOrToken).is_some());
/// assert!(caller.subject(KeyKind::Agent).is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Subject<'a>(pub(crate) Identity<'a>);

#[cfg_attr(
    not(feature = "gate"),
    expect(dead_code, reason = "only the gate makes some of the kinds")
)]
/// The kinds of subjects; what sets them apart in a key is its first component.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Identity<'a> {
    Actor(Cow<'a, str>),
    Agent(Cow<'a, str>),
    /// All anonymous callers together.
    Anonymous,
    Client(Cow<'a, str>),
    ClientIp(IpAddr),
    Connection(Cow<'a, str>),
    Custom(Key),
    Device(Cow<'a, str>),
    EffectivePrincipal(Cow<'a, str>),
    Everybody,
    Header(Cow<'a, [u8]>),
    Host(Cow<'a, str>),
    Human(Cow<'a, str>),
    Tenant(Cow<'a, str>),
    Token(Cow<'a, str>),
    /// The client whose address is not known.
    UnknownClient,
    /// All requests that lack the header they are keyed by.
    WithoutHeader,
    Webhook(Cow<'a, str>),
}

impl Subject<'_> {
    /// A connection, by the id that the gateway gave it.
    #[must_use]
    pub fn connection(id: &str) -> Subject<'_> {
        Subject(Identity::Connection(Cow::Borrowed(id)))
    }

    /// What a kind of subject is called in metrics.
    pub(crate) fn kind(&self) -> &'static str {
        match self.0 {
            Identity::Actor(_) => "principal",
            Identity::Agent(_) => "agent",
            Identity::Anonymous => "anonymous",
            Identity::Client(_) => "client",
            Identity::ClientIp(_) | Identity::UnknownClient => "client_ip",
            Identity::Connection(_) => "connection",
            Identity::Custom(_) => "custom",
            Identity::Device(_) => "device",
            Identity::EffectivePrincipal(_) => "effective_principal",
            Identity::Everybody => "global",
            Identity::Header(_) | Identity::WithoutHeader => "header",
            Identity::Host(_) => "host",
            Identity::Human(_) => "human",
            Identity::Tenant(_) => "tenant",
            Identity::Token(_) => "token",
            Identity::Webhook(_) => "incoming_webhook",
        }
    }
}

/// The kind goes first, so that equal values of different kinds are different keys.
impl ToKey for Subject<'_> {
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        match &self.0 {
            Identity::Actor(id) => (1_u8, id).write_key(sink),
            Identity::Agent(id) => (2_u8, id).write_key(sink),
            Identity::Anonymous => 3_u8.write_key(sink),
            Identity::Client(id) => (4_u8, id).write_key(sink),
            Identity::ClientIp(address) => (5_u8, address).write_key(sink),
            Identity::Connection(id) => (6_u8, id).write_key(sink),
            Identity::Custom(key) => (7_u8, key).write_key(sink),
            Identity::Device(id) => (8_u8, id).write_key(sink),
            Identity::EffectivePrincipal(id) => (9_u8, id).write_key(sink),
            Identity::Everybody => Key::global().write_key(sink),
            Identity::Header(value) => (10_u8, value).write_key(sink),
            Identity::Host(id) => (11_u8, id).write_key(sink),
            Identity::Human(id) => (12_u8, id).write_key(sink),
            Identity::Tenant(id) => (13_u8, id).write_key(sink),
            Identity::Token(id) => (14_u8, id).write_key(sink),
            Identity::UnknownClient => 15_u8.write_key(sink),
            Identity::Webhook(id) => (16_u8, id).write_key(sink),
            Identity::WithoutHeader => 17_u8.write_key(sink),
        }
    }
}

impl Caller {
    /// The subject that this caller is for limits of a kind, or nothing when the kind is not one of
    /// callers or this one has no such id.
    ///
    /// An anonymous caller is no principal, agent, human, client, device or token, whatever its ids.
    #[must_use]
    pub fn subject(&self, kind: KeyKind) -> Option<Subject<'_>> {
        let id = |part| self.part(part).map(Cow::Borrowed);
        let own = |part| if self.authenticated { id(part) } else { None };
        Some(Subject(match kind {
            KeyKind::Agent => Identity::Agent(own(Part::Agent)?),
            KeyKind::Client => Identity::Client(own(Part::Client)?),
            KeyKind::DeviceOrToken => match own(Part::Device) {
                Some(device) => Identity::Device(device),
                None => Identity::Token(own(Part::Token)?),
            },
            KeyKind::EffectivePrincipal => Identity::EffectivePrincipal(
                own(Part::EffectivePrincipal).or_else(|| own(Part::Actor))?,
            ),
            KeyKind::Host => Identity::Host(id(Part::Host)?),
            KeyKind::Human => Identity::Human(own(Part::Human)?),
            KeyKind::Principal => Identity::Actor(own(Part::Actor)?),
            KeyKind::Tenant => Identity::Tenant(id(Part::Tenant)?),
            _ => return None,
        }))
    }
}

/// Names only the kind, never the identity.
impl fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subject").field(&self.kind()).finish()
    }
}

#[cfg(all(test, feature = "gate"))]
mod tests {
    use super::*;

    #[test]
    fn kinds_never_share_a_key_also_for_equal_values() {
        let address = IpAddr::from([0, 0, 0, 7]);
        let of_address = address.to_string();
        let text = || Cow::Borrowed(of_address.as_str());
        let identities = [
            Identity::Actor(text()),
            Identity::Agent(text()),
            Identity::Anonymous,
            Identity::Client(text()),
            Identity::ClientIp(address),
            Identity::Connection(text()),
            Identity::Custom(Key::new(of_address.as_str())),
            Identity::Custom(Key::global()),
            Identity::Device(text()),
            Identity::EffectivePrincipal(text()),
            Identity::Everybody,
            Identity::Header(Cow::Borrowed(of_address.as_bytes())),
            Identity::Host(text()),
            Identity::Human(text()),
            Identity::Tenant(text()),
            Identity::Token(text()),
            Identity::UnknownClient,
            Identity::Webhook(text()),
            Identity::WithoutHeader,
        ];
        let keys = identities.map(|identity| Key::new(Subject(identity)));
        for (index, key) in keys.iter().enumerate() {
            let meets = keys.iter().skip(index + 1).any(|other| other == key);
            assert!(!meets, "the identity at {index} meets another");
        }
    }
}
