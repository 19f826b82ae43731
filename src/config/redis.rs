//! [`Redis`]: the shared backend.

use std::time::Duration;

use super::keys;
use super::layers::Layers;
use super::read::required;
use super::secret::Secret;

/// The checked address of the backend that clustered classes share.
#[derive(Clone, Debug)]
pub struct Redis {
    /// May hold a user and a password.
    #[cfg_attr(not(feature = "redis"), expect(dead_code, reason = "for the clustered store"))]
    pub(crate) url: Secret,
    /// The first part of every physical key.
    pub(crate) namespace: String,
    /// After this a decision is the failure mode's.
    pub(crate) operation_timeout: Duration,
    /// How much longer than its time to full a bucket is kept.
    pub(crate) expiration_slack: Duration,
}

impl Redis {
    /// The first part of every physical key.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// How long one operation may take before the failure mode decides.
    #[must_use]
    pub fn operation_timeout(&self) -> Duration {
        self.operation_timeout
    }

    /// How much longer than its time to full a bucket is kept.
    #[must_use]
    pub fn expiration_slack(&self) -> Duration {
        self.expiration_slack
    }
}

pub(super) const TABLE: &str = "ratelimit.redis";

/// The backend; `clustered` says what needs one. Where nothing does, half of one is none: the rest
/// may come from the environment of another machine.
pub(super) fn read(layers: &mut Layers, clustered: Option<&str>) -> Option<Redis> {
    let slack = layers.get(TABLE, &keys::EXPIRATION_SLACK);
    let (url, namespace, operation_timeout) = match clustered {
        Some(reason) => (
            required(layers, TABLE, &keys::REDIS_URL, reason),
            required(layers, TABLE, &keys::REDIS_NAMESPACE, reason),
            required(layers, TABLE, &keys::OPERATION_TIMEOUT, reason),
        ),
        None => (
            layers.get(TABLE, &keys::REDIS_URL),
            layers.get(TABLE, &keys::REDIS_NAMESPACE),
            layers.get(TABLE, &keys::OPERATION_TIMEOUT),
        ),
    };
    Some(Redis {
        url: url?,
        namespace: namespace?,
        operation_timeout: operation_timeout?,
        expiration_slack: slack.unwrap_or(Duration::from_secs(60)),
    })
}

/// The ways to name a backend: one server, a cluster, or one that sentinels watch; each with TLS too.
const SCHEMES: [&str; 6] =
    ["redis", "rediss", "redis+cluster", "rediss+cluster", "redis+sentinel", "rediss+sentinel"];

/// Whether `text` can be the address of a backend; the client reads the rest of it.
pub(super) fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, rest)| {
        SCHEMES.contains(&scheme)
            && !rest.is_empty()
            && !rest.chars().any(|c| c.is_whitespace() || c.is_control())
    })
}
