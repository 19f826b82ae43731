//! Header shapes with the client worked out by hand, and the two laws of the walk.

use std::net::{IpAddr, Ipv4Addr};

use http::header::{HeaderMap, HeaderName, HeaderValue};
use proptest::prelude::*;

use super::ClientIp;
use crate::config::ClientIpHeader;

/// The peer of every case is a trusted proxy.
const PROXY: &str = "10.0.0.1";

fn resolver(header: ClientIpHeader) -> ClientIp {
    let trusted = ["10.0.0.0/8", "fd00::/8", "2001:db8:ffff::1/128"];
    let trusted: Vec<_> = trusted.iter().map(|network| network.parse().unwrap()).collect();
    ClientIp::new(&trusted, header, 64)
}

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn headers(name: &'static str, lines: &[&[u8]]) -> HeaderMap {
    let name = HeaderName::from_static(name);
    let values = lines.iter().map(|line| HeaderValue::from_bytes(line).unwrap());
    values.map(|value| (name.clone(), value)).collect()
}

#[test]
fn x_forwarded_for_is_read_from_the_right() {
    let cases: &[(&[&[u8]], &str)] = &[
        // Nothing to read: the proxy itself.
        (&[], PROXY),
        (&[b""], PROXY),
        (&[b"   "], PROXY),
        (&[b",,,"], PROXY),
        // One hop.
        (&[b"192.0.2.7"], "192.0.2.7"),
        (&[b"  192.0.2.7\t"], "192.0.2.7"),
        (&[b"192.0.2.7:4711"], "192.0.2.7"),
        (&[b"2001:db8::7"], "2001:db8::7"),
        (&[b"[2001:db8::7]"], "2001:db8::7"),
        (&[b"[2001:db8::7]:4711"], "2001:db8::7"),
        (&[b"\"192.0.2.7\""], "192.0.2.7"),
        (&[b"\"[2001:db8::7]:4711\""], "2001:db8::7"),
        (&[b"::ffff:192.0.2.7"], "192.0.2.7"),
        (&[b"[::ffff:192.0.2.7]:4711"], "192.0.2.7"),
        (&[b"::FFFF:C000:0207"], "192.0.2.7"),
        (&[b"fe80::7%eth0"], "fe80::7"),
        (&[b"[fe80::7%25eth0]:4711"], "fe80::7"),
        // Several hops: the first from the right that is not trusted.
        (&[b"198.51.100.9, 192.0.2.7"], "192.0.2.7"),
        (&[b"198.51.100.9, 192.0.2.7, 10.1.2.3"], "192.0.2.7"),
        (&[b"198.51.100.9, 192.0.2.7, 10.1.2.3, fd00::3"], "192.0.2.7"),
        (&[b"192.0.2.7, ::ffff:10.1.2.3"], "192.0.2.7"),
        (&[b"192.0.2.7, [2001:db8:ffff::1]:443"], "192.0.2.7"),
        (&[b"192.0.2.7,10.1.2.3:99"], "192.0.2.7"),
        // All trusted: the leftmost.
        (&[b"10.9.9.9, 10.1.2.3"], "10.9.9.9"),
        // Empty elements are no hops.
        (&[b"192.0.2.7, , ,10.1.2.3,"], "192.0.2.7"),
        (&[b",192.0.2.7"], "192.0.2.7"),
        // Several lines are one list.
        (&[b"192.0.2.7", b"10.1.2.3"], "192.0.2.7"),
        (&[b"198.51.100.9", b"192.0.2.7, 10.1.2.3", b"", b"10.3.3.3"], "192.0.2.7"),
        (&[b"10.1.2.3", b"192.0.2.7"], "192.0.2.7"),
        // An unreadable hop ends the walk at the last good one.
        (&[b"192.0.2.7, unknown"], PROXY),
        (&[b"192.0.2.7, unknown, 10.1.2.3"], "10.1.2.3"),
        (&[b"192.0.2.7, _secret, 10.1.2.3"], "10.1.2.3"),
        (&[b"198.51.100.9, 192.0.2.7:port"], PROXY),
        (&[b"192.0.2.7:"], PROXY),
        (&[b"192.0.2.7:123456"], PROXY),
        (&[b"192.0.2.256"], PROXY),
        (&[b"192.0.2"], PROXY),
        (&[b"192.0.2.07"], PROXY),
        (&[b"3221226247"], PROXY),
        (&[b"0xc0.0.2.7"], PROXY),
        (&[b"[192.0.2.7]"], PROXY),
        (&[b"[2001:db8::7"], PROXY),
        (&[b"2001:db8::7]"], PROXY),
        (&[b"[2001:db8::7]4711"], PROXY),
        (&[b"[2001:db8::7]:"], PROXY),
        (&[b"2001:db8::7::1"], PROXY),
        (&[b"fe80::7%"], PROXY),
        (&[b"192.0.2.7%eth0"], PROXY),
        (&[b"\"192.0.2.7"], PROXY),
        (&[b"192.0.2.7 198.51.100.9"], PROXY),
        (&[b"192.0.2.7;198.51.100.9"], PROXY),
        (&[b"for=192.0.2.7"], PROXY),
        (&[b"example.org"], PROXY),
        (&[b"\xff\xfe"], PROXY),
        (&[b"192.0.2.7, \xc3\x28, 10.1.2.3"], "10.1.2.3"),
    ];
    let resolver = resolver(ClientIpHeader::XForwardedFor);
    for (lines, expected) in cases {
        let headers = headers("x-forwarded-for", lines);
        let shown: Vec<_> = lines.iter().map(|line| String::from_utf8_lossy(line)).collect();
        assert_eq!(resolver.resolve(address(PROXY), &headers), address(expected), "{shown:?}");
    }
}

