//! The client is what a trusted proxy saw, whatever the client wrote into the header before.

use std::net::IpAddr;
use std::sync::LazyLock;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use tollgate::config::ClientIpHeader;
use tollgate::http::{Gate, RequestView};
use tollgate::{Config, Limiter};

/// A network of proxies that are trusted, and the one that is nearest.
const TRUSTED: &str = "10.0.0.0/8";
const PROXY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
/// Whoever wrote the case.
const CLIENT: &str = "203.0.113.5";
/// More hops than are looked at.
const MANY: usize = 64;

static GATES: LazyLock<[Gate; 2]> = LazyLock::new(|| {
    [ClientIpHeader::XForwardedFor, ClientIpHeader::Forwarded].map(|header| {
        let trusted = [TRUSTED.parse().expect("a network")];
        let config = Config::builder().max_tracked_keys(1).client_ip_header(header);
        let config = config.trusted_proxies(trusted).build().expect("settings in range");
        let limiter = Limiter::new(&config).expect("one slot");
        Gate::builder(limiter).build().expect("no custom keys")
    })
});

/// The first byte says which header and how many proxies there are, the rest is lines of that header.
pub fn holds(data: &[u8]) {
    let Some((first, claims)) = data.split_first() else { return };
    let forwarded = first % 2 == 1;
    let proxies = usize::from(first / 2 % 5);
    let claims: Vec<&[u8]> = claims.split(|byte| *byte == b'\n').collect();
    let hop = |address: &str| {
        if forwarded { format!("for={address}") } else { address.to_owned() }
    };
    let found = |peer: &str, lines: &[Vec<u8>]| client(forwarded, peer, lines);

    // Nothing that somebody wrote who is no proxy counts.
    let alone: Vec<Vec<u8>> = claims.iter().map(|claim| claim.to_vec()).collect();
    assert_eq!(found(CLIENT, &alone), CLIENT.parse().ok());

    // Each proxy appends what it saw, to the last line or in a line of its own.
    let seen = [vec![hop(CLIENT)], vec![hop("10.1.2.3"); proxies]].concat().join(", ");
    let unknown = [hop("unknown"), hop("10.1.2.3")].join(", ");
    let many = vec![hop("10.4.5.6"); MANY].join(",");
    for (appended, expected) in [(seen, CLIENT), (unknown, "10.1.2.3"), (many, "10.4.5.6")] {
        let mut own_line = alone.clone();
        own_line.push(appended.clone().into_bytes());
        let mut same_line = alone.clone();
        if let Some(last) = same_line.last_mut() {
            last.extend(format!(", {appended}").into_bytes());
        }
        for lines in [own_line, same_line] {
            let lossy = lines.iter().map(|line| String::from_utf8_lossy(line));
            let shown = lossy.collect::<Vec<_>>().join("\n");
            assert_eq!(found(&PROXY.to_string(), &lines), expected.parse().ok(), "{shown}");
        }
    }
}

fn client(forwarded: bool, peer: &str, lines: &[Vec<u8>]) -> Option<IpAddr> {
    let [by_x_forwarded_for, by_forwarded] = &*GATES;
    let (gate, name) = if forwarded {
        (by_forwarded, "forwarded")
    } else {
        (by_x_forwarded_for, "x-forwarded-for")
    };
    let mut parts: Parts = http::Request::new(()).into_parts().0;
    parts.headers = headers(name, lines);
    gate.client_ip(&RequestView::new(&parts).peer(peer.parse().ok()))
}

/// The lines as values of a header, in which no server accepts control characters.
fn headers(name: &'static str, lines: &[Vec<u8>]) -> HeaderMap {
    let name = HeaderName::from_static(name);
    let accepted = |byte: &u8| if byte.is_ascii_control() { b' ' } else { *byte };
    let values = lines.iter().map(|line| line.iter().map(accepted).collect::<Vec<u8>>());
    let values = values.filter_map(|line| HeaderValue::try_from(line).ok());
    values.map(|value| (name.clone(), value)).collect()
}
