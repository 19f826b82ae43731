//! [`Gate`]: the HTTP front of a limiter.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use http::header::HeaderName;

use super::answer::{Answers, Refusal, RefusalKind};
use super::budgets::Budgets;
use super::builder::GateBuilder;
use super::exceeded::{Counter, Exceeded};
use super::fields::{Fields, TimeProfile};
use super::passage::{GateId, Passage};
use super::preflight::is_preflight;
use super::resolver::{Resolution, Resolver, Wanted};
use super::ruling::Ruling;
use super::view::RequestView;
use crate::Class;
use crate::caller::Subject;
use crate::catalogue::Catalogue;
use crate::config::{Anonymous, MissingHeader};
use crate::decision::{AcquireError, Outcome};
use crate::declaration::Declaration;
use crate::limiter::{Limiter, Receipt, Receipts};

/// Decides about requests: finds out who is asking, takes from that bucket, and says what to answer.
///
/// Clones share everything. A gate has the settings that its limiter was made of:
///
/// ```
/// use tollgate::http::Gate;
/// use tollgate::{Class, Config, Limiter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = Config::<Class>::default();
/// let gate = Gate::builder(Limiter::new(&config)?).build()?;
/// # Ok(())
/// # }
/// ```
pub struct Gate<C: Catalogue = Class>(pub(super) Arc<Inner<C>>);

pub(super) struct Inner<C: Catalogue> {
    pub(super) limiter: Limiter<C>,
    pub(super) name: String,
    pub(super) resolver: Resolver,
    /// One entry a class, in the catalogue's order.
    pub(super) anonymous: Vec<Anonymous>,
    pub(super) budgets: Budgets,
    pub(super) profile: TimeProfile,
    pub(super) request_id: HeaderName,
    pub(super) answers: Answers<C>,
    pub(super) counter: Counter,
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

/// What was decided, and what it took.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) checked: Checked,
    /// Empty for a refusal, which takes nothing.
    pub(crate) receipts: Receipts,
}

impl Admission {
    /// An admission without a limit.
    pub(crate) fn free() -> Self {
        Self { checked: Checked::Admitted(Fields::default()), receipts: Receipts::default() }
    }

    fn refused(response: Response<Bytes>) -> Self {
        Self { checked: Checked::Refused(response), receipts: Receipts::default() }
    }
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
        let extensions = &request.parts().extensions;
        if matches!(declaration, Declaration::Default)
            && Passage::has_charged_defaults(extensions, self.id())
        {
            // A layer in front has taken what this asks for, and writes the fields.
            return Checked::Admitted(Fields::default());
        }
        Passage::declare(extensions);
        self.admit(declaration, request).await.checked
    }

    /// Decides whether a request may pass the edge rules of the configuration, before it is routed.
    pub fn check_edge(&self, request: &RequestView<'_>) -> Checked {
        self.admit_at_edge(request).checked
    }

    /// The same as [`check`](Self::check), with what can be given back.
    pub(crate) async fn admit(
        &self,
        declaration: &Declaration<C>,
        request: &RequestView<'_>,
    ) -> Admission {
        match declaration {
            Declaration::Budget(budget) => self.0.check_route(budget, request),
            Declaration::Default => self.0.check_defaults(request),
            Declaration::Exempt { .. } => Admission::free(),
            Declaration::Limited { class, cost, .. } => {
                self.0.check_class(*class, *cost, request).await
            }
        }
    }

    /// The same as [`check_edge`](Self::check_edge), with what can be given back.
    pub(crate) fn admit_at_edge(&self, request: &RequestView<'_>) -> Admission {
        self.0.check_edge(request)
    }

    /// Takes from the default budgets on the way to a handler that is not known to declare anything. A
    /// preflight costs nothing.
    pub(crate) fn admit_undeclared(&self, request: &RequestView<'_>) -> Admission {
        let parts = request.parts();
        if is_preflight(parts) {
            return Admission::free();
        }
        let admission = self.0.check_defaults(request);
        Passage::charge_defaults(&parts.extensions, self.id());
        admission
    }

    /// Gives back what an admission took, for a request that was refused further on.
    pub(crate) fn give_back(&self, receipts: Receipts) {
        self.0.limiter.refund(receipts);
    }

    fn id(&self) -> GateId {
        GateId(Arc::as_ptr(&self.0).addr())
    }

    /// The full address of the client behind a request, as the limits by address see it before they
    /// mask it; nothing when the peer is not known.
    #[must_use]
    pub fn client_ip(&self, request: &RequestView<'_>) -> Option<IpAddr> {
        self.0.resolver.address(request)
    }

    /// The subject whose buckets a request takes from where limits are kept by client address.
    #[must_use]
    pub fn client(&self, request: &RequestView<'_>) -> Subject<'static> {
        self.0.resolver.client(request)
    }

    /// The limiter behind this gate.
    #[must_use]
    pub fn limiter(&self) -> &Limiter<C> {
        &self.0.limiter
    }
}

