//! The features of every package, as cargo itself reads them from the manifests.

use std::fmt;

use serde_json::Value;

use crate::metadata;
use crate::suite::Failure;

/// One way to build a package: with none of its features, or with one of them alone.
pub(crate) struct Selection {
    package: String,
    feature: Option<String>,
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--package {} --no-default-features", self.package)?;
        match &self.feature {
            Some(feature) => write!(f, " --features {feature}"),
            None => Ok(()),
        }
    }
}

/// Every selection of every package that has features.
pub(crate) fn of_the_workspace() -> Result<Vec<Selection>, Failure> {
    Ok(selections(&metadata::read()?))
}

fn selections(metadata: &Value) -> Vec<Selection> {
    let mut selections = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let features = package["features"].as_object().into_iter().flatten();
        let features: Vec<&String> =
            features.map(|(feature, _)| feature).filter(|feature| *feature != "default").collect();
        if features.is_empty() {
            continue;
        }
        selections.push(Selection { package: name.to_owned(), feature: None });
        selections.extend(
            features.into_iter().map(|feature| Selection {
                package: name.to_owned(),
                feature: Some(feature.clone()),
            }),
        );
    }
    selections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_but_the_default_is_selected_alone_and_none_is() {
        let metadata = serde_json::json!({"packages": [
            {"name": "plain", "features": {}},
            {"name": "rich", "features": {"default": ["a"], "a": [], "b": ["a"]}},
        ]});
        let texts: Vec<String> = selections(&metadata).iter().map(Selection::to_string).collect();
        assert_eq!(
            texts,
            [
                "--package rich --no-default-features",
                "--package rich --no-default-features --features a",
                "--package rich --no-default-features --features b",
            ]
        );
    }
}
