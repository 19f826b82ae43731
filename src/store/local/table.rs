//! [`Table`]: the slots of all buckets, found without a lock.
//!
//! A key has two candidate sets of four slots, one in each half of the table, each in one cache line, and in each a slot that
//! is its home: the first that is looked at, and taken while it is free. A hit finds its slot and swaps it. A miss holds a lock
//! that is chosen by the key, so that one key never enters twice, and swaps itself into a free slot; a full bucket is as good
//! as none, so its slot is free. With no free slot the bucket that has spent the smallest share of its capacity makes way.

use std::collections::TryReserveError;
use std::{hint, iter};

use prefetch_index::prefetch_index;

use super::policy::{Live, Policies, Policy, PolicyId};
use super::slot::{Owner, Slot};
use crate::bucket::{Charge, Level, Meter};
use crate::clock::Clock;
use crate::config::Saturation;
use crate::sync::{AtomicU64, AtomicU128, Mutex, Ordering};

/// Buckets in a number of slots that never changes.
#[derive(Debug)]
pub(crate) struct Table {
    sets: Box<[Set]>,
    /// How many of the sets are the first half.
    half: usize,
    stripes: Box<[Stripe]>,
    evictions: AtomicU64,
}

/// What a table makes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The cost is more than a bucket ever holds.
    AboveCapacity,
    /// The bucket decided.
    Decided { admitted: bool, level: Level, entry: Entry },
    /// The policy is switched off.
    Disabled,
    /// A new key found no free slot where none may make way.
    Saturated,
}

/// How a bucket came by its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Another bucket, which was not full, has just made way.
    Evicting,
    /// It had the slot already.
    Known,
    /// It has just got a slot that was free.
    New,
}

#[derive(Debug)]
#[repr(align(64))]
struct Set([AtomicU128; WAYS]);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe(Mutex<()>);

const WAYS: usize = 4;
/// How often a processor is told to wait after a lost race: some hundred nanoseconds in all.
const BACKOFF: usize = 8;
const STRIPES: usize = if cfg!(loom) { 2 } else { 64 };

/// A request on its way through the table.
struct Request<'a> {
    policies: &'a Policies,
    policy: PolicyId,
    hash: u64,
    cost: u64,
    clock: &'a dyn Clock,
}

/// Where a new key may go.
struct Vacancy<'a> {
    place: &'a AtomicU128,
    seen: Slot,
    /// Whether a bucket that is not full makes way.
    evicts: bool,
}

/// What a sweep found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Swept {
    /// The full buckets, whose fingerprints are gone.
    pub(crate) erased: u64,
    /// The others.
    pub(crate) tracked: u64,
}

/// Why a request has to start over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    /// The slot changed under it.
    Changed,
    /// The clock has left the reach of the policy's meter.
    OutOfReach,
}

impl Table {
    /// The slots with which there is room for `keys` buckets whatever they are: with three for each, in whole sets, about one new
    /// key in a million finds its candidates taken. Up to eight every key may be in every slot, and none is spared.
    pub(crate) fn slots_for(keys: u64) -> u64 {
        const SET: u64 = WAYS as u64;
        if keys <= 2 * SET {
            keys
        } else {
            keys.saturating_mul(3).div_ceil(SET).saturating_mul(SET)
        }
    }

    /// A table of exactly `slots` slots.
    pub(crate) fn new(slots: usize) -> Result<Self, TryReserveError> {
        let mut sets = Vec::new();
        sets.try_reserve_exact(slots.div_ceil(WAYS))?;
        for first in (0..slots).step_by(WAYS) {
            let usable = |way| if first + way < slots { Slot::EMPTY } else { Slot::BLOCKED };
            sets.push(Set(std::array::from_fn(|way| AtomicU128::new(usable(way).0))));
        }
        Ok(Self {
            half: sets.len().div_ceil(2),
            sets: sets.into_boxed_slice(),
            stripes: (0..STRIPES).map(|_| Stripe::default()).collect(),
            evictions: AtomicU64::new(0),
        })
    }

