//! [`Door`]: where a request enters what declares no limit, and meets the default budgets.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ::axum::body::Body;
use ::axum::extract::Request;
use ::axum::response::{IntoResponse, Response};
use http::Extensions;
use tower_layer::Layer;
use tower_service::Service;

use crate::axum::view;
use crate::catalogue::Catalogue;
use crate::http::{Admission, Checked, Gate, Passage};
use crate::limiter::Receipts;

/// The default budgets that a request takes from if it comes to a door. A declared handler has none in
/// front of it.
#[derive(Clone)]
pub(in crate::axum) struct Pending(Arc<dyn Defaults>);

/// The default budgets of a gate, of whichever catalogue.
trait Defaults: Send + Sync {
    fn admit(&self, request: &Request) -> Admission;

    fn give_back(&self, receipts: Receipts);
}

/// Puts a [`Door`] in front of what declares nothing.
#[derive(Clone, Copy)]
pub(super) struct DoorLayer;

/// Charges requests before what is behind it runs, when default budgets are pending.
#[derive(Clone)]
pub(super) struct Door<S>(S);

impl Pending {
    pub(super) fn new<C: Catalogue>(gate: Gate<C>) -> Self {
        Self(Arc::new(gate))
    }

    /// Frees a request from default budgets, because its handler has a declaration.
    pub(in crate::axum) fn cancel(extensions: &mut Extensions) {
        extensions.remove::<Self>();
    }
}

impl<C: Catalogue> Defaults for Gate<C> {
    fn admit(&self, request: &Request) -> Admission {
        self.admit_undeclared(&view(request))
    }

    fn give_back(&self, receipts: Receipts) {
        Gate::give_back(self, receipts);
    }
}

impl<S> Layer<S> for DoorLayer {
    type Service = Door<S>;

    fn layer(&self, inner: S) -> Door<S> {
        Door(inner)
    }
}

impl<S> Service<Request> for Door<S>
where
    S: Service<Request, Error = Infallible> + Clone + Send + 'static,
    S::Response: IntoResponse,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        // The service that was polled is the one that is ready, and its clone need not be.
        let waiting = self.0.clone();
        let mut inner = std::mem::replace(&mut self.0, waiting);
        Box::pin(async move {
            // Taken out, so that no second door charges again.
            let Some(Pending(defaults)) = request.extensions_mut().remove() else {
                return Ok(inner.call(request).await?.into_response());
            };
            let passage = Passage::enter(request.extensions_mut());
            let Admission { checked, receipts } = defaults.admit(&request);
            let fields = match checked {
                Checked::Admitted(fields) => fields,
                Checked::Refused(refusal) => return Ok((*refusal).map(Body::from)),
            };
            let response = inner.call(request).await?;
            let mut response = response.into_response();
            if passage.refused() || passage.declared() {
                defaults.give_back(receipts);
            } else {
                fields.write(response.headers_mut());
            }
            Ok(response)
        })
    }
}
