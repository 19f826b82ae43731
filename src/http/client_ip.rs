//! [`ClientIp`]: whose address a request comes from, when it may have passed through proxies.

mod hop;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv6Addr};

use http::header::{FORWARDED, HeaderMap, HeaderName};
use ipnet::{IpNet, Ipv4Net};

use crate::catalogue::Catalogue;
use crate::config::{ClientIpHeader, Config};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The hops that are looked at, empty ones included; no honest chain is nearly as long.
const MOST_HOPS: usize = 64;

/// Finds the address of the client.
///
/// The header is a claim, and every proxy on the way appends what it saw, so its end is worth as
/// much as the peer is trusted and everything before an untrusted hop is worth nothing. The walk
/// therefore goes from the peer leftwards through trusted hops, ends at the first that is not
/// trusted, and never goes beyond a hop that it cannot read.
#[derive(Clone, Debug)]
pub(super) struct ClientIp {
    trusted: Vec<IpNet>,
    header: ClientIpHeader,
    ipv6_mask: u128,
}

impl ClientIp {
    /// As a configuration says.
    pub(super) fn of<C: Catalogue>(config: &Config<C>) -> Self {
        Self::new(&config.trusted_proxies, config.client_ip_header, config.ipv6_prefix)
    }

    /// `ipv6_prefix` is 8 to 128, which the configuration has checked.
    pub(super) fn new(trusted: &[IpNet], header: ClientIpHeader, ipv6_prefix: u8) -> Self {
        let host_bits = 128_u32.saturating_sub(ipv6_prefix.into());
        Self {
            trusted: trusted.iter().copied().map(unmap).collect(),
            header,
            ipv6_mask: u128::MAX.checked_shl(host_bits).unwrap_or(0),
        }
    }

    /// The full address of the client behind `peer`, unmapped.
    #[inline]
    pub(super) fn resolve(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let peer = canonical(peer);
        if !self.trusts(peer) {
            // As nearly every service without a proxy: the header is not even looked for.
            return peer;
        }
        self.behind(peer, headers)
    }

    /// The client behind a proxy that is trusted.
    fn behind(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        match self.header {
            ClientIpHeader::XForwardedFor => {
                let lines = headers.get_all(X_FORWARDED_FOR).iter().rev();
                let hops = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
                self.walk(peer, hops, hop::x_forwarded_for)
            }
            ClientIpHeader::Forwarded => {
                let lines = headers.get_all(FORWARDED).iter().rev();
                let hops = lines.flat_map(|line| hop::elements_from_the_right(line.as_bytes()));
                self.walk(peer, hops, hop::forwarded)
            }
        }
    }

    /// The address by which clients are told apart: IPv6 by its network, IPv4 in full.
    #[inline]
    pub(super) fn masked(&self, address: IpAddr) -> IpAddr {
        match canonical(address) {
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & self.ipv6_mask)),
            IpAddr::V4(v4) => IpAddr::V4(v4),
        }
    }

    fn walk<'a>(
        &self,
        peer: IpAddr,
        hops: impl Iterator<Item = &'a [u8]>,
        read: impl Fn(&[u8]) -> Option<IpAddr>,
    ) -> IpAddr {
        let mut client = peer;
        for hop in hops.take(MOST_HOPS).map(<[u8]>::trim_ascii).filter(|hop| !hop.is_empty()) {
            if !self.trusts(client) {
                break;
            }
            match read(hop) {
                Some(address) => client = address.to_canonical(),
                None => break,
            }
        }
        client
    }

    #[inline]
    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }
}

/// The same as [`IpAddr::to_canonical`], which copies sixteen bytes also where only four were written, and then has to wait
/// for them.
#[inline]
fn canonical(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => v6.to_canonical(),
    }
}

/// A network of IPv4-mapped addresses is the IPv4 network that it maps.
fn unmap(network: IpNet) -> IpNet {
    let IpNet::V6(v6) = network else { return network };
    let mapped = v6.prefix_len().checked_sub(96).zip(v6.addr().to_ipv4_mapped());
    mapped
        .and_then(|(prefix, address)| Ipv4Net::new(address, prefix).ok())
        .map_or(network, IpNet::V4)
}