#[test]
fn forwarded_is_read_from_the_right() {
    let cases: &[(&[&[u8]], &str)] = &[
        (&[], PROXY),
        (&[b""], PROXY),
        (&[b"for=192.0.2.7"], "192.0.2.7"),
        (&[b"For=192.0.2.7"], "192.0.2.7"),
        (&[b"FOR=\"192.0.2.7\""], "192.0.2.7"),
        (&[b"for=\"192.0.2.7:4711\""], "192.0.2.7"),
        (&[b"for=\"[2001:db8::7]\""], "2001:db8::7"),
        (&[b"for=\"[2001:db8::7]:4711\""], "2001:db8::7"),
        (&[b"for=\"[2001:db8::7]:_http\""], "2001:db8::7"),
        (&[b"for=\"[::ffff:192.0.2.7]\""], "192.0.2.7"),
        (&[b"for=192.0.2.7;proto=http;by=10.0.0.1"], "192.0.2.7"),
        (&[b"by=10.0.0.1;proto=http;for=192.0.2.7"], "192.0.2.7"),
        (&[b"by=10.0.0.1 ; for=192.0.2.7 ; proto=https"], "192.0.2.7"),
        (&[b";;for=192.0.2.7;"], "192.0.2.7"),
        (&[b"for=192.0.2.7;host=\"a,b;for=198.51.100.9\""], "192.0.2.7"),
        (&[b"host=\"a\\\",for=198.51.100.9\";for=192.0.2.7"], "192.0.2.7"),
        (&[b"host=\"a,b\\\"c\";for=192.0.2.7"], "192.0.2.7"),
        (&[b"for=\"192\\.0.2\\.7\""], "192.0.2.7"),
        (&[b"for=198.51.100.9, for=192.0.2.7, for=10.1.2.3"], "192.0.2.7"),
        (&[b"for=198.51.100.9", b"for=192.0.2.7;by=x", b"for=\"10.1.2.3\""], "192.0.2.7"),
        (&[b"for=192.0.2.7,,, for=10.1.2.3,"], "192.0.2.7"),
        (&[b"for=10.9.9.9, for=10.1.2.3"], "10.9.9.9"),
        // Not quoted, as some proxies write it.
        (&[b"for=192.0.2.7:4711"], "192.0.2.7"),
        (&[b"for=[2001:db8::7]:4711"], "2001:db8::7"),
        (&[b"for=2001:db8::7"], "2001:db8::7"),
        // What an enemy wrote on the left does not hide what the proxy wrote on the right.
        (&[b"for=\"198.51.100.9, for=192.0.2.7"], "192.0.2.7"),
        (&[b"for=\"198.51.100.9, for=\"[2001:db8::7]\""], "2001:db8::7"),
        (&[b"\\, for=\"[2001:db8::7]\""], "2001:db8::7"),
        // Unreadable hops.
        (&[b"for=192.0.2.7, for=unknown"], PROXY),
        (&[b"for=192.0.2.7, for=unknown, for=10.1.2.3"], "10.1.2.3"),
        (&[b"for=192.0.2.7, for=\"_gazonk\""], PROXY),
        // Escapes are for quoted strings, and a hidden port is a name of certain characters.
        (&[b"for=192\\.0.2.7"], PROXY),
        (&[b"for=\"192.0.2.7:_\""], PROXY),
        (&[b"for=\"192.0.2.7:_ht!tp\""], PROXY),
        (&[b"for=\"192.0.2.7:_a.b-c_1\""], "192.0.2.7"),
        (&[b"for=192.0.2.7, proto=http"], PROXY),
        (&[b"for=192.0.2.7, by=10.0.0.1, for=10.1.2.3"], "10.1.2.3"),
        (&[b"for=192.0.2.7;for=198.51.100.9"], PROXY),
        (&[b"for="], PROXY),
        (&[b"for=\"\""], PROXY),
        (&[b"for"], PROXY),
        (&[b"=192.0.2.7"], PROXY),
        (&[b"for =192.0.2.7"], PROXY),
        (&[b"for= 192.0.2.7"], PROXY),
        (&[b"for=\"192.0.2.7"], PROXY),
        (&[b"for=192.0.2.7\""], PROXY),
        (&[b"for=\"192.0.2.7\\\""], PROXY),
        (&[b"for=\"192.0.2.7\"x"], PROXY),
        (&[b"for=192.0.2.7;secret"], PROXY),
        (&[b"192.0.2.7"], PROXY),
        (&[b"for=\xff"], PROXY),
    ];
    let resolver = resolver(ClientIpHeader::Forwarded);
    for (lines, expected) in cases {
        let headers = headers("forwarded", lines);
        let shown: Vec<_> = lines.iter().map(|line| String::from_utf8_lossy(line)).collect();
        assert_eq!(resolver.resolve(address(PROXY), &headers), address(expected), "{shown:?}");
    }
}

