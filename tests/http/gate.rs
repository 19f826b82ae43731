//! The gate with a class: order of things, fields, answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Response};
use serde_json::{Value, json};
use tollgate::catalogue::KeyKind;
use tollgate::clock::ManualClock;
use tollgate::config::{Anonymous, ClassBuilder, Saturation};
use tollgate::http::{Checked, Gate, GateBuilder, RefusalKind, RequestView, TimeProfile};
use tollgate::{Caller, Class, Config, Declaration};

use super::support::{EXPORT, READ, admitted, builder, builder_with, by, gate, refused, request};

#[tokio::test]
async fn an_admission_carries_both_fields() {
    let alice = by(Caller::principal("alice"));
    let fields = admitted(&gate(), &READ, &alice).await;
    assert_eq!(fields, r#""rl.read";q=600;w=60 | "rl.read";r=119;t=1"#);
}

#[tokio::test]
async fn the_request_after_the_burst_is_refused_and_succeeds_after_exactly_the_wait() {
    let clock = Arc::<ManualClock>::default();
    let gate = builder(&clock).build().unwrap();
    let alice = by(Caller::principal("alice"));
    for _ in 0..2 {
        admitted(&gate, &EXPORT, &alice).await;
    }
    let response = refused(&gate, &EXPORT, &alice).await;
    assert_eq!(response.status(), 429);
    let header = |name| response.headers()[name].to_str().unwrap();
    assert_eq!(header("retry-after"), "10");
    assert_eq!(header("ratelimit-policy"), r#""rl.export";q=6;w=60"#);
    assert_eq!(header("ratelimit"), r#""rl.export";r=0;t=20"#);
    let body: Value = serde_json::from_slice(response.body()).unwrap();
    assert_eq!(body["code"], "rate_limited");
    assert_eq!(body["violated-policies"], json!(["rl.export"]));

    clock.advance(Duration::from_micros(9_999_999));
    refused(&gate, &EXPORT, &alice).await;
    clock.advance(Duration::from_micros(1));
    admitted(&gate, &EXPORT, &alice).await;
}

#[tokio::test]
async fn callers_have_buckets_of_their_own_and_an_anonymous_one_borrows_none() {
    let gate = gate();
    let alice = by(Caller::principal("alice"));
    let named_like_an_address = by(Caller::principal("192.0.2.7"));
    for parts in [&alice, &named_like_an_address, &request()] {
        for _ in 0..2 {
            admitted(&gate, &EXPORT, parts).await;
        }
        refused(&gate, &EXPORT, parts).await;
    }
}

#[tokio::test]
async fn clones_share_their_buckets() {
    let gate = gate();
    let alice = by(Caller::principal("alice"));
    for _ in 0..2 {
        admitted(&gate.clone(), &EXPORT, &alice).await;
    }
    refused(&gate, &EXPORT, &alice).await;
}

#[tokio::test]
async fn a_refusal_is_the_same_whatever_was_asked_for() {
    let gate = gate();
    let ask = |uri: &str| {
        let mut parts = by(Caller::principal("alice"));
        parts.uri = uri.parse().unwrap();
        parts
    };
    for _ in 0..2 {
        admitted(&gate, &EXPORT, &ask("/own")).await;
    }
    let of_own = refused(&gate, &EXPORT, &ask("/own")).await;
    for uri in ["/foreign", "/missing"] {
        let other = refused(&gate, &EXPORT, &ask(uri)).await;
        assert_eq!(other.status(), of_own.status());
        assert_eq!(other.headers(), of_own.headers());
        assert_eq!(other.body(), of_own.body());
    }
}

#[tokio::test]
async fn the_request_id_is_repeated_from_the_header_that_was_chosen() {
    let name = HeaderName::from_static("x-trace");
    let gate = builder(&Arc::default()).request_id_header(name.clone()).build().unwrap();
    let mut alice = by(Caller::principal("alice"));
    alice.headers.insert(name, HeaderValue::from_static("abc-1"));
    alice.headers.insert("x-request-id", HeaderValue::from_static("other"));
    for _ in 0..2 {
        admitted(&gate, &EXPORT, &alice).await;
    }
    let response = refused(&gate, &EXPORT, &alice).await;
    let body: Value = serde_json::from_slice(response.body()).unwrap();
    assert_eq!(body["correlation_id"], "abc-1");
}

#[tokio::test]
async fn the_other_profile_announces_the_effective_window() {
    let gate = builder(&Arc::default()).time_profile(TimeProfile::EffectiveWindow).build().unwrap();
    let alice = by(Caller::principal("alice"));
    let first = admitted(&gate, &EXPORT, &alice).await;
    assert_eq!(first, r#""rl.export";q=6;w=60 | "rl.export";r=1;t=10"#);
    let second = admitted(&gate, &EXPORT, &alice).await;
    assert_eq!(second, r#""rl.export";q=6;w=60 | "rl.export";r=0;t=10"#);
    let response = refused(&gate, &EXPORT, &alice).await;
    assert_eq!(response.headers()["ratelimit"], r#""rl.export";r=0;t=10"#);
    assert_eq!(response.headers()["retry-after"], "10");
}

#[tokio::test]
async fn a_cost_above_the_burst_is_an_error_of_the_program_and_takes_nothing() {
    let too_much =
        Declaration::Limited { class: Class::Export, cost: 3, action: None, operation: None };
    let gate = gate();
    let alice = by(Caller::principal("alice"));
    let response = refused(&gate, &too_much, &alice).await;
    assert_eq!(response.status(), 500);
    assert_eq!(response.headers().get("ratelimit"), None);
    assert_eq!(response.headers().get("retry-after"), None);
    let fields = admitted(&gate, &EXPORT, &alice).await;
    assert_eq!(fields, r#""rl.export";q=6;w=60 | "rl.export";r=1;t=10"#);
}

#[tokio::test]
async fn a_caller_without_the_identity_of_the_class_gets_401_without_fields() {
    let response = refused(&gate(), &READ, &by(Caller::authenticated())).await;
    assert_eq!(response.status(), 401);
    assert_eq!(response.headers().get("ratelimit"), None);
    assert_eq!(response.headers().get("ratelimit-policy"), None);
    let body: Value = serde_json::from_slice(response.body()).unwrap();
    assert_eq!(body["code"], "caller_unresolved");
}

#[tokio::test]
async fn a_tier_has_limits_and_buckets_of_its_own() {
    let config = Config::builder().class(Class::Export, |class| class.tier("pro", 60, 10)).build();
    let config = config.expect("a tier in range");
    let gate = builder_with(&config, &Arc::default())
        .tiers(|caller| {
            let bought = caller.subject(KeyKind::Tenant).is_some();
            bought.then_some("pro".into())
        })
        .build()
        .unwrap();
    let (plain, pro) = (Caller::principal("alice"), Caller::principal("alice").tenant("acme"));
    for _ in 0..2 {
        admitted(&gate, &EXPORT, &by(plain.clone())).await;
    }
    refused(&gate, &EXPORT, &by(plain)).await;
    let fields = admitted(&gate, &EXPORT, &by(pro.clone())).await;
    assert_eq!(fields, r#""rl.export";q=60;w=60 | "rl.export";r=9;t=1"#);
    // A class without the tier limits its callers as all others.
    let fields = admitted(&gate, &READ, &by(pro)).await;
    assert_eq!(fields, r#""rl.read";q=600;w=60 | "rl.read";r=119;t=1"#);
}

#[tokio::test]
async fn a_class_that_is_off_or_only_watches_refuses_nobody_whoever_it_is() {
    for set in [
        Config::builder().enabled(false),
        Config::builder().class(Class::Export, |class| class.enabled(false)),
        Config::builder().class(Class::Export, |class| class.shadow(true)),
    ] {
        let set = set.class(Class::Export, |class| class.anonymous(Anonymous::Deny));
        let config = set.build().expect("all of this is allowed");
        let gate = builder_with(&config, &Arc::default()).build().unwrap();
        for parts in [&request(), &by(Caller::authenticated()), &by(Caller::principal("alice"))] {
            for _ in 0..5 {
                assert_eq!(admitted(&gate, &EXPORT, parts).await, " | ");
            }
        }
    }
}

#[tokio::test]
async fn anonymous_callers_are_what_the_configuration_says() {
    let with = |anonymous| {
        let class = Config::builder().class(Class::Export, |class| class.anonymous(anonymous));
        builder_with(&class.build().expect("a known word"), &Arc::default()).build().unwrap()
    };
    let denied = refused(&with(Anonymous::Deny), &EXPORT, &request()).await;
    assert_eq!(denied.status(), 401);
    let free = with(Anonymous::Bypass);
    for _ in 0..5 {
        assert_eq!(admitted(&free, &EXPORT, &request()).await, " | ");
    }
    for (anonymous, other_address_is_refused) in
        [(Anonymous::ClientIp, false), (Anonymous::Shared, true)]
    {
        let gate = with(anonymous);
        let parts = request();
        let from = async |peer: &str| {
            gate.check(&EXPORT, &RequestView::new(&parts).peer(peer.parse().ok())).await
        };
        for _ in 0..2 {
            assert!(matches!(from("192.0.2.1").await, Checked::Admitted(_)));
        }
        assert!(matches!(from("192.0.2.1").await, Checked::Refused(_)));
        let other = matches!(from("192.0.2.2").await, Checked::Refused(_));
        assert_eq!(other, other_address_is_refused, "{anonymous:?}");
    }
}

/// A gate whose exports have a registry that callers fill up, with what is given when it is full.
async fn saturated(saturation: Saturation) -> Gate {
    let class =
        |class: ClassBuilder| class.max_tracked_keys(1).saturation(saturation).per_minute(1);
    let config = Config::builder().class(Class::Export, class).build().expect("a registry");
    let gate = builder_with(&config, &Arc::default()).build().expect("no custom keys");
    for number in 0..200 {
        let parts = by(Caller::principal(format!("caller-{number}")));
        let _ = gate.check(&EXPORT, &RequestView::new(&parts)).await;
    }
    gate
}

#[tokio::test]
async fn a_limit_that_cannot_be_decided_and_is_closed_is_503_without_fields() {
    let gate = saturated(Saturation::Closed).await;
    let response = refused(&gate, &EXPORT, &by(Caller::principal("late"))).await;
    assert_eq!(response.status(), 503);
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    for absent in ["ratelimit", "ratelimit-policy", "retry-after"] {
        assert_eq!(response.headers().get(absent), None, "{absent}");
    }
    let body: Value = serde_json::from_slice(response.body()).unwrap();
    assert_eq!(body["status"], 503);
    assert_eq!(body["code"], "rate_limit_unavailable");
    assert_eq!(body.get("violated-policies"), None);
}

#[tokio::test]
async fn a_decision_without_numbers_has_no_fields() {
    let gate = saturated(Saturation::Open).await;
    assert_eq!(admitted(&gate, &EXPORT, &by(Caller::principal("late"))).await, " | ");
}

#[test]
fn a_gate_has_the_settings_of_its_limiter_unless_it_is_given_others() {
    let proxies = ["192.0.2.0/24".parse().unwrap()];
    let config = Config::builder().trusted_proxies(proxies).build().expect("a network");
    let mut parts = request();
    parts.headers.insert("x-forwarded-for", HeaderValue::from_static("203.0.113.9"));
    let view = RequestView::new(&parts).peer("192.0.2.7".parse().ok());
    let client = |builder: GateBuilder<Class>| builder.build().unwrap().client_ip(&view);
    let of_the_limiter = builder_with(&config, &Arc::default());
    assert_eq!(client(of_the_limiter), "203.0.113.9".parse().ok());
    let given_others = builder_with(&config, &Arc::default()).config(&Config::default());
    assert_eq!(client(given_others), "192.0.2.7".parse().ok());
}

#[tokio::test]
async fn answers_can_be_replaced_and_keep_the_fields() {
    let gate = builder(&Arc::default())
        .answers(|refusal| {
            assert_eq!(refusal.kind(), RefusalKind::QuotaExceeded);
            let [ruling] = refusal.rulings() else { panic!("one class") };
            let wait = refusal.retry_after();
            let (name, kind, cost) = (ruling.name(), ruling.key_kind(), ruling.cost());
            let text = format!("{name} {kind} {cost} {wait:?}");
            Response::builder().status(418).body(text.into()).unwrap()
        })
        .build()
        .unwrap();
    let alice = by(Caller::principal("alice"));
    for _ in 0..2 {
        admitted(&gate, &EXPORT, &alice).await;
    }
    let response = refused(&gate, &EXPORT, &alice).await;
    assert_eq!(response.status(), 418);
    assert_eq!(response.body(), "rl.export principal 1 Some(10)");
    assert_eq!(response.headers()["ratelimit"], r#""rl.export";r=0;t=20"#);
}

#[tokio::test]
async fn an_answer_can_be_for_the_client_whose_request_it_is() {
    let own: Arc<std::sync::OnceLock<Gate>> = Arc::default();
    let asked = Arc::clone(&own);
    let gate = builder(&Arc::default())
        .answers(move |refusal| {
            let client = asked.get().and_then(|gate| gate.client_ip(&refusal.request()));
            Response::new(format!("not you, {client:?}").into())
        })
        .build()
        .unwrap();
    let gate = own.get_or_init(|| gate);
    let alice = by(Caller::principal("alice"));
    for _ in 0..2 {
        admitted(gate, &EXPORT, &alice).await;
    }
    assert_eq!(refused(gate, &EXPORT, &alice).await.body(), "not you, Some(192.0.2.7)");
}

#[tokio::test]
async fn each_refused_request_is_counted_once_with_the_template_of_its_route() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let gate = builder(&Arc::default())
        .name("api")
        .on_exceeded(move |event| {
            let event = format!("{} {} {}", event.plugin, event.route, event.key_kind);
            seen.lock().unwrap().push(event);
        })
        .build()
        .unwrap();
    let mut anonymous = request();
    anonymous.uri = "/v1/exports/7".parse().unwrap();
    let view = RequestView::new(&anonymous)
        .peer("192.0.2.7".parse().ok())
        .route(Some("/v1/exports/{export_id}"));
    for _ in 0..4 {
        let _ = gate.check(&EXPORT, &view).await;
    }
    let counted = "api /v1/exports/{export_id} client_ip";
    assert_eq!(*events.lock().unwrap(), [counted, counted]);
}

#[cfg(feature = "metrics")]
#[test]
fn refused_requests_are_counted_in_the_metrics_facade() {
    use metrics_util::debugging::{DebugValue, DebuggingRecorder};

    let observer = tollgate::observe::MetricsObserver::new("chat");
    let gate = builder(&Arc::default())
        .name("api")
        .on_exceeded(move |event| observer.exceeded(event))
        .build()
        .unwrap();
    let parts = by(Caller::principal("alice"));
    let view = RequestView::new(&parts).route(Some("/v1/exports"));
    let recorder = DebuggingRecorder::new();
    metrics::with_local_recorder(&recorder, || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for _ in 0..5 {
            let _ = runtime.block_on(gate.check(&EXPORT, &view));
        }
    });
    let mut counted = recorder.snapshotter().snapshot().into_vec().into_iter();
    let (key, _, _, value) = counted.next().expect("something was counted");
    assert!(counted.next().is_none());
    assert_eq!(key.key().name(), "chat.rate_limit.exceeded_total");
    let labels: Vec<_> = key.key().labels().map(|label| (label.key(), label.value())).collect();
    let expected = [("plugin", "api"), ("route", "/v1/exports"), ("key_kind", "principal")];
    assert_eq!(labels, expected);
    assert_eq!(value, DebugValue::Counter(3));
}

#[tokio::test]
async fn a_counter_that_panics_harms_nobody() {
    let gate = builder(&Arc::default()).on_exceeded(|_| panic!("a bug")).build().unwrap();
    let alice = by(Caller::principal("alice"));
    for _ in 0..2 {
        admitted(&gate, &EXPORT, &alice).await;
    }
    assert_eq!(refused(&gate, &EXPORT, &alice).await.status(), 429);
}

#[tokio::test]
async fn a_panic_in_the_users_functions_takes_nothing_and_spoils_nothing() {
    let gate = builder(&Arc::default())
        .callers(|request| {
            assert!(!request.headers().contains_key("x-panic"), "a bug");
            Caller::principal("alice")
        })
        .build()
        .unwrap();
    for _ in 0..3 {
        let gate = gate.clone();
        let panicked = tokio::spawn(async move {
            let mut parts = request();
            parts.headers.insert("x-panic", HeaderValue::from_static("1"));
            gate.check(&EXPORT, &RequestView::new(&parts)).await
        });
        assert!(panicked.await.expect_err("it panics").is_panic());
    }
    let fields = admitted(&gate, &EXPORT, &request()).await;
    assert_eq!(fields, r#""rl.export";q=6;w=60 | "rl.export";r=1;t=10"#);
}

#[tokio::test]
async fn a_whole_request_is_seen_as_its_head_is() {
    let gate = builder(&Arc::default())
        .callers(|request| {
            let seen = (request.method().as_str(), request.uri().path(), request.version());
            assert_eq!(seen, ("PATCH", "/v1/exports/7", http::Version::HTTP_2));
            assert_eq!(
                request.headers().get("x-tenant").map(HeaderValue::as_bytes),
                Some(&b"acme"[..])
            );
            request.extensions().get::<Caller>().cloned().unwrap_or_default()
        })
        .build()
        .unwrap();
    let request = http::Request::patch("/v1/exports/7").version(http::Version::HTTP_2);
    let mut request = request.header("x-tenant", "acme").body("any body").unwrap();
    request.extensions_mut().insert(Caller::principal("alice"));
    let Checked::Admitted(_) = gate.check(&EXPORT, &RequestView::of(&request)).await else {
        panic!("refused");
    };
    let fields = admitted(&gate, &EXPORT, &request.into_parts().0).await;
    assert_eq!(fields, r#""rl.export";q=6;w=60 | "rl.export";r=0;t=20"#);
}

#[tokio::test]
async fn an_exempt_handler_has_no_fields_and_no_limit() {
    let exempt = Declaration::Exempt { reason: "health checks" };
    assert_eq!(admitted(&gate(), &exempt, &request()).await, " | ");
}

#[tokio::test]
async fn without_a_peer_all_anonymous_clients_share_a_bucket_and_are_still_limited() {
    let gate = gate();
    let parts = request();
    let mut claims_an_address = request();
    claims_an_address.headers.insert("x-forwarded-for", HeaderValue::from_static("203.0.113.9"));
    for parts in [&parts, &claims_an_address] {
        let checked = gate.check(&EXPORT, &RequestView::new(parts)).await;
        assert!(matches!(checked, Checked::Admitted(_)));
    }
    let checked = gate.check(&EXPORT, &RequestView::new(&parts)).await;
    assert!(matches!(checked, Checked::Refused(_)));
}

#[tokio::test]
async fn fields_are_written_once_however_many_a_handler_has_written() {
    let gate = gate();
    let alice = by(Caller::principal("alice"));
    let view = RequestView::new(&alice);
    let mut headers = HeaderMap::new();
    for _ in 0..2 {
        let checked = gate.check(&READ, &view).await;
        let Checked::Admitted(fields) = checked else { panic!("refused") };
        fields.write(&mut headers);
    }
    let lines: Vec<_> = headers.get_all("ratelimit").iter().collect();
    assert_eq!(lines, [r#""rl.read";r=118;t=1"#]);
}
