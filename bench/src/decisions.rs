//! How long a decision takes.

use std::hint::{self, black_box};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::contenders::{Contender, Gcra, Governor, Limit, PLENTY, Tollgate};
use crate::keys::{Key, Keys};
use crate::race::{Lane, Standings, race};

/// What is asked.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    pub(crate) keys: u32,
    pub(crate) threads: usize,
    pub(crate) verdict: Verdict,
}

/// What everybody has to answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Admitted,
    Refused,
}

/// Who is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    All,
    /// Those that goals speak of.
    Goals,
    /// This library and the limit alone: the others take long to fill.
    Limit,
    /// Everybody once, on the clock of the standard library.
    OneClock,
}

pub(crate) const TOLLGATE: &str = "tollgate";
pub(crate) const TOLLGATE_TSC: &str = "tollgate tsc";
pub(crate) const GOVERNOR_STD: &str = "governor std";
pub(crate) const GOVERNOR: &str = "governor";
pub(crate) const GOVERNOR_AHASH: &str = "governor ahash";
pub(crate) const GCRA: &str = "axum_gcra";
pub(crate) const LIMIT: &str = "the limit";

/// The decisions of each thread in a lap are as many as there are keys, but not fewer than the first number, nor more than the second.
const LAP: (usize, usize) = (100_000, 1_000_000);

/// Asks everybody about keys of one kind, in turns.
pub(crate) fn ask<K: Key>(question: Question, field: Field, rounds: usize) -> Standings {
    let keys = &Keys::<K>::new(question.keys);
    let count = keys.count();
    let burst = match question.verdict {
        Verdict::Admitted => PLENTY,
        Verdict::Refused => 1,
    };
    let mut lanes = vec![lane(TOLLGATE, Tollgate::standard(count, burst), keys, question)];
    // It decides nothing, and threads that meet fail.
    if question.threads == 1 && question.verdict == Verdict::Admitted {
        lanes.push(lane(LIMIT, Limit::new(count), keys, question));
    }
    if field != Field::Limit {
        lanes.push(lane(GOVERNOR_STD, Governor::<K, _, _>::standard(burst), keys, question));
    }
    if matches!(field, Field::All | Field::Goals) {
        lanes.push(lane(TOLLGATE_TSC, Tollgate::tsc(count, burst), keys, question));
        lanes.push(lane(GOVERNOR, Governor::<K, _, _>::quanta(burst), keys, question));
    }
    if field == Field::All {
        lanes.push(lane(GOVERNOR_AHASH, Governor::<K, _, _>::ahash(burst), keys, question));
    }
    if matches!(field, Field::All | Field::OneClock) {
        lanes.push(lane(GCRA, Gcra::<K>::new(burst), keys, question));
    }
    // Long laps need fewer rounds.
    race(lanes, if count < LAP.1 { rounds } else { rounds / 3 })
}

fn lane<'a, K: Key, C: Contender<K> + 'a>(
    name: &'static str,
    contender: C,
    keys: &'a Keys<K>,
    question: Question,
) -> Lane<'a> {
    for key in keys.scattered() {
        assert!(contender.admits(key), "{name} refuses a key that it does not know");
    }
    let walk = keys.walk();
    let (length, lap) = (walk.len(), walk.len().clamp(LAP.0, LAP.1));
    let mut at = 0;
    Lane::new(name, move || {
        // What the others have pushed out of the caches comes back. On a longer walk these would be the keys before.
        let known = length.min(LAP.1 / 2);
        decide(&contender, walk, (at + length - known) % length, known);
        let (took, admitted) = match question.threads {
            1 => decide(&contender, walk, at, lap),
            threads => together(&contender, walk, threads, lap),
        };
        at = (at + lap) % length;
        let made = question.threads * lap;
        let accepted = accepted(question, made);
        assert!(accepted.contains(&admitted), "{name} admits {admitted} of {made}");
        took.as_nanos() as f64 / lap as f64
    })
}

/// How many requests may be admitted. Among many exhausted keys one in some hundred may be new again, because it has made
/// way for another one in a table that is half full.
fn accepted(question: Question, made: usize) -> RangeInclusive<usize> {
    match question.verdict {
        Verdict::Admitted => made..=made,
        Verdict::Refused if question.keys < 10_000 => 0..=0,
        Verdict::Refused => 0..=made / 100,
    }
}

/// Decides about so many keys of the walk and says how long it took and how many were admitted.
fn decide<K: Key>(
    contender: &impl Contender<K>,
    walk: &[K],
    mut at: usize,
    mut left: usize,
) -> (Duration, usize) {
    let mut admitted = 0;
    let started = Instant::now();
    while left > 0 {
        let end = walk.len().min(at + left);
        for key in &walk[at..end] {
            admitted += usize::from(black_box(contender.admits(black_box(key))));
        }
        left -= end - at;
        at = end % walk.len();
    }
    (started.elapsed(), admitted)
}

/// The same on several threads at once; the time of the slowest counts.
fn together<K: Key>(
    contender: &impl Contender<K>,
    walk: &[K],
    threads: usize,
    decisions: usize,
) -> (Duration, usize) {
    let ready = &AtomicUsize::new(0);
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                let at = thread * walk.len() / threads;
                scope.spawn(move || {
                    // Nobody sleeps: a thread that has to be woken starts when the other is half through.
                    ready.fetch_add(1, Ordering::AcqRel);
                    while ready.load(Ordering::Acquire) < threads {
                        hint::spin_loop();
                    }
                    decide(contender, walk, at, decisions)
                })
            })
            .collect();
        let done = running.into_iter().map(|thread| thread.join().expect("nobody panics"));
        done.fold((Duration::ZERO, 0), |(slowest, sum), (took, admitted)| {
            (slowest.max(took), sum + admitted)
        })
    })
}
