//! [`GrpcLayer`]: a layer of this module in front of services of gRPC.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

/// Makes a layer of this module one for services of gRPC, as those of tonic.
///
/// A refused call gets a status without a message: `RESOURCE_EXHAUSTED` with the seconds to wait, both
/// as `retry-after` in the metadata and as `google.rpc.RetryInfo` in the details of the status;
/// `UNAVAILABLE` when the limit cannot be decided. The rate-limit fields are in the metadata of every
/// answer. All that is what the gate answers to any request of gRPC; this layer is for bodies that
/// cannot be made from bytes, but can be empty.
///
/// ```
/// use tollgate::http::Gate;
/// use tollgate::tower::{GrpcLayer, LimitLayer};
/// use tollgate::{Class, Config, Limiter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let config = Config::<Class>::default();
/// # let gate = Gate::builder(Limiter::new(&config)?).build()?;
/// // For `tonic::transport::Server::layer`, or around one service with `named_layer`.
/// let layer = GrpcLayer::new(LimitLayer::class(gate, Class::Message)?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GrpcLayer<L>(L);

/// The service that a [`GrpcLayer`] makes of another.
#[derive(Clone)]
pub struct Grpc<S>(S);

/// What stands between a service of gRPC and a layer that answers with bytes.
#[derive(Clone)]
pub struct GrpcInner<S>(S);

/// The body of an answer, or none for a refusal, whose head says everything.
#[derive(Debug)]
pub struct GrpcBody<R>(Option<R>);

impl<L> GrpcLayer<L> {
    /// This layer, for services of gRPC.
    #[must_use]
    pub fn new(layer: L) -> Self {
        Self(layer)
    }
}

impl<S, L: Layer<GrpcInner<S>>> Layer<S> for GrpcLayer<L> {
    type Service = Grpc<L::Service>;

    fn layer(&self, inner: S) -> Self::Service {
        Grpc(self.0.layer(GrpcInner(inner)))
    }
}

impl<S, B, R> Service<Request<B>> for Grpc<S>
where
    S: Service<Request<B>, Response = Response<GrpcBody<R>>, Future: Send + 'static>,
    R: Default,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let answer = self.0.call(request);
        Box::pin(async move { Ok(answer.await?.map(|body| body.0.unwrap_or_default())) })
    }
}

impl<S, B, R> Service<Request<B>> for GrpcInner<S>
where
    S: Service<Request<B>, Response = Response<R>, Future: Send + 'static>,
{
    type Response = Response<GrpcBody<R>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let answer = self.0.call(request);
        Box::pin(async move { Ok(answer.await?.map(|body| GrpcBody(Some(body)))) })
    }
}

impl<R> From<Bytes> for GrpcBody<R> {
    fn from(_: Bytes) -> Self {
        Self(None)
    }
}

impl<S> fmt::Debug for Grpc<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grpc").finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for GrpcInner<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrpcInner").finish_non_exhaustive()
    }
}
