#![doc = include_str!("../../docs/guide/configuration.md")]

use std::marker::PhantomData;
use std::time::Duration;

use ipnet::IpNet;

use crate::Class;
use crate::catalogue::Catalogue;
use crate::limits::Limits;

mod builder;
mod choices;
mod class;
mod code;
mod duration;
mod edge;
mod environment;
mod fault;
mod keys;
mod kind;
mod layers;
mod policy;
mod read;
mod redis;
mod schema;
mod secret;
mod value;

pub use builder::ConfigBuilder;
pub use choices::{
    Anonymous, ClientIpHeader, EdgeKey, FailureMode, MissingHeader, Mode, Saturation,
};
pub use class::{ClassConfig, Lease, Placement};
pub use code::{ClassBuilder, EdgeBuilder, PolicyBuilder};
pub use edge::EdgeRule;
pub use environment::Warning;
pub use fault::{Fault, Faults, Origin, Problem};
pub use policy::PolicyConfig;
pub use redis::Redis;
pub(crate) use secret::Secret;
pub use value::Settings;

/// The checked settings of a limiter and its gate; the default is the catalogue's.
///
/// There is no way to an unchecked one: [`builder`](Self::builder) gives a `Config` or every fault.
#[derive(Clone, Debug)]
pub struct Config<C: Catalogue = Class> {
    pub(crate) enabled: bool,
    /// Over all classes that have no registry of their own.
    pub(crate) max_tracked_keys: u64,
    pub(crate) sweep_interval: Duration,
    pub(crate) ipv6_prefix: u8,
    pub(crate) trusted_proxies: Vec<IpNet>,
    pub(crate) client_ip_header: ClientIpHeader,
    /// One entry a class, in the catalogue's order.
    pub(crate) classes: Vec<ClassConfig>,
    /// The budget of each tenant, for handlers that declare nothing.
    pub(crate) default_tenant: Option<Limits>,
    /// The budget of each client address, for handlers that declare nothing.
    pub(crate) default_ip: Option<Limits>,
    /// In the order in which they apply.
    pub(crate) edge: Vec<EdgeRule>,
    /// In the order of their names.
    pub(crate) policies: Vec<PolicyConfig>,
    /// Always there when a class or policy is clustered and enabled.
    pub(crate) redis: Option<Redis>,
    #[cfg_attr(not(feature = "redis"), expect(dead_code, reason = "for the clustered store"))]
    /// Always there when a class or policy is clustered and enabled; 32 bytes or more.
    pub(crate) key_secret: Option<Secret>,
    pub(crate) warnings: Vec<Warning>,
    catalogue: PhantomData<C>,
}

impl<C: Catalogue> Config<C> {
    /// Starts from the catalogue's settings.
    pub fn builder() -> ConfigBuilder<C> {
        ConfigBuilder::new()
    }

    /// Whether anything is limited.
    #[must_use]
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// The size of the registry that all classes share which have none of their own.
    #[must_use]
    pub fn max_tracked_keys(&self) -> u64 {
        self.max_tracked_keys
    }

    /// The time between two sweeps.
    #[must_use]
    pub fn sweep_interval(&self) -> Duration {
        self.sweep_interval
    }

    /// The length of the network by which IPv6 addresses are counted, in bits.
    #[must_use]
    pub fn ipv6_prefix(&self) -> u8 {
        self.ipv6_prefix
    }

    /// The networks whose [header](Self::client_ip_header) is believed.
    #[must_use]
    pub fn trusted_proxies(&self) -> &[IpNet] {
        &self.trusted_proxies
    }

    /// The one header that names the client behind trusted proxies.
    #[must_use]
    pub fn client_ip_header(&self) -> ClientIpHeader {
        self.client_ip_header
    }

    /// The settings of a class.
    ///
    /// # Panics
    ///
    /// Never for a generated catalogue, whose [`index`](Catalogue::index) is a position in its
    /// [`ALL`](Catalogue::ALL).
    #[must_use]
    pub fn class(&self, class: C) -> &ClassConfig {
        self.classes.get(class.index()).expect("a class's index is its position in the catalogue")
    }

    /// The budget of each tenant for handlers that declare nothing.
    #[must_use]
    pub fn default_tenant(&self) -> Option<Limits> {
        self.default_tenant
    }

    /// The budget of each client address for handlers that declare nothing.
    #[must_use]
    pub fn default_ip(&self) -> Option<Limits> {
        self.default_ip
    }

    /// The rules that every request meets before routing, in their order.
    #[must_use]
    pub fn edge(&self) -> &[EdgeRule] {
        &self.edge
    }

    /// The policies, in the order of their names.
    #[must_use]
    pub fn policies(&self) -> &[PolicyConfig] {
        &self.policies
    }

    /// The shared backend.
    #[must_use]
    pub fn redis(&self) -> Option<&Redis> {
        self.redis.as_ref()
    }

    /// What looks like a mistake and is none for sure: variables of the environment that have the
    /// prefix and no meaning.
    ///
    /// They were also logged when the configuration was built.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl<C: Catalogue> Default for Config<C> {
    fn default() -> Self {
        read::read(&mut layers::Layers::new(schema::Schema::of::<C>()), Vec::new())
    }
}
