//! What the compiler says to mistakes, and what it accepts without a word.
//!
//! Each file under `ui/fail` holds one mistake, beside it the text that the user reads; the files
//! under `ui/pass` compile under denied lints. Refresh the texts with
//! `TRYBUILD=overwrite cargo test --all-features --test ui`, and read what changed.

use std::io::Write as _;
use std::process::Command;

/// The compiler whose words the texts hold; others say the same a little differently.
const COMPILER: &str = "1.95";

#[test]
fn mistakes_are_told_in_these_words() {
    let compiler = compiler();
    if !compiler.starts_with(&format!("rustc {COMPILER}.")) {
        // Past the capture of the test harness, so that the skip is seen.
        let notice =
            format!("skipped: the texts are those of rustc {COMPILER}, this is {compiler}");
        writeln!(std::io::stderr(), "{notice}").expect("the standard error is open");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*/*.rs");
}

fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().expect("a compiler built this test");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
