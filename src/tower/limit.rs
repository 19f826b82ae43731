//! [`LimitLayer`]: a limit in front of any service.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

use super::view;
use crate::Class;
use crate::catalogue::{ActionCatalogue, Catalogue, Surface};
use crate::declaration::{Declaration, RouteBudget};
use crate::http::{Admission, Checked, Fields, Gate, Passage, RequestView, is_preflight};
use crate::limiter::Receipts;

/// Takes from a limit before the service behind it is called, and puts the rate-limit fields on
/// whatever comes back.
///
/// What a layer has taken is given back when a limit further in refuses the request, so a refused
/// request costs nothing. A CORS preflight passes the edge rules and the default budgets freely.
///
/// ```
/// use tollgate::http::Gate;
/// use tollgate::tower::LimitLayer;
/// use tollgate::{Class, Config, Limiter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let config = Config::<Class>::default();
/// # let gate = Gate::builder(Limiter::new(&config)?).build()?;
/// let searches = LimitLayer::class(gate.clone(), Class::Search)?;
/// let before_routing = LimitLayer::edge(gate.clone());
/// let for_the_rest = LimitLayer::defaults(gate);
/// # Ok(())
/// # }
/// ```
pub struct LimitLayer<C: Catalogue = Class> {
    gate: Gate<C>,
    which: Which<C>,
}

/// The service that a [`LimitLayer`] makes of another.
pub struct Limit<S, C: Catalogue = Class> {
    inner: S,
    layer: LimitLayer<C>,
}

/// A class or an action of the gateway, which no HTTP request can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is of the gateway and cannot limit HTTP requests; name one whose surface is `rest` or `any`"
)]
pub struct GatewayOnly {
    name: &'static str,
}

/// Which limit it is.
enum Which<C: Catalogue> {
    Declared(Declaration<C>),
    Defaults,
    Edge,
}

impl<C: Catalogue> LimitLayer<C> {
    /// The edge rules of the configuration, for every request: the outermost layer, before routing
    /// and authentication.
    #[must_use]
    pub fn edge(gate: Gate<C>) -> Self {
        Self { gate, which: Which::Edge }
    }

    /// The host's default budgets, per tenant and per client address, for every request behind it. It
    /// stands inside of what authenticates, so that the tenant is known.
    ///
    /// A layer does not see what stands behind it, so it asks the budgets before anything there runs. A
    /// handler that then turns out to declare a limit of its own, or that it is exempt, keeps to
    /// that, and the budgets get back what they gave; but while they are used up it is refused like
    /// all others. A router of `tollgate::axum::routing` knows its declarations: its `default_budgets` leaves
    /// the handlers that have one alone.
    #[must_use]
    pub fn defaults(gate: Gate<C>) -> Self {
        Self { gate, which: Which::Defaults }
    }

    /// A budget, for every request behind it.
    #[must_use]
    pub fn budget(gate: Gate<C>, budget: RouteBudget) -> Self {
        Self { gate, which: Which::Declared(Declaration::Budget(budget)) }
    }

    /// A class, for every request behind it, at one token each. A layer knows no parameters of the
    /// path, so a class by incoming webhook is declared at the handler instead.
    ///
    /// # Errors
    ///
    /// When the class is only for the gateway.
    pub fn class(gate: Gate<C>, class: C) -> Result<Self, GatewayOnly> {
        let definition = class.definition();
        if definition.surface == Surface::Gateway {
            return Err(GatewayOnly { name: definition.name });
        }
        Ok(Self { gate, which: Which::Declared(Declaration::class(class)) })
    }

    /// The class and the cost of an action, for every request behind it.
    ///
    /// # Errors
    ///
    /// When the action enters only at the gateway.
    pub fn action(gate: Gate<C>, action: C::Action) -> Result<Self, GatewayOnly> {
        let definition = action.definition();
        if definition.surface == Surface::Gateway {
            return Err(GatewayOnly { name: definition.id });
        }
        let declaration = crate::__private::action_declaration(definition);
        Ok(Self { gate, which: Which::Declared(declaration) })
    }

