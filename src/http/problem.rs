//! The documents that a refusal answers with (RFC 9457), and the JSON that they are made of.

use std::borrow::Cow;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, Response, StatusCode};

/// The problem type that IANA registered for a used-up quota.
const QUOTA_EXCEEDED: &str = "https://iana.org/assignments/http-problem-types#quota-exceeded";

/// One answer, before it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<'a> {
    pub(super) kind: Kind,
    pub(super) correlation_id: Option<&'a str>,
    /// The policies that refused, for [`Kind::QuotaExceeded`].
    pub(super) violated: &'a [&'a str],
}

/// What went wrong, and with it the status, the texts and the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The store is out of reach and the class is closed then.
    BackendUnavailable,
    /// Nobody could be named whose bucket this is.
    CallerUnresolved,
    /// The quota is used up for these seconds.
    QuotaExceeded { retry_after: u64 },
    /// The call can never be admitted.
    Unservable,
}

impl Problem<'_> {
    /// The whole answer, without the rate-limit fields.
    pub(super) fn response(&self) -> Response<Bytes> {
        let mut response = Response::new(Bytes::from(self.body()));
        *response.status_mut() = self.kind.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        match self.kind {
            Kind::QuotaExceeded { retry_after } => {
                headers.insert(RETRY_AFTER, HeaderValue::from(retry_after));
            }
            // A 401 has to name a scheme (RFC 9110, section 15.5.2).
            Kind::CallerUnresolved => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Kind::BackendUnavailable | Kind::Unservable => {}
        }
        response
    }

    fn body(&self) -> String {
        let mut object = Object::new();
        object.string("type", self.kind.type_uri());
        object.string("title", self.kind.title());
        object.number("status", self.kind.status().as_u16().into());
        object.string("detail", &self.kind.detail());
        object.string("code", self.kind.code());
        if let Some(id) = self.correlation_id {
            object.string("correlation_id", id);
        }
        if !self.violated.is_empty() {
            object.strings("violated-policies", self.violated);
        }
        object.finish()
    }
}

impl Kind {
    fn status(self) -> StatusCode {
        match self {
            Self::BackendUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::CallerUnresolved => StatusCode::UNAUTHORIZED,
            Self::QuotaExceeded { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Unservable => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn type_uri(self) -> &'static str {
        match self {
            Self::QuotaExceeded { .. } => QUOTA_EXCEEDED,
            Self::BackendUnavailable | Self::CallerUnresolved | Self::Unservable => "about:blank",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::BackendUnavailable => "Service Unavailable",
            Self::CallerUnresolved => "Unauthorized",
            Self::QuotaExceeded { .. } => "Quota Exceeded",
            Self::Unservable => "Internal Server Error",
        }
    }

    pub(super) fn detail(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::BackendUnavailable => "the rate limit cannot be checked at the moment",
            Self::CallerUnresolved => "the request does not say who is calling",
            Self::QuotaExceeded { retry_after: 1 } => "the quota is used up; try again in 1 second",
            Self::QuotaExceeded { retry_after } => {
                let detail = format!("the quota is used up; try again in {retry_after} seconds");
                return Cow::Owned(detail);
            }
            Self::Unservable => "the call costs more than its rate limit can ever allow",
        })
    }

    fn code(self) -> &'static str {
        match self {
            Self::BackendUnavailable => "rate_limit_unavailable",
            Self::CallerUnresolved => "caller_unresolved",
            Self::QuotaExceeded { .. } => "rate_limited",
            Self::Unservable => "cost_above_capacity",
        }
    }
}

/// The request's id, when it is one that may be repeated: `[A-Za-z0-9._-]{1,128}`, given once.
pub(super) fn correlation_id<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let id = value.to_str().ok()?;
    let plain = id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    (plain && (1..=128).contains(&id.len())).then_some(id)
}

/// A JSON object under construction.
struct Object {
    out: String,
}

impl Object {
    fn new() -> Self {
        let mut out = String::with_capacity(384);
        out.push('{');
        Self { out }
    }

    fn name(&mut self, name: &str) {
        if self.out.len() > 1 {
            self.out.push(',');
        }
        escape(&mut self.out, name);
        self.out.push(':');
    }

    fn string(&mut self, name: &str, value: &str) {
        self.name(name);
        escape(&mut self.out, value);
    }

