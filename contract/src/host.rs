//! [`Host`]: a limited service of some framework; [`Ask`] and [`Answer`]: what goes in and comes out.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use http::HeaderMap;
use tollgate::http::Gate;

/// The other end of every connection.
pub(crate) const PEER: &str = "192.0.2.7";

/// A service whose edge rules stand around everything, and whose default budgets are for what
/// declares nothing.
pub(crate) trait Host: Sized {
    /// The service, with handlers that count their calls.
    async fn start(gate: Gate, calls: Calls) -> Self;

    /// Sends one request.
    async fn send(&self, ask: &Ask) -> Answer;

    /// That a refusal says in the framework's own way that a quota is used up.
    fn expect_quota_refusal(answer: &Answer, violated: &str, retry_after: u64) {
        let document: serde_json::Value =
            serde_json::from_slice(&answer.body).expect("a refusal is a document");
        assert_eq!(
            document,
            serde_json::json!({
                "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
                "title": "Quota Exceeded",
                "status": 429,
                "detail": detail(retry_after),
                "code": "rate_limited",
                "violated-policies": [violated],
            })
        );
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
}

/// What a refusal says to a person.
pub(crate) fn detail(retry_after: u64) -> String {
    let seconds = if retry_after == 1 { "second" } else { "seconds" };
    format!("the quota is used up; try again in {retry_after} {seconds}")
}

/// What every host has routes for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Declares the budget [`budget`](super::hosts::budget).
    Budget,
    /// Declares that it is exempt.
    Exempt,
    /// Declares the class `rl.export`: 6 a minute, burst 2, by principal.
    Export,
    /// The same class, and a handler that fails.
    Failing,
    /// Declares nothing.
    Plain,
    /// Declares the action `auth.register`: two tokens of `rl.public_auth`, which has 20 a minute and
    /// burst 10, by client address.
    Register,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) route: Route,
    pub(crate) is_preflight: bool,
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) result: Outcome,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// What became of a request, whatever the protocol calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Failed,
    QuotaExceeded,
    Served,
    Unauthenticated,
    Unavailable,
    /// What the framework says to a preflight that nobody handles.
    Unhandled,
}

/// How often handlers have run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Arc<AtomicU32>);

impl Route {
    pub(crate) const ALL: [Self; 6] =
        [Self::Budget, Self::Exempt, Self::Export, Self::Failing, Self::Plain, Self::Register];

    /// Its path; over gRPC, its method.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Budget => "/contract.Routes/Budget",
            Self::Exempt => "/contract.Routes/Exempt",
            Self::Export => "/contract.Routes/Export",
            Self::Failing => "/contract.Routes/Failing",
            Self::Plain => "/contract.Routes/Plain",
            Self::Register => "/contract.Routes/Register",
        }
    }

    pub(crate) fn of(path: &str) -> Self {
        let found = Self::ALL.into_iter().find(|route| route.path() == path);
        found.unwrap_or_else(|| panic!("no route has the path {path}"))
    }
}

impl Ask {
    pub(crate) fn to(route: Route) -> Self {
        Self { route, is_preflight: false, headers: Vec::new() }
    }

    pub(crate) fn preflight(route: Route) -> Self {
        Self { is_preflight: true, ..Self::to(route) }
            .header("origin", "https://app.example")
            .header("access-control-request-method", "POST")
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn method(&self) -> &'static str {
        if self.is_preflight { "OPTIONS" } else { "POST" }
    }

    /// As a request of `http`.
    pub(crate) fn request<B>(&self, body: B) -> http::Request<B> {
        let mut request = http::Request::builder().method(self.method()).uri(self.route.path());
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        request.body(body).expect("the parts are valid")
    }
}

impl Answer {
    /// The value of a header that the answer has once, or nothing.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut lines = self.headers.get_all(name).iter();
        let value = lines.next().map_or("", |line| line.to_str().expect("headers are text"));
        assert_eq!(lines.next(), None, "{name} is there once");
        value
    }

    /// An answer of a protocol with the statuses of HTTP.
    pub(crate) fn of_http(status: u16, headers: HeaderMap, body: Vec<u8>) -> Self {
        let result = match status {
            200 => Outcome::Served,
            401 => Outcome::Unauthenticated,
            // What the failing handler of every host answers.
            410 => Outcome::Failed,
            404 | 405 => Outcome::Unhandled,
            429 => Outcome::QuotaExceeded,
            503 => Outcome::Unavailable,
            other => panic!("nothing in the contract is answered with {other}"),
        };
        Self { result, headers, body }
    }
}

/// What a test compares: the result, and both fields.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.result)?;
        for name in ["ratelimit-policy", "ratelimit"] {
            if self.headers.contains_key(name) {
                write!(f, " | {}", self.header(name))?;
            }
        }
        Ok(())
    }
}

impl Calls {
    pub(crate) fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn so_far(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}
