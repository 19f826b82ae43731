//! A client asks over real sockets, one connection a request; the limiter's clock stands still.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tollgate::clock::ManualClock;
use tollgate::config::EdgeKey;
use tollgate::http::Gate;
use tollgate::{Class, Config, Limiter};

use crate::app;

async fn start(config: &Config) -> SocketAddr {
    let limiter = Limiter::with_clock(config, ManualClock::new()).expect("the buckets fit");
    let gate = Gate::builder(limiter).build().expect("the gate needs nothing else");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { app::serve(listener, gate).await.expect("it can be served") });
    address
}

/// The answer to a request: status line, headers and body.
async fn get(server: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(server).await.expect("the server listens");
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("the server answers");
    answer
}

#[tokio::test]
async fn a_class_limits_one_page_on_all_connections_of_an_address() {
    let config = Config::<Class>::builder()
        .class(Class::Search, |class| class.per_minute(6).burst(2))
        .build()
        .expect("limits in range");
    let server = start(&config).await;
    for left in [r#"ratelimit: "rl.search";r=1;t=10"#, r#"ratelimit: "rl.search";r=0;t=20"#] {
        let answer = get(server, "/search").await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(answer.contains(left), "{answer}");
        assert!(answer.ends_with("found nothing\n"), "{answer}");
    }
    let refusal = get(server, "/search").await;
    assert!(refusal.starts_with("HTTP/1.1 429 "), "{refusal}");
    assert!(refusal.contains("retry-after: 10"), "{refusal}");
    let elsewhere = get(server, "/").await;
    assert!(elsewhere.starts_with("HTTP/1.1 200 "), "{elsewhere}");
    assert!(!elsewhere.contains("ratelimit"), "{elsewhere}");
}

#[tokio::test]
async fn the_edge_rules_stand_in_front_of_every_page() {
    let config = Config::<Class>::builder()
        .edge(|rule| rule.name("address").keys([EdgeKey::ClientIp]).per_minute(60).burst(1))
        .build()
        .expect("limits in range");
    let server = start(&config).await;
    let answer = get(server, "/").await;
    assert!(answer.contains(r#"ratelimit: "address";r=0;t=1"#), "{answer}");
    for path in ["/", "/search", "/missing"] {
        let refusal = get(server, path).await;
        assert!(refusal.starts_with("HTTP/1.1 429 "), "{refusal}");
    }
}
