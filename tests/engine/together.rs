//! Several requests decided together, and tokens that are given back.

use tollgate::Class;
use tollgate::decision::{AcquireError, Outcome};

use super::{limiter, read, reads, ready, spend};

#[test]
fn all_take_their_tokens_or_none_does() {
    // FAULTS 11.
    let (limiter, _clock) = limiter(|config| config);
    let exports = limiter.class(Class::Export).cost(2).unwrap();
    let both = || {
        ready(limiter.acquire_all([limiter.acquire(Class::Read, "a"), exports.acquire("a")]))
            .unwrap()
    };
    let [read, export] = both();
    assert!(read.permitted() && export.permitted());
    assert_eq!((read.remaining(), export.remaining()), (Some(119), Some(0)));
    for _ in 0..3 {
        let [read, export] = both();
        assert_eq!((read.class(), read.outcome()), (Class::Read, Outcome::Permitted));
        assert_eq!((export.class(), export.outcome()), (Class::Export, Outcome::QuotaExceeded));
        assert_eq!((read.remaining(), export.remaining()), (Some(119), Some(0)));
    }
    assert_eq!(ready(limiter.peek(Class::Read, "a")).unwrap().remaining(), Some(119));
}

#[test]
fn one_bucket_named_twice_pays_twice_or_not_at_all() {
    let (limiter, _clock) = reads(60, 3);
    let twice = || {
        let request = || limiter.acquire(Class::Read, "a");
        ready(limiter.acquire_all([request(), request()])).unwrap()
    };
    let [first, second] = twice();
    assert_eq!((first.remaining(), second.remaining()), (Some(2), Some(1)));
    let [first, second] = twice();
    assert!(first.permitted() && !second.permitted());
    assert_eq!(ready(limiter.peek(Class::Read, "a")).unwrap().remaining(), Some(1));
}

#[test]
fn an_error_of_one_takes_nothing_from_the_others() {
    let (limiter, _clock) = reads(60, 3);
    let above = limiter.class(Class::Export).cost(3).unwrap();
    let requests = [limiter.acquire(Class::Read, "a"), above.acquire("a")];
    let error = ready(limiter.acquire_all(requests)).unwrap_err();
    assert_eq!(error, AcquireError::CostAboveCapacity { cost: 3, capacity: 2 });
    assert_eq!(ready(limiter.peek(Class::Read, "a")).unwrap().remaining(), Some(3));

    let (other, _clock) = reads(60, 3);
    let error = ready(limiter.acquire_all([other.acquire(Class::Read, "a")])).unwrap_err();
    assert_eq!(error, AcquireError::OtherLimiter);
    assert_eq!(ready(limiter.acquire_all([])), Ok([]));
}

#[test]
fn a_shadow_class_never_holds_the_others_back() {
    let (limiter, _clock) =
        limiter(|config| config.class(Class::Export, |class| class.shadow(true)));
    for left in [119, 118, 117, 116] {
        let requests = [limiter.acquire(Class::Read, "a"), limiter.acquire(Class::Export, "a")];
        let [read, export] = ready(limiter.acquire_all(requests)).unwrap();
        assert!(read.permitted() && export.permitted());
        assert_eq!(read.remaining(), Some(left));
    }
}

#[test]
fn threads_that_decide_together_never_lose_or_invent_a_token() {
    // Two buckets of 50; pairs in both orders. Whoever is refused must have given back what it took.
    for _ in 0..20 {
        let (limiter, _clock) = limiter(|config| {
            config
                .class(Class::Read, |class| class.per_minute(1).burst(50))
                .class(Class::Write, |class| class.per_minute(1).burst(40))
        });
        let admitted: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|thread| {
                    let limiter = &limiter;
                    scope.spawn(move || {
                        let pair = |_: &usize| {
                            let mut requests = [
                                limiter.acquire(Class::Read, "a"),
                                limiter.acquire(Class::Write, "a"),
                            ];
                            if thread % 2 == 0 {
                                requests.reverse();
                            }
                            let decisions = ready(limiter.acquire_all(requests)).unwrap();
                            decisions.iter().all(tollgate::Decision::permitted)
                        };
                        (0..20).filter(pair).count()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        let left = |class| ready(limiter.peek(class, "a")).unwrap().remaining().unwrap();
        assert_eq!(left(Class::Read), 50 - admitted as u64);
        assert_eq!(left(Class::Write), 40 - admitted as u64);
        assert_eq!(admitted, 40);
    }
}

#[test]
fn a_refund_gives_tokens_back_up_to_a_full_bucket() {
    let (limiter, clock) = reads(60, 10);
    let reads = limiter.class(Class::Read).cost(4).unwrap();
    spend(&limiter, 7, "a");
    reads.refund("a");
    assert_eq!(ready(limiter.peek(Class::Read, "a")).unwrap().remaining(), Some(7));
    reads.refund("a");
    reads.refund("nobody");
    assert_eq!(read(&limiter, "a").remaining(), Some(9));
    assert_eq!(read(&limiter, "nobody").remaining(), Some(9));
    clock.advance(std::time::Duration::from_secs(3_600));
    reads.refund("a");
    assert_eq!(read(&limiter, "a").remaining(), Some(9));
}
