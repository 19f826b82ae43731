//! Everything that a run measures, with its tables and its goals.

use std::net::IpAddr;

use crate::builds::{self, Took};
use crate::decisions::{self, Field, Question, Verdict, ask};
use crate::growth;
use crate::keys::{Key, V6};
use crate::memory::{self, Held};
use crate::overhead;
use crate::race::Standings;
use crate::ratios::Ratios;

/// Nanoseconds of a decision, by the number of keys, by their kind, by threads and by verdict.
pub(crate) fn decisions(quick: bool, rounds: usize, ratios: &mut Ratios) {
    const COLUMNS: [&str; 7] = [
        decisions::TOLLGATE,
        decisions::TOLLGATE_TSC,
        decisions::GOVERNOR_STD,
        decisions::GOVERNOR,
        decisions::GOVERNOR_AHASH,
        decisions::GCRA,
        decisions::LIMIT,
    ];
    heading("nanoseconds of a decision", &COLUMNS);
    let table = Decisions { columns: &COLUMNS, rounds };

    let one = Question { keys: 1, threads: 1, verdict: Verdict::Admitted };
    let hot = table.row::<IpAddr>(one);
    against_limit(&hot, 1, 2.0, ratios);
    same_clock(&hot, "hot", 0.8, ratios);
    table.row::<IpAddr>(Question { verdict: Verdict::Refused, ..one });

    let two = Question { threads: 2, ..one };
    same_clock(&table.row::<IpAddr>(two), "2-threads", 0.55, ratios);
    let refused = Question { verdict: Verdict::Refused, ..two };
    same_clock(&table.row::<IpAddr>(refused), "2-threads-refused", 0.35, ratios);

    table.row::<IpAddr>(Question { keys: 1_000, ..one });
    let many = table.row::<IpAddr>(Question { keys: 100_000, ..one });
    against_limit(&many, 100_000, 1.6, ratios);
    let million = Question { keys: 1_000_000, ..one };
    let million = table.row_of::<IpAddr>(million, if quick { Field::Goals } else { Field::All });
    against_limit(&million, 1_000_000, 1.2, ratios);
    same_clock(&million, "1000000-keys", 0.5, ratios);

    let most = Question { keys: 10_000_000, ..one };
    let most = table.row_of::<IpAddr>(most, if quick { Field::Limit } else { Field::All });
    against_limit(&most, 10_000_000, 1.2, ratios);
    if !quick {
        table.others(one);
    }
}

/// The rows of one table.
struct Decisions {
    columns: &'static [&'static str],
    rounds: usize,
}

impl Decisions {
    fn row<K: Key>(&self, question: Question) -> Standings {
        self.row_of::<K>(question, Field::All)
    }

    fn row_of<K: Key>(&self, question: Question, field: Field) -> Standings {
        let standings = ask::<K>(question, field, self.rounds);
        let Question { keys, threads, verdict } = question;
        let threads = if threads == 1 { "" } else { ", 2 threads" };
        let refused = if verdict == Verdict::Refused { ", refused" } else { "" };
        row(&format!("{keys} {}{threads}{refused}", K::KIND), self.columns, &standings);
        standings
    }

    /// What no goal speaks of.
    fn others(&self, one: Question) {
        for keys in [1_000, 100_000, 1_000_000] {
            let refused = Question { keys, verdict: Verdict::Refused, ..one };
            self.row::<IpAddr>(refused);
            self.row::<IpAddr>(Question { keys, threads: 2, ..one });
            self.row::<IpAddr>(Question { threads: 2, ..refused });
        }
        self.kind::<V6>();
        self.kind::<String>();
    }

    fn kind<K: Key>(&self) {
        for keys in [1, 1_000, 100_000, 1_000_000] {
            for threads in [1, 2] {
                for verdict in [Verdict::Admitted, Verdict::Refused] {
                    self.row::<K>(Question { keys, threads, verdict });
                }
            }
        }
    }
}

fn against_limit(standings: &Standings, keys: u32, goal: f64, ratios: &mut Ratios) {
    let value = standings.ratio(decisions::TOLLGATE, decisions::LIMIT);
    ratios.add(format!("limit-{keys}-keys"), value, goal);
}

/// Against governor as it is by default, on the clock that it reads then; and both on that of the standard library, for
/// which there is no goal.
fn same_clock(standings: &Standings, name: &str, goal: f64, ratios: &mut Ratios) {
    let value = standings.ratio(decisions::TOLLGATE_TSC, decisions::GOVERNOR);
    ratios.add(format!("governor-{name}"), value, goal);
    let value = standings.ratio(decisions::TOLLGATE, decisions::GOVERNOR_STD);
    ratios.note(format!("governor-{name}-std"), value);
}

