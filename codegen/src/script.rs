//! The build script: from two files of a package to one file in its `OUT_DIR`.

use std::path::Path;
use std::{env, fs};

use crate::catalogue::Catalogue;
use crate::problem::Problem;
use crate::spec::Spec;

/// The name of the generated file, which `tollgate::catalogue!()` includes.
const GENERATED: &str = "tollgate_catalogue.rs";

/// Generates the catalogue of the package whose `build.rs` calls this, from the
/// [default](Spec::new) two files.
///
/// Everything that is wrong with them is an error of the build. The script runs again only when one
/// of the two files changes, and says nothing else.
pub fn build() {
    Spec::new().build();
}

impl Spec {
    /// Does what [`build`](crate::build) does, for a catalogue with names of its own; gives the
    /// catalogue, unless the build fails.
    #[expect(clippy::must_use_candidate, reason = "most scripts want the generated file alone")]
    pub fn build(&self) -> Option<Catalogue> {
        for file in self.files() {
            instruct("rerun-if-changed", file);
        }
        match self.generate() {
            Ok(catalogue) => Some(catalogue),
            Err(messages) => {
                for message in messages {
                    instruct("error", &message);
                }
                None
            }
        }
    }

    fn generate(&self) -> Result<Catalogue, Vec<String>> {
        let outside = |_| {
            vec!["tollgate_codegen::build is for build scripts; call it in build.rs".to_owned()]
        };
        let package = env::var("CARGO_MANIFEST_DIR").map_err(outside)?;
        let generated = Path::new(&env::var("OUT_DIR").map_err(outside)?).join(GENERATED);
        let texts =
            |problems: Vec<Problem>| problems.iter().map(Problem::to_string).collect::<Vec<_>>();
        let catalogue = self.read(package).map_err(texts)?;
        fs::write(&generated, catalogue.rust())
            .map_err(|error| vec![format!("cannot write {}: {error}", generated.display())])?;
        Ok(catalogue)
    }
}

/// Tells cargo something, which it reads from the script's output.
#[expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]
fn instruct(key: &str, value: &str) {
    println!("cargo::{key}={value}");
}
