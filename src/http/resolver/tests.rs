use std::net::IpAddr;

use http::HeaderValue;
use http::request::Parts;

use super::*;
use crate::config::ClientIpHeader;

const CLIENT: &str = "192.0.2.7";

fn resolver() -> Resolver {
    Resolver {
        client_ip: ClientIp::new(&[], ClientIpHeader::XForwardedFor, 64),
        callers: None,
        custom: None,
        peers: None,
        tiers: None,
        webhook_ids: None,
        complaint: Arc::new(Once::new()),
    }
}

fn parts() -> Parts {
    http::Request::new(()).into_parts().0
}

fn wanted(kind: KeyKind, anonymous: Anonymous) -> Wanted<'static> {
    Wanted { name: "rl.test", kind, anonymous, missing: MissingHeader::Shared }
}

/// What a request is, in words: kind and value.
fn resolved(
    resolver: &Resolver,
    wanted: Wanted<'_>,
    request: &RequestView<'_>,
    caller: &Caller,
) -> String {
    match resolver.resolve(wanted, request, caller) {
        Resolution::Bypass => "bypass".to_owned(),
        Resolution::Unresolved => "unresolved".to_owned(),
        Resolution::Subject(Subject(identity)) => words(identity),
    }
}

fn words(identity: Identity<'_>) -> String {
    match identity {
        Identity::Actor(id) => format!("actor {id}"),
        Identity::Agent(id) => format!("agent {id}"),
        Identity::Anonymous => "anonymous".to_owned(),
        Identity::Client(id) => format!("client {id}"),
        Identity::ClientIp(address) => format!("address {address}"),
        Identity::Connection(id) => format!("connection {id}"),
        Identity::Custom(key) => format!("custom {}", key == Key::new("a key")),
        Identity::Device(id) => format!("device {id}"),
        Identity::EffectivePrincipal(id) => format!("effective {id}"),
        Identity::Everybody => "everybody".to_owned(),
        Identity::Header(value) => format!("header {}", String::from_utf8_lossy(&value)),
        Identity::Host(id) => format!("host {id}"),
        Identity::Human(id) => format!("human {id}"),
        Identity::Tenant(id) => format!("tenant {id}"),
        Identity::Token(id) => format!("token {id}"),
        Identity::UnknownClient => "unknown".to_owned(),
        Identity::Webhook(id) => format!("webhook {id}"),
        Identity::WithoutHeader => "without header".to_owned(),
    }
}

fn of_caller(kind: KeyKind, anonymous: Anonymous, caller: &Caller) -> String {
    let parts = parts();
    let request = RequestView::new(&parts).peer(CLIENT.parse().ok());
    resolved(&resolver(), wanted(kind, anonymous), &request, caller)
}

const OF_THE_CALLER: [KeyKind; 6] = [
    KeyKind::Agent,
    KeyKind::Client,
    KeyKind::DeviceOrToken,
    KeyKind::EffectivePrincipal,
    KeyKind::Human,
    KeyKind::Principal,
];

fn complete() -> Caller {
    Caller::principal("alice")
        .agent("bot")
        .client("app")
        .device("phone")
        .effective_principal("carol")
        .host("h-1")
        .human("dave")
        .tenant("acme")
        .token("t-1")
}

#[test]
fn each_kind_takes_its_own_part_of_the_caller() {
    let cases = [
        (KeyKind::Agent, "agent bot"),
        (KeyKind::Client, "client app"),
        (KeyKind::ClientIp, "address 192.0.2.7"),
        (KeyKind::DeviceOrToken, "device phone"),
        (KeyKind::EffectivePrincipal, "effective carol"),
        (KeyKind::Global, "everybody"),
        (KeyKind::Host, "host h-1"),
        (KeyKind::Human, "human dave"),
        (KeyKind::Principal, "actor alice"),
        (KeyKind::Tenant, "tenant acme"),
    ];
    for (kind, expected) in cases {
        assert_eq!(of_caller(kind, Anonymous::ClientIp, &complete()), expected);
    }
}

