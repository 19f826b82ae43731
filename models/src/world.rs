//! A table, a policy and a clock that several threads share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use loom::thread::{self, JoinHandle};

use crate::clock::{Clock, ManualClock};
use crate::limits::Limits;
use crate::store::local::{Answer, Label, Live, Policies, PolicyId, Setup, Table};
use crate::sync::Mutex;

/// What the threads of a model share. A token takes a millisecond.
#[derive(Clone)]
pub(crate) struct World {
    table: Arc<Table>,
    policies: Arc<Policies>,
    policy: PolicyId,
    pub(crate) clock: ManualClock,
}

/// Runs a law in every order of its steps, with at most two preemptions, and counts them.
pub(crate) fn explore(law: fn()) -> (usize, Duration) {
    let orders = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(2));
    // A clock that leaves the reach of a meter twice makes for a long run.
    builder.max_branches = 4_000;
    let counted = Arc::clone(&orders);
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        law();
    });
    (orders.load(Ordering::Relaxed), started.elapsed())
}

impl World {
    pub(crate) fn new(slots: usize, burst: u64) -> Self {
        Self::under(limits(burst), slots)
    }

    /// One whose policy counts so finely that its meter starts again when the clock has moved for eleven days.
    pub(crate) fn short_lived(slots: usize, burst: u64) -> Self {
        let limits = Limits::new(9_999_999, Duration::from_secs(1), burst);
        Self::under(limits.expect("less than ten a microsecond"), slots)
    }

    fn under(limits: Limits, slots: usize) -> Self {
        let policies = Policies::new();
        let label = Label { name: "model".into(), tier: None, revision: Mutex::new(None) };
        let live = Live::new(limits, 0);
        let policy = policies.add(Setup { live, registry: 0, label }).expect("the first policy");
        Self {
            table: Arc::new(Table::new(slots).expect("a small table")),
            policies: Arc::new(policies),
            policy,
            clock: ManualClock::new(),
        }
    }

    /// Whether a token of the key's bucket was there, asked for as the engine does.
    pub(crate) fn acquire(&self, key: u64) -> bool {
        let Self { table, policies, policy, clock } = self;
        let known = policies.policy(*policy);
        if let Some((charge, _)) = table.acquire_quickly(known, *policy, hash(key), 1, clock) {
            return charge.admitted;
        }
        let (_, answer) = table.acquire(policies, *policy, hash(key), 1, clock);
        matches!(answer, Answer::Decided { admitted: true, .. })
    }

    pub(crate) fn left(&self, key: u64) -> u64 {
        self.table.peek(&self.policies, self.policy, hash(key), &self.clock).1.remaining()
    }

    pub(crate) fn tracked(&self) -> u64 {
        self.table.tracked(&self.policies, &self.clock)
    }

    pub(crate) fn refund(&self, key: u64) {
        self.table.refund(&self.policies, self.policy, hash(key), 1, &self.clock);
    }

    pub(crate) fn sweep(&self) {
        self.table.sweep(&self.policies, &self.clock);
    }

    pub(crate) fn reload(&self, burst: u64) {
        self.policies.changing(|| {
            let live = self.policies.read(self.policy).reloaded(limits(burst), self.clock.now());
            self.policies.replace(self.policy, live);
            self.table.convert(&self.policies);
        });
    }

    pub(crate) fn spawn<T: 'static>(
        &self,
        run: impl FnOnce(&Self) -> T + 'static,
    ) -> JoinHandle<T> {
        let world = self.clone();
        thread::spawn(move || run(&world))
    }
}

fn limits(burst: u64) -> Limits {
    Limits::new(1, Duration::from_millis(1), burst).expect("a token a millisecond")
}

/// Distinct in the fingerprint and in the lower bits, which choose the lock.
fn hash(key: u64) -> u64 {
    key << 32 | key
}
