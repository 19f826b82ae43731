//! What the running example answers, header by header.

use super::client::Request;
use super::server::{Server, start_at_the_address_of, start_in_vain};

const MESSAGES: &str = "/v1/channels/general/messages";

#[test]
fn a_first_read_has_used_one_of_120_tokens_and_is_full_again_in_a_second() {
    let server = Server::start();
    for request in [Request::get(MESSAGES), Request::get(MESSAGES).token("alice")] {
        let answer = server.send(request);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("ratelimit-policy"), Some(r#""rl.read";q=600;w=60"#));
        assert_eq!(answer.header("ratelimit"), Some(r#""rl.read";r=119;t=1"#));
        assert_eq!(answer.header("retry-after"), None);
    }
}

#[test]
fn every_route_is_limited_by_the_class_of_its_action() {
    // Full buckets less one token: `t` is ceil(60 / per_minute).
    let routes = [
        (Request::get(MESSAGES), 200, "rl.read", 600, 119, 1),
        (Request::post(MESSAGES).json(r#"{"text":"hi"}"#), 201, "rl.message", 60, 14, 1),
        (
            Request::new("PATCH", "/v1/channels/general").json(r#"{"topic":"t"}"#),
            200,
            "rl.write",
            120,
            29,
            1,
        ),
        (Request::get("/v1/search?q=hi"), 200, "rl.search", 60, 14, 1),
        (Request::post("/v1/exports"), 202, "rl.export", 6, 1, 10),
        (
            Request::post("/v1/auth/login").json(r#"{"name":"bob","password":"builder"}"#),
            200,
            "rl.public_auth",
            20,
            9,
            3,
        ),
    ];
    let server = Server::start();
    for (request, status, class, per_minute, remaining, full_in) in routes {
        let answer = server.send(request);
        assert_eq!(answer.status, status, "{answer:?}");
        let policy = format!(r#""{class}";q={per_minute};w=60"#);
        assert_eq!(answer.header("ratelimit-policy"), Some(policy.as_str()));
        let state = format!(r#""{class}";r={remaining};t={full_in}"#);
        assert_eq!(answer.header("ratelimit"), Some(state.as_str()));
    }
}

#[test]
fn health_is_not_limited() {
    let answer = Server::start().send(Request::get("/healthz"));
    assert_eq!((answer.status, answer.header("ratelimit")), (200, None));
    assert_eq!(answer.header("ratelimit-policy"), None);
}

#[test]
fn the_third_export_within_a_second_is_refused_for_ten_seconds() {
    let server = Server::start();
    let export = || Request::post("/v1/exports").token("alice");
    let answers = server.send_all([export(), export(), export()]);
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [202, 202, 429]);

    let refused = &answers[2];
    assert_eq!(refused.header("retry-after"), Some("10"));
    assert_eq!(refused.header("ratelimit-policy"), Some(r#""rl.export";q=6;w=60"#));
    assert_eq!(refused.header("ratelimit"), Some(r#""rl.export";r=0;t=20"#));
    assert_eq!(refused.header("content-type"), Some("application/problem+json"));
    assert_eq!(refused.header("cache-control"), Some("no-store"));
    assert_eq!(refused.header("x-content-type-options"), Some("nosniff"));
    let problem = refused.json();
    assert_eq!(problem["type"], "https://iana.org/assignments/http-problem-types#quota-exceeded");
    assert_eq!(problem["status"], 429);
    assert_eq!(problem["code"], "rate_limited");
    assert_eq!(problem["violated-policies"], serde_json::json!(["rl.export"]));

    // Neither another principal nor another class is touched.
    assert_eq!(server.send(Request::post("/v1/exports").token("bob")).status, 202);
    assert_eq!(server.send(Request::get(MESSAGES).token("alice")).status, 200);
}

#[test]
fn credentials_that_are_no_good_are_401_with_a_code() {
    let server = Server::start();
    for (credentials, code) in [
        ("Bearer expired", "token_expired"),
        ("Bearer mallory", "invalid_token"),
        ("Basic YWxpY2U6", "invalid_token"),
        ("", "invalid_token"),
    ] {
        let answer = server.send(Request::get(MESSAGES).header("authorization", credentials));
        assert_eq!(answer.status, 401);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert_eq!(answer.json()["code"], code);
    }
}

#[test]
fn only_alice_reads_the_private_channel_and_other_channels_do_not_exist() {
    let server = Server::start();
    for (channel, token, status, code) in [
        ("general", "bob", 200, None),
        ("private", "alice", 200, None),
        ("private", "bob", 403, Some("not_a_member")),
        ("secret", "alice", 404, Some("channel_not_found")),
    ] {
        let path = format!("/v1/channels/{channel}/messages");
        for request in [Request::get(&path), Request::post(&path).json(r#"{"text":"hi"}"#)] {
            let answer = server.send(request.token(token));
            let created =
                status == 200 && answer.header("ratelimit").unwrap().contains("rl.message");
            assert_eq!(answer.status, if created { 201 } else { status });
            if let Some(code) = code {
                assert_eq!(answer.header("content-type"), Some("application/problem+json"));
                assert_eq!(answer.json()["code"], code);
            }
        }
    }
}

#[test]
fn an_error_of_a_handler_carries_the_fields_too() {
    let server = Server::start();
    let bad_body = Request::post(MESSAGES).token("bob").json("{");
    let answer = server.send(bad_body);
    assert_eq!((answer.status, answer.json()["code"].as_str()), (400, Some("invalid_body")));
    assert_eq!(answer.header("ratelimit"), Some(r#""rl.message";r=14;t=1"#));
    let answer = server.send(Request::get("/v1/search").token("bob"));
    assert_eq!((answer.status, answer.json()["code"].as_str()), (400, Some("invalid_query")));
    assert_eq!(answer.header("ratelimit"), Some(r#""rl.search";r=14;t=1"#));
}

#[test]
fn a_path_that_is_no_text_is_a_problem_too() {
    let server = Server::start();
    for request in [
        Request::get("/v1/channels/%ff/messages"),
        Request::post("/v1/channels/%ff/messages").json(r#"{"text":"hi"}"#),
        Request::new("PATCH", "/v1/channels/%ff").json(r#"{"topic":"t"}"#),
    ] {
        let answer = server.send(request);
        assert_eq!((answer.status, answer.json()["code"].as_str()), (400, Some("invalid_path")));
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        assert!(answer.header("ratelimit").is_some(), "{answer:?}");
    }
}

#[test]
fn what_is_posted_can_be_read_and_found() {
    let server = Server::start();
    let message = Request::post(MESSAGES).token("bob").json(r#"{"text":"a toll gate"}"#);
    let expected = serde_json::json!({"id": 1, "author": "bob", "text": "a toll gate"});
    assert_eq!(server.send(message).json(), expected);
    let expected = serde_json::json!([expected]);
    assert_eq!(server.send(Request::get(MESSAGES)).json(), expected);
    assert_eq!(server.send(Request::get("/v1/search?q=toll")).json(), expected);
    assert_eq!(server.send(Request::get("/v1/search?q=bridge")).json(), serde_json::json!([]));
}

#[test]
fn a_file_lowers_the_limits_of_the_catalogue_key_by_key() {
    let config = "[ratelimit.rl.read]\nper_minute = 5\n";
    let server = Server::start_with("lower_read", config);
    let answer = server.send(Request::get(MESSAGES));
    assert_eq!(answer.header("ratelimit-policy"), Some(r#""rl.read";q=5;w=60"#));
    // One token at five a minute takes twelve seconds; the burst is still the catalogue's 120.
    assert_eq!(answer.header("ratelimit"), Some(r#""rl.read";r=119;t=12"#));
}

#[test]
fn a_wrong_configuration_stops_the_start_and_names_every_fault() {
    let config = "[ratelimit.rl.read]\nper_minute = 0\nbrust = 3\n[ratelimit.rl.reed]\nburst = 1\n";
    let output = start_in_vain("wrong", config);
    assert!(!output.status.success());
    assert_eq!(output.stdout, b"");
    let errors = String::from_utf8(output.stderr).unwrap();
    for fault in ["ratelimit.rl.read.per_minute", "ratelimit.rl.read.brust", "ratelimit.rl.reed"] {
        assert!(errors.contains(fault), "{fault} is not named in: {errors}");
    }
}

#[test]
fn a_port_that_is_taken_is_named_with_the_way_to_choose_another() {
    let server = Server::start();
    let output = start_at_the_address_of(&server);
    assert!(!output.status.success());
    let message = String::from_utf8(output.stderr).expect("the message is text");
    assert!(message.contains(&format!("cannot listen on {}: ", server.address)), "{message}");
    assert!(message.contains("PORT"), "{message}");
}

#[test]
fn a_file_that_cannot_be_read_stops_the_start_and_its_line_is_not_shown() {
    let output = start_in_vain("unreadable", "[ratelimit]\nkey_secret = \"hunter2\n");
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains(".toml:2: ") && !errors.contains("hunter2"), "{errors}");
}
