//! Ways to reach the backend: users with few rights, and addresses that are none.

use tollgate::decision::FailureCode;
use tollgate::{Class, Limiter};

use super::server::{Server, installed};
use super::{config, left, limiter};

#[tokio::test]
async fn a_user_needs_the_rights_that_operations_names_and_no_more() {
    for program in installed("a_user_needs_the_rights_that_operations_names_and_no_more") {
        let rules = "user tollgate on >secret ~test:v1:* resetchannels -@all +evalsha +eval +get +set +time";
        let server = Server::start(program, &[rules]);
        let limiter = limiter(&format!("redis://tollgate:secret@127.0.0.1:{}", server.port()));
        assert_eq!(left(&limiter, Class::Read, "alice").await, 2);
        assert_eq!(left(&limiter, Class::Read, "alice").await, 1);

        let other = config(&format!("redis://tollgate:secret@127.0.0.1:{}", server.port())).redis(
            &format!("redis://tollgate:secret@127.0.0.1:{}", server.port()),
            "other",
            super::TIMEOUT,
        );
        let other = Limiter::<Class>::new(&other.build().unwrap()).unwrap();
        super::assert_fails(&other, FailureCode::BackendRejected).await;
    }
}

#[test]
fn an_address_that_is_none_stops_the_start_and_is_not_shown() {
    for url in [
        "redis://:passw0rd@127.0.0.1:port",
        "redis+sentinel://:passw0rd@127.0.0.1:26379",
        "redis+cluster://:passw0rd@127.0.0.1:70000",
        "redis://:passw0rd@127.0.0.1/database",
    ] {
        let error = Limiter::<Class>::new(&config(url).build().unwrap()).unwrap_err().to_string();
        assert!(error.starts_with("ratelimit.redis.url cannot be read"), "{error}");
        assert!(!error.contains("passw0rd"), "{error}");
    }
}
