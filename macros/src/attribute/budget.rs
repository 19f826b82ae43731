//! [`Budget`]: a limit that a route has to itself.

use syn::Expr;

/// `per_minute = 30, burst = 10, key = KeyKind::ClientIp`, and `name = "..."` if wanted.
pub(crate) struct Budget {
    pub(crate) per_minute: Expr,
    pub(crate) burst: Expr,
    pub(crate) key: Expr,
    pub(crate) name: Option<Expr>,
}
