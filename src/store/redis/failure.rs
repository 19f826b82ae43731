//! [`Failure`]: why the backend did not decide, in the few kinds that an operator can act on.

use redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::decision::FailureCode;

/// Why the backend did not decide. It holds nothing of an error's text, which may name hosts and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It did not answer within the deadline.
    Late,
    /// It answered with an error: read-only, out of memory, not permitted, wrong password.
    Rejected,
    /// There is no connection to it.
    Unavailable,
}

impl From<Failure> for FailureCode {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Late => Self::DeadlineExceeded,
            Failure::Rejected => Self::BackendRejected,
            Failure::Unavailable => Self::BackendUnavailable,
        }
    }
}

pub(super) fn classify(error: &RedisError) -> Failure {
    match error.kind() {
        // What a node of a cluster says while another takes its place.
        ErrorKind::Server(ServerErrorKind::ClusterDown | ServerErrorKind::MasterDown) => {
            Failure::Unavailable
        }
        ErrorKind::AuthenticationFailed
        | ErrorKind::Extension
        | ErrorKind::InvalidClientConfig
        | ErrorKind::Parse
        | ErrorKind::Server(_)
        | ErrorKind::UnexpectedReturnType => Failure::Rejected,
        _ => Failure::Unavailable,
    }
}

/// Whether another server must be meant by now: this one takes no writes any more.
pub(super) fn is_demotion(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Server(ServerErrorKind::ReadOnly | ServerErrorKind::MasterDown)
    )
}
