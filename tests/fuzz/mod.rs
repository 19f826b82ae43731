//! The laws of `fuzz/` over the cases that are kept there.

use std::fs;
use std::path::Path;

#[path = "../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "they are public to the targets of the fuzzer")]
mod laws;

#[test]
fn every_law_holds_for_its_seeds() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    for (name, holds) in laws::ALL {
        let folder = fs::read_dir(seeds.join(name)).expect("every law has seeds");
        let mut replayed = 0;
        for seed in folder {
            let seed = seed.expect("the folder can be read").path();
            // A law that does not hold panics, and the name of the case stands before that.
            eprintln!("{}", seed.display());
            holds(&fs::read(seed).expect("a seed is a file"));
            replayed += 1;
        }
        assert!(replayed > 10, "{name} has {replayed} seeds");
    }
}
