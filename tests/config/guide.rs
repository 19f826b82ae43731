//! The files that the guide shows are right.

use tollgate::{Class, Config};

use super::toml;

const GUIDE: &str = include_str!("../../docs/guide/configuration.md");

/// The TOML blocks of the guide.
fn files() -> impl Iterator<Item = &'static str> {
    let blocks = GUIDE.split("```toml\n").skip(1);
    blocks.map(|rest| rest.split_once("```").expect("every block ends").0)
}

#[test]
fn every_file_of_the_guide_is_accepted_alone_and_all_together() {
    let secret = [("RATELIMIT_KEY_SECRET", "0123456789abcdef0123456789abcdef")];
    assert!(files().count() >= 4, "the guide shows files");
    let mut all = Config::<Class>::builder().environment(secret);
    for file in files() {
        let alone = Config::<Class>::builder().environment(secret).file(toml(file)).build();
        assert_eq!(alone.map(|_| ()).map_err(|faults| faults.to_string()), Ok(()), "{file}");
        all = all.file(toml(file));
    }
    let config = all.build().unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(config.edge().len(), 2);
    assert!(config.class(Class::Export).shadow() && !config.class(Class::Search).enabled());
}
