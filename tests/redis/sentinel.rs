//! A primary that a sentinel names, and another in its place.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Command, Stdio};

use tollgate::Class;

use super::cluster::wait;
use super::server::{Server, free_port, installed};
use super::{left, limiter, until_decided};

/// A process that watches one primary, and is enough to replace it.
struct Sentinel {
    process: Child,
    port: u16,
    folder: std::path::PathBuf,
}

impl Sentinel {
    fn start(program: &str, primary: &Server) -> Self {
        let port = free_port();
        let folder = std::env::temp_dir().join(format!("tollgate-sentinel-{port}"));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("sentinel.conf");
        let lines = [
            "bind 127.0.0.1".to_owned(),
            format!("port {port}"),
            format!("dir {}", folder.display()),
            format!("sentinel monitor buckets 127.0.0.1 {} 1", primary.port()),
            "sentinel down-after-milliseconds buckets 500".to_owned(),
            "sentinel failover-timeout buckets 5000".to_owned(),
        ];
        fs::write(&file, lines.join("\n")).unwrap();
        let mut command = Command::new(program);
        command.arg(&file).arg("--sentinel").stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().unwrap();
        let sentinel = Self { process, port, folder };
        wait("the sentinel does not listen", || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
        });
        sentinel
    }

    fn url(&self) -> String {
        format!("redis+sentinel://127.0.0.1:{}/buckets", self.port)
    }

    /// What it says of the primary.
    fn says(&self, what: &str) -> bool {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}", self.port)).unwrap();
        let mut connection = client.get_connection().unwrap();
        let info: String = redis::cmd("INFO").arg("sentinel").query(&mut connection).unwrap();
        info.contains(what)
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[tokio::test]
async fn the_primary_that_a_sentinel_names_decides_and_so_does_the_one_after_it() {
    for program in installed("the_primary_that_a_sentinel_names_decides") {
        let mut primary = Server::start(program, &[]);
        let replica = Server::start(program, &[&format!("replicaof 127.0.0.1 {}", primary.port())]);
        let sentinel = Sentinel::start(program, &primary);
        wait("the sentinel does not find the replica", || {
            sentinel.says("status=ok") && sentinel.says("slaves=1")
        });
        let limiter = limiter(&sentinel.url());
        assert_eq!(left(&limiter, Class::Write, "alice").await, 2);
        wait("the replica is behind", || {
            redis::cmd("DBSIZE").query::<u64>(&mut replica.connection()).unwrap() == 1
        });
        primary.kill();
        let decision = until_decided(&limiter, Class::Write, "alice").await;
        assert_eq!(decision.remaining(), Some(1), "the spent tokens are spent");
    }
}
