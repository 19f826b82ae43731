//! [`Gate`]: the HTTP front of a limiter.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use bytes::Bytes;
use http::Response;

use super::builder::GateBuilder;
use super::fields::Fields;
use super::inner::{Admission, Asked, Inner};
use super::passage::{GateId, Passage};
use super::preflight::is_preflight;
use super::view::RequestView;
use crate::Class;
use crate::caller::Subject;
use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::declaration::Declaration;
use crate::limiter::{Limiter, Receipts, StartError};
use crate::sync::Mutex;

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
pub struct Gate<C: Catalogue = Class>(Arc<Shared<C>>);

/// What clones share.
struct Shared<C: Catalogue> {
    limiter: Limiter<C>,
    /// A request takes it once and goes on with it, whatever is put here meanwhile.
    present: ArcSwap<Inner<C>>,
    reloading: Mutex<()>,
}

/// What the gate says of a request.
#[derive(Debug)]
#[must_use = "a refusal is only one when it is answered"]
pub enum Checked {
    /// The handler may run; the fields go on whatever response comes back.
    Admitted(Fields),
    /// The whole answer, fields included; the handler must not run. In a box, because most requests are admitted, and would
    /// else carry room for it around.
    Refused(Box<Response<Bytes>>),
}

impl<C: Catalogue> Gate<C> {
    /// A gate in front of this limiter.
    pub fn builder(limiter: Limiter<C>) -> GateBuilder<C> {
        GateBuilder::new(limiter)
    }

    pub(super) fn new(inner: Inner<C>) -> Self {
        let limiter = inner.limiter.clone();
        let present = ArcSwap::from_pointee(inner);
        Self(Arc::new(Shared { limiter, present, reloading: Mutex::default() }))
    }

    /// Goes on under another configuration, and [the limiter](Limiter::reload) with it: edge rules and default budgets
    /// come, go and change, and so do trusted proxies, the header that names the client, the prefix of
    /// IPv6 networks and what anonymous callers are.
    ///
    /// A rule that keeps its name keeps what was spent, also if it was away in between. Requests that are
    /// under way end with what they began with. When there is an error, nothing has changed.
    ///
    /// ```
    /// use tollgate::config::EdgeKey;
    /// use tollgate::http::Gate;
    /// use tollgate::{Config, Limiter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let limiter = Limiter::new(&Config::default())?;
    /// let gate: Gate = Gate::builder(limiter).build()?;
    /// let everybody = Config::builder()
    ///     .edge(|rule| rule.name("everybody").keys([EdgeKey::Global]).per_minute(6000).burst(100));
    /// gate.reload(&everybody.build()?)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As those of [`Limiter::reload`].
    pub fn reload(&self, config: &Config<C>) -> Result<(), StartError> {
        let _one_at_a_time = self.0.reloading.lock();
        let mut inner = Inner::clone(&**self.inner());
        inner.adopt(config)?;
        self.0.limiter.reload(config)?;
        self.0.present.store(Arc::new(inner));
        Ok(())
    }

    /// The gate as it stands at the moment. Whoever waits keeps a clone of what is in the guard.
    #[inline]
    pub(super) fn inner(&self) -> Guard<Arc<Inner<C>>> {
        self.0.present.load()
    }

    /// Decides whether a request may reach the handler that made this declaration.
    ///
    /// Ask before authorization and before anything is read from the request, so that a refusal
    /// tells nothing about what the request asked for.
    pub async fn check(&self, declaration: &Declaration<C>, request: &RequestView<'_>) -> Checked {
        match self.ask_for_handler(declaration, request) {
            Asked::Answered(admission) => admission.checked,
            Asked::Waiting(question) => question.answer(request).await.checked,
        }
    }

    /// The same as [`check`](Self::check) up to where it has to wait.
    pub(crate) fn ask_for_handler(
        &self,
        declaration: &Declaration<C>,
        request: &RequestView<'_>,
    ) -> Asked<C> {
        let extensions = request.extensions();
        if matches!(declaration, Declaration::Default)
            && Passage::has_charged_defaults(extensions, self.id())
        {
            // A layer in front has taken what this asks for, and writes the fields.
            return Asked::Answered(Admission::free());
        }
        Passage::declare(extensions);
        self.ask(declaration, request)
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
        match self.ask(declaration, request) {
            Asked::Answered(admission) => admission,
            Asked::Waiting(question) => question.answer(request).await,
        }
    }

    fn ask(&self, declaration: &Declaration<C>, request: &RequestView<'_>) -> Asked<C> {
        let inner = self.inner();
        Asked::Answered(match declaration {
            Declaration::Budget(budget) => inner.check_route(budget, request),
            Declaration::Default => inner.check_defaults(request),
            Declaration::Exempt { .. } => Admission::free(),
            Declaration::Limited { class, cost, .. } => return inner.ask(*class, *cost, request),
        })
    }

    /// The same as [`check_edge`](Self::check_edge), with what can be given back.
    pub(crate) fn admit_at_edge(&self, request: &RequestView<'_>) -> Admission {
        self.inner().check_edge(request)
    }

    /// Takes from the default budgets on the way to a handler that is not known to declare anything. A
    /// preflight costs nothing.
    pub(crate) fn admit_undeclared(&self, request: &RequestView<'_>) -> Admission {
        if is_preflight(request) {
            return Admission::free();
        }
        let admission = self.inner().check_defaults(request);
        Passage::charge_defaults(request.extensions(), self.id());
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
        self.inner().resolver.address(request)
    }

    /// The subject whose buckets a request takes from where limits are kept by client address.
    #[must_use]
    pub fn client(&self, request: &RequestView<'_>) -> Subject<'static> {
        self.inner().resolver.client(request)
    }

    /// The limiter behind this gate.
    #[must_use]
    pub fn limiter(&self) -> &Limiter<C> {
        &self.0.limiter
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
        f.debug_struct("Gate").field("name", &self.inner().name).finish_non_exhaustive()
    }
}
