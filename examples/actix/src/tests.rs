//! A client asks a server of four workers over real sockets; the limiter's clock stands still.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use actix_web::{HttpServer, rt, web};
use tollgate::clock::ManualClock;
use tollgate::http::Gate;
use tollgate::{Class, Config, Limiter};

use crate::app::{self, Limits};

/// Runs a client against a server with these settings.
fn with_server(config: &Config, client: impl FnOnce(SocketAddr) + Send + 'static) {
    let limiter = Limiter::with_clock(config, ManualClock::new()).expect("the buckets fit");
    let gate = Gate::builder(limiter).build().expect("the gate needs nothing else");
    let limits = Limits::new(gate).expect("classes and actions of HTTP");
    rt::System::new().block_on(async {
        let server = HttpServer::new(move || app::app(&limits))
            .workers(4)
            .disable_signals()
            .bind((Ipv4Addr::LOCALHOST, 0))
            .expect("a free port");
        let address = server.addrs().first().copied().expect("it is bound");
        let server = server.run();
        let handle = server.handle();
        let serving = rt::spawn(server);
        let outcome = web::block(move || client(address)).await;
        handle.stop(false).await;
        serving.await.expect("no panic").expect("it could be served");
        outcome.expect("the client is content");
    });
}

/// Status and state, as in `200 "rl.read";r=119;t=1`; every request has a connection of its own.
fn ask(server: SocketAddr, line: &str, token: Option<&str>) -> String {
    let mut stream = TcpStream::connect(server).expect("the server listens");
    let token = token.map_or_else(String::new, |t| format!("authorization: Bearer {t}\r\n"));
    let head = format!("{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{token}\r\n");
    stream.write_all(head.as_bytes()).expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the server answers");
    let status = answer.split(' ').nth(1).expect("a status line");
    let state = answer.lines().find_map(|line| line.strip_prefix("ratelimit: "));
    format!("{status} {}", state.unwrap_or("-"))
}

#[test]
fn all_workers_take_from_one_bucket() {
    let config = Config::<Class>::builder()
        .class(Class::Read, |class| class.per_minute(60).burst(20))
        .build()
        .expect("limits in range");
    with_server(&config, |server| {
        let line = "GET /v1/channels/general/messages";
        for spent in 1..=20 {
            let expected = format!("200 \"rl.read\";r={};t={spent}", 20 - spent);
            assert_eq!(ask(server, line, Some("alice")), expected);
        }
        assert_eq!(ask(server, line, Some("alice")), r#"429 "rl.read";r=0;t=20"#);
        assert_eq!(ask(server, line, Some("bob")), r#"200 "rl.read";r=19;t=1"#);
    });
}

#[test]
fn every_route_has_the_limit_that_it_declares() {
    let config = Config::<Class>::builder().default_ip(60, 10).build().expect("limits in range");
    with_server(&config, |server| {
        for (line, expected) in [
            ("GET /health", "200 -"),
            ("GET /about", r#"200 "default.ip";r=9;t=1"#),
            ("GET /v1/channels/general/messages", r#"200 "rl.read";r=119;t=1"#),
            ("POST /v1/channels/general/messages", r#"200 "rl.message";r=14;t=1"#),
            ("POST /hooks/a", r#"200 "rl.webhook_in";r=19;t=1"#),
            ("POST /hooks/b", r#"200 "rl.webhook_in";r=19;t=1"#),
            ("GET /missing", r#"404 "default.ip";r=8;t=2"#),
        ] {
            assert_eq!(ask(server, line, None), expected, "{line}");
        }
    });
}

#[test]
fn guessed_tokens_use_up_the_class_for_them() {
    with_server(&Config::default(), |server| {
        let line = "GET /about";
        // Burst 10, and a token comes in three seconds.
        for spent in 1..=10 {
            let expected = format!("401 \"rl.public_auth\";r={};t={}", 10 - spent, spent * 3);
            assert_eq!(ask(server, line, Some("guess")), expected);
        }
        assert_eq!(ask(server, line, Some("alice")), r#"429 "rl.public_auth";r=0;t=30"#);
        assert_eq!(ask(server, line, None), "200 -");
    });
}
