//! What can be configured of a class, and what a name is taken for.

use std::path::Path;

use tollgate_codegen::{Catalogue, Spec};

fn reference() -> Catalogue {
    Spec::new().read(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("it is sound")
}

#[test]
fn a_class_has_its_keys_with_variables_and_its_own_defaults() {
    let catalogue = reference();
    let class = catalogue.classes().iter().find(|class| class.name == "rl.export").unwrap();
    let settings: Vec<_> = class.settings().collect();
    let shown: Vec<(&str, &str, &str)> = settings
        .iter()
        .map(|setting| (&*setting.key, &*setting.environment, &*setting.default))
        .collect();
    assert_eq!(
        shown[..3],
        [
            ("ratelimit.rl.export.per_minute", "RATELIMIT_RL_EXPORT_PER_MINUTE", "6"),
            ("ratelimit.rl.export.burst", "RATELIMIT_RL_EXPORT_BURST", "2"),
            ("ratelimit.rl.export.enabled", "RATELIMIT_RL_EXPORT_ENABLED", "true"),
        ]
    );
    let last = settings.last().unwrap();
    assert_eq!(last.key, "ratelimit.rl.export.tiers.<name>.burst");
    assert_eq!(last.environment, "RATELIMIT_RL_EXPORT_TIERS_<NAME>_BURST");
    assert_eq!(last.default, "the class's");
}

#[test]
fn the_nearest_name_is_that_of_a_class_or_an_action() {
    let catalogue = reference();
    assert_eq!(catalogue.nearest("rl.raed"), Some("rl.read"));
    assert_eq!(catalogue.nearest("export"), Some("rl.export"));
    assert_eq!(catalogue.nearest("auth.logn"), Some("auth.login"));
    assert_eq!(catalogue.nearest("something else"), None);
}