    /// Charges the bucket of the key with this hash when it is known and nobody is in between, as it nearly always is;
    /// otherwise nothing has happened. Nothing here is passed by reference, so that it stays in registers until
    /// the decision is written.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a decision that is copied costs half of itself")]
    pub(crate) fn acquire_quickly(
        &self,
        policy: &Policy,
        id: PolicyId,
        hash: u64,
        cost: u64,
        clock: &impl Clock,
    ) -> Option<(Charge, bool)> {
        if self.is_far() {
            // A clock waits for loads, but not for this.
            self.fetch(hash);
        }
        let now = clock.now();
        let (place, mut seen) = self.find(Owner::new(hash, id, false), hash)?;
        loop {
            // Read after the slot, or two changes of the limits may lie between them, which the generation does not tell.
            let live = policy.present();
            let owner = live.owner(hash, id);
            if seen.owner() != owner || !live.enabled || cost > live.meter.limits.capacity() {
                return None;
            }
            let charge = live.meter.charge(Some(seen.word()), cost, now)?;
            if charge.beyond {
                return None;
            }
            // A refusal that has nothing to cut writes nothing.
            if !charge.admitted || swap(place, seen, Slot::new(owner, charge.word)).is_ok() {
                return Some((charge, live.shadow));
            }
            // The winner keeps the line for a moment; taking it back at once would cost both more.
            for _ in 0..BACKOFF {
                hint::spin_loop();
            }
            seen = load(place);
        }
    }

    /// Charges the bucket of the key with this hash, and says what held for the policy then.
    pub(crate) fn acquire(
        &self,
        policies: &Policies,
        policy: PolicyId,
        hash: u64,
        cost: u64,
        clock: &dyn Clock,
    ) -> (Live, Answer) {
        let request = &Request { policies, policy, hash, cost, clock };
        loop {
            let mut live = request.policies.read(request.policy);
            let now = request.clock.now();
            if !live.enabled {
                return (live, Answer::Disabled);
            }
            if request.cost > live.meter.limits.capacity() {
                return (live, Answer::AboveCapacity);
            }
            let owner = live.owner(request.hash, request.policy);
            let decided = match self.find(owner, request.hash) {
                Some((place, seen)) => {
                    let charged = request.charge(&mut live, place, seen, now);
                    charged.map(|charge| (live, Answer::from(charge)))
                }
                None => self.miss(request),
            };
            match decided {
                Ok(decided) => return decided,
                Err(Obstacle::Changed) => {}
                Err(Obstacle::OutOfReach) => self.restart(request),
            }
        }
    }

    /// How the bucket of the key with this hash stands.
    pub(crate) fn peek(
        &self,
        policies: &Policies,
        policy: PolicyId,
        hash: u64,
        clock: &dyn Clock,
    ) -> (Live, Level) {
        let found = self.find(policies.read(policy).owner(hash, policy), hash);
        let (live, now) = (policies.read(policy), clock.now());
        let word = found.map(|(_, seen)| live.word(seen));
        (live, live.meter.level(word, now))
    }

    /// Gives tokens back to the bucket of the key with this hash; without one it is full already.
    pub(crate) fn refund(
        &self,
        policies: &Policies,
        policy: PolicyId,
        hash: u64,
        cost: u64,
        clock: &dyn Clock,
    ) {
        let request = Request { policies, policy, hash, cost, clock };
        loop {
            let mut live = policies.read(policy);
            // No bucket is owed what none of its size ever held.
            let Some((place, seen)) = self.find(live.owner(hash, policy), hash) else { return };
            if cost > live.meter.limits.capacity() {
                return;
            }
            let refund = |meter: &Meter, word, now| meter.refund(word, cost, now);
            match request.change(&mut live, place, seen, clock.now(), refund) {
                Ok(_) => return,
                Err(Obstacle::Changed) => {}
                Err(Obstacle::OutOfReach) => self.restart(&request),
            }
        }
    }

