//! Two processes of the example on one Redis or Valkey.

use super::client::Request;
use super::server::Server;
use crate::redis::server::{Server as Backend, installed};

/// Five exports for everybody together, and the next in a minute.
fn config(backend: &Backend) -> String {
    format!(
        "[ratelimit]\nkey_secret = \"a secret of thirty-two bytes, or more\"\n\
         [ratelimit.rl.export]\nper_minute = 1\nburst = 5\n\
         mode = \"clustered\"\nfailure_mode = \"closed\"\n\
         [ratelimit.redis]\nurl = \"{}\"\nnamespace = \"chat\"\noperation_timeout = \"10s\"\n",
        backend.url()
    )
}

#[test]
fn two_processes_with_a_clustered_class_admit_together_exactly_the_burst() {
    for program in installed("two_processes_with_a_clustered_class_admit_the_burst") {
        let backend = Backend::start(program, &[]);
        let name = |number| format!("shared-{program}-{number}");
        let servers = [1, 2].map(|number| Server::start_with(&name(number), &config(&backend)));
        // Both at the same time, ten each.
        let statuses = std::thread::scope(|scope| {
            let sending = servers.each_ref().map(|server| {
                scope.spawn(move || {
                    let exports = (0..10).map(|_| Request::post("/v1/exports").token("alice"));
                    server.send_all(exports).into_iter().map(|answer| answer.status).collect()
                })
            });
            sending.map(|sent| -> Vec<u16> { sent.join().expect("all are answered") }).concat()
        });
        let with = |status| statuses.iter().filter(|other| **other == status).count();
        assert_eq!((with(202), with(429)), (5, 15), "{statuses:?}");
    }
}