#[test]
fn a_token_stands_in_for_a_missing_device_and_the_actor_for_a_missing_effective_principal() {
    let caller = Caller::principal("alice").token("t-1").device("");
    let of = |kind| of_caller(kind, Anonymous::ClientIp, &caller);
    assert_eq!(of(KeyKind::DeviceOrToken), "token t-1");
    assert_eq!(of(KeyKind::EffectivePrincipal), "effective alice");
}

#[test]
fn an_anonymous_caller_is_what_the_class_says_whatever_ids_it_carries() {
    let claims_to_be_alice = Caller::anonymous()
        .actor("alice")
        .agent("bot")
        .client("app")
        .device("phone")
        .effective_principal("carol")
        .human("dave");
    for kind in OF_THE_CALLER {
        for caller in [Caller::anonymous(), claims_to_be_alice.clone()] {
            let with = |anonymous| of_caller(kind, anonymous, &caller);
            assert_eq!(with(Anonymous::ClientIp), "address 192.0.2.7");
            assert_eq!(with(Anonymous::Shared), "anonymous");
            assert_eq!(with(Anonymous::Bypass), "bypass");
            assert_eq!(with(Anonymous::Deny), "unresolved");
        }
    }
}

#[test]
fn tenant_and_host_are_known_of_anonymous_callers_too() {
    let caller = Caller::anonymous().tenant("acme").host("h-1");
    assert_eq!(of_caller(KeyKind::Tenant, Anonymous::Deny, &caller), "tenant acme");
    assert_eq!(of_caller(KeyKind::Host, Anonymous::Deny, &caller), "host h-1");
}

#[test]
fn an_authenticated_caller_without_the_identity_passes_for_nobody_else() {
    let nobody_in_particular = Caller::authenticated();
    let strict = [
        KeyKind::Agent,
        KeyKind::Connection,
        KeyKind::Custom,
        KeyKind::DeviceOrToken,
        KeyKind::EffectivePrincipal,
        KeyKind::Host,
        KeyKind::Human,
        KeyKind::Principal,
        KeyKind::Tenant,
    ];
    let all = [Anonymous::Bypass, Anonymous::ClientIp, Anonymous::Deny, Anonymous::Shared];
    for anonymous in all {
        for kind in strict {
            assert_eq!(of_caller(kind, anonymous, &nobody_in_particular), "unresolved");
        }
    }
}

#[test]
fn an_authenticated_caller_without_a_client_is_its_address_unless_that_is_denied() {
    let of = |anonymous| of_caller(KeyKind::Client, anonymous, &Caller::principal("alice"));
    assert_eq!(of(Anonymous::ClientIp), "address 192.0.2.7");
    assert_eq!(of(Anonymous::Shared), "address 192.0.2.7");
    assert_eq!(of(Anonymous::Bypass), "address 192.0.2.7");
    assert_eq!(of(Anonymous::Deny), "unresolved");
}

#[test]
fn without_a_peer_all_clients_are_one_unknown() {
    let mut parts = parts();
    parts.headers.insert("x-forwarded-for", HeaderValue::from_static("198.51.100.9"));
    let request = RequestView::new(&parts);
    let wanted = wanted(KeyKind::Principal, Anonymous::ClientIp);
    let resolver = resolver();
    assert_eq!(resolved(&resolver, wanted, &request, &Caller::anonymous()), "unknown");
    assert_eq!(resolver.address(&request), None);
}

#[test]
fn the_users_function_for_the_peer_beats_the_framework() {
    let parts = parts();
    let request = RequestView::new(&parts).peer(CLIENT.parse().ok());
    let peers: Arc<Peers> = Arc::new(|_| "2001:db8::7".parse().ok());
    let resolver = Resolver { peers: Some(peers), ..resolver() };
    assert_eq!(resolver.address(&request), "2001:db8::7".parse::<IpAddr>().ok());
    assert_eq!(words(resolver.client(&request).0), "address 2001:db8::");
}

#[test]
fn the_caller_is_in_the_extensions_unless_a_function_says_otherwise() {
    let mut parts = parts();
    let caller_of =
        |resolver: &Resolver, parts: &Parts| resolver.caller(&RequestView::new(parts)).into_owned();
    assert_eq!(caller_of(&resolver(), &parts), Caller::anonymous());
    parts.extensions.insert(Caller::principal("alice"));
    assert_eq!(caller_of(&resolver(), &parts), Caller::principal("alice"));
    let callers: Arc<Callers> = Arc::new(|_| Caller::principal("bob"));
    let by_function = Resolver { callers: Some(callers), ..resolver() };
    assert_eq!(caller_of(&by_function, &parts), Caller::principal("bob"));
}