    /// The buckets that are not full.
    pub(crate) fn tracked(&self, policies: &Policies, clock: &dyn Clock) -> u64 {
        let now = clock.now();
        let tracked = |slot: &Slot| !slot.is_vacant() && !policies.level(*slot, now).is_full();
        self.slots().map(load).filter(tracked).fold(0, |count, _| count + 1)
    }

    /// Erases the full buckets.
    pub(crate) fn sweep(&self, policies: &Policies, clock: &dyn Clock) -> Swept {
        let mut swept = Swept::default();
        for place in self.slots() {
            let seen = load(place);
            if seen.is_vacant() {
                continue;
            }
            // A bucket that is charged in between is no longer full and stays.
            let full = policies.level(seen, clock.now()).is_full();
            if full && swap(place, seen, Slot::EMPTY).is_ok() {
                swept.erased += 1;
            } else {
                swept.tracked += 1;
            }
        }
        swept
    }

    /// Rewrites the buckets whose policies have just got other limits. Afterwards every word is on its policy's meter, so
    /// that the next limits may come.
    pub(crate) fn convert(&self, policies: &Policies) {
        // A key that was entering under the limits before has entered when its lock is free.
        for Stripe(stripe) in &self.stripes {
            drop(stripe.lock());
        }
        for place in self.slots() {
            let mut seen = load(place);
            while let Some(converted) = policies.converted(seen) {
                match swap(place, seen, converted) {
                    Ok(()) => break,
                    Err(actual) => seen = actual,
                }
            }
        }
    }

    /// The buckets that made way for new keys since the start.
    pub(crate) fn evictions(&self) -> u64 {
        self.evictions.load(Ordering::Relaxed)
    }

    /// Lets the meter of a policy start again, now that the clock has left its reach.
    #[cold]
    fn restart(&self, request: &Request<'_>) {
        let Request { policies, policy, clock, .. } = request;
        policies.changing(|| {
            let (live, now) = (policies.read(*policy), clock.now());
            // Unless somebody was faster, or only the time of the request was an old one.
            if !live.meter.reaches(now) {
                policies.replace(*policy, live.restarted(now));
                self.convert(policies);
            }
        });
    }

    fn miss(&self, request: &Request<'_>) -> Result<(Live, Answer), Obstacle> {
        let _stripe = self.stripe(request.hash).lock();
        loop {
            let mut live = request.policies.read(request.policy);
            if request.cost > live.meter.limits.capacity() {
                return Ok((live, Answer::AboveCapacity));
            }
            let owner = live.owner(request.hash, request.policy);
            let found = self.find(owner, request.hash);
            // Read after the bucket was looked for: it may have been erased a moment ago because it had become
            // full by then, and from an earlier time it would refill a second time.
            let now = request.clock.now();
            if let Some((place, seen)) = found {
                match request.charge(&mut live, place, seen, now) {
                    Ok(charge) => return Ok((live, Answer::from(charge))),
                    Err(Obstacle::Changed) => continue,
                    Err(Obstacle::OutOfReach) => return Err(Obstacle::OutOfReach),
                }
            }
            let vacancy = self.vacancy(request, now);
            if vacancy.evicts && live.saturation != Saturation::Evict {
                return Ok((live, Answer::Saturated));
            }
            let charge = live.meter.charge(None, request.cost, now).ok_or(Obstacle::OutOfReach)?;
            if swap(vacancy.place, vacancy.seen, Slot::new(owner, charge.word)).is_ok() {
                let Charge { admitted, level, .. } = charge;
                let entry = if vacancy.evicts { Entry::Evicting } else { Entry::New };
                if vacancy.evicts {
                    self.evictions.fetch_add(1, Ordering::Relaxed);
                }
                return Ok((live, Answer::Decided { admitted, level, entry }));
            }
        }
    }

