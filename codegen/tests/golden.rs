//! The code of three catalogues, committed so that a change of the spec or of the generator shows in
//! review: the reference catalogue, one of odd names, and one without actions. The library's tests
//! compile all three.

use std::path::{Path, PathBuf};
use std::{env, fs};

use tollgate_codegen::{Catalogue, Spec};

#[test]
fn the_generated_code_of_the_reference_catalogue_is_the_golden_file() {
    assert_golden("reference", &Spec::new().read(root()).unwrap());
}

#[test]
fn the_generated_code_of_odd_names_is_the_golden_file() {
    assert_golden("odd", &small("odd"));
}

#[test]
fn the_generated_code_of_a_catalogue_without_actions_is_the_golden_file() {
    assert_golden("empty", &small("empty"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn small(name: &str) -> Catalogue {
    let spec = Spec::new().chapter("chapter.md").actions("actions.yaml");
    let read = spec.read(root().join("tests/golden").join(name));
    read.unwrap_or_else(|problems| panic!("{problems:#?}"))
}

#[track_caller]
fn assert_golden(name: &str, catalogue: &Catalogue) {
    let golden = root().join("tests/golden").join(name).join("catalogue.rs");
    let generated = catalogue.rust();
    if env::var_os("BLESS").is_some() {
        fs::write(&golden, &generated).expect("the golden file can be written");
    }
    let committed = fs::read_to_string(&golden).unwrap_or_default();
    assert!(
        committed == generated,
        "tests/golden/{name}/catalogue.rs is stale; refresh it with `cargo xtask bless` and read the \
         change in git"
    );
}