    fn number(&mut self, name: &str, value: u64) {
        self.name(name);
        self.out.push_str(&value.to_string());
    }

    fn strings(&mut self, name: &str, values: &[&str]) {
        self.name(name);
        let mut separator = '[';
        for value in values {
            self.out.push(separator);
            escape(&mut self.out, value);
            separator = ',';
        }
        self.out.push(']');
    }

    fn finish(mut self) -> String {
        self.out.push('}');
        self.out
    }
}

/// A JSON string (RFC 8259, section 7).
fn escape(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{0}'..='\u{1f}' => {
                out.push_str("\\u00");
                let code = u32::from(character);
                out.extend([code >> 4, code & 15].iter().filter_map(|d| char::from_digit(*d, 16)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn document(problem: &Problem<'_>) -> Value {
        serde_json::from_slice(problem.response().body()).unwrap()
    }

    #[test]
    fn a_used_up_quota_is_the_registered_problem() {
        let problem = Problem {
            kind: Kind::QuotaExceeded { retry_after: 10 },
            correlation_id: Some("req-1"),
            violated: &["rl.export"],
        };
        assert_eq!(
            document(&problem),
            json!({
                "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
                "title": "Quota Exceeded",
                "status": 429,
                "detail": "the quota is used up; try again in 10 seconds",
                "code": "rate_limited",
                "correlation_id": "req-1",
                "violated-policies": ["rl.export"],
            })
        );
        let response = problem.response();
        assert_eq!(response.status(), 429);
        let mut headers: Vec<_> = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
            .collect();
        headers.sort_unstable();
        assert_eq!(
            headers,
            [
                ("cache-control", "no-store"),
                ("content-type", "application/problem+json"),
                ("retry-after", "10"),
                ("x-content-type-options", "nosniff"),
            ]
        );
    }

    #[test]
    fn every_other_refusal_has_a_status_and_a_code_of_its_own() {
        let cases = [
            (Kind::BackendUnavailable, 503, "rate_limit_unavailable"),
            (Kind::CallerUnresolved, 401, "caller_unresolved"),
            (Kind::Unservable, 500, "cost_above_capacity"),
        ];
        for (kind, status, code) in cases {
            let problem = Problem { kind, correlation_id: None, violated: &[] };
            let response = problem.response();
            assert_eq!(response.status(), status);
            assert_eq!(response.headers()["cache-control"], "no-store");
            assert_eq!(response.headers().get("retry-after"), None);
            let document = document(&problem);
            assert_eq!((&document["status"], &document["code"]), (&json!(status), &json!(code)));
            assert_eq!(document.get("correlation_id"), None);
            assert_eq!(document.get("violated-policies"), None);
        }
    }

    #[test]
    fn a_401_names_a_scheme() {
        let problem = Problem { kind: Kind::CallerUnresolved, correlation_id: None, violated: &[] };
        assert_eq!(problem.response().headers()["www-authenticate"], "Bearer");
    }

    #[test]
    fn only_a_plain_request_id_is_repeated() {
        let longest = "x".repeat(128);
        let too_long = "x".repeat(129);
        let cases: &[(&[&[u8]], Option<&str>)] = &[
            (&[], None),
            (&[b""], None),
            (&[b"a"], Some("a")),
            (&[b"0f-A_z.9"], Some("0f-A_z.9")),
            (&[longest.as_bytes()], Some(&longest)),
            (&[too_long.as_bytes()], None),
            (&[b"a b"], None),
            (&[b"a\"b"], None),
            (&[b"a\\b"], None),
            (&[b"<script>"], None),
            (&[b"\xff"], None),
            (&[b"a", b"b"], None),
        ];
        let name = HeaderName::from_static("x-request-id");
        for (lines, expected) in cases {
            let mut headers = HeaderMap::new();
            for line in *lines {
                headers.append(&name, HeaderValue::from_bytes(line).unwrap());
            }
            assert_eq!(correlation_id(&headers, &name), *expected, "{lines:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_survives_its_escaping(text in any::<String>(), name in "\\PC*") {
            let mut object = Object::new();
            object.string(&name, &text);
            object.strings("all", &[&text, &name]);
            let read: Value = serde_json::from_str(&object.finish()).unwrap();
            prop_assert_eq!(&read["all"], &json!([text, name]));
            if name != "all" {
                prop_assert_eq!(&read[&name], &json!(text));
            }
        }
    }
}
