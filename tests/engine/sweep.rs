//! A sweep stops nobody.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use tollgate::clock::Clock;
use tollgate::{Config, Limiter};

use super::{read, spend};

/// A clock that stands still, and whose reader stands still in one thread.
struct Held {
    thread: Mutex<Option<ThreadId>>,
    reached: Sender<()>,
    released: Mutex<Receiver<()>>,
}

impl Clock for Held {
    fn now(&self) -> u64 {
        let mut held = self.thread.lock().expect("no reader panics");
        if held.take_if(|held| *held == thread::current().id()).is_some() {
            drop(held);
            self.reached.send(()).expect("the test waits for it");
            let _released = self.released.lock().expect("no reader panics").recv();
        }
        0
    }
}

#[test]
fn requests_are_decided_while_a_sweep_stands_still() {
    // FAULTS 14. The sweep is held between two of its slots; whoever waited for it would wait for ever.
    let ((reached, is_reached), (release, released)) = (channel(), channel());
    let clock =
        Arc::new(Held { thread: Mutex::default(), reached, released: Mutex::new(released) });
    let config = Config::builder().max_tracked_keys(10_000).build().expect("a small table");
    let limiter: Limiter = Limiter::with_clock(&config, Arc::clone(&clock)).expect("a small table");
    for key in 0..300 {
        spend(&limiter, 1, key);
    }
    let sweeping = {
        let (limiter, clock) = (limiter.clone(), Arc::clone(&clock));
        thread::spawn(move || {
            *clock.thread.lock().expect("no reader panics") = Some(thread::current().id());
            limiter.sweep()
        })
    };
    is_reached.recv().expect("the sweep reads the clock");
    let (decided, is_decided) = channel();
    let asking = limiter.clone();
    thread::spawn(move || {
        // Known keys, and new ones that need a slot.
        for key in 0..600 {
            assert!(read(&asking, key).permitted());
        }
        decided.send(asking.tracked_keys()).expect("the test waits for it");
    });
    let decided = is_decided.recv_timeout(Duration::from_secs(60));
    assert_eq!(decided, Ok(600), "requests wait for a sweep");
    release.send(()).expect("the sweep waits for it");
    assert_eq!(sweeping.join().expect("a sweep does not panic"), 0, "no bucket is full");
}
