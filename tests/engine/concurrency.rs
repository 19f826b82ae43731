//! Many threads, one limiter.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use tollgate::Limiter;

use super::{limiter, read, reads};

const THREADS: usize = 8;

/// Runs `body` in eight threads that start together.
fn together(body: impl Fn(usize) + Sync) {
    let barrier = Barrier::new(THREADS);
    let (barrier, body) = (&barrier, &body);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                barrier.wait();
                body(thread);
            });
        }
    });
}

#[test]
fn at_a_frozen_clock_all_threads_together_get_exactly_the_burst() {
    for burst in [1, 10, 1_000] {
        for round in 0..50 {
            let (limiter, _clock) = reads(1, burst);
            let admitted = AtomicU64::new(0);
            together(|_| {
                for _ in 0..burst / 4 + 2 {
                    let permitted = read(&limiter, "hot").permitted();
                    admitted.fetch_add(u64::from(permitted), Ordering::Relaxed);
                }
            });
            assert_eq!(admitted.into_inner(), burst, "round {round}");
        }
    }
}

#[test]
fn many_keys_at_once_get_their_burst_each_and_one_slot_each() {
    const KEYS: usize = 500;
    let (limiter, _clock) = reads(1, 3);
    let admitted: Vec<AtomicU64> = (0..KEYS).map(|_| AtomicU64::new(0)).collect();
    together(|thread| {
        for step in 0..KEYS {
            let key = (step + thread * 61) % KEYS;
            let permitted = read(&limiter, key).permitted();
            admitted[key].fetch_add(u64::from(permitted), Ordering::Relaxed);
        }
    });
    assert!(admitted.iter().all(|admitted| admitted.load(Ordering::Relaxed) == 3));
    assert_eq!(limiter.tracked_keys(), KEYS as u64);
}

#[test]
fn a_flood_a_sweep_and_a_reload_beside_it_never_admit_more_than_the_burst() {
    // Eight slots for the eight threads' floods; the hot key has spent everything, so it never makes way.
    for _ in 0..20 {
        let settings = super::config(|config| {
            config
                .max_tracked_keys(64)
                .class(tollgate::Class::Read, |class| class.per_minute(1).burst(100))
        });
        let limiter = Limiter::with_clock(&settings, tollgate::clock::ManualClock::new()).unwrap();
        for _ in 0..99 {
            assert!(read(&limiter, "hot").permitted());
        }
        let admitted = AtomicU64::new(0);
        together(|thread| {
            for step in 0..200_u64 {
                match thread {
                    0 => limiter.reload(&settings).unwrap(),
                    1 => {
                        limiter.sweep();
                    }
                    2 | 3 => assert!(read(&limiter, ("flood", thread as u64, step)).permitted()),
                    _ => {
                        let permitted = read(&limiter, "hot").permitted();
                        admitted.fetch_add(u64::from(permitted), Ordering::Relaxed);
                    }
                }
            }
        });
        assert_eq!(admitted.into_inner(), 1);
    }
}

#[test]
fn while_the_clock_runs_no_thread_gets_more_than_the_refill() {
    // A token a millisecond; one thread moves the clock a second ahead, in steps.
    let (limiter, clock) = limiter(|config| {
        config
            .max_tracked_keys(4)
            .class(tollgate::Class::Read, |class| class.per_minute(60_000).burst(5))
    });
    let admitted = AtomicU64::new(0);
    together(|thread| {
        for step in 0..20_000 {
            match thread {
                0 if step % 2 == 0 => clock.advance(Duration::from_micros(100)),
                0 => {
                    limiter.sweep();
                }
                _ => {
                    let permitted = read(&limiter, "hot").permitted();
                    admitted.fetch_add(u64::from(permitted), Ordering::Relaxed);
                }
            }
        }
    });
    // The burst and a thousand refilled tokens.
    assert!(admitted.into_inner() <= 1_005);
}
