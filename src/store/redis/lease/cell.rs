//! [`Cell`]: what this node holds of one key, and who waits for more of it.

use std::collections::VecDeque;
use std::mem;

use tokio::sync::oneshot;

use super::with;
use crate::bucket::Level;
use crate::limits::Limits;
use crate::store::redis::backend::Ended;
use crate::store::redis::{Decided, Failure};

/// What this node holds of one key.
#[derive(Default)]
pub(super) struct Cell {
    /// The first is the oldest and spent first.
    pub(super) held: Vec<Held>,
    /// Leases of which nothing is left, which the backend has not heard of.
    ended: Vec<Ended>,
    /// How the bucket stood when the backend was last heard, at this time of this node.
    seen: Option<(Level, u64)>,
    /// The first is served first.
    waiting: VecDeque<Waiter>,
    /// How many leases are on their way.
    pub(super) renewing: u64,
    /// How many leases are spent in the time that one is on its way; 0 when that is not even one.
    pace: u64,
    /// Whether somebody waits for the leases to end.
    pub(super) watched: bool,
}

/// However fast leases are spent, no more of them are asked for at once.
const MOST_AHEAD: u64 = 8;
const NOTED: usize = 16;

/// Tokens that were taken from the bucket and are not spent.
pub(super) struct Held {
    pub(super) limits: Limits,
    pub(super) left: u64,
    /// All that was taken, and when by the backend's clock.
    pub(super) ends: Ended,
    /// From when to when, by this node's clock, in microseconds. It begins before the backend was asked.
    pub(super) from: u64,
    pub(super) until: u64,
}

/// What a request that waits for tokens is told in the end.
pub(super) type Told = Result<Decided, Failure>;

/// A request that there were too few tokens for.
struct Waiter {
    limits: Limits,
    cost: u64,
    answer: oneshot::Sender<Told>,
}

/// What the next lease is asked for.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) limits: Limits,
    pub(super) least: u64,
    pub(super) most: u64,
    pub(super) ended: Ended,
    /// What the first that waits for it costs; nobody waits for a lease that is taken ahead.
    pub(super) cost: Option<u64>,
}

impl Held {
    fn serves(&self, limits: Limits, now: u64) -> bool {
        self.limits == limits && self.lasts(now)
    }

    fn lasts(&self, now: u64) -> bool {
        (self.from..self.until).contains(&now)
    }
}

impl Cell {
    /// Whether it is time to take the next lease, of so many tokens, once `cost` more are spent: what is left and on its way
    /// may not last until it is there, and the bucket has enough for it, so that nobody else goes short.
    pub(super) fn runs_low(&self, limits: Limits, cost: u64, tokens: u64, now: u64) -> bool {
        let left = self.left(limits, now).saturating_sub(cost);
        let coming = self.renewing * tokens;
        let is_low = left + coming <= tokens / 2 + self.pace * tokens && left + self.pace > 0;
        is_low
            && self.seen.is_some_and(|(level, at)| {
                let level = level.after(now.saturating_sub(at));
                level.limits == limits && level.affords(coming + tokens)
            })
    }

    /// Lets a request wait for the next lease.
    pub(super) fn queue(&mut self, limits: Limits, cost: u64) -> oneshot::Receiver<Told> {
        let (answer, told) = oneshot::channel();
        self.waiting.push_back(Waiter { limits, cost, answer });
        told
    }

    /// What to ask for next, of leases of so many tokens.
    pub(super) fn wanted(&mut self, tokens: u64, now: u64) -> Option<Wanted> {
        let most = |limits: Limits| tokens.min(limits.capacity());
        let short = self.short(now);
        // Who waits may get what is on its way.
        if let Some((limits, cost, left)) = short.filter(|_| self.renewing == 0) {
            let least = cost - left;
            let most = least.max(most(limits));
            return Some(Wanted { limits, least, most, ended: self.ended(), cost: Some(cost) });
        }
        let limits = self.seen?.0.limits;
        let most = most(limits);
        self.runs_low(limits, 0, most, now).then(|| {
            let ended = self.ended();
            Wanted { limits, least: most, most, ended, cost: None }
        })
    }

    /// Whether somebody waits who cannot be served by what there is.
    pub(super) fn is_short(&mut self, now: u64) -> bool {
        self.short(now).is_some()
    }

    /// What the first that waits costs, when that is more than what is left.
    fn short(&mut self, now: u64) -> Option<(Limits, u64, u64)> {
        while self.waiting.front().is_some_and(|first| first.answer.is_closed()) {
            self.waiting.pop_front();
        }
        let &Waiter { limits, cost, .. } = self.waiting.front()?;
        let left = self.left(limits, now);
        (cost > left).then_some((limits, cost, left))
    }

    /// The tokens of a new lease are there. Whoever was first gets what it asked for however long that took; then
    /// come others, each of which lets the next ones in.
    pub(super) fn receive(&mut self, wanted: Wanted, held: Held, level: Level, now: u64) {
        self.seen = Some((level, now));
        match self.left(wanted.limits, now) {
            // It was asked for ahead, and came too late.
            0 if wanted.cost.is_none() => self.pace = (self.pace * 2).clamp(1, MOST_AHEAD),
            left if left > wanted.most => self.pace /= 2,
            _ => {}
        }
        let asked_at = held.from;
        self.held.push(held);
        if wanted.cost.is_some() {
            self.serve(1, asked_at);
        }
        // Those who have waited get a share of what comes, whoever else is faster.
        self.serve(self.waiting.len() / 16 + 1, now);
    }

