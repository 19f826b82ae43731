//! The goals, and whether they are met.

/// What was measured in the unit of something else, and how much it may be.
pub(crate) struct Ratio {
    name: String,
    value: f64,
    goal: f64,
}

/// All ratios of a run.
#[derive(Default)]
pub(crate) struct Ratios {
    ratios: Vec<Ratio>,
    notes: Vec<(String, f64)>,
}

impl Ratios {
    pub(crate) fn add(&mut self, name: impl Into<String>, value: f64, goal: f64) {
        self.ratios.push(Ratio { name: name.into(), value, goal });
    }

    /// Adds one that has no goal.
    pub(crate) fn note(&mut self, name: impl Into<String>, value: f64) {
        self.notes.push((name.into(), value));
    }

    /// Prints a line for each, and says whether every goal is met.
    pub(crate) fn report(&self) -> bool {
        println!();
        for Ratio { name, value, goal } in &self.ratios {
            println!("RATIO {name} {value:.2} goal <= {goal:.2}");
        }
        for (name, value) in &self.notes {
            println!("NOTE {name} {value:.2}");
        }
        let missed: Vec<_> = self.missed().map(|ratio| ratio.name.as_str()).collect();
        if missed.is_empty() {
            println!("\nevery goal is met");
        } else {
            println!("\nmissed: {}", missed.join(", "));
        }
        missed.is_empty()
    }

    fn missed(&self) -> impl Iterator<Item = &Ratio> {
        self.ratios.iter().filter(|ratio| ratio.value.is_nan() || ratio.value > ratio.goal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_up_to_its_value_and_never_by_no_number() {
        let mut ratios = Ratios::default();
        ratios.add("met", 2.0, 2.0);
        ratios.add("missed", 2.01, 2.0);
        ratios.add("unknown", f64::NAN, 2.0);
        let missed: Vec<_> = ratios.missed().map(|ratio| ratio.name.as_str()).collect();
        assert_eq!(missed, ["missed", "unknown"]);
    }
}
