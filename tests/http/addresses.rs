//! Whose bucket a request takes from when a header claims addresses, counted by hand at a bucket of one token.

use std::sync::Arc;

use http::HeaderValue;
use tollgate::http::{Checked, Gate, RequestView};
use tollgate::{Class, Config};

use super::support::{EXPORT, builder_with, request};

/// A proxy that is trusted.
const PROXY: &str = "10.0.0.1";

/// A gate behind `10.0.0.0/8`, in front of one token for each client address.
fn gate() -> Gate {
    let config = Config::builder()
        .trusted_proxies(["10.0.0.0/8".parse().expect("a network")])
        .class(Class::Export, |class| class.per_minute(1).burst(1))
        .build();
    builder_with(&config.expect("limits in range"), &Arc::default())
        .build()
        .expect("no custom keys")
}

async fn admits(gate: &Gate, peer: &str, claim: &str) -> bool {
    let mut parts = request();
    parts.headers.insert("x-forwarded-for", HeaderValue::from_str(claim).expect("printable"));
    let view = RequestView::new(&parts).peer(peer.parse().ok());
    matches!(gate.check(&EXPORT, &view).await, Checked::Admitted(_))
}

/// How many of these claims, which a proxy passed on, are admitted.
async fn admitted(gate: &Gate, claims: impl IntoIterator<Item = String>) -> usize {
    let mut admitted = 0;
    for claim in claims {
        admitted += usize::from(admits(gate, PROXY, &claim).await);
    }
    admitted
}

#[tokio::test]
async fn a_thousand_forged_addresses_share_the_bucket_of_the_client_that_wrote_them() {
    let forged = |n: u32| format!("198.51.{}.{}, 192.0.2.7", n / 256, n % 256);
    assert_eq!(admitted(&gate(), (0..1_000).map(forged)).await, 1);
    // Whoever is no proxy claims in vain.
    let gate = gate();
    assert!(admits(&gate, "192.0.2.8", &forged(1)).await);
    assert!(!admits(&gate, "192.0.2.8", &forged(2)).await);
}

#[tokio::test]
async fn a_hop_with_a_port_is_the_client_and_not_what_stands_left_of_it() {
    let gate = gate();
    assert!(admits(&gate, PROXY, "198.51.100.9, 192.0.2.7:4711").await);
    assert!(!admits(&gate, PROXY, "198.51.100.10, 192.0.2.7:4712").await);
    assert!(admits(&gate, PROXY, "198.51.100.9, [2001:db8::7]:4711").await);
    assert!(!admits(&gate, PROXY, "198.51.100.10, [2001:db8::7]:4712").await);
    // Nobody has taken from the bucket of the forged address.
    assert!(admits(&gate, PROXY, "198.51.100.9").await);
}

#[tokio::test]
async fn mapped_addresses_are_as_many_clients_as_they_map() {
    let gate = gate();
    assert!(admits(&gate, PROXY, "[::ffff:1.2.3.4]").await);
    assert!(admits(&gate, PROXY, "[::ffff:9.9.9.9]").await);
    assert!(!admits(&gate, PROXY, "1.2.3.4").await);
    assert!(!admits(&gate, "::ffff:9.9.9.9", "").await);
}

#[tokio::test]
async fn a_client_cannot_rotate_through_its_network() {
    let gate = gate();
    let of_one_network = (0..1_000).map(|n| format!("2001:db8:0:1:{n:x}::{n:x}"));
    assert_eq!(admitted(&gate, of_one_network).await, 1);
    assert!(admits(&gate, PROXY, "2001:db8:0:2::1").await);
}

#[tokio::test]
async fn the_address_of_a_load_balancer_is_nobodys_bucket() {
    let gate = gate();
    let clients = (0..1_000).map(|n| format!("198.51.{}.{}", n / 256, n % 256));
    assert_eq!(admitted(&gate, clients).await, 1_000);
    assert!(admits(&gate, PROXY, "").await, "its own bucket is still full");
}
