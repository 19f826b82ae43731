//! What happens while the server runs: new limits, shadow classes, metrics.

use super::client::Request;
use super::server::{Server, start_in_vain};

const EXPORTS: &str = "/v1/exports";

fn export() -> Request {
    Request::post(EXPORTS).token("alice")
}

#[cfg(unix)]
#[test]
fn new_limits_count_from_the_next_request_and_refill_nobody() {
    let mut server = Server::start_with("reload", "");
    let answers = server.send_all([export(), export(), export()]);
    assert_eq!(answers[2].status, 429);

    let line = server.reload_with("reload", "[ratelimit.rl.export]\nper_minute = 1\n");
    assert!(line.contains("the limits are reloaded"), "{line}");
    let refused = server.send(export());
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("ratelimit-policy"), Some(r#""rl.export";q=1;w=60"#));
    let fresh = server.send(Request::post(EXPORTS).token("bob"));
    assert_eq!(fresh.header("ratelimit"), Some(r#""rl.export";r=1;t=60"#));
}

#[cfg(unix)]
#[test]
fn the_gate_is_reloaded_too_with_its_edge_rules_and_trusted_proxies() {
    let mut server = Server::start_with("reload_gate", "");
    let ask = |address| Request::get("/healthz").header("x-forwarded-for", address);
    assert_eq!(server.send(ask("198.51.100.1")).header("ratelimit"), None);

    let config = "
        [server]
        trusted_proxies = ['127.0.0.1']
        [[ratelimit.edge]]
        name = 'address'
        keys = ['client_ip']
        per_minute = 1
        burst = 2
    ";
    let line = server.reload_with("reload_gate", config);
    assert!(line.contains("the limits are reloaded"), "{line}");
    let asks = ["198.51.100.1", "198.51.100.1", "198.51.100.1", "198.51.100.2"].map(ask);
    let statuses: Vec<u16> = server.send_all(asks).iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200, 429, 200]);

    // Another rule in a file with a fault: neither comes.
    let line = server.reload_with("reload_gate", &format!("{config}\n[ratelimit.rl.raed]"));
    assert!(line.contains("the limits stay as they were"), "{line}");
    assert_eq!(server.send(ask("198.51.100.1")).status, 429);
    server.reload_with("reload_gate", "");
    assert_eq!(server.send(ask("198.51.100.1")).header("ratelimit"), None);
}

#[cfg(unix)]
#[test]
fn requests_are_answered_while_a_configuration_is_being_read() {
    let mut server = Server::start_with("slow_reload", "");
    let reading = server.begin_reload_from_a_pipe("slow_reload");
    // The server is in the middle of reading and has nothing to read yet.
    for _ in 0..3 {
        assert_eq!(server.send(Request::get("/healthz")).status, 200);
    }
    let line = server.end_reload(reading, "[ratelimit.rl.export]\nburst = 1\n");
    assert!(line.contains("the limits are reloaded"), "{line}");
    assert_eq!(server.send(export()).header("ratelimit"), Some(r#""rl.export";r=0;t=10"#));
}

#[cfg(unix)]
#[test]
fn a_bad_file_is_refused_and_the_old_limits_stay() {
    let mut server = Server::start_with("bad_reload", "[ratelimit.rl.export]\nburst = 3\n");
    for bad in ["[ratelimit.rl.export]\nburst = 0\n", "[ratelimit"] {
        let line = server.reload_with("bad_reload", bad);
        assert!(line.contains("the limits stay as they were"), "{line}");
    }
    let answer = server.send(export());
    assert_eq!(answer.header("ratelimit"), Some(r#""rl.export";r=2;t=10"#));
}

#[test]
fn a_path_that_is_set_to_nothing_is_none() {
    let server = Server::start_with_an_empty_path();
    assert_eq!(server.send(export()).header("ratelimit"), Some(r#""rl.export";r=1;t=10"#));
}

#[test]
fn a_shadow_class_refuses_nobody_and_its_would_be_refusals_are_counted() {
    let server = Server::start_with("shadow", "[ratelimit.rl.export]\nshadow = true\n");
    let exports = (0..5).map(|_| export());
    let answers = server.send_all(exports.chain([Request::get("/metrics")]));
    for answer in &answers[..5] {
        assert_eq!((answer.status, answer.header("ratelimit")), (202, None));
    }
    let page = &answers[5];
    assert_eq!(page.metric(r#"chat_ratelimit_shadow_rejected_total{class="rl.export"}"#), 3);
    assert_eq!(page.metric(r#"chat_ratelimit_rejected_total{class="rl.export"}"#), 0);
}

#[test]
fn metrics_count_what_happened_and_name_nobody() {
    let config = "
        [server]
        trusted_proxies = ['127.0.0.1']
        [ratelimit.rl.agent_runtime]
        max_tracked_keys = 1
        saturation = 'closed'
        [ratelimit.rl.read]
        enabled = false
    ";
    let server = Server::start_with("metrics", config);
    let answers = server.send_all([
        export(),
        export(),
        export().header("x-forwarded-for", "198.51.100.77"),
        Request::get("/v1/channels/general/messages").token("bob"),
        Request::get("/v1/search?q=hay").header("x-forwarded-for", "198.51.100.77"),
        Request::post("/v1/webhooks/hook-77").json(r#""beep""#),
        Request::post("/v1/agents/self/runs").token("agent-1"),
        Request::get("/v1/search?q=hay").token("guess-77"),
        Request::get("/metrics"),
    ]);
    let page = &answers[8];
    for (sample, count) in [
        (r#"chat_ratelimit_decisions_total{class="rl.export",outcome="permitted"}"#, 2),
        (r#"chat_ratelimit_decisions_total{class="rl.export",outcome="quota_exceeded"}"#, 1),
        (r#"chat_ratelimit_decisions_total{class="rl.read",outcome="disabled"}"#, 1),
        (r#"chat_ratelimit_decisions_total{class="rl.search",outcome="permitted"}"#, 1),
        (r#"chat_ratelimit_decisions_total{class="rl.public_auth",outcome="permitted"}"#, 1),
        (r#"chat_ratelimit_rejected_total{class="rl.export"}"#, 1),
        (r#"chat_ratelimit_failures_total{class="rl.export",code="capacity_exhausted"}"#, 0),
        (
            r#"chat_rate_limit_exceeded_total{plugin="chat",route="/v1/exports",key_kind="principal"}"#,
            1,
        ),
        ("chat_ratelimit_evictions_total", 0),
        // Alice's exports, the search, the webhook, the agent, the guess.
        ("chat_ratelimit_tracked_keys", 5),
        ("chat_ratelimit_backend_latency_microseconds_count", 0),
    ] {
        assert_eq!(page.metric(sample), count, "{sample}");
    }
    let log = server.stop();
    for secret in ["alice", "bob", "agent-1", "77", "127.0.0.1", "hay"] {
        assert!(!page.body.contains(secret), "{secret} is on the page");
        assert!(!log.contains(secret), "{secret} is in the log: {log}");
    }
}

#[test]
fn ten_faults_stop_the_start_and_no_secret_is_printed() {
    let config = "
        [server]
        trusted_proxies = ['10.0.0.0/40']
        client_ip_header = 'x-real-ip'
        [ratelimit]
        max_tracked_keys = 0
        sweep_interval = '60'
        ipv6_prefix = 7
        key_secret = 'too short to be one'
        [ratelimit.rl.read]
        per_minute = 0
        burst = -1
        shadow = 'yes'
        [ratelimit.rl.reed]
        burst = 1
    ";
    let output = start_in_vain("ten_faults", config);
    assert!(!output.status.success());
    assert!(output.stdout.is_empty(), "nothing listens");
    let errors = String::from_utf8(output.stderr).expect("faults are text");
    assert!(errors.contains("10 faults"), "{errors}");
    for key in [
        "server.trusted_proxies",
        "server.client_ip_header",
        "ratelimit.max_tracked_keys",
        "ratelimit.sweep_interval",
        "ratelimit.ipv6_prefix",
        "ratelimit.key_secret",
        "ratelimit.rl.read.per_minute",
        "ratelimit.rl.read.burst",
        "ratelimit.rl.read.shadow",
        "ratelimit.rl.reed",
    ] {
        assert!(errors.contains(key), "{key} is not named in: {errors}");
    }
    assert!(!errors.contains("too short to be one"), "{errors}");
}