    /// What the limit says of a request, before the service is called.
    pub(crate) async fn ask(&self, view: &RequestView<'_>) -> Admission {
        match &self.which {
            Which::Declared(declaration) => self.gate.admit(declaration, view).await,
            Which::Defaults => self.gate.admit_undeclared(view),
            Which::Edge if is_preflight(view) => Admission::free(),
            Which::Edge => self.gate.admit_at_edge(view),
        }
    }

    /// The fields for the answer of the service. There are none when the request was charged for
    /// nothing: refused further in, or by the defaults although its handler has a limit of its own.
    /// What it was charged is given back then.
    pub(crate) fn settle(&self, fields: Fields, receipts: Receipts, passage: &Passage) -> Fields {
        if passage.refused() || matches!(self.which, Which::Defaults) && passage.declared() {
            self.gate.give_back(receipts);
            return Fields::default();
        }
        fields
    }

    /// No limit on purpose, for what can tell a layer further out.
    #[cfg(feature = "actix")]
    pub(crate) fn exempt(gate: Gate<C>, reason: &'static str) -> Self {
        Self { gate, which: Which::Declared(Declaration::Exempt { reason }) }
    }

    /// What is declared for every request; nothing of the defaults and the edge rules.
    #[cfg(feature = "actix")]
    pub(crate) fn declaration(&self) -> Option<&Declaration<C>> {
        match &self.which {
            Which::Declared(declaration) => Some(declaration),
            Which::Defaults | Which::Edge => None,
        }
    }
}

impl<S, C, B, R> Service<Request<B>> for Limit<S, C>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    C: Catalogue,
    B: Send + 'static,
    R: From<Bytes> + Send + 'static,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The service that was polled is the one that is ready, and its clone need not be.
        let waiting = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, waiting);
        let layer = self.layer.clone();
        Box::pin(serve(layer, inner, request))
    }
}

async fn serve<S, C, B, R>(
    layer: LimitLayer<C>,
    mut inner: S,
    mut request: Request<B>,
) -> Result<Response<R>, S::Error>
where
    S: Service<Request<B>, Response = Response<R>>,
    C: Catalogue,
    R: From<Bytes>,
{
    let passage = Passage::enter(request.extensions_mut());
    let Admission { checked, receipts } = layer.ask(&view(&request)).await;
    let fields = match checked {
        Checked::Admitted(fields) => fields,
        Checked::Refused(refusal) => return Ok((*refusal).map(R::from)),
    };
    let mut response = inner.call(request).await?;
    layer.settle(fields, receipts, &passage).write(response.headers_mut());
    Ok(response)
}

impl<S, C: Catalogue> Layer<S> for LimitLayer<C> {
    type Service = Limit<S, C>;

    fn layer(&self, inner: S) -> Limit<S, C> {
        Limit { inner, layer: self.clone() }
    }
}

impl<C: Catalogue> Clone for LimitLayer<C> {
    fn clone(&self) -> Self {
        Self { gate: self.gate.clone(), which: self.which.clone() }
    }
}

impl<C: Catalogue> Clone for Which<C> {
    fn clone(&self) -> Self {
        match self {
            Self::Declared(declaration) => Self::Declared(*declaration),
            Self::Defaults => Self::Defaults,
            Self::Edge => Self::Edge,
        }
    }
}

impl<S: Clone, C: Catalogue> Clone for Limit<S, C> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), layer: self.layer.clone() }
    }
}

impl<C: Catalogue> fmt::Debug for LimitLayer<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LimitLayer").field("gate", &self.gate).finish_non_exhaustive()
    }
}

impl<S, C: Catalogue> fmt::Debug for Limit<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limit").field("layer", &self.layer).finish_non_exhaustive()
    }
}
