//! What a registry shows of a package, and what its archive has to have.

use serde_json::Value;

use crate::metadata;
use crate::suite::Failure;

/// Looks through the manifest of every package that is published.
pub(crate) fn check() -> Result<(), Failure> {
    let metadata = metadata::read()?;
    let faults: Vec<String> = metadata::published(&metadata).flat_map(faults_of).collect();
    if faults.is_empty() { Ok(()) } else { Err(Failure(faults.join("\n"))) }
}

/// Every published package, as arguments of cargo.
pub(crate) fn published() -> Result<String, Failure> {
    let metadata = metadata::read()?;
    let names = metadata::published(&metadata).filter_map(|package| package["name"].as_str());
    Ok(names.flat_map(|name| ["--package ", name, " "]).collect())
}

fn faults_of(package: &Value) -> Vec<String> {
    let text = |field: &str| package[field].as_str().unwrap_or_default();
    let mut faults = Vec::new();
    for field in ["description", "documentation", "license", "readme", "rust_version"] {
        if text(field).is_empty() {
            faults.push(format!("package {} has no `{field}`", text("name")));
        }
    }
    for field in ["categories", "keywords"] {
        if !package[field].as_array().is_some_and(|list| (1..=5).contains(&list.len())) {
            faults.push(format!("package {} has not one to five `{field}`", text("name")));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_a_description_or_keywords_is_told() {
        let mut package = serde_json::json!({
            "name": "small", "description": "d", "documentation": "https://docs.rs/small",
            "license": "MIT", "readme": "README.md", "rust_version": "1.85",
            "categories": ["c"], "keywords": ["k"],
        });
        assert_eq!(faults_of(&package), [""; 0]);
        package["description"] = Value::Null;
        package["keywords"] = serde_json::json!([]);
        assert_eq!(
            faults_of(&package),
            ["package small has no `description`", "package small has not one to five `keywords`"]
        );
    }
}