    /// The slot of the key, in whatever generation.
    #[inline]
    fn find(&self, owner: Owner, hash: u64) -> Option<(&AtomicU128, Slot)> {
        let set = if self.is_far() { self.nearer(owner, hash) } else { self.first(hash) };
        let home = self.set(set).home(hash);
        let seen = load(home);
        if seen.owner().is_key_of(owner) {
            return Some((home, seen));
        }
        self.look_around(owner, hash)
    }

    /// Has both sets of the key fetched.
    #[inline(never)]
    fn fetch(&self, hash: u64) {
        prefetch_index(&self.sets, self.first(hash));
        prefetch_index(&self.sets, self.second(hash));
    }

    /// The second set when the key is at home there, else the first. There is no branch, because none can be foretold, and what is
    /// begun in vain delays the next load.
    #[inline(never)]
    fn nearer(&self, owner: Owner, hash: u64) -> usize {
        let (first, second) = (self.first(hash), self.second(hash));
        let at_second = load(self.set(second).home(hash)).owner().is_key_of(owner);
        first + usize::from(at_second) * (second - first)
    }

    /// The slot of a key that is not at home.
    #[inline(never)]
    fn look_around(&self, owner: Owner, hash: u64) -> Option<(&AtomicU128, Slot)> {
        let (first, second) = (self.set(self.first(hash)), self.set(self.second(hash)));
        // The home in the second set is likelier than any other. The one in the first was looked at, unless the key has moved.
        iter::once(second.home(hash))
            .chain(first.away(hash))
            .chain(second.away(hash))
            .chain(iter::once(first.home(hash)))
            .map(|place| (place, load(place)))
            .find(|(_, seen)| seen.owner().is_key_of(owner))
    }

    /// Where a new key goes: into the candidate set with more free slots, else in place of the bucket that has spent
    /// the smallest share of its capacity.
    fn vacancy(&self, request: &Request<'_>, now: u64) -> Vacancy<'_> {
        let mut roomiest = (0, None);
        let mut least = (u64::MAX, None);
        let hash = request.hash;
        let (first, second) = (self.first(hash), self.second(hash));
        let second = Some(second).filter(|second| *second != first);
        for set in iter::once(first).chain(second).map(|set| self.set(set)) {
            let mut free = (0, None);
            for place in iter::once(set.home(hash)).chain(set.away(hash)) {
                let seen = load(place);
                let share = match seen {
                    Slot::BLOCKED => continue,
                    Slot::EMPTY => 0,
                    _ => request.policies.level(seen, now).share(),
                };
                if share == 0 {
                    // The first that is empty, else the first full bucket: should the clock step back, it is not quite full.
                    let kept =
                        free.1.filter(|(_, kept)| *kept == Slot::EMPTY || seen != Slot::EMPTY);
                    free = (free.0 + 1, kept.or(Some((place, seen))));
                }
                if least.1.is_none() || share < least.0 {
                    least = (share, Some((place, seen)));
                }
            }
            if free.0 > roomiest.0 {
                roomiest = free;
            }
        }
        let evicts = roomiest.1.is_none();
        let (place, seen) =
            roomiest.1.or(least.1).expect("every set has a slot that is not blocked");
        Vacancy { place, seen, evicts }
    }

    /// The set in the first half in which a key may be.
    // Both sets depend on the bits that are in no fingerprint, so that keys which share that do not share their sets as well.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        scaled(hash.rotate_right(16) >> 32, self.half)
    }

    /// The set in the second half in which a key may be; the same when there is but one.
    #[inline]
    fn second(&self, hash: u64) -> usize {
        let others = self.sets.len() - self.half;
        if others == 0 { 0 } else { self.half + scaled(mixed(hash) >> 32, others) }
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the first or the second of a key")]
    fn set(&self, index: usize) -> &Set {
        &self.sets[index]
    }

    /// Whether a slot is likely to be in memory alone.
    #[inline]
    fn is_far(&self) -> bool {
        const CACHE: usize = 1 << 21;
        self.sets.len() > CACHE / size_of::<Set>()
    }

    fn stripe(&self, hash: u64) -> &Mutex<()> {
        #[expect(clippy::cast_possible_truncation, reason = "only the lowest bits matter")]
        let stripe = hash as usize % STRIPES;
        &self.stripes.get(stripe).expect("there are as many stripes as numbers below that").0
    }

    fn slots(&self) -> impl Iterator<Item = &AtomicU128> {
        self.sets.iter().flat_map(|set| &set.0)
    }
}

impl Set {
    /// The slot in which a key is unless another was there before.
    #[inline]
    fn home(&self, hash: u64) -> &AtomicU128 {
        self.slot(hash, 0)
    }

