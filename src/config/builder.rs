//! [`ConfigBuilder`]: collects settings from every source, then checks them all.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::marker::PhantomData;
use std::time::Duration;

use ipnet::IpNet;

use super::Config;
use super::choices::{ClientIpHeader, Mode};
use super::code::{ClassBuilder, Code, EdgeBuilder, PolicyBuilder};
use super::environment;
use super::fault::{Fault, Faults, Origin, Problem};
use super::keys::{self, AnyKey};
use super::layers::Layers;
use super::read::{ROOT, SERVER, read};
use super::redis;
use super::schema::Schema;
use super::value::{Settings, Value};
use crate::catalogue::Catalogue;

/// Collects the settings of a [`Config`].
///
/// The order of the calls does not matter across sources: the environment is laid over the files,
/// the files over the code, the code over the catalogue. Within one source the later call wins.
#[derive(Clone)]
#[must_use = "nothing is checked before `build`"]
pub struct ConfigBuilder<C: Catalogue> {
    code: Code,
    edge_rules: usize,
    policies: Vec<String>,
    files: Vec<Settings>,
    environment: Vec<(OsString, OsString)>,
    environment_prefix: String,
    catalogue: PhantomData<C>,
}

impl<C: Catalogue> ConfigBuilder<C> {
    pub(super) fn new() -> Self {
        Self {
            code: Code::default(),
            edge_rules: 0,
            policies: Vec::new(),
            files: Vec::new(),
            environment: Vec::new(),
            environment_prefix: String::new(),
            catalogue: PhantomData,
        }
    }

    /// Whether anything is limited.
    pub fn enabled(self, enabled: bool) -> Self {
        self.set(ROOT, &keys::ENABLED, Value::Boolean(enabled))
    }

    /// The size of the registry that all classes share which have none of their own.
    pub fn max_tracked_keys(self, slots: u64) -> Self {
        self.set(ROOT, &keys::MAX_TRACKED_KEYS, Value::integer(slots))
    }

    /// The time between two sweeps.
    pub fn sweep_interval(self, interval: Duration) -> Self {
        self.set(ROOT, &keys::SWEEP_INTERVAL, Value::Duration(interval))
    }

    /// Where the buckets of classes live that say nothing themselves.
    pub fn default_mode(self, mode: Mode) -> Self {
        self.set(ROOT, &keys::DEFAULT_MODE, Value::word(mode.word()))
    }

    /// The length of the network by which IPv6 addresses are counted, in bits.
    pub fn ipv6_prefix(self, bits: u8) -> Self {
        self.set(ROOT, &keys::IPV6_PREFIX, Value::integer(bits))
    }

    /// The secret behind the physical keys of clustered classes, of 32 bytes or more.
    pub fn key_secret(self, secret: &str) -> Self {
        self.set(ROOT, &keys::KEY_SECRET, Value::word(secret))
    }

    /// The networks whose header is believed.
    pub fn trusted_proxies(self, networks: impl IntoIterator<Item = IpNet>) -> Self {
        let networks = networks.into_iter().map(|network| Value::Text(network.to_string()));
        self.set(SERVER, &keys::TRUSTED_PROXIES, Value::List(networks.collect()))
    }

    /// The one header that names the client behind trusted proxies.
    pub fn client_ip_header(self, header: ClientIpHeader) -> Self {
        self.set(SERVER, &keys::CLIENT_IP_HEADER, Value::word(header.word()))
    }

    /// Sets keys of a class.
    ///
    /// ```
    /// use tollgate::{Class, Config};
    ///
    /// let config = Config::<Class>::builder()
    ///     .class(Class::Read, |class| class.per_minute(60).burst(10))
    ///     .build()?;
    /// assert_eq!(config.class(Class::Read).limits().capacity(), 10);
    /// # Ok::<(), tollgate::config::Faults>(())
    /// ```
    pub fn class(mut self, class: C, set: impl FnOnce(ClassBuilder) -> ClassBuilder) -> Self {
        self.code.extend(set(ClassBuilder::new(class.definition().name)).code());
        self
    }

    /// The budget of each tenant for handlers that declare nothing.
    pub fn default_tenant(self, per_minute: u64, burst: u64) -> Self {
        self.budget("ratelimit.defaults.tenant", per_minute, burst)
    }

    /// The budget of each client address for handlers that declare nothing.
    pub fn default_ip(self, per_minute: u64, burst: u64) -> Self {
        self.budget("ratelimit.defaults.ip", per_minute, burst)
    }