impl<C: Catalogue> Inner<C> {
    async fn check_class(&self, class: C, cost: u32, request: &RequestView<'_>) -> Admission {
        let definition = class.definition();
        let wanted = Wanted {
            name: definition.name,
            kind: definition.key_kind,
            anonymous: self.anonymous.get(class.index()).copied().unwrap_or_default(),
            missing: MissingHeader::Shared,
        };
        let caller = self.resolver.caller(request);
        let limit = self.limiter.class(class);
        let limit = match self.resolver.tier(&caller) {
            Some(tier) => limit.tier(&tier),
            None => limit,
        };
        let subject = match self.resolver.resolve(wanted, request, &caller) {
            Resolution::Bypass => return Admission::free(),
            Resolution::Subject(subject) => subject,
            // What is switched off or only watches refuses nobody, whoever it is.
            Resolution::Unresolved if !limit.binds() => return Admission::free(),
            Resolution::Unresolved => return self.unresolved(request),
        };
        let Ok(limit) = limit.cost(cost.into()) else {
            // A declaration cannot say 0, and every other 32-bit cost is one.
            return self.unservable(definition.name, None, request);
        };
        let acquire = limit.acquire(&subject);
        let receipt = acquire.receipt();
        match acquire.await {
            Ok(decision) => {
                let ruling = Ruling {
                    name: definition.name,
                    class: Some(class),
                    key_kind: subject.kind(),
                    verdict: decision.verdict(),
                };
                self.conclude(&[ruling], [receipt], request)
            }
            Err(error) => self.unservable(definition.name, Some(error), request),
        }
    }

    /// The admission or the refusal that follows from what the limits said; `receipts` are in the
    /// order of the rulings.
    pub(super) fn conclude(
        &self,
        rulings: &[Ruling<'_, C>],
        receipts: impl IntoIterator<Item = Receipt>,
        request: &RequestView<'_>,
    ) -> Admission {
        let Some(refused) = rulings.iter().find(|ruling| !ruling.permitted()) else {
            // A limit that is switched off, or that only watches, may have taken nothing.
            let taken = rulings.iter().zip(receipts).filter(|(ruling, _)| ruling.took());
            let receipts = taken.map(|(_, receipt)| receipt).collect();
            return Admission { checked: Checked::Admitted(self.fields(rulings)), receipts };
        };
        if refused.outcome() != Outcome::QuotaExceeded {
            let response = self.refuse(RefusalKind::BackendUnavailable, rulings, request);
            return Admission::refused(response);
        }
        self.counter.count(&Exceeded {
            plugin: &self.name,
            route: request.template().unwrap_or_default(),
            key_kind: refused.key_kind,
        });
        let mut response = self.refuse(RefusalKind::QuotaExceeded, rulings, request);
        self.fields(rulings).write(response.headers_mut());
        Admission::refused(response)
    }

    pub(super) fn unresolved(&self, request: &RequestView<'_>) -> Admission {
        Admission::refused(self.refuse(RefusalKind::CallerUnresolved, &[], request))
    }

    /// What can never succeed, or not any more: a mistake of the program, so somebody must hear it.
    pub(super) fn unservable(
        &self,
        limit: &str,
        error: Option<AcquireError>,
        request: &RequestView<'_>,
    ) -> Admission {
        let route = request.template().unwrap_or_default();
        let kind = match error {
            Some(AcquireError::Closed) => RefusalKind::BackendUnavailable,
            _ => RefusalKind::Unservable,
        };
        let error = error.as_ref().map(tracing::field::display);
        tracing::error!(limit, route, error, "a request cannot be limited and is refused");
        Admission::refused(self.refuse(kind, &[], request))
    }

    fn refuse(
        &self,
        kind: RefusalKind,
        rulings: &[Ruling<'_, C>],
        request: &RequestView<'_>,
    ) -> Response<Bytes> {
        Passage::refuse(&request.parts().extensions);
        let refusal = Refusal::new(kind, rulings, request.parts(), &self.request_id);
        self.answers.answer(&refusal)
    }

    /// The fields of those limits that have numbers.
    pub(super) fn fields(&self, rulings: &[Ruling<'_, C>]) -> Fields {
        Fields::new(self.profile, rulings.iter().filter_map(Ruling::member))
    }
}

impl<C: Catalogue> Clone for Gate<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Names no setting that could be a secret or an address.
impl<C: Catalogue> fmt::Debug for Gate<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("name", &self.0.name).finish_non_exhaustive()
    }
}
