//! [`Caller`]: who is behind a request, as far as the application knows.

mod subject;

#[cfg(feature = "gate")]
pub(crate) use subject::Identity;
pub use subject::Subject;

use std::fmt;
use std::sync::Arc;

/// The resolved identity behind a request or a connection.
///
/// The application makes it, from whatever its authentication found: in the function given to the
/// gate, or in an authenticating layer that puts it into the request's extensions. An id that is
/// empty counts as absent.
///
/// ```
/// use tollgate::Caller;
///
/// let alice = Caller::principal("alice").tenant("acme").device("phone-1");
/// assert!(!alice.is_anonymous());
/// assert!(Caller::anonymous().is_anonymous());
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Caller {
    authenticated: bool,
    ids: [Option<Arc<str>>; 9],
}

/// The parts of a caller, as positions in its ids.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Actor,
    Agent,
    Client,
    Device,
    EffectivePrincipal,
    Host,
    Human,
    Tenant,
    Token,
}

/// An anonymous caller to borrow.
#[cfg(feature = "gate")]
pub(crate) static NOBODY: Caller = Caller { authenticated: false, ids: [const { None }; 9] };

impl Caller {
    /// Nobody in particular: the request came without credentials.
    ///
    /// An anonymous caller may still have a [`tenant`](Self::tenant) and a [`host`](Self::host).
    #[must_use]
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// Somebody whose credentials were verified; say who with the methods below.
    #[must_use]
    pub fn authenticated() -> Self {
        Self { authenticated: true, ..Self::default() }
    }

    /// An authenticated caller who acts as the principal `id`.
    #[must_use]
    pub fn principal(id: impl Into<Arc<str>>) -> Self {
        Self::authenticated().actor(id)
    }

    /// Whether nobody was authenticated.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        !self.authenticated
    }

    /// The principal that acts.
    #[must_use]
    pub fn actor(self, id: impl Into<Arc<str>>) -> Self {
        self.with(Part::Actor, id)
    }

    /// The agent that acts.
    #[must_use]
    pub fn agent(self, id: impl Into<Arc<str>>) -> Self {
        self.with(Part::Agent, id)
    }

    /// The client that the credentials were issued to.
    #[must_use]
    pub fn client(self, id: impl Into<Arc<str>>) -> Self {
        self.with(Part::Client, id)
    }

    /// The device that the credentials are bound to.
    #[must_use]
    pub fn device(self, id: impl Into<Arc<str>>) -> Self {
        self.with(Part::Device, id)
    }

    /// The principal on whose behalf the actor acts; the actor itself when it is not set.
    #[must_use]
    pub fn effective_principal(self, id: impl Into<Arc<str>>) -> Self {
        self.with(Part::EffectivePrincipal, id)
    }

    /// The host that the request concerns.
    #[must_use]
    pub fn host(self, id: impl Into<Arc<str>>) -> Self {
        self.with(Part::Host, id)
    }

    /// The human behind the actor.
    #[must_use]
    pub fn human(self, id: impl Into<Arc<str>>) -> Self {
        self.with(Part::Human, id)
    }

    /// The tenant.
    #[must_use]
    pub fn tenant(self, id: impl Into<Arc<str>>) -> Self {
        self.with(Part::Tenant, id)
    }

    /// The id of the API token; never the token itself.
    #[must_use]
    pub fn token(self, id: impl Into<Arc<str>>) -> Self {
        self.with(Part::Token, id)
    }

    fn with(mut self, part: Part, id: impl Into<Arc<str>>) -> Self {
        let id = id.into();
        if let Some(slot) = self.ids.get_mut(part as usize) {
            *slot = (!id.is_empty()).then_some(id);
        }
        self
    }

    pub(crate) fn part(&self, part: Part) -> Option<&str> {
        self.ids.get(part as usize)?.as_deref()
    }
}

/// Names no identity: only whether somebody was authenticated.
impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("authenticated", &self.authenticated).finish_non_exhaustive()
    }
}
