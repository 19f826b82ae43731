//! What cargo knows of the workspace.

use serde_json::Value;

use crate::suite::{Failure, cargo};

/// The output of `cargo metadata` for the packages of this workspace alone.
pub(crate) fn read() -> Result<Value, Failure> {
    let metadata = cargo("metadata --format-version 1 --no-deps").output()?;
    serde_json::from_slice(&metadata)
        .map_err(|error| Failure(format!("cargo metadata is not JSON: {error}")))
}

/// The packages that have no `publish = false`.
pub(crate) fn published(metadata: &Value) -> impl Iterator<Item = &Value> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages.filter(|package| package["publish"].as_array().is_none_or(|to| !to.is_empty()))
}