#[test]
fn only_the_header_that_was_chosen_is_read() {
    let mut both = headers("x-forwarded-for", &[b"192.0.2.7"]);
    both.extend(headers("forwarded", &[b"for=198.51.100.9"]));
    let by_x_forwarded_for = resolver(ClientIpHeader::XForwardedFor);
    assert_eq!(by_x_forwarded_for.resolve(address(PROXY), &both), address("192.0.2.7"));
    let by_forwarded = resolver(ClientIpHeader::Forwarded);
    assert_eq!(by_forwarded.resolve(address(PROXY), &both), address("198.51.100.9"));
}

#[test]
fn a_mapped_peer_is_trusted_like_the_address_it_maps() {
    let resolver = resolver(ClientIpHeader::XForwardedFor);
    let headers = headers("x-forwarded-for", &[b"192.0.2.7"]);
    assert_eq!(resolver.resolve(address("::ffff:10.0.0.1"), &headers), address("192.0.2.7"));
    assert_eq!(resolver.resolve(address("::ffff:11.0.0.1"), &headers), address("11.0.0.1"));
}

#[test]
fn a_mapped_network_is_trusted_like_the_network_it_maps() {
    let trusted = ["::ffff:10.0.0.0/104".parse().unwrap()];
    let resolver = ClientIp::new(&trusted, ClientIpHeader::XForwardedFor, 64);
    let headers = headers("x-forwarded-for", &[b"192.0.2.7"]);
    assert_eq!(resolver.resolve(address(PROXY), &headers), address("192.0.2.7"));
}

#[test]
fn a_chain_is_not_followed_without_end() {
    let resolver = resolver(ClientIpHeader::XForwardedFor);
    let chain = format!("192.0.2.7{}", ", 10.1.2.3".repeat(10_000));
    let headers = headers("x-forwarded-for", &[chain.as_bytes()]);
    assert_eq!(resolver.resolve(address(PROXY), &headers), address("10.1.2.3"));
}

