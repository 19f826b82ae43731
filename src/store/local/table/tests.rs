//! The table by itself, with a clock that is told to move.

mod places;
mod requests;

use std::time::Duration;

use super::*;
use crate::clock::ManualClock;
use crate::limits::Limits;
use crate::store::local::{Label, Setup};

const MILLISECOND: Duration = Duration::from_millis(1);

/// A table with one policy, whose tokens take a millisecond each.
struct World {
    table: Table,
    policies: Policies,
    policy: PolicyId,
    clock: ManualClock,
}

/// A clock right after one of whose readings something happens.
struct Interrupted<'a> {
    clock: &'a ManualClock,
    /// The readings until then.
    readings: AtomicU64,
    deed: &'a (dyn Fn() + Sync),
}

impl Clock for Interrupted<'_> {
    fn now(&self) -> u64 {
        let now = self.clock.now();
        if self.readings.fetch_sub(1, Ordering::Relaxed) == 1 {
            (self.deed)();
        }
        now
    }
}

impl World {
    fn new(slots: usize, burst: u64) -> Self {
        Self::under(limits(burst), slots)
    }

    fn under(limits: Limits, slots: usize) -> Self {
        let policies = Policies::new();
        let label = Label { name: "p".into(), tier: None, revision: Mutex::new(None) };
        let setup = Setup { live: Live::new(limits, 0), registry: 0, label };
        let policy = policies.add(setup).unwrap();
        let table = Table::new(slots).unwrap();
        Self { table, policies, policy, clock: ManualClock::new() }
    }

    fn acquire_by(&self, clock: &dyn Clock, hash: u64, cost: u64) -> Answer {
        self.table.acquire(&self.policies, self.policy, hash, cost, clock).1
    }

    fn acquire(&self, hash: u64, cost: u64) -> Answer {
        self.acquire_by(&self.clock, hash, cost)
    }

    /// An acquisition of one that knows the time when something else is done.
    fn acquire_around(
        &self,
        reading: u64,
        deed: &(dyn Fn() + Sync),
        hash: u64,
        cost: u64,
    ) -> Answer {
        let clock = Interrupted { clock: &self.clock, readings: AtomicU64::new(reading), deed };
        self.acquire_by(&clock, hash, cost)
    }

    /// Whether the tokens were there, and how the bucket came by its slot.
    fn enter(&self, hash: u64, cost: u64) -> (bool, Entry) {
        match self.acquire(hash, cost) {
            Answer::Decided { admitted, entry, .. } => (admitted, entry),
            other => panic!("{other:?}"),
        }
    }

    fn acquire_quickly(&self, hash: u64, cost: u64) -> Option<(bool, bool)> {
        let policy = self.policies.policy(self.policy);
        let quick = self.table.acquire_quickly(policy, self.policy, hash, cost, &self.clock);
        quick.map(|(charge, shadow)| (charge.admitted, shadow))
    }

    fn refund(&self, hash: u64, cost: u64) {
        self.table.refund(&self.policies, self.policy, hash, cost, &self.clock);
    }

    fn left(&self, hash: u64) -> u64 {
        self.table.peek(&self.policies, self.policy, hash, &self.clock).1.remaining()
    }

    fn sweep(&self) -> Swept {
        self.table.sweep(&self.policies, &self.clock)
    }

    fn live(&self) -> Live {
        self.policies.read(self.policy)
    }

    fn replace(&self, live: Live) {
        self.policies.replace(self.policy, live);
    }

    fn reload(&self, limits: Limits) {
        self.policies.changing(|| {
            self.replace(self.live().reloaded(limits, self.clock.now()));
            self.table.convert(&self.policies);
        });
    }

    /// The slots that hold a bucket.
    fn taken(&self) -> Vec<usize> {
        let slots = self.table.slots().map(load).enumerate();
        slots.filter(|(_, slot)| !slot.is_vacant()).map(|(index, _)| index).collect()
    }
}

fn limits(burst: u64) -> Limits {
    Limits::new(1, MILLISECOND, burst).unwrap()
}

/// The hash of a key whose first set is the first of all, and whose home there is the number's remainder by four.
const fn key(number: u64) -> u64 {
    number << 16
}

fn decided(answer: Answer) -> (bool, u64, Entry) {
    match answer {
        Answer::Decided { admitted, level, entry } => (admitted, level.remaining(), entry),
        other => panic!("{other:?}"),
    }
}
