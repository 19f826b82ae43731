//! Preflight requests: what a browser asks before it asks.

use http::Method;
use http::header::{ACCESS_CONTROL_REQUEST_METHOD, ORIGIN};

use super::view::RequestView;

/// Whether a request is a preflight of CORS. It costs nothing, because the browser sends it and not
/// the program; a handler that declares a limit for `OPTIONS` is asked all the same.
pub(crate) fn is_preflight(request: &RequestView<'_>) -> bool {
    *request.method() == Method::OPTIONS
        && request.headers().contains_key(ORIGIN)
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}
