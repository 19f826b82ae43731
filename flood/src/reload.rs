//! A thousand reloads under load, at a clock that stands still.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use tollgate::clock::ManualClock;
use tollgate::{Class, Config, Limiter};

use crate::ready;

const RELOADS: u64 = 1_000;
const THREADS: u64 = 4;
const KEYS: u64 = 50;
/// The burst of `rl.read` at all times; its rate changes.
const BURST: u64 = 100;
/// The bursts of `rl.write`, one after another.
const BURSTS: [u64; 4] = [100, 40, 70, 10];

pub fn run() -> String {
    let limiter = Limiter::with_clock(&config(0), ManualClock::new()).expect("room for the table");
    for key in 0..KEYS {
        assert!((0..BURST).all(|_| takes(&limiter, Class::Read, ("exhausted", key))));
    }
    let (fixed, changing, asked) = (counters(), counters(), AtomicU64::new(0));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (limiter, done, asked) = (&limiter, &done, &asked);
            let (fixed, changing) = (&fixed, &changing);
            scope.spawn(move || {
                let mut step = thread;
                while !done.load(Ordering::Relaxed) {
                    step += 1;
                    let key = step * 7 % KEYS;
                    assert!(!takes(limiter, Class::Read, ("exhausted", key)), "refreshed");
                    for (class, counters) in [(Class::Read, fixed), (Class::Write, changing)] {
                        let admitted = takes(limiter, class, key);
                        counters[key as usize].fetch_add(admitted.into(), Ordering::Relaxed);
                    }
                    asked.fetch_add(3, Ordering::Relaxed);
                }
            });
        }
        for reload in 1..=RELOADS {
            limiter.reload(&config(reload)).expect("the table is there already");
            // The threads get at the limits, also where there are fewer cores than threads.
            let before = asked.load(Ordering::Relaxed);
            while asked.load(Ordering::Relaxed) < before + 3 * THREADS * KEYS {
                thread::yield_now();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    // A burst that grows by so much has as many tokens more, and nothing refills.
    let bursts = (0..=RELOADS).map(burst).collect::<Vec<_>>();
    let grown: u64 = bursts.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).sum();
    let most = bursts[0] + grown;
    for key in 0..KEYS as usize {
        assert_eq!(
            fixed[key].load(Ordering::Relaxed),
            BURST,
            "admitted where only the rate changed"
        );
        let admitted = changing[key].load(Ordering::Relaxed);
        assert!((1..=most).contains(&admitted), "{admitted} of at most {most}");
        let left = ready(limiter.peek(Class::Write, key)).expect("a cost of one");
        assert!(left.remaining() <= Some(burst(RELOADS)));
    }
    format!(
        "{RELOADS} reloads under {} requests of {THREADS} threads; {KEYS} exhausted keys stayed so, every admission within the limits",
        asked.into_inner()
    )
}

fn burst(reload: u64) -> u64 {
    BURSTS[(reload % BURSTS.len() as u64) as usize]
}

fn config(reload: u64) -> Config {
    // Rates that need units of their own, so that every bucket is converted.
    let per_minute = [1, 600_000_000, 7, 1_234_567, 60][(reload % 5) as usize];
    let config = Config::builder().max_tracked_keys(10_000);
    let config = config.class(Class::Read, |class| class.per_minute(per_minute).burst(BURST));
    let config =
        config.class(Class::Write, |class| class.per_minute(per_minute).burst(burst(reload)));
    config.build().expect("limits in range")
}

fn counters() -> Vec<AtomicU64> {
    (0..KEYS).map(|_| AtomicU64::new(0)).collect()
}

fn takes(limiter: &Limiter, class: Class, key: impl tollgate::ToKey) -> bool {
    let decision = ready(limiter.acquire(class, key)).expect("a cost of one");
    assert!(decision.remaining() <= Some(decision.limits().capacity()), "{decision:?}");
    decision.permitted()
}