    /// Adds a rule that every request meets before routing, after those that were added before.
    ///
    /// A file that has edge rules replaces all of these.
    pub fn edge(mut self, set: impl FnOnce(EdgeBuilder) -> EdgeBuilder) -> Self {
        self.code.extend(set(EdgeBuilder::new(self.edge_rules)).code());
        self.edge_rules += 1;
        self
    }

    /// Adds a policy, for what the catalogue has no class for.
    ///
    /// A file that has a policy of this name replaces all of it. Two policies of one name are a
    /// fault.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tollgate::{Class, Config};
    ///
    /// let config = Config::<Class>::builder()
    ///     .policy("search-quota", |policy| {
    ///         policy.tokens(1_000).period(Duration::from_secs(3_600)).capacity(50)
    ///     })
    ///     .build()?;
    /// assert_eq!(config.policies()[0].name(), "search-quota");
    /// # Ok::<(), tollgate::config::Faults>(())
    /// ```
    pub fn policy(mut self, name: &str, set: impl FnOnce(PolicyBuilder) -> PolicyBuilder) -> Self {
        self.code.extend(set(PolicyBuilder::new(name)).code());
        self.policies.push(name.to_owned());
        self
    }

    /// The backend that clustered classes share.
    ///
    /// `url` starts with `redis://` or `rediss://`, `namespace` is the first part of every physical
    /// key, and `operation_timeout` is how long one operation may take before the failure mode
    /// decides.
    pub fn redis(self, url: &str, namespace: &str, operation_timeout: Duration) -> Self {
        self.set(redis::TABLE, &keys::REDIS_URL, Value::word(url))
            .set(redis::TABLE, &keys::REDIS_NAMESPACE, Value::word(namespace))
            .set(redis::TABLE, &keys::OPERATION_TIMEOUT, Value::Duration(operation_timeout))
    }

    /// How much longer than its time to full a clustered bucket is kept.
    pub fn expiration_slack(self, slack: Duration) -> Self {
        self.set(redis::TABLE, &keys::EXPIRATION_SLACK, Value::Duration(slack))
    }

    fn budget(self, table: &str, per_minute: u64, burst: u64) -> Self {
        self.set(table, &keys::PER_MINUTE, Value::integer(per_minute)).set(
            table,
            &keys::BURST,
            Value::integer(burst),
        )
    }

    fn set(mut self, table: &str, key: &dyn AnyKey, value: Value) -> Self {
        self.code.set(table, key, value);
        self
    }

    /// Adds the settings of a file, read by any format's own deserializer into [`Settings`].
    pub fn file(mut self, settings: Settings) -> Self {
        self.files.push(settings);
        self
    }

    /// Adds the variables of the environment: pairs of name and value.
    ///
    /// `ratelimit.rl.read.per_minute` is `RATELIMIT_RL_READ_PER_MINUTE`: every letter in upper
    /// case, everything else an underscore. Lists are separated by commas.
    ///
    /// Pass [`std::env::vars_os()`]; [`std::env::vars()`] panics when any variable of the process
    /// is not Unicode.
    pub fn environment<N, V>(mut self, variables: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<OsString>,
        V: Into<OsString>,
    {
        self.environment
            .extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Puts `prefix` before the name of every variable: with `ACME_`, the settings are
    /// `ACME_RATELIMIT_...` and `ACME_SERVER_...`.
    pub fn environment_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.environment_prefix = prefix.into();
        self
    }

    /// Checks everything.
    ///
    /// # Errors
    ///
    /// Every fault of every source, also of values that another source replaces.
    pub fn build(self) -> Result<Config<C>, Faults> {
        let mut layers = Layers::new(Schema::of::<C>());
        for (path, value) in self.code.settings() {
            layers.set(path, value, &Origin::Code);
        }
        layers.faults.extend(repeated(self.policies));
        for file in self.files {
            layers.add(file.0, &Origin::File);
        }
        let warnings = environment::read(&mut layers, &self.environment_prefix, self.environment);
        let config = read(&mut layers, warnings);
        Faults::unless_empty(layers.faults).map(|()| config)
    }
}

/// A fault for each policy that code makes twice.
fn repeated(policies: Vec<String>) -> impl Iterator<Item = Fault> {
    let mut seen = BTreeSet::new();
    policies.into_iter().filter_map(move |name| {
        let path = format!("ratelimit.policies.{name}");
        let first = seen.insert(name);
        (!first).then(|| Fault::new(path, Problem::Repeated).from(&Origin::Code))
    })
}

impl<C: Catalogue> std::fmt::Debug for ConfigBuilder<C> {
    /// Names nothing: the environment holds secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConfigBuilder").finish_non_exhaustive()
    }
}
