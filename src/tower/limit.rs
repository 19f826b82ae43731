//! [`LimitLayer`]: a limit in front of any service.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

use super::routes::{Habit, Routes};
use super::view;
use crate::Class;
use crate::catalogue::{ActionCatalogue, Catalogue, Surface};
use crate::declaration::{Declaration, RouteBudget};
use crate::http::{Checked, Fields, Gate, Passage, is_preflight};
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
    Defaults(Routes),
    Edge,
}

impl<C: Catalogue> LimitLayer<C> {
    /// The edge rules of the configuration, for every request: the outermost layer, before routing
    /// and authentication.
    #[must_use]
    pub fn edge(gate: Gate<C>) -> Self {
        Self { gate, which: Which::Edge }
    }

    /// The host's default budgets, per tenant and per client address, for handlers that declare
    /// nothing. It stands inside of what authenticates, so that the tenant is known.
    ///
    /// Handlers behind it that declare a limit of their own, or that they are exempt, keep to that.
    /// A router does not say which these are, so it is learned from the first request to each
    /// route, for which the budgets are asked after the handler instead of before: of a safe method
    /// (`GET`, `HEAD`), a refusal then replaces the answer; any other method costs nothing that once.
    #[must_use]
    pub fn defaults(gate: Gate<C>) -> Self {
        Self { gate, which: Which::Defaults(Routes::default()) }
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
    async fn ask(&self, request: &Parts) -> Entry {
        let view = view(request);
        let admission = match &self.which {
            Which::Declared(declaration) => self.gate.admit(declaration, &view).await,
            Which::Edge | Which::Defaults(_) if is_preflight(request) => return Entry::Free,
            Which::Edge => self.gate.admit_at_edge(&view),
            Which::Defaults(routes) => match routes.habit(&request.method, view.template()) {
                Habit::Declares => return Entry::Free,
                Habit::DeclaresNothing => self.gate.admit(&Declaration::Default, &view).await,
                Habit::Unknown => return Entry::Later(Box::new(request.clone())),
            },
        };
        match admission.checked {
            Checked::Admitted(fields) => Entry::Admitted(fields, admission.receipts),
            Checked::Refused(refusal) => Entry::Refused(refusal),
        }
    }

    /// Keeps what the answer to a request has shown of its route.
    fn learn(&self, request: &Parts, passage: &Passage) {
        if let Which::Defaults(routes) = &self.which {
            let template = view(request).template();
            routes.learn(&request.method, template, passage.declared_at(template));
        }
    }

    /// Whether a request was charged by the defaults although its handler has a limit of its own.
    fn is_superseded(&self, passage: &Passage) -> bool {
        matches!(self.which, Which::Defaults(_)) && passage.declared()
    }
}

/// How a request enters.
enum Entry {
    Admitted(Fields, Receipts),
    /// The limit does not concern it.
    Free,
    /// The answer has to tell first whether the limit concerns it.
    Later(Box<Parts>),
    Refused(Response<Bytes>),
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
    request: Request<B>,
) -> Result<Response<R>, S::Error>
where
    S: Service<Request<B>, Response = Response<R>>,
    C: Catalogue,
    R: From<Bytes> + Send,
{
    let (mut parts, body) = request.into_parts();
    let passage = Passage::enter(&mut parts.extensions);
    let entry = layer.ask(&parts).await;
    if let Entry::Refused(refusal) = entry {
        return Ok(refusal.map(R::from));
    }
    let mut response = inner.call(Request::from_parts(parts, body)).await?;
    match entry {
        Entry::Admitted(_, receipts) if passage.refused() || layer.is_superseded(&passage) => {
            layer.gate.give_back(receipts);
        }
        Entry::Admitted(fields, _) => fields.write(response.headers_mut()),
        Entry::Later(parts) => {
            layer.learn(&parts, &passage);
            if !passage.declared() && parts.method.is_safe() {
                match layer.gate.admit(&Declaration::Default, &view(&parts)).await.checked {
                    Checked::Admitted(fields) => fields.write(response.headers_mut()),
                    Checked::Refused(refusal) => return Ok(refusal.map(R::from)),
                }
            }
        }
        Entry::Free | Entry::Refused(_) => {}
    }
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
            Self::Defaults(routes) => Self::Defaults(routes.clone()),
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
