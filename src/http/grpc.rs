//! What a refusal is to a client that speaks gRPC: a status in the head of an answer without a body
//! ("Trailers-Only" of the protocol of gRPC over HTTP/2).

mod protobuf;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Response};

use self::protobuf::Message;
use super::problem::Kind;

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");

const MEDIA_TYPE: &str = "application/grpc";

/// Whether a request is one of gRPC, by its content type: `application/grpc`, also with a format of
/// messages as in `application/grpc+proto`. Its web variant is answered over plain HTTP.
pub(super) fn is_spoken(request: &HeaderMap) -> bool {
    let media_type = request.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let rest = media_type.and_then(|text| text.trim_start().strip_prefix(MEDIA_TYPE));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', ';', ' ']))
}

/// The whole answer, without the rate-limit fields.
pub(super) fn status(kind: Kind) -> Response<Bytes> {
    let code = code(kind);
    let detail = kind.detail();
    let mut response = Response::new(Bytes::new());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(STATUS, HeaderValue::from(code));
    // Our texts are printable ASCII without a percent sign, which is all that would be encoded.
    if let Ok(message) = HeaderValue::from_str(&detail) {
        headers.insert(MESSAGE, message);
    }
    if let Kind::QuotaExceeded { retry_after } = kind {
        headers.insert(RETRY_AFTER, HeaderValue::from(retry_after));
        let details = details(code, &detail, retry_after).base64();
        if let Ok(details) = HeaderValue::from_str(&details) {
            headers.insert(DETAILS, details);
        }
    }
    response
}

/// The code of gRPC: `RESOURCE_EXHAUSTED` for a used-up quota, `UNAVAILABLE` for a limit that cannot be
/// decided, `UNAUTHENTICATED` for a caller without an identity, `INTERNAL` for a mistake of the program.
fn code(kind: Kind) -> u32 {
    match kind {
        Kind::QuotaExceeded { .. } => 8,
        Kind::Unservable => 13,
        Kind::BackendUnavailable => 14,
        Kind::CallerUnresolved => 16,
    }
}

/// The message `google.rpc.Status` with one `google.rpc.RetryInfo`, as the richer error model of
/// gRPC has it.
fn details(code: u32, message: &str, retry_after: u64) -> Message {
    let delay = Message::new().integer(1, retry_after);
    let retry_info = Message::new().bytes(1, delay.as_bytes());
    let any = Message::new()
        .bytes(1, b"type.googleapis.com/google.rpc.RetryInfo")
        .bytes(2, retry_info.as_bytes());
    Message::new().integer(1, code.into()).bytes(2, message.as_bytes()).bytes(3, any.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(media_type: &'static str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        is_spoken(&headers)
    }

    #[test]
    fn a_request_of_grpc_is_known_by_its_content_type() {
        for media_type in [
            "application/grpc",
            "application/grpc+proto",
            "application/grpc;x=y",
            "application/grpc+json",
        ] {
            assert!(spoken(media_type), "{media_type}");
        }
        for media_type in [
            "application/grpc-web",
            "application/grpc-web+proto",
            "application/grpcs",
            "application/json",
            "",
        ] {
            assert!(!spoken(media_type), "{media_type}");
        }
        assert!(!is_spoken(&HeaderMap::new()));
    }

    #[test]
    fn every_refusal_has_its_code_and_only_a_quota_says_when() {
        let cases = [
            (Kind::QuotaExceeded { retry_after: 10 }, "8", Some("10")),
            (Kind::Unservable, "13", None),
            (Kind::BackendUnavailable, "14", None),
            (Kind::CallerUnresolved, "16", None),
        ];
        for (kind, code, retry_after) in cases {
            let response = status(kind);
            assert_eq!(response.status(), 200);
            assert!(response.body().is_empty());
            let header = |name: &str| {
                response.headers().get(name).map(|value| value.to_str().expect("headers are text"))
            };
            assert_eq!(header("content-type"), Some("application/grpc"));
            assert_eq!(header("grpc-status"), Some(code));
            assert_eq!(header("grpc-message"), Some(&*kind.detail()));
            assert_eq!(header("retry-after"), retry_after);
            assert_eq!(header("grpc-status-details-bin").is_some(), retry_after.is_some());
        }
    }

    #[test]
    fn the_details_hold_the_delay_where_protobuf_has_it() {
        let any = [
            &b"\x0a\x28type.googleapis.com/google.rpc.RetryInfo\x12\x05"[..],
            // RetryInfo, field 1: a Duration of 3 bytes, field 1: 300 as a varint.
            b"\x0a\x03\x08\xac\x02",
        ]
        .concat();
        let status = [b"\x08\x08\x12\x04wait\x1a\x31", &any[..]].concat();
        assert_eq!(details(8, "wait", 300).as_bytes(), status);
    }
}