#[test]
fn a_header_counts_only_when_it_is_there_once() {
    let of = |lines: &[&'static str], missing| {
        let mut parts = parts();
        for line in lines {
            parts.headers.append("x-key", HeaderValue::from_static(line));
        }
        let wanted = Wanted { missing, ..wanted(KeyKind::Header("x-key"), Anonymous::Deny) };
        resolved(&resolver(), wanted, &RequestView::new(&parts), &Caller::anonymous())
    };
    assert_eq!(of(&["a"], MissingHeader::Shared), "header a");
    assert_eq!(of(&["a, b"], MissingHeader::Bypass), "header a, b");
    for lines in [[].as_slice(), &[""], &["a", "b"], &["a", "a"]] {
        assert_eq!(of(lines, MissingHeader::Shared), "without header");
        assert_eq!(of(lines, MissingHeader::Bypass), "bypass");
    }
}

#[test]
fn a_webhook_is_the_one_of_the_path_in_one_spelling() {
    let parts = parts();
    let of = |resolver: &Resolver, id: Option<&'static str>| {
        let parameter = move |name: &str| if name == "webhook_id" { id } else { None };
        let request = RequestView::new(&parts).peer(CLIENT.parse().ok()).path_parameter(&parameter);
        let wanted = wanted(KeyKind::IncomingWebhook, Anonymous::ClientIp);
        resolved(resolver, wanted, &request, &Caller::anonymous())
    };
    assert_eq!(of(&resolver(), Some("AB")), "webhook AB");
    assert_eq!(of(&resolver(), Some("")), "unresolved");
    assert_eq!(of(&resolver(), None), "unresolved");

    let webhook_ids: Arc<WebhookIds> =
        Arc::new(|id| id.starts_with('a').then(|| id.to_ascii_lowercase()));
    let canonical = Resolver { webhook_ids: Some(webhook_ids), ..resolver() };
    assert_eq!(of(&canonical, Some("aB")), "webhook ab");
    assert_eq!(of(&canonical, Some("guess")), "address 192.0.2.7");
}

#[test]
fn a_webhook_whose_id_is_no_text_counts_against_the_client() {
    let parts = parts();
    let unreadable = |_: &str| None;
    let of = |template| {
        let request = RequestView::new(&parts)
            .peer(CLIENT.parse().ok())
            .route(Some(template))
            .path_parameter(&unreadable);
        let wanted = wanted(KeyKind::IncomingWebhook, Anonymous::ClientIp);
        resolved(&resolver(), wanted, &request, &Caller::anonymous())
    };
    assert_eq!(of("/v1/webhooks/{webhook_id}"), "address 192.0.2.7");
    assert_eq!(of("/v1/webhooks/{*webhook_id}"), "address 192.0.2.7");
    assert_eq!(of("/v1/webhooks/{id}"), "unresolved");
}

#[test]
fn a_custom_key_is_the_users_and_falls_back_like_an_identity() {
    let custom: Arc<Custom> = Arc::new(|limit, request, caller| {
        let asked = limit == "rl.test" && request.method() == http::Method::GET;
        (asked && !caller.is_anonymous()).then(|| Key::new("a key"))
    });
    let resolver = Resolver { custom: Some(custom), ..resolver() };
    let parts = parts();
    let request = RequestView::new(&parts).peer(CLIENT.parse().ok());
    let of = |caller| {
        resolved(&resolver, wanted(KeyKind::Custom, Anonymous::ClientIp), &request, &caller)
    };
    assert_eq!(of(Caller::authenticated()), "custom true");
    assert_eq!(of(Caller::anonymous()), "address 192.0.2.7");
}

#[test]
fn nothing_of_a_caller_is_in_its_debug_output() {
    let shown = format!("{:?} {:?}", complete(), complete().subject(KeyKind::Principal));
    for id in ["alice", "bot", "app", "phone", "carol", "h-1", "dave", "acme", "t-1"] {
        assert!(!shown.contains(id), "{shown} shows {id}");
    }
}
