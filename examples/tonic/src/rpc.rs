//! What the generated code of two services would be, by hand, for messages of plain text.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, BufMut as _};
use http::{Request, Response};
use tonic::Status;
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::{Grpc, NamedService};
use tower::{Service, service_fn};

/// Sends a message: `/chat.Messages/Send`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Messages;

/// Searches messages: `/chat.Search/Search`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search;

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl NamedService for Messages {
    const NAME: &'static str = "chat.Messages";
}

impl NamedService for Search {
    const NAME: &'static str = "chat.Search";
}

impl Service<Request<Body>> for Messages {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        match request.uri().path() {
            "/chat.Messages/Send" => unary(request, |text| match text.trim() {
                "" => Err(Status::invalid_argument("an empty message")),
                text => Ok(format!("sent: {text}")),
            }),
            _ => unimplemented(),
        }
    }
}

impl Service<Request<Body>> for Search {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        match request.uri().path() {
            "/chat.Search/Search" => unary(request, |text| Ok(format!("nothing about {text}"))),
            _ => unimplemented(),
        }
    }
}

/// One message in, one message out.
fn unary(request: Request<Body>, method: fn(String) -> Result<String, Status>) -> Answer {
    let method = service_fn(move |request: tonic::Request<String>| -> Ready<_> {
        ready(method(request.into_inner()).map(tonic::Response::new))
    });
    Box::pin(async move { Ok(Grpc::new(Text).unary(method, request).await) })
}

fn unimplemented() -> Answer {
    Box::pin(ready(Ok(Status::unimplemented("there is no such method").into_http())))
}

/// The codec of messages that are text in UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Text;

impl Codec for Text {
    type Encode = String;
    type Decode = String;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Text {
    type Item = String;
    type Error = Status;

    fn encode(&mut self, text: String, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put_slice(text.as_bytes());
        Ok(())
    }
}

impl Decoder for Text {
    type Item = String;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<String>, Status> {
        let bytes = source.copy_to_bytes(source.remaining());
        let text = String::from_utf8(bytes.into());
        text.map(Some).map_err(|_| Status::invalid_argument("the message is not UTF-8"))
    }
}
