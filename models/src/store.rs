#[path = "../../src/store/local/mod.rs"]
pub(crate) mod local;
