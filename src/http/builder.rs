//! [`GateBuilder`]: the settings of a gate.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Once};

use bytes::Bytes;
use http::Response;
use http::header::HeaderName;

use super::answer::{Answers, Refusal};
use super::budgets::Budgets;
use super::client_ip::ClientIp;
use super::exceeded::{Counter, Exceeded};
use super::fields::{KeptPolicies, TimeProfile};
use super::gate::Gate;
use super::inner::Inner;
use super::resolver::Resolver;
use super::view::RequestView;
use crate::caller::Caller;
use crate::catalogue::{Catalogue, KeyKind};
use crate::config::Config;
use crate::key::Key;
use crate::limiter::{Limiter, StartError};

/// The settings of a [`Gate`], each with a default.
#[must_use = "a builder builds nothing until `build` is called"]
pub struct GateBuilder<C: Catalogue> {
    inner: Inner<C>,
    config: Config<C>,
}

/// Why there is no gate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidGate {
    /// Classes are keyed by `custom`, and the gate does not know what that is.
    #[error(
        "keyed by `custom` without a function that makes the key: {}; \
         give the gate one with `GateBuilder::custom_key`",
        .classes.join(", ")
    )]
    NoCustomKey {
        /// The names of the classes.
        classes: Vec<&'static str>,
    },
    /// The limiter has no room for the budgets of the configuration.
    #[error(transparent)]
    Limiter(#[from] StartError),
}

impl<C: Catalogue> GateBuilder<C> {
    pub(super) fn new(limiter: Limiter<C>) -> Self {
        let config = limiter.config().clone();
        let resolver = Resolver {
            client_ip: ClientIp::of(&config),
            callers: None,
            custom: None,
            peers: None,
            tiers: None,
            webhook_ids: None,
            complaint: Arc::new(Once::new()),
        };
        let inner = Inner {
            limiter,
            name: "tollgate".to_owned(),
            resolver,
            anonymous: Vec::new(),
            budgets: Budgets::default(),
            policies: KeptPolicies::of_classes(C::ALL.len()),
            profile: TimeProfile::default(),
            request_id: HeaderName::from_static("x-request-id"),
            answers: Answers(None),
            counter: Counter::default(),
        };
        Self { inner, config }
    }

    /// Takes the settings that concern the gate from here: trusted proxies, the header that names
    /// the client, the prefix of IPv6 networks, what anonymous callers are, default budgets and edge
    /// rules. Without this, they are those that the limiter was made of.
    pub fn config(mut self, config: &Config<C>) -> Self {
        self.config = config.clone();
        self
    }

    /// The name of this gate in what [`on_exceeded`](Self::on_exceeded) gets; `tollgate` by default.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.inner.name = name.into();
        self
    }

    /// Is told of every request that is refused because a quota is used up, exactly once each.
    pub fn on_exceeded(mut self, count: impl Fn(&Exceeded<'_>) + Send + Sync + 'static) -> Self {
        self.inner.counter = Counter(Some(Arc::new(count)));
        self
    }

    /// Says who is calling. Without this, the caller is the [`Caller`] in the extensions of the
    /// request, where an authenticating layer has put it, or anonymous.
    pub fn callers(
        mut self,
        caller: impl Fn(&RequestView<'_>) -> Caller + Send + Sync + 'static,
    ) -> Self {
        self.inner.resolver.callers = Some(Arc::new(caller));
        self
    }

    /// Says whose bucket it is for limits of the kind `custom`. The function gets the name of the
    /// limit; where it says nothing, the caller counts as one without an identity.
    ///
    /// ```
    /// use tollgate::http::Gate;
    /// use tollgate::key::Key;
    /// use tollgate::{Class, Config, Limiter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let limiter = Limiter::new(&Config::<Class>::default())?;
    /// let gate = Gate::builder(limiter).custom_key(|_limit, request, _caller| {
    ///     let account = request.headers().get("x-account")?;
    ///     Some(Key::new(account.as_bytes()))
    /// });
    /// # gate.build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn custom_key(
        mut self,
        key: impl Fn(&str, &RequestView<'_>, &Caller) -> Option<Key> + Send + Sync + 'static,
    ) -> Self {
        self.inner.resolver.custom = Some(Arc::new(key));
        self
    }

    /// Finds the address of the other end of the connection. Without this, it is what the framework
    /// says.
    pub fn peer_address(
        mut self,
        peer: impl Fn(&RequestView<'_>) -> Option<IpAddr> + Send + Sync + 'static,
    ) -> Self {
        self.inner.resolver.peers = Some(Arc::new(peer));
        self
    }

    /// Says which tier a caller is of. A class that has a tier of this name limits the caller by
    /// that, in a bucket of its own; any other class, and any caller without a tier, as usual.
    pub fn tiers(
        mut self,
        tier: impl Fn(&Caller) -> Option<Cow<'static, str>> + Send + Sync + 'static,
    ) -> Self {
        self.inner.resolver.tiers = Some(Arc::new(tier));
        self
    }

    /// Gives every spelling of a webhook's id the same text, or nothing when no webhook can have
    /// the id; such a request counts against the client's address.
    pub fn webhook_id(
        mut self,
        canonical: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.inner.resolver.webhook_ids = Some(Arc::new(canonical));
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
        self.inner.answers = Answers(Some(Arc::new(answer)));
        self
    }

    /// The gate.
    ///
    /// # Errors
    ///
    /// When classes of the catalogue are keyed by `custom` and there is no
    /// [`custom_key`](Self::custom_key), or when the limiter has no room for the budgets.
    pub fn build(self) -> Result<Gate<C>, InvalidGate> {
        let Self { mut inner, config } = self;
        let definitions = C::ALL.iter().map(|class| class.definition());
        let custom = definitions.filter(|definition| definition.key_kind == KeyKind::Custom);
        let classes: Vec<_> = custom.map(|definition| definition.name).collect();
        if inner.resolver.custom.is_none() && !classes.is_empty() {
            return Err(InvalidGate::NoCustomKey { classes });
        }
        inner.adopt(&config)?;
        Ok(Gate::new(inner))
    }
}

/// Names no setting that could be a secret or an address.
impl<C: Catalogue> fmt::Debug for GateBuilder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GateBuilder").finish_non_exhaustive()
    }
}
