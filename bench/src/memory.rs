//! The memory that a store takes, as the operating system counts it. Each is filled in a process of its own, so that
//! none reuses what another one has given back.

use std::fs;
use std::net::IpAddr;
use std::process::{Command, ExitCode};

use crate::contenders::{Contender, Gcra, Governor, PLENTY, Tollgate};
use crate::keys::Key;

/// What a process may be asked to hold.
pub(crate) const STORES: [&str; 3] = ["tollgate", "governor", "axum_gcra"];

/// The argument with which this program calls itself.
pub(crate) const HOLD: &str = "--hold";

/// The bytes that a store takes with so many keys; of this library with so many slots.
pub(crate) fn bytes_of<K: Key>(store: &str, keys: u32) -> f64 {
    let this = std::env::current_exe().expect("a running program has a file");
    let child = Command::new(this).args([HOLD, store, K::KIND, &keys.to_string()]).output();
    let child = child.expect("a program that runs can be started again");
    let said = String::from_utf8_lossy(&child.stdout);
    said.trim().parse().unwrap_or_else(|_| {
        panic!("no number of bytes from {store}: {said} {}", String::from_utf8_lossy(&child.stderr))
    })
}

/// What the process does that holds a store: it prints its bytes.
pub(crate) fn hold(arguments: &[String]) -> ExitCode {
    let [store, kind, keys] = arguments else { return ExitCode::FAILURE };
    let Ok(keys) = keys.parse() else { return ExitCode::FAILURE };
    let bytes = if kind == String::KIND {
        filled::<String>(store, keys)
    } else {
        filled::<IpAddr>(store, keys)
    };
    println!("{bytes}");
    ExitCode::SUCCESS
}

fn filled<K: Key>(store: &str, keys: u32) -> u64 {
    let before = resident();
    match store {
        "tollgate" => {
            // Half as many keys as slots, which is what the slots are for.
            let limiter = Tollgate::standard(keys as usize / 2, PLENTY);
            fill::<K>(&limiter, keys / 2) - before
        }
        "governor" => fill::<K>(&Governor::quanta(PLENTY), keys) - before,
        _ => fill::<K>(&Gcra::new(PLENTY), keys) - before,
    }
}

/// The resident bytes while the store is full of these keys.
fn fill<K: Key>(store: &impl Contender<K>, keys: u32) -> u64 {
    for number in 0..keys {
        assert!(store.admits(&K::numbered(number)), "a new key is admitted");
    }
    resident()
}

/// The bytes of this process that are in memory.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the bench measures on Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    1024 * kilobytes.expect("Linux says how much is resident")
}
