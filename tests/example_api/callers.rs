//! Whose bucket a request uses: addresses behind proxies, failed credentials, agents, devices,
//! webhooks, browsers.

use super::client::{Answer, Request};
use super::server::Server;

const MESSAGES: &str = "/v1/channels/general/messages";
const TRUSTED: &str = "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n";

/// A login that a proxy passed on for this client.
fn login_for(client: &str) -> Request {
    let login = Request::post("/v1/auth/login").header("x-forwarded-for", client);
    login.json(r#"{"name":"alice","password":"wonderland"}"#)
}

/// The tokens that are left after each request.
fn remaining(answers: &[Answer]) -> Vec<&str> {
    let state = |answer: &'_ Answer| answer.header("ratelimit").map(str::to_owned);
    assert!(answers.iter().all(|answer| state(answer).is_some()), "{answers:?}");
    let states = answers.iter().filter_map(|answer| answer.header("ratelimit"));
    states.filter_map(|state| state.split(';').nth(1)).collect()
}

#[test]
fn a_header_of_an_untrusted_peer_does_not_change_its_bucket() {
    let logins = ["192.0.2.1", "192.0.2.2", "2001:db8::1"].map(login_for);
    assert_eq!(remaining(&Server::start().send_all(logins)), ["r=9", "r=8", "r=7"]);
}

#[test]
fn behind_a_trusted_proxy_each_address_has_a_bucket() {
    let server = Server::start_with("trusted", TRUSTED);
    let logins = ["192.0.2.1", "192.0.2.2", "192.0.2.1"].map(login_for);
    assert_eq!(remaining(&server.send_all(logins)), ["r=9", "r=9", "r=8"]);
}

#[test]
fn addresses_of_one_network_share_a_bucket_and_mapped_ones_are_what_they_map() {
    let server = Server::start_with("networks", TRUSTED);
    let of_one_network = ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:2::1"];
    assert_eq!(remaining(&server.send_all(of_one_network.map(login_for))), ["r=9", "r=8", "r=9"]);
    let mapped = ["192.0.2.9", "::ffff:192.0.2.9", "::ffff:192.0.2.10"];
    assert_eq!(remaining(&server.send_all(mapped.map(login_for))), ["r=9", "r=8", "r=9"]);
}

#[test]
fn failed_credentials_use_up_a_bucket_and_then_nobody_is_authenticated() {
    let server = Server::start();
    let guesses = (0..10).map(|_| Request::get(MESSAGES).token("guess"));
    let answers = server.send_all(guesses.chain([
        Request::get(MESSAGES).token("alice"),
        Request::get(MESSAGES),
        Request::get("/metrics"),
    ]));
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses[..10], [401; 10]);
    assert_eq!(statuses[10..], [429, 200, 200]);

    assert_eq!(answers[0].header("ratelimit"), Some(r#""rl.public_auth";r=9;t=3"#));
    let refused = &answers[10];
    assert_eq!(refused.header("ratelimit-policy"), Some(r#""rl.public_auth";q=20;w=60"#));
    assert_eq!(refused.header("ratelimit"), Some(r#""rl.public_auth";r=0;t=30"#));
    assert_eq!(refused.header("retry-after"), Some("3"));
    // Ten guesses and the anonymous request; not the good token.
    assert_eq!(answers[12].metric("chat_authentications_total"), 11);
}

#[test]
fn an_expired_token_is_no_guess() {
    let server = Server::start();
    let expired = (0..15).map(|_| Request::get(MESSAGES).token("expired"));
    let answers = server.send_all(expired.chain([Request::get(MESSAGES).token("alice")]));
    assert!(answers[..15].iter().all(|answer| answer.status == 401));
    assert!(answers[..15].iter().all(|answer| answer.header("ratelimit").is_none()));
    assert_eq!(answers[15].status, 200);
}

#[test]
fn a_wrong_password_counts_once() {
    let wrong = r#"{"name":"alice","password":"guess"}"#;
    let answers = Server::start().send_all([
        Request::post("/v1/auth/login").json(wrong),
        Request::post("/v1/auth/login").json(wrong),
    ]);
    assert!(answers.iter().all(|answer| answer.status == 401));
    assert_eq!(remaining(&answers), ["r=9", "r=8"]);
}

#[test]
fn a_device_of_alice_has_her_bucket() {
    let server = Server::start();
    let exports =
        ["alice", "device-1", "bob"].map(|token| Request::post("/v1/exports").token(token));
    assert_eq!(remaining(&server.send_all(exports)), ["r=1", "r=0", "r=1"]);
}

#[test]
fn only_an_agent_has_runs() {
    let server = Server::start();
    let run = |token| server.send(Request::post("/v1/agents/self/runs").token(token));
    let agent = run("agent-1");
    assert_eq!(agent.status, 201);
    assert_eq!(agent.header("ratelimit"), Some(r#""rl.agent_runtime";r=59;t=1"#));
    // Alice is known, and is no agent: she neither passes nor counts as somebody else.
    let alice = run("alice");
    assert_eq!((alice.status, alice.json()["code"].as_str()), (401, Some("caller_unresolved")));
    assert_eq!(alice.header("ratelimit"), None);
    let anonymous = server.send(Request::post("/v1/agents/self/runs"));
    assert_eq!((anonymous.status, anonymous.json()["code"].as_str()), (403, Some("not_an_agent")));
}

#[test]
fn each_webhook_has_a_bucket_whatever_the_case_of_its_id() {
    let hooks = ["/v1/webhooks/w1", "/v1/webhooks/W1", "/v1/webhooks/%571", "/v1/webhooks/w2"];
    let server = Server::start();
    let answers = server.send_all(hooks.map(|hook| Request::post(hook).json(r#""beep""#)));
    assert!(answers.iter().all(|answer| answer.status == 201));
    assert_eq!(remaining(&answers), ["r=19", "r=18", "r=17", "r=19"]);
}

#[test]
fn a_browser_may_ask_for_free_and_reads_the_fields_of_a_refusal() {
    let server = Server::start();
    let origin = "http://localhost:3000";
    let preflight = || {
        Request::new("OPTIONS", "/v1/exports")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
    };
    let export = || Request::post("/v1/exports").header("origin", origin);
    let preflights = (0..5).map(|_| preflight());
    let answers = server.send_all(preflights.chain([export(), export(), export()]));
    for preflight in &answers[..5] {
        assert_eq!(preflight.status, 200);
        assert_eq!(preflight.header("access-control-allow-origin"), Some(origin));
        assert_eq!(preflight.header("ratelimit"), None);
    }
    assert_eq!(remaining(&answers[5..]), ["r=1", "r=0", "r=0"]);
    let refused = &answers[7];
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("access-control-allow-origin"), Some(origin));
    assert_eq!(
        refused.header("access-control-expose-headers"),
        Some("ratelimit,ratelimit-policy,retry-after")
    );
}

#[test]
fn edge_rules_and_default_budgets_of_the_configuration_are_held() {
    let config = "
        [ratelimit.defaults]
        ip = { per_minute = 60, burst = 5 }
        [[ratelimit.edge]]
        name = 'everybody'
        keys = ['global']
        per_minute = 60
        burst = 100
    ";
    let answers = Server::start_with("budgets", config)
        .send_all([Request::get("/nothing"), Request::post("/v1/exports")]);
    assert_eq!(answers[0].status, 404);
    assert_eq!(
        answers[0].header("ratelimit"),
        Some(r#""everybody";r=99;t=1, "default.ip";r=4;t=1"#)
    );
    assert_eq!(
        answers[1].header("ratelimit"),
        Some(r#""everybody";r=98;t=2, "rl.export";r=1;t=10"#)
    );
}
