//! [`TscClock`]: the cycles of the processor as a clock.

use std::fmt;

use super::{Clock, SystemClock};

/// A clock that counts the cycles of the processor, where these are steady, and else reads the operating system as
/// [`SystemClock`] does. Like that one it starts at the Unix time of its making and is never set back.
///
/// A reading takes about a third of the time of [`SystemClock`]'s, which is half of a decision in this process.
/// Choose it where decisions are so many that this counts. The price: the first clock of a process measures the processor
/// against the operating system for up to some hundred milliseconds, and its seconds are as exact as that
/// measurement, so that over months the periods of [`Refill::Interval`](crate::limits::Refill::Interval) end at other
/// moments than on other machines.
///
/// ```
/// use tollgate::clock::TscClock;
/// use tollgate::{Class, Config, Limiter};
///
/// let limiter = Limiter::<Class>::with_clock(&Config::default(), TscClock::new())?;
/// # Ok::<(), tollgate::limiter::StartError>(())
/// ```
#[derive(Clone)]
pub struct TscClock {
    cycles: quanta::Clock,
    started: u64,
    origin: u64,
    /// The microseconds of a cycle, in units of 2^-[`FRACTION`].
    period: u64,
}

/// Fine enough to lose less than a millisecond in a year, and wide enough for the slowest counters.
const FRACTION: u32 = 48;

impl TscClock {
    /// A clock that starts now.
    #[must_use]
    pub fn new() -> Self {
        let cycles = quanta::Clock::new();
        // What is in one factor needs no division for each reading.
        let period = cycles.delta_as_nanos(0, 1 << FRACTION) / 1_000;
        Self { started: cycles.raw(), cycles, origin: SystemClock::new().now(), period }
    }
}

impl Default for TscClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TscClock {
    #[inline]
    fn now(&self) -> u64 {
        // Another processor may be a few cycles behind.
        let cycles = self.cycles.raw().saturating_sub(self.started);
        self.origin.wrapping_add(self.micros(cycles))
    }
}

impl TscClock {
    /// The whole microseconds that so many cycles take.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "half a million years fit")]
    fn micros(&self, cycles: u64) -> u64 {
        ((u128::from(cycles) * u128::from(self.period)) >> FRACTION) as u64
    }
}

impl fmt::Debug for TscClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TscClock").field("micros", &self.now()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_scales_cycles_as_they_were_measured_over_years_too() {
        let clock = TscClock::new();
        // Up to about a year, in which a millisecond may be lost.
        for cycles in [1_u64 << 20, (1 << 40) + 12_345, 1 << 56] {
            let measured = clock.cycles.delta_as_nanos(0, cycles) / 1_000;
            let lost = measured.abs_diff(clock.micros(cycles));
            assert!(lost <= 1_000.min(1 + measured / 1_000), "{lost} of {measured} for {cycles}");
        }
    }

    #[test]
    fn it_keeps_up_with_the_system_clock() {
        let (system, cycles) = (SystemClock::new(), TscClock::new());
        let end = system.now() + 20_000;
        loop {
            let (before, now, after) = (system.now(), cycles.now(), system.now());
            // A millisecond apart at most, whatever comes between two readings.
            assert!(before - 1_000 <= now && now <= after + 1_000, "{before} {now} {after}");
            if after > end {
                break;
            }
        }
    }
}
