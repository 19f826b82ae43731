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
    pub(crate) client_ip_header: ClientIpHeader,
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
    pub(crate) anonymous: Anonymous,
}

/// Whose bucket an anonymous caller takes from in a class that is keyed by an identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Anonymous {
    /// Nobody's: the request is not limited.
    Bypass,
    /// The bucket of its address.
    #[default]
    ClientIp,
    /// Nobody's: the request is answered with 401.
    Deny,
    /// One bucket for all anonymous callers together.
    Shared,
}

/// The one header that may name the client, when the peer is a trusted proxy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientIpHeader {
    /// `Forwarded` (RFC 7239).
    Forwarded,
    /// `X-Forwarded-For`.
    #[default]
    XForwardedFor,
}

/// What becomes of a request that lacks the header it is keyed by, or has it more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MissingHeader {
    /// It is not limited.
    Bypass,
    /// It takes from one bucket with all others like it.
    #[default]
    Shared,
}

impl<C: Catalogue> Default for Config<C> {
    fn default() -> Self {
        Self {
            enabled: true,
            max_tracked_keys: 100_000,
            sweep_interval: Duration::from_secs(60),
            ipv6_prefix: 64,
            trusted_proxies: Vec::new(),
            client_ip_header: ClientIpHeader::default(),
            classes: C::ALL
                .iter()
                .map(|class| ClassConfig {
                    enabled: true,
                    shadow: false,
                    limits: class.definition().limits,
                    anonymous: Anonymous::default(),
                })
                .collect(),
            catalogue: PhantomData,
        }
    }
}
