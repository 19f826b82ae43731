//! Levels of shared buckets: read from the script's answer, and moved on in time without asking again.

use crate::bucket::Level;
use crate::limits::{Limits, Refill};

impl Level {
    /// What the script says of a bucket under `limits` at `now`, the backend's time in microseconds.
    pub(crate) fn shared(limits: Limits, spent: u64, part: u64, now: u64) -> Self {
        let period = limits.period_micros();
        let (unit, phase) = match limits.refill() {
            Refill::Greedy => (period, 0),
            Refill::Interval => (1, now % period),
        };
        Self { limits, unit, spent: u128::from(spent) * u128::from(unit) + u128::from(part), phase }
    }

    /// The same bucket `micros` microseconds later, when nobody takes anything. For shared buckets only, whose
    /// unit moves by a whole number a microsecond.
    pub(crate) fn after(self, micros: u64) -> Self {
        let tokens = u128::from(self.limits.tokens());
        let (ticks, phase) = match self.limits.refill() {
            Refill::Greedy => (micros, 0),
            Refill::Interval => {
                let period = self.limits.period_micros();
                let moved = self.phase.saturating_add(micros);
                (moved / period, moved % period)
            }
        };
        Self { spent: self.spent.saturating_sub(u128::from(ticks) * tokens), phase, ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_level_moves_on_by_the_refill_and_no_further_than_full() {
        // 2 and a half of 10 tokens spent, one token every 2 s.
        let limits = Limits::per_minute(30, 10).unwrap();
        let level = Level::shared(limits, 2, 30_000_000, 1);
        assert_eq!((level.remaining(), level.until_full()), (7, Duration::from_secs(5)));
        let later = level.after(1_500_000);
        assert_eq!((later.remaining(), later.until_full()), (8, Duration::from_millis(3_500)));
        assert!(level.after(5_000_000).is_full() && level.after(u64::MAX).is_full());
    }

    #[test]
    fn under_interval_refill_a_level_moves_when_a_period_ends() {
        // 5 spent of 10, two every second, 400 ms into a second.
        let limits = Limits::new(2, Duration::from_secs(1), 10).unwrap().refilled(Refill::Interval);
        let level = Level::shared(limits, 5, 0, 7_400_000);
        assert_eq!(level.after(599_999).remaining(), 5);
        assert_eq!(level.after(600_000).remaining(), 7);
        assert_eq!(level.after(1_700_000).until_full(), Duration::from_millis(900));
    }
}
