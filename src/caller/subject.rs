//! [`Subject`]: whose bucket it is.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use super::{Caller, Part};
use crate::catalogue::KeyKind;

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

/// The kinds of subjects; what tells two kinds apart in a key is [`tag`](Self::tag).
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Identity<'a> {
    Actor(Cow<'a, str>),
    Agent(Cow<'a, str>),
    /// All anonymous callers together.
    Anonymous,
    Client(Cow<'a, str>),
    ClientIp(IpAddr),
    Connection(Cow<'a, str>),
    Custom(Cow<'a, str>),
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

    /// The kind that the limit says it counts by, in the words of the catalogue.
    pub(crate) fn kind(&self) -> &'static str {
        match self.0 {
            Identity::Actor(_) => "principal",
            Identity::Agent(_) => "agent",
            Identity::Anonymous => "anonymous",
            Identity::Client(_) => "client",
            Identity::ClientIp(_) | Identity::UnknownClient => "client IP",
            Identity::Connection(_) => "connection",
            Identity::Custom(_) => "custom",
            Identity::Device(_) | Identity::Token(_) => "device or token",
            Identity::EffectivePrincipal(_) => "effective principal",
            Identity::Everybody => "global",
            Identity::Header(_) | Identity::WithoutHeader => "header",
            Identity::Host(_) => "host",
            Identity::Human(_) => "human",
            Identity::Tenant(_) => "tenant",
            Identity::Webhook(_) => "incoming webhook",
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
