//! The pictures of the documentation, drawn from what is measured for them.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::Path;

use crate::decisions::{self, Field, Question, Verdict, ask};
use crate::memory::{self, Held};
use crate::plot::{Plot, Series};

/// The keys at which a decision is timed.
const LATENCY: [u32; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// The keys at which memory is weighed.
const MEMORY: [u32; 10] = [
    10_000, 30_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 3_000_000, 5_000_000,
    10_000_000,
];
/// The slots of the table whose memory is shown.
const SLOTS: u32 = 1_000_000;

/// Measures and writes `latency.svg` and `memory.svg`.
pub(crate) fn draw(folder: &Path, rounds: usize) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("latency.svg"), latency(rounds).svg())?;
    fs::write(folder.join("memory.svg"), weighed().svg())
}

fn latency(rounds: usize) -> Plot {
    let mut series: Vec<Series> = Vec::new();
    for keys in LATENCY {
        let question = Question { keys, threads: 1, verdict: Verdict::Admitted };
        let standings = ask::<IpAddr>(question, Field::OneClock, rounds);
        for (name, nanos) in standings.medians() {
            let known = series.iter().position(|series| series.name == name);
            let place = known.unwrap_or_else(|| {
                series.push(Series { name, points: Vec::new() });
                series.len() - 1
            });
            series[place].points.push((f64::from(keys), nanos));
        }
    }
    // Ours comes first, and the limit last.
    series.sort_by_key(|series| {
        (series.name == decisions::LIMIT, series.name != decisions::TOLLGATE)
    });
    Plot {
        title: "A decision, by the number of IPv4 addresses; all on the clock of the standard library",
        unit: "nanoseconds",
        marks: &[20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0],
        series,
    }
}

fn weighed() -> Plot {
    let series = memory::STORES.map(|name| {
        let weigh = |keys: u32| {
            let bytes = memory::bytes_of::<IpAddr>(Held { store: name, keys, slots: SLOTS });
            (f64::from(keys), bytes / 1e6)
        };
        Series { name, points: MEMORY.map(weigh).to_vec() }
    });
    Plot {
        title: "Memory, by the number of IPv4 addresses that were seen; tollgate has 1,000,000 slots",
        unit: "megabytes, resident",
        marks: &[0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0],
        series: series.into(),
    }
}