    /// The other slots.
    #[inline]
    fn away(&self, hash: u64) -> impl Iterator<Item = &AtomicU128> {
        (1..WAYS).map(move |distance| self.slot(hash, distance))
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a number below that of the ways")]
    fn slot(&self, hash: u64, distance: usize) -> &AtomicU128 {
        // Bits that choose no set, unless there are a billion.
        &self.0[((hash >> 16) as usize + distance) % WAYS]
    }
}

impl Request<'_> {
    /// Charges the bucket that was seen at `place`.
    #[inline]
    fn charge(
        &self,
        live: &mut Live,
        place: &AtomicU128,
        seen: Slot,
        now: u64,
    ) -> Result<Charge, Obstacle> {
        let cost = self.cost;
        self.change(live, place, seen, now, |meter, word, now| meter.charge(Some(word), cost, now))
    }

    /// Changes the bucket that was seen at `place`.
    #[inline]
    fn change(
        &self,
        live: &mut Live,
        place: &AtomicU128,
        mut seen: Slot,
        mut now: u64,
        change: impl Fn(&Meter, u64, u64) -> Option<Charge>,
    ) -> Result<Charge, Obstacle> {
        loop {
            // What is read after the slot is at least as new; an older slot is converted. What was read before it may be
            // of the same generation and two changes older.
            *live = self.policies.read(self.policy);
            let changed = change(&live.meter, live.word(seen), now);
            let mut changed = changed.ok_or(Obstacle::OutOfReach)?;
            if changed.beyond {
                // Perhaps the time or the limits are only older than the word. Cutting it to the capacity by them
                // would give back tokens.
                *live = self.policies.read(self.policy);
                now = self.clock.now();
                let again = change(&live.meter, live.word(seen), now);
                changed = again.ok_or(Obstacle::OutOfReach)?;
            }
            if self.cost > live.meter.limits.capacity() {
                return Err(Obstacle::Changed);
            }
            let owner = live.owner(self.hash, self.policy);
            let next = Slot::new(owner, changed.word);
            // A refusal writes only what has to be cut to the capacity: otherwise waiting as told would not help.
            if next == seen {
                return Ok(changed);
            }
            match swap(place, seen, next) {
                Ok(()) => return Ok(changed),
                Err(actual) if actual.owner().is_key_of(owner) => seen = actual,
                Err(_) => return Err(Obstacle::Changed),
            }
        }
    }
}

impl From<Charge> for Answer {
    fn from(charge: Charge) -> Self {
        Self::Decided { admitted: charge.admitted, level: charge.level, entry: Entry::Known }
    }
}

#[inline]
fn load(place: &AtomicU128) -> Slot {
    Slot(place.load(Ordering::Acquire))
}

#[inline]
fn swap(place: &AtomicU128, seen: Slot, next: Slot) -> Result<(), Slot> {
    let swapped = place.compare_exchange(seen.0, next.0, Ordering::AcqRel, Ordering::Acquire);
    swapped.map(|_| ()).map_err(Slot)
}

/// Other bits of a hash, as random as those it has.
#[inline]
fn mixed(hash: u64) -> u64 {
    (hash ^ (hash >> 29)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// Scales 32 random bits to an index below `len`, which is below 2^32.
#[inline]
fn scaled(bits: u64, len: usize) -> usize {
    ((bits * len as u64) >> 32) as usize
}

#[cfg(test)]
mod tests;
