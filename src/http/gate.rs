//! [`Gate`]: the HTTP front of a limiter.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use http::header::HeaderName;

use super::answer::{Answers, Refusal, RefusalKind};
use super::builder::GateBuilder;
use super::fields::{Fields, Member, TimeProfile};
use super::resolver::{Resolution, Resolver, Wanted};
use super::stand_in::{Decision, Limiter, Outcome};
use super::view::RequestView;
use crate::Class;
use crate::catalogue::Catalogue;
use crate::config::{Anonymous, MissingHeader};
use crate::declaration::Declaration;

/// Decides about requests: finds out who is asking, takes from that bucket, and says what to answer.
///
/// Clones share everything. A gate comes from a limiter and the settings that the limiter was made
/// of:
///
/// ```
/// use tollgate::http::Gate;
/// # use tollgate::{Config, http::stand_in::Limiter};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config: Config = Config::default();
/// let gate = Gate::builder(Limiter::new(&config)?).config(&config).build()?;
/// # Ok(()) }
/// ```
pub struct Gate<C: Catalogue = Class>(Arc<Inner<C>>);

pub(super) struct Inner<C: Catalogue> {
    pub(super) limiter: Limiter<C>,
    pub(super) resolver: Resolver,
    /// One entry a class, in the catalogue's order.
    pub(super) anonymous: Vec<Anonymous>,
    pub(super) profile: TimeProfile,
    pub(super) request_id: HeaderName,
    pub(super) answers: Answers<C>,
}

/// What the gate says of a request.
#[derive(Debug)]
#[must_use = "a refusal is only one when it is answered"]
pub enum Checked {
    /// The handler may run; the fields go on whatever response comes back.
    Admitted(Fields),
    /// The whole answer, fields included; the handler must not run.
    Refused(Response<Bytes>),
}

impl<C: Catalogue> Gate<C> {
    /// A gate in front of this limiter.
    pub fn builder(limiter: Limiter<C>) -> GateBuilder<C> {
        GateBuilder::new(limiter)
    }

    pub(super) fn new(inner: Inner<C>) -> Self {
        Self(Arc::new(inner))
    }

    /// Decides whether a request may reach the handler that made this declaration.
    ///
    /// Ask before authorization and before anything is read from the request, so that a refusal
    /// tells nothing about what the request asked for.
    pub async fn check(&self, declaration: &Declaration<C>, request: &RequestView<'_>) -> Checked {
        match *declaration {
            Declaration::Limited { class, cost, .. } => {
                self.0.check_class(class, cost, request).await
            }
            _ => Checked::Admitted(Fields::default()),
        }
    }

    /// The full address of the client behind a request, as the limits by address see it before they
    /// mask it; nothing when the peer is not known.
    #[must_use]
    pub fn client_ip(&self, request: &RequestView<'_>) -> Option<IpAddr> {
        self.0.resolver.address(request)
    }

    /// The limiter behind this gate.
    #[must_use]
    pub fn limiter(&self) -> &Limiter<C> {
        &self.0.limiter
    }
}

impl<C: Catalogue> Inner<C> {
    async fn check_class(&self, class: C, cost: u32, request: &RequestView<'_>) -> Checked {
        let definition = class.definition();
        let wanted = Wanted {
            name: definition.name,
            kind: definition.key_kind,
            anonymous: self.anonymous.get(class.index()).copied().unwrap_or_default(),
            missing: MissingHeader::Shared,
        };
        let caller = self.resolver.caller(request);
        let subject = match self.resolver.resolve(wanted, request, &caller) {
            Resolution::Bypass => return Checked::Admitted(Fields::default()),
            Resolution::Subject(subject) => subject,
            Resolution::Unresolved => {
                return self.refuse(RefusalKind::CallerUnresolved, &[], request);
            }
        };
        let Ok(decision) = self.limiter.acquire(class, cost, &subject).await else {
            tracing::error!(class = definition.name, cost, "a call costs more than its burst");
            return self.refuse(RefusalKind::Unservable, &[], request);
        };
        if decision.permitted() {
            return Checked::Admitted(self.fields(&[decision]));
        }
        let kind = match decision.outcome() {
            Outcome::BackendFailureClosed => RefusalKind::BackendUnavailable,
            _ => RefusalKind::QuotaExceeded,
        };
        self.refuse(kind, &[decision], request)
    }

    fn refuse(
        &self,
        kind: RefusalKind,
        decisions: &[Decision<C>],
        request: &RequestView<'_>,
    ) -> Checked {
        let refusal = Refusal::new(kind, decisions, request.parts(), &self.request_id);
        let mut response = self.answers.answer(&refusal);
        if kind == RefusalKind::QuotaExceeded {
            self.fields(decisions).write(response.headers_mut());
        }
        Checked::Refused(response)
    }

    /// The fields of those decisions that have numbers.
    fn fields(&self, decisions: &[Decision<C>]) -> Fields {
        Fields::new(self.profile, decisions.iter().filter_map(member))
    }
}

fn member<C: Catalogue>(decision: &Decision<C>) -> Option<Member<'_>> {
    if !decision.enforced() {
        return None;
    }
    Some(Member {
        name: decision.class().definition().name,
        limits: decision.limits(),
        remaining: decision.remaining()?,
        time_to_full: decision.reset_after()?,
        next_token: decision.next_token_after()?,
        retry_after: decision.retry_after(),
    })
}

impl<C: Catalogue> Clone for Gate<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Names no setting that could be a secret or an address.
impl<C: Catalogue> fmt::Debug for Gate<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("profile", &self.0.profile).finish_non_exhaustive()
    }
}
