//! Ways to reach the backend: users with few rights, and addresses that are none.

use std::path::Path;
use std::process::Command;

use tollgate::decision::FailureCode;
use tollgate::{Class, Limiter};

use super::server::{Server, free_port, installed};
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

/// An authority, and a certificate of it for `localhost`.
fn certificates(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost").unwrap();
    for arguments in [
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=authority",
        "req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost",
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2 -extfile names",
    ] {
        let mut openssl = Command::new("openssl");
        openssl.args(arguments.split(' ')).current_dir(folder);
        let output = openssl.output().expect("openssl is installed where servers are");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The authority is that of a process, so this test runs itself once more with another.
#[tokio::test]
async fn over_tls_the_certificate_of_the_server_is_checked() {
    const URL: &str = "TOLLGATE_TEST_TLS_URL";
    if let Ok(url) = std::env::var(URL) {
        assert_eq!(left(&limiter(&url), Class::Read, "alice").await, 2);
        return;
    }
    for program in installed("over_tls_the_certificate_of_the_server_is_checked") {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{program}"));
        certificates(&folder);
        let (port, files) = (free_port(), folder.display());
        let _server = Server::start(
            program,
            &[
                &format!("tls-port {port}"),
                &format!("tls-cert-file {files}/server.crt"),
                &format!("tls-key-file {files}/server.key"),
                &format!("tls-ca-cert-file {files}/ca.crt"),
                "tls-auth-clients no",
            ],
        );
        let url = format!("rediss://localhost:{port}");
        super::assert_fails(&limiter(&url), FailureCode::BackendUnavailable).await;
        let mut trusting = Command::new(std::env::current_exe().unwrap());
        trusting
            .args(["--exact", "redis::access::over_tls_the_certificate_of_the_server_is_checked"]);
        trusting.env(URL, &url).env("SSL_CERT_FILE", folder.join("ca.crt"));
        let output = trusting.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
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
