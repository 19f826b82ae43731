//! Who a token belongs to.

use tollgate::Caller;

/// The caller behind a token. A device and an API token are counted apart, and neither by its
/// principal: the phone of a user does not use up what the laptop may do.
pub(super) fn verify(token: &str) -> Option<Caller> {
    match token {
        "phone-1" => Some(Caller::principal("alice").device("phone-1")),
        "laptop-1" => Some(Caller::principal("alice").device("laptop-1")),
        "bot-1" => Some(Caller::principal("bot").token("token-1")),
        _ => None,
    }
}
