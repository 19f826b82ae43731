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

/// What a process holds while it is weighed.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    pub(crate) store: &'static str,
    /// The keys that it has seen.
    pub(crate) keys: u32,
    /// The slots of this library's table; the others have none.
    pub(crate) slots: u32,
}

/// The bytes that it takes.
pub(crate) fn bytes_of<K: Key>(Held { store, keys, slots }: Held) -> f64 {
    let this = std::env::current_exe().expect("a running program has a file");
    let mut child = Command::new(this);
    child.args([HOLD, store, K::KIND, &keys.to_string(), &slots.to_string()]);
    let child = child.output().expect("a program that runs can be started again");
    let said = String::from_utf8_lossy(&child.stdout);
    said.trim().parse().unwrap_or_else(|_| {
        panic!("no number of bytes from {store}: {said} {}", String::from_utf8_lossy(&child.stderr))
    })
}

/// What the process does that holds a store: it prints its bytes.
pub(crate) fn hold(arguments: &[String]) -> ExitCode {
    let [store, kind, keys, slots] = arguments else { return ExitCode::FAILURE };
    let (Ok(keys), Ok(slots)) = (keys.parse(), slots.parse()) else { return ExitCode::FAILURE };
    let bytes = if kind == String::KIND {
        filled::<String>(store, keys, slots)
    } else {
        filled::<IpAddr>(store, keys, slots)
    };
    println!("{bytes}");
    ExitCode::SUCCESS
}

fn filled<K: Key>(store: &str, keys: u32, slots: u32) -> u64 {
    let before = resident();
    let after = match store {
        "tollgate" => fill::<K>(&Tollgate::with_slots(slots.into(), PLENTY), keys),
        "governor" => fill::<K>(&Governor::quanta(PLENTY), keys),
        _ => fill::<K>(&Gcra::new(PLENTY), keys),
    };
    after - before
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
