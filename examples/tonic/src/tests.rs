//! A client of tonic calls the server over real sockets; the limiter's clock stands still.

use std::net::Ipv4Addr;
use std::time::Duration;

use http::uri::PathAndQuery;
use tokio::net::TcpListener;
use tollgate::clock::ManualClock;
use tollgate::config::EdgeKey;
use tollgate::{Class, Config, Limiter};
use tonic::client::Grpc;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Response, Status};
use tonic_types::StatusExt as _;

use crate::app;
use crate::rpc::Text;

struct Client(Channel);

impl Client {
    /// A client of a new server with these settings.
    async fn new(config: &Config) -> Self {
        let limiter = Limiter::with_clock(config, ManualClock::new()).expect("the buckets fit");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        tokio::spawn(async move { app::serve(listener, limiter).await.expect("it can be served") });
        let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
        Self(endpoint.connect().await.expect("the server listens"))
    }

    async fn call(&self, method: &'static str, text: &str) -> Result<Response<String>, Status> {
        let mut client = Grpc::new(self.0.clone());
        client.ready().await.expect("the connection stands");
        let path = PathAndQuery::from_static(method);
        client.unary(tonic::Request::new(text.to_owned()), path, Text).await
    }

    async fn send(&self, text: &str) -> Result<Response<String>, Status> {
        self.call("/chat.Messages/Send", text).await
    }
}

/// 6 messages a minute, burst 2: a token comes in ten seconds.
fn two_messages() -> Config {
    let config = Config::builder().class(Class::Message, |class| class.per_minute(6).burst(2));
    config.build().expect("limits in range")
}

#[tokio::test]
async fn a_refused_call_says_when_to_try_again() {
    let client = Client::new(&two_messages()).await;
    for left in [r#""rl.message";r=1;t=10"#, r#""rl.message";r=0;t=20"#] {
        let answer = client.send("hello").await.expect("there are tokens");
        assert_eq!(answer.metadata().get("ratelimit").expect("a field"), left);
        assert_eq!(answer.into_inner(), "sent: hello");
    }
    let status = client.send("hello").await.expect_err("the quota is used up");
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(status.message(), "the quota is used up; try again in 10 seconds");
    assert_eq!(status.metadata().get("retry-after").expect("a wait"), "10");
    assert_eq!(status.metadata().get("ratelimit").expect("a field"), r#""rl.message";r=0;t=20"#);
    let delay = status.get_details_retry_info().expect("details").retry_delay;
    assert_eq!(delay, Some(Duration::from_secs(10)));
}

#[tokio::test]
async fn an_error_of_a_method_has_the_fields() {
    let client = Client::new(&two_messages()).await;
    let status = client.send(" ").await.expect_err("an empty message");
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.metadata().get("ratelimit").expect("a field"), r#""rl.message";r=1;t=10"#);
}

#[tokio::test]
async fn each_service_has_the_class_of_its_layer() {
    let client = Client::new(&Config::default()).await;
    let answer = client.call("/chat.Search/Search", "cats").await.expect("there are tokens");
    assert_eq!(answer.metadata().get("ratelimit").expect("a field"), r#""rl.search";r=14;t=1"#);
    assert_eq!(answer.into_inner(), "nothing about cats");
}

#[tokio::test]
async fn the_edge_rules_know_the_peer_of_the_connection() {
    let config = Config::<Class>::builder()
        .edge(|rule| rule.name("address").keys([EdgeKey::ClientIp]).per_minute(60).burst(1))
        .build()
        .expect("limits in range");
    let client = Client::new(&config).await;
    let answer = client.send("hello").await.expect("there are tokens");
    let fields = answer.metadata().get("ratelimit").expect("a field");
    assert_eq!(fields, r#""address";r=0;t=1, "rl.message";r=14;t=1"#);
    let status = client.call("/chat.Search/Search", "cats").await.expect_err("refused");
    assert_eq!(status.code(), Code::ResourceExhausted);
}
