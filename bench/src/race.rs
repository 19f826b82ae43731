//! Measuring things beside each other: everybody runs a short lap in every round, so that what disturbs the machine
//! disturbs all alike.

/// One of those that are compared.
pub(crate) struct Lane<'a> {
    pub(crate) name: &'static str,
    lap: Box<dyn FnMut() -> f64 + 'a>,
}

/// What the laps of a race took.
pub(crate) struct Standings {
    names: Vec<&'static str>,
    /// By lane, then by round: nanoseconds for each thing done.
    laps: Vec<Vec<f64>>,
}

impl<'a> Lane<'a> {
    /// `lap` gives the nanoseconds that one thing took in it.
    pub(crate) fn new(name: &'static str, lap: impl FnMut() -> f64 + 'a) -> Self {
        Self { name, lap: Box::new(lap) }
    }
}

/// Runs the lanes in turns. Every round begins with another lane, and every second one goes backwards, so that nobody always
/// follows the same neighbour. The first round only warms up.
pub(crate) fn race(mut lanes: Vec<Lane<'_>>, rounds: usize) -> Standings {
    let count = lanes.len();
    let mut laps = vec![Vec::with_capacity(rounds); count];
    for round in 0..=rounds {
        for turn in 0..count {
            let turn = if round % 2 == 0 { turn } else { count - 1 - turn };
            let lane = (turn + round / 2) % count;
            let nanos = (lanes[lane].lap)();
            if round > 0 {
                laps[lane].push(nanos);
            }
        }
    }
    Standings { names: lanes.iter().map(|lane| lane.name).collect(), laps }
}

impl Standings {
    /// The lanes and their median nanoseconds.
    pub(crate) fn medians(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.names.iter().zip(&self.laps).map(|(name, laps)| (*name, median(laps.clone())))
    }

    /// How many times as long one lane takes as another: the median of what it was in each round.
    pub(crate) fn ratio(&self, one: &str, other: &str) -> f64 {
        self.of_rounds([one, other], |[one, other]| one / other)
    }

    /// The median over the rounds of what `value` makes of these lanes' laps.
    pub(crate) fn of_rounds<const N: usize>(
        &self,
        names: [&str; N],
        value: impl Fn([f64; N]) -> f64,
    ) -> f64 {
        let lanes = names.map(|name| {
            let lane = self.names.iter().position(|known| *known == name);
            &self.laps[lane.unwrap_or_else(|| panic!("nobody called {name} took part"))]
        });
        median((0..lanes[0].len()).map(|round| value(lanes.map(|laps| laps[round]))).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_compares_laps_of_the_same_round() {
        let slow_from_the_third_round = |factor: f64| {
            let mut lap = 0;
            move || {
                lap += 1;
                if lap > 3 { factor * 100.0 } else { factor }
            }
        };
        let lanes = vec![
            Lane::new("one", slow_from_the_third_round(1.0)),
            Lane::new("two", slow_from_the_third_round(2.0)),
        ];
        let standings = race(lanes, 5);
        assert_eq!(standings.ratio("two", "one").to_bits(), 2_f64.to_bits());
        let medians: Vec<_> = standings.medians().collect();
        assert_eq!(medians, [("one", 100.0), ("two", 200.0)]);
    }

    #[test]
    fn every_lane_has_a_lap_in_every_round_and_none_always_follows_the_same() {
        let order = std::cell::RefCell::new(Vec::new());
        let lane = |name| {
            let order = &order;
            Lane::new(name, move || {
                order.borrow_mut().push(name);
                1.0
            })
        };
        race(vec![lane("a"), lane("b"), lane("c")], 3);
        assert_eq!(order.borrow().concat(), "abccbabcaacb");
    }
}
