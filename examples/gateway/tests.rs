//! A client drives the gateway over real sockets; the limiter's clock stands still until it is moved.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use tollgate::clock::ManualClock;
use tollgate::{Config, Limiter};

use super::app;

struct Gateway {
    address: SocketAddr,
    clock: ManualClock,
}

/// One end of a connection.
struct Client(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Gateway {
    async fn start() -> Self {
        let clock = ManualClock::new();
        let config = Config::default();
        let limiter = Limiter::with_clock(&config, clock.clone()).expect("the buckets fit");
        let app = app::router(limiter, &config).expect("the gate needs nothing else");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let service = app.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        Self { address, clock }
    }

    /// A connection that has said nothing yet.
    async fn connect(&self) -> Client {
        let url = format!("ws://{}/gateway", self.address);
        Client(connect_async(url).await.expect("the upgrade is never refused").0)
    }

    /// A connection that has shown a token, and the answer.
    async fn identify(&self, token: &str) -> (Client, Value) {
        let mut client = self.connect().await;
        client.say(&json!({"op": "identify", "token": token})).await;
        let answer = client.hear().await;
        (client, answer)
    }
}

impl Client {
    async fn say(&mut self, request: &Value) {
        self.0.send(Message::text(request.to_string())).await.expect("it is connected");
    }

    async fn typing(&mut self) -> Value {
        self.say(&json!({"op": "typing", "channel": "general"})).await;
        self.hear().await
    }

    /// The next event, or the code that the server closes with.
    async fn hear(&mut self) -> Value {
        match self.0.next().await.expect("it is connected").expect("a frame") {
            Message::Text(text) => serde_json::from_str(&text).expect("an event"),
            Message::Close(Some(frame)) => json!({"closed": u16::from(frame.code)}),
            other => panic!("unexpected {other:?}"),
        }
    }
}

/// `rl.gateway_connect` has 12 a minute and a burst of 6: one in 5 seconds.
const CONNECT_REFUSED: &str =
    r#"{"class":"rl.gateway_connect","op":"rate_limited","retry_after":5}"#;
/// `rl.typing` has 30 a minute and a burst of 10: one in 2 seconds.
const TYPING_REFUSED: &str = r#"{"class":"rl.typing","op":"rate_limited","retry_after":2}"#;

#[tokio::test]
async fn connecting_is_limited_by_device_or_token_and_not_by_principal() {
    let gateway = Gateway::start().await;
    for _ in 0..6 {
        let (_, answer) = gateway.identify("phone-1").await;
        assert_eq!(answer["op"], "ready");
    }
    let (mut refused, answer) = gateway.identify("phone-1").await;
    assert_eq!(answer.to_string(), CONNECT_REFUSED);
    assert_eq!(refused.hear().await, json!({"closed": 4008}));

    for other in ["laptop-1", "bot-1"] {
        let (_, answer) = gateway.identify(other).await;
        assert_eq!(answer["op"], "ready", "{other}");
    }

    gateway.clock.advance(Duration::from_secs(5));
    let (_, answer) = gateway.identify("phone-1").await;
    assert_eq!(answer["op"], "ready");
}

#[tokio::test]
async fn an_upgrade_without_credentials_or_with_bad_ones_takes_nothing() {
    let gateway = Gateway::start().await;
    for _ in 0..30 {
        let (_, answer) = gateway.identify("guess").await;
        assert_eq!(answer, json!({"closed": 4004}));
    }
    for _ in 0..30 {
        gateway.connect().await;
    }
    let (_, answer) = gateway.identify("phone-1").await;
    assert_eq!(answer["op"], "ready");
}

#[tokio::test]
async fn typing_is_limited_by_connection() {
    let gateway = Gateway::start().await;
    let (mut first, answer) = gateway.identify("phone-1").await;
    assert_eq!(answer, json!({"op": "ready", "connection": "c-1"}));
    let typing =
        |connection| json!({"op": "typing", "channel": "general", "connection": connection});
    for _ in 0..10 {
        assert_eq!(first.typing().await, typing("c-1"));
    }
    assert_eq!(first.typing().await.to_string(), TYPING_REFUSED);

    let (mut second, _) = gateway.identify("phone-1").await;
    assert_eq!(second.typing().await, typing("c-2"));
    assert_eq!(first.hear().await, typing("c-2"));

    gateway.clock.advance(Duration::from_secs(2));
    assert_eq!(first.typing().await, typing("c-1"));
    assert_eq!(second.hear().await, typing("c-1"));
}

#[tokio::test]
async fn who_talks_before_it_is_known_is_shown_the_door() {
    let gateway = Gateway::start().await;
    let mut client = gateway.connect().await;
    assert_eq!(client.typing().await, json!({"closed": 4003}));
    let mut client = gateway.connect().await;
    client.say(&json!("nonsense")).await;
    assert_eq!(client.hear().await, json!({"closed": 4003}));
}