#[test]
fn an_element_is_not_followed_without_end() {
    let resolver = resolver(ClientIpHeader::Forwarded);
    let long = format!("for=192.0.2.7;host=\"{}\"", "x".repeat(100_000));
    let headers = headers("forwarded", &[long.as_bytes()]);
    assert_eq!(resolver.resolve(address(PROXY), &headers), address(PROXY));
}

#[test]
fn ipv6_is_masked_to_its_network_and_ipv4_is_not() {
    let resolver = resolver(ClientIpHeader::XForwardedFor);
    let masked = |text| resolver.masked(address(text));
    assert_eq!(masked("2001:db8:1:2:3:4:5:6"), address("2001:db8:1:2::"));
    assert_eq!(masked("192.0.2.7"), address("192.0.2.7"));
    // Unmapped first, or every IPv4 client would be one.
    assert_eq!(masked("::ffff:192.0.2.7"), address("192.0.2.7"));
    let with_prefix = |prefix| {
        let resolver = ClientIp::new(&[], ClientIpHeader::XForwardedFor, prefix);
        resolver.masked(address("2001:db8:1:2:3:4:5:6"))
    };
    assert_eq!(with_prefix(8), address("2000::"));
    assert_eq!(with_prefix(48), address("2001:db8:1::"));
    assert_eq!(with_prefix(128), address("2001:db8:1:2:3:4:5:6"));
}

/// Lines made of what such headers are made of, in any order, and of anything else.
fn lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = prop_oneof![
        Just(b"for=".to_vec()),
        Just(b"192.0.2.7".to_vec()),
        Just(b"10.1.2.3".to_vec()),
        Just(b"[2001:db8::7]:80".to_vec()),
        Just(b"::ffff:10.1.2.3".to_vec()),
        Just(b", ".to_vec()),
        Just(b";".to_vec()),
        Just(b"\"".to_vec()),
        Just(b"\\".to_vec()),
        prop::collection::vec(32_u8..127, 0..6),
        prop::collection::vec(128_u8..=255, 0..3),
    ];
    let line = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    prop::collection::vec(line, 0..4)
}

fn any_header() -> impl Strategy<Value = ClientIpHeader> {
    prop_oneof![Just(ClientIpHeader::XForwardedFor), Just(ClientIpHeader::Forwarded)]
}

fn claims(lines: &[Vec<u8>]) -> HeaderMap {
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let mut all = headers("x-forwarded-for", &lines);
    all.extend(headers("forwarded", &lines));
    all
}

proptest! {
    #[test]
    fn headers_of_an_untrusted_peer_never_change_the_result(
        header in any_header(),
        lines in lines(),
        peer in any::<u32>().prop_map(Ipv4Addr::from_bits),
    ) {
        prop_assume!(peer.octets()[0] != 10);
        let client = resolver(header).resolve(peer.into(), &claims(&lines));
        prop_assert_eq!(client, IpAddr::V4(peer));
    }

    #[test]
    fn the_result_is_never_left_of_an_untrusted_hop(
        header in any_header(),
        lines in lines(),
        trusted_hops in 0_usize..5,
    ) {
        // Whatever the client sent, the proxies appended its address and then their own.
        let (client, own) = match header {
            ClientIpHeader::Forwarded => ("for=203.0.113.5", ", for=\"10.1.2.3\""),
            ClientIpHeader::XForwardedFor => ("203.0.113.5", ", 10.1.2.3"),
        };
        let honest = format!("{client}{}", own.repeat(trusted_hops)).into_bytes();
        let mut in_the_same_line = lines.clone();
        match in_the_same_line.last_mut() {
            Some(last) => last.extend([b", ".as_slice(), &honest].concat()),
            None => in_the_same_line.push(honest.clone()),
        }
        let mut in_a_line_of_its_own = lines;
        in_a_line_of_its_own.push(honest);
        for lines in [in_the_same_line, in_a_line_of_its_own] {
            let found = resolver(header).resolve(address(PROXY), &claims(&lines));
            prop_assert_eq!(found, address("203.0.113.5"));
        }
    }
}