/// Resident bytes of a million buckets.
pub(crate) fn memory(ratios: &mut Ratios) {
    const BUCKETS: u32 = 1_000_000;
    heading("resident bytes, by slot or by key", &memory::STORES);
    let by_slot_or_key = |store, bytes_of: fn(Held) -> f64| {
        // Half as many keys as slots is what the slots are for.
        let keys = if store == memory::STORES[0] { BUCKETS / 2 } else { BUCKETS };
        bytes_of(Held { store, keys, slots: BUCKETS }) / f64::from(BUCKETS)
    };
    let addresses = memory::STORES.map(|store| by_slot_or_key(store, memory::bytes_of::<IpAddr>));
    line(&format!("{BUCKETS} {}", IpAddr::KIND), addresses.map(Some));
    let texts = memory::STORES.map(|store| by_slot_or_key(store, memory::bytes_of::<String>));
    line(&format!("{BUCKETS} {}", String::KIND), texts.map(Some));
    let [slot, governor, _] = addresses;
    ratios.add("bytes", slot / governor, 0.3);
}

/// What new keys cost while a store grows.
pub(crate) fn growth() {
    let grown = growth::grow();
    heading("nanoseconds of a new key", &growth::STORES);
    for (place, decade) in growth::DECADES.iter().enumerate() {
        let label = format!("from {} to {}", decade.start, decade.end);
        line(&label, grown.map(|store| Some(store[place].nanos_each)));
    }
    heading("the longest of them, microseconds", &growth::STORES);
    for (place, decade) in growth::DECADES.iter().enumerate() {
        let label = format!("from {} to {}", decade.start, decade.end);
        line(&label, grown.map(|store| Some(store[place].longest.as_nanos() as f64 / 1e3)));
    }
}

/// Seconds of clean builds, in turns, and the shortest of each.
pub(crate) fn builds(ratios: &mut Ratios) {
    const ROUNDS: usize = 2;
    for app in builds::APPS {
        builds::fetch(app);
    }
    let mut shortest = [Took { wall: f64::MAX, processors: f64::MAX }; builds::APPS.len()];
    for _ in 0..ROUNDS {
        for (app, best) in builds::APPS.iter().zip(&mut shortest) {
            let took = builds::build(app);
            best.wall = best.wall.min(took.wall);
            best.processors = best.processors.min(took.processors);
        }
    }
    heading("seconds of a clean build", &builds::APPS);
    line("by the clock on the wall", shortest.map(|took| Some(took.wall)));
    line("of all processors together", shortest.map(|took| Some(took.processors)));
    let [ours, theirs] = shortest;
    ratios.add("build-tower_governor", ours.wall / theirs.wall, 1.2);
}

/// Nanoseconds of a request, and what of them the limit is.
pub(crate) fn requests(rounds: usize, ratios: &mut Ratios) {
    // What is compared is a difference of two laps, which takes more rounds than a lap itself.
    let rounds = rounds * 4;
    let without = requests_of("nanoseconds of a request", overhead::ask(rounds));
    let with = requests_of("the same with an argument", overhead::ask_with_argument(rounds));
    ratios.add("request-tower_governor", without(decisions::TOLLGATE_TSC), 0.6);
    ratios.note("request-tower_governor-std", without(decisions::TOLLGATE));
    ratios.note("request-argument-tower_governor", with(decisions::TOLLGATE_TSC));
    ratios.note("request-argument-tower_governor-std", with(decisions::TOLLGATE));
}

/// The table of these laps, and what a limit of ours adds in the unit of what `tower_governor` does.
fn requests_of(title: &str, standings: Standings) -> impl Fn(&str) -> f64 {
    const COLUMNS: [&str; 5] = [
        overhead::BARE,
        decisions::TOLLGATE,
        decisions::TOLLGATE_TSC,
        overhead::TOWER_GOVERNOR,
        overhead::AXUM_GOVERNOR,
    ];
    heading(title, &COLUMNS);
    row("all of it", &COLUMNS, &standings);
    let added = COLUMNS
        .map(|lane| standings.of_rounds([lane, overhead::BARE], |[limited, bare]| limited - bare));
    line("what the limit adds", added.map(Some));
    move |ours| {
        let compared = [ours, overhead::TOWER_GOVERNOR, overhead::BARE];
        standings.of_rounds(compared, |[ours, theirs, bare]| (ours - bare) / (theirs - bare))
    }
}

fn heading(title: &str, columns: &[&str]) {
    println!();
    print!("{title:<36}");
    for column in columns {
        print!("{column:>16}");
    }
    println!();
}

fn row(label: &str, columns: &[&str], standings: &Standings) {
    let nanos = |column: &&str| standings.medians().find(|(name, _)| name == column);
    line(label, columns.iter().map(|column| nanos(column).map(|(_, nanos)| nanos)));
}

fn line(label: &str, values: impl IntoIterator<Item = Option<f64>>) {
    print!("{label:<36}");
    for value in values {
        match value {
            Some(value) => print!("{value:>16.1}"),
            None => print!("{:>16}", "-"),
        }
    }
    println!();
}
