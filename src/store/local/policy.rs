//! [`Policies`]: the limits that a table's buckets live under, by small numbers.

use std::sync::{Arc, OnceLock};

use super::latch::Latch;
use super::slot::{Owner, Slot};
use crate::bucket::{Handover, Level, Meter};
use crate::config::Saturation;
use crate::limits::{Limits, Refill};
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering};

/// A class, a tier of one, a budget or a named policy. Numbers are 1 to 32,766, so that neither an empty nor a blocked slot
/// has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PolicyId(u16);

/// What holds for a policy at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Live {
    pub(crate) meter: Meter,
    pub(crate) enabled: bool,
    pub(crate) shadow: bool,
    pub(crate) saturation: Saturation,
    /// Turns over when other limits come; it says on which meter a slot's word is.
    pub(super) generation: bool,
    /// How to read words of the other generation.
    pub(super) handover: Handover,
}

/// All policies of a limiter. They are added, and replaced while in use, but never removed.
#[derive(Debug)]
pub(crate) struct Policies {
    /// Those of a usual catalogue, which are there from the start and so are found at once.
    first: Chunk,
    others: Box<[OnceLock<Chunk>]>,
    /// The number of the next one.
    next: Mutex<u16>,
    /// Held while they are replaced.
    changing: Mutex<()>,
}

type Chunk = Box<[Policy; CHUNK as usize]>;

/// What there is to know of one policy.
#[derive(Debug)]
pub(crate) struct Policy {
    live: Latch<WORDS>,
    /// Part of every key's hash; another one starts fresh buckets.
    salt: AtomicU64,
    /// Which table has the buckets.
    registry: AtomicU64,
    /// Whether the last new key found no slot.
    saturated: AtomicBool,
    label: OnceLock<Label>,
}

/// How a policy is called, for those who watch.
#[derive(Debug)]
pub(crate) struct Label {
    /// The class, budget or policy.
    pub(crate) name: Box<str>,
    pub(crate) tier: Option<Box<str>>,
    pub(crate) revision: Mutex<Option<Arc<str>>>,
}

/// Where there are no words of another generation.
const NO_HANDOVER: Handover = Handover { reading: 0, unit: 1, capacity: 0, next: 0 };

/// What a policy starts with.
pub(crate) struct Setup {
    pub(crate) live: Live,
    pub(crate) registry: usize,
    pub(crate) label: Label,
}

/// The words of what holds at present: the first of all.
const PRESENT: usize = 8;
const WORDS: usize = PRESENT + 5;
/// A model has a policy or two.
const CHUNK: u16 = if cfg!(loom) { 2 } else { 64 };
const CHUNKS: u16 = 512;

impl PolicyId {
    pub(crate) fn from_index(index: u16) -> Self {
        Self(index)
    }

    pub(crate) fn index(self) -> u16 {
        self.0
    }
}

impl Live {
    /// A policy that starts at `now`, switched on.
    pub(crate) fn new(limits: Limits, now: u64) -> Self {
        let meter = Meter::new(limits, now);
        Self {
            meter,
            enabled: true,
            shadow: false,
            saturation: Saturation::default(),
            generation: false,
            handover: NO_HANDOVER,
        }
    }

    /// The same policy under other limits from `now` on.
    pub(crate) fn reloaded(self, limits: Limits, now: u64) -> Self {
        if limits == self.meter.limits { self } else { self.succeeded(limits, now) }
    }

    /// The same policy on a meter that starts at `now`; what is spent stays spent.
    pub(crate) fn restarted(self, now: u64) -> Self {
        self.succeeded(self.meter.limits, now)
    }

    fn succeeded(self, limits: Limits, now: u64) -> Self {
        let (meter, handover) = self.meter.succeeded(limits, now);
        Self { meter, handover, generation: !self.generation, ..self }
    }

    /// The owner of the bucket of the key with this hash.
    #[inline]
    pub(crate) fn owner(&self, hash: u64, policy: PolicyId) -> Owner {
        Owner::new(hash, policy, self.generation)
    }

    #[inline]
    pub(crate) fn is_generation_of(&self, slot: Slot) -> bool {
        slot.owner().generation() == self.generation
    }

    /// The word of a slot of this policy on the present meter.
    #[inline]
    pub(crate) fn word(&self, slot: Slot) -> u64 {
        if self.is_generation_of(slot) {
            slot.word()
        } else {
            self.handover.word_on(&self.meter, slot.word())
        }
    }

    #[inline]
    fn pack(&self) -> [u64; WORDS] {
        let Self { meter, handover, .. } = self;
        let flags = u64::from(meter.limits.refill() == Refill::Interval)
            | u64::from(self.generation) << 1
            | u64::from(self.enabled) << 2
            | u64::from(self.shadow) << 3
            | match self.saturation {
                Saturation::Closed => 1,
                Saturation::Evict => 0,
                Saturation::Open => 2,
            } << 4;
        let [reading_low, reading_high] = halves(handover.reading);
        [
            meter.limits.tokens(),
            meter.limits.period_micros(),
            meter.limits.capacity(),
            flags,
            meter.unit,
            meter.step,
            meter.origin,
            meter.span,
            reading_low,
            reading_high,
            handover.unit,
            handover.capacity,
            handover.next,
        ]
    }

    fn unpack(words: [u64; WORDS]) -> Self {
        let [present @ .., reading_low, reading_high, unit, capacity, next] = words;
        let reading = whole([reading_low, reading_high]);
        Self {
            handover: Handover { reading, unit, capacity, next },
            ..Self::unpack_present(present)
        }
    }

