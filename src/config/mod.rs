//! [`Config`]: every setting of a limiter and its gate, checked as a whole.

use std::marker::PhantomData;
use std::time::Duration;

use ipnet::IpNet;

use crate::Class;
use crate::catalogue::Catalogue;
use crate::limits::Limits;

/// The checked settings of a limiter and its gate; the default is the catalogue's.
#[derive(Clone, Debug)]
pub struct Config<C: Catalogue = Class> {
    pub(crate) enabled: bool,
    pub(crate) max_tracked_keys: u64,
    pub(crate) sweep_interval: Duration,
    pub(crate) ipv6_prefix: u8,
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// One entry a class, in the catalogue's order.
    pub(crate) classes: Vec<ClassConfig>,
    catalogue: PhantomData<C>,
}

/// The settings of one class.
#[derive(Clone, Debug)]
pub(crate) struct ClassConfig {
    pub(crate) enabled: bool,
    pub(crate) shadow: bool,
    pub(crate) limits: Limits,
}

impl<C: Catalogue> Default for Config<C> {
    fn default() -> Self {
        Self {
            enabled: true,
            max_tracked_keys: 100_000,
            sweep_interval: Duration::from_secs(60),
            ipv6_prefix: 64,
            trusted_proxies: Vec::new(),
            classes: C::ALL
                .iter()
                .map(|class| ClassConfig {
                    enabled: true,
                    shadow: false,
                    limits: class.definition().limits,
                })
                .collect(),
            catalogue: PhantomData,
        }
    }
}