    /// The bucket has too little. What cost was refused by that and how the bucket stands for whoever may spend what is
    /// held; nothing is refused as long as other leases are on their way.
    pub(super) fn refuse(
        &mut self,
        wanted: Wanted,
        level: Level,
        now: u64,
    ) -> Option<(u64, Level)> {
        self.seen = Some((level, now));
        // The backend forgets no lease for a refusal.
        self.note(wanted.ended);
        self.pace = 0;
        let refused = wanted.cost.filter(|_| self.renewing <= 1)?;
        let level = with(level, self.left(wanted.limits, now));
        for waiter in mem::take(&mut self.waiting) {
            if waiter.limits == wanted.limits && waiter.cost >= refused {
                waiter.tell(Ok(Decided { admitted: false, level }));
            } else {
                self.waiting.push_back(waiter);
            }
        }
        Some((refused, level))
    }

    /// The backend did not answer: nothing is known of what it counts as held, and none of it is spent any more.
    pub(super) fn fail(&mut self, failure: Failure) {
        self.held.clear();
        self.ended.clear();
        self.pace = 0;
        for waiter in self.waiting.drain(..) {
            waiter.tell(Err(failure));
        }
    }

    /// Somebody who took leases is no more. When it was the last, those who wait are not told anything.
    pub(super) fn abandon(&mut self) {
        self.renewing = self.renewing.saturating_sub(1);
        if self.renewing == 0 {
            self.waiting.clear();
        }
    }

    /// Takes out the leases that are over, or of no use under the limits of whoever waits.
    pub(super) fn over(&mut self, now: u64) -> Vec<Held> {
        let limits = self.waiting.front().map(|first| first.limits);
        let is_over =
            |held: &Held| !limits.map_or(held.lasts(now), |limits| held.serves(limits, now));
        if !self.held.iter().any(is_over) {
            return Vec::new();
        }
        let (over, held) = mem::take(&mut self.held).into_iter().partition(is_over);
        self.held = held;
        self.pace = 0;
        over
    }

    /// The leases of which nothing is left, for the backend to hear that they hold nothing any more.
    pub(super) fn spent(&mut self) -> Vec<Held> {
        let Some((Level { limits, .. }, at)) = self.seen else { return Vec::new() };
        let ended = mem::take(&mut self.ended);
        ended.into_iter().map(|ends| Held { limits, left: 0, ends, from: at, until: at }).collect()
    }

    /// When the next lease is over.
    pub(super) fn until(&self) -> Option<u64> {
        self.held.iter().map(|held| held.until).min()
    }

    /// Whether there is nothing to remember.
    pub(super) fn is_idle(&self) -> bool {
        self.held.is_empty() && self.waiting.is_empty() && self.renewing == 0 && !self.watched
    }

    fn ended(&mut self) -> Ended {
        self.ended.pop().unwrap_or_default()
    }

    /// A lease is used up. Of what is not noted the backend takes it for held until that is void.
    fn note(&mut self, ends: Ended) {
        if ends.tokens > 0 && self.ended.len() < NOTED {
            self.ended.push(ends);
        }
    }

    /// Serves as many of those who wait, as far as the tokens go.
    pub(super) fn serve(&mut self, number: usize, now: u64) {
        for _ in 0..number {
            if self.short(now).is_some() {
                return;
            }
            let Some(first) = self.waiting.pop_front() else { return };
            if let Some(decided) = self.take(first.limits, first.cost, now) {
                first.tell(Ok(decided));
            }
        }
    }

    /// Takes the tokens from what is held, unless that is too little, or too little for somebody who waits.
    pub(super) fn spend(&mut self, limits: Limits, cost: u64, now: u64) -> Option<Decided> {
        if self.short(now).is_some() { None } else { self.take(limits, cost, now) }
    }

    fn take(&mut self, limits: Limits, cost: u64, now: u64) -> Option<Decided> {
        let (level, at) = self.seen?;
        let left = self.left(limits, now).checked_sub(cost)?;
        let mut due = cost;
        let mut is_empty = false;
        for held in self.held.iter_mut().filter(|held| held.serves(limits, now)) {
            let taken = due.min(held.left);
            (held.left, due) = (held.left - taken, due - taken);
            is_empty |= held.left == 0;
        }
        if is_empty {
            let (spent, held): (Vec<Held>, _) =
                mem::take(&mut self.held).into_iter().partition(|held| held.left == 0);
            self.held = held;
            for held in spent {
                self.note(held.ends);
            }
        }
        let level = with(level.after(now.saturating_sub(at)), left);
        Some(Decided { admitted: true, level })
    }

    fn left(&self, limits: Limits, now: u64) -> u64 {
        self.held.iter().filter(|held| held.serves(limits, now)).map(|held| held.left).sum()
    }
}

impl Waiter {
    /// Nobody is told who has gone; its tokens are lost then, as if spent.
    fn tell(self, told: Told) {
        let _ = self.answer.send(told);
    }
}
