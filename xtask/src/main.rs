//! Everything that CI does, as one command each.

mod faults;
mod features;
mod front_page;
mod links;
mod manifests;
mod metadata;
mod proof;
mod servers;
mod spelling;
mod suite;
mod text;

use std::process::ExitCode;

use suite::{Failure, Suite, cargo};

const USAGE: &str = "\
usage: cargo xtask <command>

  test           everything that CI checks: format, texts, lints, documentation, tests
  test --quick   the inner loop: format, texts, lints, and the tests that build no other crates
  proof          looks further than the tests, for minutes: exact arithmetic, models, floods, fuzzing, mutants
  proof <part>   one of oracle, models, flood, fuzz, mutants
  docs           writes docs/configuration.md anew from the catalogue
  bless          accepts the present output as golden files and compile-fail texts";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut suite = Suite::start();
    let result = match arguments.as_slice() {
        ["test"] => test(&mut suite),
        ["test", "--quick"] => quick(&mut suite),
        ["proof"] => proof::run(&mut suite, None),
        ["proof", part] => proof::run(&mut suite, Some(part)),
        ["docs"] => docs(&mut suite),
        ["bless"] => bless(&mut suite),
        [] | ["help" | "--help" | "-h"] => {
            eprintln!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("unknown arguments `{}`\n\n{USAGE}", arguments.join(" "));
            return ExitCode::from(2);
        }
    };
    suite.finish(result)
}

/// All that must hold before a change lands. The largest run of tests stands last, so that the
/// output of CI ends with its summaries.
fn test(suite: &mut Suite) -> Result<(), Failure> {
    let features = features::of_the_workspace()?;
    let (required, set) = servers::REQUIRED;
    suite.check("redis-server and valkey-server are installed", servers::install)?;
    style(suite)?;
    for feature in &features {
        suite.run(&cargo(&format!("clippy --all-targets {feature} -- --deny warnings")))?;
    }
    suite.run(
        &cargo("doc --workspace --all-features --no-deps").env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    suite.check("links of the documentation's first page", front_page::check)?;
    suite.check("manifests of published packages", manifests::check)?;
    suite.run(&cargo(&format!("package --allow-dirty {}", manifests::published()?)))?;
    if cargo("deny --version").is_available() {
        suite.run(&cargo("deny --all-features check bans licenses sources"))?;
    } else {
        suite.skip("cargo deny", "cargo-deny is not installed; CI runs it on every change");
    }
    for feature in &features {
        suite.run(&cargo(&format!("test {feature}")).env(required, set))?;
    }
    suite.run(&cargo(&format!("test --doc --manifest-path {MIGRATION} --target-dir target")))?;
    suite.run(&cargo("test --workspace --all-features").env(required, set))
}

/// The pages of the guide for those who come from other crates, which the workspace does not depend on.
const MIGRATION: &str = "docs/migration/Cargo.toml";

/// The tests that build crates of their own, by name: the whole suite runs them, the inner loop does not.
const BUILD_CRATES: &str = "--skip mistakes_are_told_in_these_words \
    --skip three_crates_share_a_catalogue_of_their_own \
    --skip the_page_of_the_guide_is_a_program \
    --skip packaged_crates_serve_a_catalogue_just_as_well";

/// The packages whose tests take the longest to build, for frameworks other than the first: the whole suite runs them.
const OTHER_FRAMEWORKS: &str = "--exclude tollgate-contract --exclude tollgate-example-actix \
    --exclude tollgate-example-hyper --exclude tollgate-example-tonic";

/// What a developer runs between two edits.
fn quick(suite: &mut Suite) -> Result<(), Failure> {
    style(suite)?;
    suite.run(&cargo(&format!(
        "test --workspace {OTHER_FRAMEWORKS} --all-features -- {BUILD_CRATES}"
    )))
}

fn style(suite: &mut Suite) -> Result<(), Failure> {
    suite.run(&cargo("fmt --all --check"))?;
    suite.check("texts of all tracked files", text::check)?;
    suite.check("spelling of all tracked files", spelling::check)?;
    suite.check("links between Markdown files", links::check)?;
    suite.check("tests of the faults in docs/security.md", faults::check)?;
    suite.run(&cargo("clippy --workspace --all-targets --all-features -- --deny warnings"))
}

/// The test that holds the reference fresh also writes it.
fn docs(suite: &mut Suite) -> Result<(), Failure> {
    let test = cargo("test --package tollgate-codegen --test main configuration_reference");
    suite.run(&test.env("BLESS", "1"))
}

fn bless(suite: &mut Suite) -> Result<(), Failure> {
    let tests = cargo("test --workspace --all-features --tests");
    suite.run(&tests.env("BLESS", "1").env("TRYBUILD", "overwrite"))
}
