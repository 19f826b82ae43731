//! The configuration reference of the reference catalogue, committed as part of the documentation.

use std::path::Path;
use std::{env, fs};

use tollgate_codegen::Spec;

const COMMAND: &str = "cargo xtask docs";

/// `cargo xtask docs` runs this test by its name.
#[test]
fn configuration_reference_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = root.join("docs/configuration.md");
    let generated = Spec::new().read(&root).unwrap().configuration(COMMAND);
    if env::var_os("BLESS").is_some() {
        fs::write(&page, &generated).unwrap();
    }
    let committed = fs::read_to_string(&page).unwrap_or_default();
    assert!(committed == generated, "docs/configuration.md is stale; run `{COMMAND}`");
}

#[test]
fn a_pipe_in_the_words_of_the_spec_ends_no_cell() {
    let chapter = "\
## Rate-limit classes
| Class | Key | Per minute | Burst | Surface | Reserved | Used for |
|---|---|---|---|---|---|---|
| rl.read | principal | 600 | 120 | rest | yes | `a \\| b`, c \\| d |
";
    let reference = Spec::new().check(chapter, "").unwrap().configuration(COMMAND);
    assert!(reference.contains("| Refill per principal: `a \\| b`, c \\| d. |"), "{reference}");
}

#[test]
fn every_class_is_listed_with_its_limits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let reference = Spec::new().read(root).unwrap().configuration(COMMAND);
    for row in [
        "| `ratelimit.rl.export.per_minute` | integer | 6 | 1 to 600000000 |",
        "| `ratelimit.rl.export.burst` | integer | 2 | 1 to 4294967295 |",
        "| `ratelimit.max_tracked_keys` | integer | 100000 | 1 to 4294967296 |",
        "| `ratelimit.sweep_interval` | duration | \"60s\" | \"1s\" to \"1d\" |",
        "| `server.client_ip_header` | word | \"x-forwarded-for\" |",
    ] {
        assert!(reference.contains(row), "{row}");
    }
}
