//! Mutants of the arithmetic, the table and the client's address, each of which some test must fail.
//!
//! `.cargo/mutants.toml` says which need not, and why. They are tried in copies of the project, which keep what is built.

use std::path::{Path, PathBuf};
use std::{fs, io, thread};

use crate::suite::{Failure, cargo};
use crate::text::{Tracked, tracked};

/// Files, and the tests beside them, which are built and run in two seconds.
struct Part {
    name: &'static str,
    files: &'static [&'static str],
    tests: &'static str,
}

const PARTS: [Part; 3] = [
    Part {
        name: "address",
        files: &["src/http/client_ip.rs", "src/http/client_ip/hop.rs"],
        tests: "client_ip::",
    },
    Part {
        name: "arithmetic",
        files: &["src/bucket/level.rs", "src/bucket/mod.rs", "src/bucket/scale.rs"],
        tests: "bucket::",
    },
    Part {
        name: "table",
        files: &[
            "src/store/local/latch.rs",
            "src/store/local/policy.rs",
            "src/store/local/slot.rs",
            "src/store/local/table.rs",
        ],
        tests: "store::local::",
    },
];

/// As many as there are trials at a time.
const COPIES: usize = 2;

const PLACE: &str = "target/mutated";

pub(super) fn run() -> Result<Vec<String>, Failure> {
    if !cargo("mutants --version").is_available() {
        cargo("install --locked cargo-mutants").output()?;
    }
    let files = tracked()?;
    for copy in 0..COPIES {
        update(&project(copy), &files)
            .map_err(|error| Failure(format!("{PLACE} cannot be written: {error}")))?;
    }
    PARTS.iter().map(Part::run).collect()
}

impl Part {
    fn run(&self) -> Result<String, Failure> {
        let Self { name, files, .. } = self;
        let mutants = self.count("")?;
        let left_out = self.count("--no-config")?.saturating_sub(mutants);
        thread::scope(|scope| {
            for copy in 0..COPIES {
                scope.spawn(move || self.try_share(copy));
            }
        });
        let [caught, endless, missed, unviable] =
            ["caught", "timeout", "missed", "unviable"].map(|list| self.outcome(list));
        if !missed.is_empty() {
            return Err(Failure(format!("{name}: no test fails for\n{}", missed.join("\n"))));
        }
        let (caught, endless, unviable) = (caught.len(), endless.len(), unviable.len());
        let tried = caught + endless + unviable;
        if tried != mutants {
            return Err(Failure(format!("{name}: only {tried} of {mutants} mutants were tried")));
        }
        let files = files.len();
        Ok(format!(
            "{name}, {files} files: {caught} mutants fail a test and {endless} do not end in time; {unviable} do not compile, \
             {left_out} are left out"
        ))
    }

    /// How many mutants there are.
    fn count(&self, options: &str) -> Result<usize, Failure> {
        let list = cargo(&format!("mutants --list {options} {}", self.files())).output()?;
        Ok(String::from_utf8_lossy(&list).lines().count())
    }

    /// Tries every mutant that falls to this copy. What comes out is in the lists, and not in whether the command succeeds.
    fn try_share(&self, copy: usize) {
        let (project, outcomes) = (project(copy), self.outcomes(copy));
        let (files, tests) = (self.files(), self.tests);
        let _ = fs::remove_dir_all(&outcomes);
        let _ = fs::create_dir_all(&outcomes);
        let mutants = cargo(&format!(
            "mutants --dir {} --in-place --output {} --shard {copy}/{COPIES} --sharding round-robin \
             --colors never --no-default-features --features gate {files} --cargo-arg=--lib -- -- {tests}",
            project.display(),
            outcomes.display(),
        ));
        // The same run every time, and a failure as it is found.
        let mutants = mutants
            .env("PROPTEST_RNG_SEED", "1")
            .env("PROPTEST_MAX_SHRINK_ITERS", "0")
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
        let _ = mutants.output();
    }

    /// The mutants of one kind that all copies list.
    fn outcome(&self, list: &str) -> Vec<String> {
        let lists = (0..COPIES).map(|copy| {
            let list = self.outcomes(copy).join(format!("mutants.out/{list}.txt"));
            fs::read_to_string(list).unwrap_or_default()
        });
        lists.flat_map(|list| list.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    fn outcomes(&self, copy: usize) -> PathBuf {
        Path::new(PLACE).join(format!("{}-{copy}", self.name))
    }

    fn files(&self) -> String {
        format!("--package tollgate --file {}", self.files.join(" --file "))
    }
}

fn project(copy: usize) -> PathBuf {
    Path::new(PLACE).join(format!("project-{copy}"))
}

/// Writes the files that are not as they are here.
fn update(project: &Path, files: &[Tracked]) -> io::Result<()> {
    for Tracked { name, text } in files {
        let path = project.join(name);
        if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}
