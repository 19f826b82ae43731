//! The code of the reference catalogue, committed so that a change of the spec or of the generator
//! shows in review.

use std::path::Path;
use std::{env, fs};

use tollgate_codegen::Spec;

#[test]
fn the_generated_code_of_the_reference_catalogue_is_the_golden_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let golden = root.join("tests/golden/catalogue.rs");
    let generated = Spec::new().read(&root).unwrap().rust();
    if env::var_os("BLESS").is_some() {
        fs::create_dir_all(golden.parent().unwrap()).unwrap();
        fs::write(&golden, &generated).unwrap();
    }
    let committed = fs::read_to_string(&golden).unwrap_or_default();
    assert!(
        committed == generated,
        "tests/golden/catalogue.rs is stale; refresh it with `cargo xtask bless` and read the change in git"
    );
}
