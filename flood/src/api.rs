//! The example API over real sockets: every response that a limit has a word in carries its fields, and none is lost.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

const CONNECTIONS: u32 = 16;
const REQUESTS: u32 = 15_000;
const MESSAGES: &str = "/v1/channels/general/messages";

/// A kind of request, and what its response must have.
struct Case {
    method: &'static str,
    path: &'static str,
    token: Option<&'static str>,
    body: &'static str,
    /// The statuses when it is admitted.
    status: u16,
    /// The member of `RateLimit-Policy`, and the burst.
    policy: Option<(&'static str, u64)>,
    /// Each connection has an address, and so has each request that gives none.
    by_address: bool,
}

const READ: Option<(&str, u64)> = Some((r#""rl.read";q=600;w=60"#, 120));
const AUTH: Option<(&str, u64)> = Some((r#""rl.public_auth";q=20;w=60"#, 10));
const MESSAGE: Option<(&str, u64)> = Some((r#""rl.message";q=60;w=60"#, 15));

const CASE: Case = Case {
    method: "GET",
    path: MESSAGES,
    token: None,
    body: "",
    status: 200,
    policy: READ,
    by_address: false,
};

const CASES: [Case; 13] = [
    Case { token: Some("alice"), ..CASE },
    CASE,
    Case { by_address: true, ..CASE },
    Case { path: "/v1/channels/nothing/messages", token: Some("bob"), status: 404, ..CASE },
    Case {
        method: "POST",
        token: Some("bob"),
        body: r#"{"text":"hello"}"#,
        status: 201,
        policy: MESSAGE,
        ..CASE
    },
    Case { method: "POST", token: Some("alice"), body: "{", status: 400, policy: MESSAGE, ..CASE },
    Case {
        method: "POST",
        path: "/v1/exports",
        token: Some("alice"),
        status: 202,
        policy: Some((r#""rl.export";q=6;w=60"#, 2)),
        ..CASE
    },
    Case {
        path: "/v1/search?q=hello",
        policy: Some((r#""rl.search";q=60;w=60"#, 15)),
        by_address: true,
        ..CASE
    },
    Case {
        method: "POST",
        path: "/v1/agents/self/runs",
        token: Some("agent-1"),
        status: 201,
        policy: Some((r#""rl.agent_runtime";q=300;w=60"#, 60)),
        ..CASE
    },
    Case { token: Some("guess"), status: 401, policy: AUTH, by_address: true, ..CASE },
    Case {
        method: "POST",
        path: "/v1/auth/login",
        body: r#"{"name":"alice","password":"wonderland"}"#,
        policy: AUTH,
        by_address: true,
        ..CASE
    },
    Case { path: "/healthz", policy: None, ..CASE },
    Case { path: "/nothing", status: 404, policy: None, ..CASE },
];

/// The example in a process of its own.
struct Server(Child, SocketAddr);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn run() -> String {
    let server = start();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let statuses = runtime.expect("a runtime").block_on(async {
        let tasks = (0..CONNECTIONS).map(|number| tokio::spawn(connection(server.1, number)));
        let mut statuses = BTreeMap::<u16, u32>::new();
        for task in tasks.collect::<Vec<_>>() {
            for (status, count) in task.await.expect("every response is as it must be") {
                *statuses.entry(status).or_default() += count;
            }
        }
        statuses
    });
    assert_eq!(statuses.values().sum::<u32>(), CONNECTIONS * REQUESTS);
    let statuses = statuses.iter().map(|(status, count)| format!("{count} times {status}"));
    format!(
        "{} requests over {CONNECTIONS} connections without an error or a lost field: {}",
        CONNECTIONS * REQUESTS,
        statuses.collect::<Vec<_>>().join(", ")
    )
}

fn start() -> Server {
    let flood = std::env::current_exe().expect("a program knows its own path");
    let config = flood.with_file_name("flood-api.toml");
    std::fs::write(&config, "[server]\ntrusted_proxies = ['127.0.0.1']\n").expect("a file");
    let mut command = Command::new(flood.with_file_name("api"));
    command.env("PORT", "0").env("TOLLGATE_CONFIG", config).stdout(Stdio::piped());
    let mut process = command.stderr(Stdio::null()).spawn().expect("the example is built beside");
    let mut line = String::new();
    let output = process.stdout.take().expect("the output is a pipe");
    BufReader::new(output).read_line(&mut line).expect("the first line is text");
    let address =
        line.trim_end().strip_prefix("listening on http://").and_then(|rest| rest.parse().ok());
    Server(process, address.unwrap_or_else(|| panic!("the first line was {line:?}")))
}

/// Sends all kinds of requests in turn over one connection, and counts the statuses of the responses.
async fn connection(server: SocketAddr, number: u32) -> BTreeMap<u16, u32> {
    let stream = TcpStream::connect(server).await.expect("the example listens");
    let (mut sender, driver) =
        http1::handshake(TokioIo::new(stream)).await.expect("it speaks HTTP");
    tokio::spawn(driver);
    let mut statuses = BTreeMap::new();
    for step in 0..REQUESTS {
        let case = &CASES[((step + number) as usize) % CASES.len()];
        let [_, a, b, c] = ((number << 20) | (step / 16)).to_be_bytes();
        let address =
            if case.by_address { format!("10.{a}.{b}.{c}") } else { format!("192.0.2.{number}") };
        let request = Request::builder().method(case.method).uri(case.path);
        let request = request.header("host", "localhost").header("x-forwarded-for", address);
        let request = match case.token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        let request = request.header("content-type", "application/json");
        let request = request.body(Full::new(Bytes::from_static(case.body.as_bytes())));
        sender.ready().await.expect("the connection stays");
        let sent = sender.send_request(request.expect("a request"));
        let response = sent.await.expect("every request is answered");
        *statuses.entry(response.status().as_u16()).or_default() += 1;
        check(case, &response);
        response.into_body().collect().await.expect("every body is whole");
    }
    statuses
}

fn check(case: &Case, response: &Response<Incoming>) {
    let status = response.status().as_u16();
    let shown = || format!("{} {}: {response:?}", case.method, case.path);
    let only = |name: &str| {
        let mut values = response.headers().get_all(name).iter();
        let value = values.next().map(|value| value.to_str().expect("fields are text"));
        assert!(values.next().is_none(), "{name} stands twice: {}", shown());
        value
    };
    let (policy, state) = (only("ratelimit-policy"), only("ratelimit"));
    let Some((expected, burst)) = case.policy else {
        assert_eq!((status, policy, state), (case.status, None, None), "{}", shown());
        return;
    };
    assert_eq!(policy, Some(expected), "{}", shown());
    let name = expected.split(';').next().unwrap_or_default();
    let numbers = state.and_then(|state| state.strip_prefix(name)?.strip_prefix(";r="));
    let numbers = numbers.and_then(|numbers| numbers.split_once(";t="));
    let (left, full) = numbers.unwrap_or_else(|| panic!("{}", shown()));
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("{}", shown()));
    assert!(number(left) < burst && number(full) > 0, "{}", shown());
    if status != 429 {
        assert_eq!((status, only("retry-after")), (case.status, None), "{}", shown());
        return;
    }
    assert_eq!(left, "0", "{}", shown());
    assert!(only("retry-after").is_some_and(|wait| number(wait) > 0), "{}", shown());
    assert_eq!(only("content-type"), Some("application/problem+json"), "{}", shown());
    assert_eq!(only("cache-control"), Some("no-store"), "{}", shown());
}