    #[inline]
    fn unpack_present(words: [u64; PRESENT]) -> Self {
        let [tokens, period, capacity, flags, unit, step, origin, span] = words;
        let refill = if flags & 1 == 0 { Refill::Greedy } else { Refill::Interval };
        let limits = Limits::checked_before(tokens, period, capacity, refill);
        Self {
            meter: Meter { limits, unit, step, origin, span },
            generation: flags & 2 != 0,
            enabled: flags & 4 != 0,
            shadow: flags & 8 != 0,
            saturation: match flags >> 4 {
                1 => Saturation::Closed,
                2 => Saturation::Open,
                _ => Saturation::Evict,
            },
            handover: NO_HANDOVER,
        }
    }
}

impl Policy {
    /// What holds at the moment, for words of the present generation alone.
    #[inline]
    pub(crate) fn present(&self) -> Live {
        Live::unpack_present(self.live.read())
    }

    /// What goes into the hash of every key beside the policy's number.
    #[inline]
    pub(crate) fn salt(&self) -> u64 {
        self.salt.load(Ordering::Relaxed)
    }

    /// Which table has the buckets.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it was a usize when it was stored")]
    pub(crate) fn registry(&self) -> usize {
        self.registry.load(Ordering::Relaxed) as usize
    }
}

impl Policies {
    /// The most policies there can be.
    pub(crate) const MOST: usize = CHUNK as usize * CHUNKS as usize - 2;

    pub(crate) fn new() -> Self {
        let others = (1..CHUNKS).map(|_| OnceLock::new()).collect();
        Self { first: vacant_chunk(), others, next: Mutex::new(1), changing: Mutex::new(()) }
    }

    /// How many more there can be.
    pub(crate) fn room(&self) -> usize {
        (Self::MOST + 1).saturating_sub(usize::from(*self.next.lock()))
    }

    /// Adds a policy. `None` when there are [`MOST`](Self::MOST) already.
    pub(crate) fn add(&self, setup: Setup) -> Option<PolicyId> {
        let mut next = self.next.lock();
        if usize::from(*next) > Self::MOST {
            return None;
        }
        let id = PolicyId(*next);
        *next += 1;
        let policy = self.policy(id);
        policy.live.write(setup.live.pack());
        policy.registry.store(setup.registry as u64, Ordering::Relaxed);
        policy.label.set(setup.label).expect("a number is given once");
        Some(id)
    }

    /// Lets `change` [replace](Self::replace) what holds for policies while nobody else does. Before it returns, all buckets of
    /// them have to be on their meters.
    pub(crate) fn changing<T>(&self, change: impl FnOnce() -> T) -> T {
        let _one_at_a_time = self.changing.lock();
        change()
    }

    /// Replaces what holds for a policy. Only in a [change](Self::changing).
    pub(crate) fn replace(&self, id: PolicyId, live: Live) {
        self.policy(id).live.write(live.pack());
    }

    pub(crate) fn read(&self, id: PolicyId) -> Live {
        Live::unpack(self.policy(id).live.read())
    }

    /// Starts fresh buckets, unless the salt is the same.
    pub(crate) fn set_salt(&self, id: PolicyId, salt: u64) {
        self.policy(id).salt.store(salt, Ordering::Relaxed);
    }

    /// How a policy is called.
    pub(crate) fn label(&self, id: PolicyId) -> &Label {
        self.policy(id).label.get().expect("a policy has its label before anyone has its number")
    }

    /// Notes whether a new key found a slot, and says whether that was otherwise before.
    pub(crate) fn note_saturation(&self, id: PolicyId, saturated: bool) -> bool {
        let noted = &self.policy(id).saturated;
        noted.load(Ordering::Relaxed) != saturated
            && noted.swap(saturated, Ordering::Relaxed) != saturated
    }

    /// All of them.
    pub(crate) fn ids(&self) -> impl Iterator<Item = PolicyId> + use<> {
        (1..*self.next.lock()).map(PolicyId)
    }

    /// How the bucket in `slot` stands.
    pub(crate) fn level(&self, slot: Slot, now: u64) -> Level {
        // Read after the slot, so it is of the slot's generation or the next.
        let live = self.read(slot.owner().policy());
        live.meter.level(Some(live.word(slot)), now)
    }

    /// The bucket in `slot` on the present meter of its policy, unless it is there already.
    pub(crate) fn converted(&self, slot: Slot) -> Option<Slot> {
        if slot.is_vacant() {
            return None;
        }
        let owner = slot.owner();
        let live = self.read(owner.policy());
        let converted = || Slot::new(owner.in_generation(live.generation), live.word(slot));
        (!live.is_generation_of(slot)).then(converted)
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a chunk for every number that there can be")]
    pub(crate) fn policy(&self, id: PolicyId) -> &Policy {
        let chunk = match usize::from(id.0 / CHUNK) {
            0 => &self.first,
            other => self.others[other - 1].get_or_init(vacant_chunk),
        };
        &chunk[usize::from(id.0 % CHUNK)]
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the bits are kept")]
fn halves(whole: i128) -> [u64; 2] {
    [whole as u64, (whole >> 64) as u64]
}

#[expect(clippy::cast_possible_wrap, reason = "the bits are those of a signed number")]
fn whole([low, high]: [u64; 2]) -> i128 {
    (u128::from(high) << 64 | u128::from(low)) as i128
}

#[cold]
fn vacant_chunk() -> Chunk {
    let vacant = || Policy {
        live: Latch::new([1; WORDS]),
        salt: AtomicU64::new(0),
        registry: AtomicU64::new(0),
        saturated: AtomicBool::new(false),
        label: OnceLock::new(),
    };
    Box::new(std::array::from_fn(|_| vacant()))
}

#[cfg(test)]
mod tests;
