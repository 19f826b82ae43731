//! [`Limit`]: a limit in front of an app, a scope or a resource.

use std::fmt;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::Error;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform};

use super::failure::Failure;
use super::translate::{Head, answer, write};
use crate::Class;
use crate::catalogue::Catalogue;
use crate::declaration::{Declaration, RouteBudget};
use crate::http::{Admission, Checked, Gate, Passage};
use crate::tower::{GatewayOnly, LimitLayer};

/// Takes from a limit before what it wraps is called, and puts the rate-limit fields on whatever
/// comes back, also on errors.
///
/// What a limit has taken is given back when one further in refuses the request, so a refused
/// request costs nothing. A CORS preflight passes the edge rules and the default budgets freely.
///
/// ```
/// use actix_web::{App, web};
/// use tollgate::actix::Limit;
/// use tollgate::http::Gate;
/// use tollgate::{Action, Class, Config, Limiter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let config = Config::<Class>::default();
/// let gate = Gate::builder(Limiter::new(&config)?).build()?;
/// let send = Limit::action(gate.clone(), Action::MessageSend)?;
/// let app = move || {
///     App::new()
///         .service(
///             web::resource("/v1/channels/{channel_id}/messages")
///                 .route(web::post().to(async || "sent"))
///                 .wrap(send.clone()),
///         )
///         .wrap(Limit::edge(gate.clone()))
/// };
/// # let _ = app();
/// # Ok(())
/// # }
/// ```
pub struct Limit<C: Catalogue = Class>(LimitLayer<C>);

/// The service that a [`Limit`] makes of another.
pub struct LimitService<S, C: Catalogue = Class> {
    inner: Rc<S>,
    layer: LimitLayer<C>,
}

impl<C: Catalogue> Limit<C> {
    /// The edge rules of the configuration, for every request: the outermost middleware of the app,
    /// which is the last that wraps it.
    #[must_use]
    pub fn edge(gate: Gate<C>) -> Self {
        Self(LimitLayer::edge(gate))
    }

    /// The host's default budgets, per tenant and per client address, for every request behind it. It
    /// stands inside of what authenticates, so that the tenant is known.
    ///
    /// A request that meets a limit by class, by action or by a budget further in, or
    /// [`exempt`](Self::exempt), keeps to that, and the default budgets get back what they gave; but while
    /// they are used up it is refused like all others.
    #[must_use]
    pub fn defaults(gate: Gate<C>) -> Self {
        Self(LimitLayer::defaults(gate))
    }

    /// A budget, for every request behind it.
    #[must_use]
    pub fn budget(gate: Gate<C>, budget: RouteBudget) -> Self {
        Self(LimitLayer::budget(gate, budget))
    }

    /// A class, for every request behind it, at one token each. A class by incoming webhook wraps
    /// the resource whose path has the parameter `webhook_id`.
    ///
    /// # Errors
    ///
    /// When the class is only for the gateway.
    pub fn class(gate: Gate<C>, class: C) -> Result<Self, GatewayOnly> {
        LimitLayer::class(gate, class).map(Self)
    }

    /// The class and the cost of an action, for every request behind it.
    ///
    /// # Errors
    ///
    /// When the action enters only at the gateway.
    pub fn action(gate: Gate<C>, action: C::Action) -> Result<Self, GatewayOnly> {
        LimitLayer::action(gate, action).map(Self)
    }

    /// No limit at all, on purpose, under the default budgets of a scope or of the app; `reason` says
    /// why.
    #[must_use]
    pub fn exempt(gate: Gate<C>, reason: &'static str) -> Self {
        Self(LimitLayer::exempt(gate, reason))
    }
}

impl<S, B, C> Service<ServiceRequest> for LimitService<S, C>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
    C: Catalogue,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>>>>;

    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&self, request: ServiceRequest) -> Self::Future {
        Box::pin(serve(self.layer.clone(), Rc::clone(&self.inner), request))
    }
}

async fn serve<S, B, C>(
    layer: LimitLayer<C>,
    inner: Rc<S>,
    request: ServiceRequest,
) -> Result<ServiceResponse<EitherBody<B>>, Error>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    C: Catalogue,
{
    let head = Head::new(&request, layer.declaration().and_then(Declaration::key_kind));
    if layer.declaration().is_some() {
        Passage::declare(&head.parts.extensions);
    }
    let path_parameter = |name: &str| head.path_parameters.get(name).map(String::as_str);
    let view = head.view().path_parameter(&path_parameter);
    let Admission { checked, receipts } = layer.ask(&view).await;
    let fields = match checked {
        Checked::Admitted(fields) => fields,
        Checked::Refused(refusal) => {
            return Ok(request.into_response(answer(*refusal)).map_into_right_body());
        }
    };
    let outcome = inner.call(request).await;
    let fields = layer.settle(fields, receipts, &head.passage);
    match outcome {
        Ok(mut response) => {
            write(fields, response.headers_mut());
            Ok(response.map_into_left_body())
        }
        Err(error) => Err(Failure::wrap(error, fields)),
    }
}

impl<S, B, C> Transform<S, ServiceRequest> for Limit<C>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
    C: Catalogue,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Transform = LimitService<S, C>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(LimitService { inner: Rc::new(inner), layer: self.0.clone() }))
    }
}

impl<C: Catalogue> Clone for Limit<C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<C: Catalogue> fmt::Debug for Limit<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Limit").field(&self.0).finish()
    }
}

impl<S, C: Catalogue> fmt::Debug for LimitService<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LimitService").field("layer", &self.layer).finish_non_exhaustive()
    }
}
