//! [`GateBuilder`]: the settings of a gate.

use std::fmt;
use std::net::IpAddr;
use std::sync::Once;

use bytes::Bytes;
use http::Response;
use http::header::HeaderName;
use http::request::Parts;

use super::answer::{Answers, Refusal};
use super::client_ip::ClientIp;
use super::fields::TimeProfile;
use super::gate::{Gate, Inner};
use super::resolver::Resolver;
use super::stand_in::Limiter;
use super::view::RequestView;
use crate::caller::Caller;
use crate::catalogue::{Catalogue, KeyKind};
use crate::config::Config;

/// The settings of a [`Gate`], each with a default.
#[must_use = "a builder builds nothing until `build` is called"]
pub struct GateBuilder<C: Catalogue> {
    inner: Inner<C>,
}

/// A gate that its catalogue cannot use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{}", .faults.join("\n"))]
pub struct InvalidGate {
    faults: Vec<String>,
}

impl<C: Catalogue> GateBuilder<C> {
    pub(super) fn new(limiter: Limiter<C>) -> Self {
        let defaults = Config::<C>::default();
        let resolver = Resolver {
            client_ip: client_ip(&defaults),
            callers: None,
            custom: None,
            peers: None,
            webhook_ids: None,
            complaint: Once::new(),
        };
        let inner = Inner {
            limiter,
            resolver,
            anonymous: Vec::new(),
            profile: TimeProfile::default(),
            request_id: HeaderName::from_static("x-request-id"),
            answers: Answers(None),
        };
        Self { inner }.config(&defaults)
    }

    /// Takes the settings that concern the gate: trusted proxies, the header that names the client,
    /// the prefix of IPv6 networks, and what anonymous callers are. Give it what the limiter was
    /// given.
    pub fn config(mut self, config: &Config<C>) -> Self {
        self.inner.resolver.client_ip = client_ip(config);
        self.inner.anonymous = config.classes.iter().map(|class| class.anonymous).collect();
        self
    }

    /// Says who is calling. Without this, the caller is the [`Caller`] in the extensions of the
    /// request, where an authenticating layer has put it, or anonymous.
    pub fn callers(mut self, caller: impl Fn(&Parts) -> Caller + Send + Sync + 'static) -> Self {
        self.inner.resolver.callers = Some(Box::new(caller));
        self
    }

    /// Says whose bucket it is for limits of the kind `custom`. The function gets the name of the
    /// limit; where it says nothing, the caller counts as one without an identity.
    pub fn custom_key(
        mut self,
        key: impl Fn(&str, &RequestView<'_>, &Caller) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.inner.resolver.custom = Some(Box::new(key));
        self
    }

    /// Finds the address of the other end of the connection. Without this, it is what the framework
    /// says.
    pub fn peer_address(
        mut self,
        peer: impl Fn(&Parts) -> Option<IpAddr> + Send + Sync + 'static,
    ) -> Self {
        self.inner.resolver.peers = Some(Box::new(peer));
        self
    }

    /// Gives every spelling of a webhook's id the same text, or nothing when no webhook can have
    /// the id; such a request counts against the client's address.
    pub fn webhook_id(
        mut self,
        canonical: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.inner.resolver.webhook_ids = Some(Box::new(canonical));
        self
    }

    /// What the parameter `t` of the `RateLimit` field says.
    pub fn time_profile(mut self, profile: TimeProfile) -> Self {
        self.inner.profile = profile;
        self
    }

    /// The header with the id of a request, which refusals repeat; `x-request-id` by default.
    pub fn request_id_header(mut self, name: HeaderName) -> Self {
        self.inner.request_id = name;
        self
    }

    /// Answers refusals in a way of your own. The rate-limit fields are added to the answer.
    pub fn answers(
        mut self,
        answer: impl Fn(&Refusal<'_, C>) -> Response<Bytes> + Send + Sync + 'static,
    ) -> Self {
        self.inner.answers = Answers(Some(Box::new(answer)));
        self
    }

    /// The gate.
    ///
    /// # Errors
    ///
    /// When the catalogue has limits that the gate was not told how to key; all of them are named.
    pub fn build(self) -> Result<Gate<C>, InvalidGate> {
        let without_key = C::ALL.iter().map(|class| class.definition()).filter(|definition| {
            definition.key_kind == KeyKind::Custom && self.inner.resolver.custom.is_none()
        });
        let faults: Vec<String> = without_key
            .map(|definition| {
                format!(
                    "`{}` is keyed by `custom`, and the gate has no function for that; \
                     give it one with `custom_key`",
                    definition.name
                )
            })
            .collect();
        if faults.is_empty() { Ok(Gate::new(self.inner)) } else { Err(InvalidGate { faults }) }
    }
}

fn client_ip<C: Catalogue>(config: &Config<C>) -> ClientIp {
    ClientIp::new(&config.trusted_proxies, config.client_ip_header, config.ipv6_prefix)
}

/// Names no setting that could be a secret or an address.
impl<C: Catalogue> fmt::Debug for GateBuilder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GateBuilder").finish_non_exhaustive()
    }
}
