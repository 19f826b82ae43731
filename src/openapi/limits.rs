//! [`DocumentedLimits`]: every limit of a document's operations.

use std::fmt;

use utoipa::openapi::OpenApi;
use utoipa::openapi::path::{Operation, PathItem};

use super::answers;
use super::operation::Charge;
use crate::Class;
use crate::catalogue::{ActionCatalogue, Catalogue};
use crate::config::Config;
use crate::nearest::nearest;

/// Writes the limits of a document's operations into it, as a configuration has them.
///
/// An operation is known by its method and path: that of an action of the catalogue, or one that is
/// given here because its handler declares a class or no limit. Names of parameters in the path do
/// not matter. A limit that is switched off or only watches is not mentioned, since clients do not
/// meet it.
///
/// ```
/// use tollgate::openapi::DocumentedLimits;
/// use tollgate::{Class, Config};
/// use utoipa::OpenApi;
///
/// #[utoipa::path(get, path = "/v1/channels", responses((status = 200)))]
/// async fn channels() {}
///
/// #[utoipa::path(get, path = "/health", responses((status = 200)))]
/// async fn health() {}
///
/// #[derive(OpenApi)]
/// #[openapi(paths(channels, health))]
/// struct Api;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = Config::<Class>::default();
/// let mut document = Api::openapi();
/// DocumentedLimits::new(&config).unlimited("GET", "/health").write(&mut document)?;
/// let document = serde_json::to_value(&document)?;
/// let channels = &document["paths"]["/v1/channels"]["get"];
/// assert_eq!(
///     channels["description"],
///     "Rate limit `rl.read`, for each principal: 600 a minute, at most 120 at once."
/// );
/// assert_eq!(channels["responses"]["429"]["$ref"], "#/components/responses/RateLimitExceeded");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct DocumentedLimits<'a, C: Catalogue = Class> {
    config: &'a Config<C>,
    known: Vec<Known<C>>,
}

/// An operation, and what it takes unless it is unlimited.
#[derive(Clone)]
struct Known<C> {
    method: String,
    path: String,
    charge: Option<Charge<C>>,
}

/// A document has operations whose limits are not known. All others are written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no action of the catalogue has the operations {}; correct them, or say with `class` or `unlimited` \
     what their handlers declare",
    .operations.join(", ")
)]
pub struct UnknownOperations {
    /// Each as in "`GET /v1/channel` (did you mean `GET /v1/channels`?)".
    operations: Vec<String>,
}

impl<'a, C: Catalogue> DocumentedLimits<'a, C> {
    /// The limits of this configuration, for the operations of the catalogue.
    #[must_use]
    pub fn new(config: &'a Config<C>) -> Self {
        let definitions = <C::Action as ActionCatalogue>::DEFINITIONS.iter();
        let known = definitions.filter_map(|action| {
            let operation = action.operation?;
            Some(Known {
                method: operation.method.to_owned(),
                path: operation.path.to_owned(),
                charge: Some(Charge {
                    class: action.class,
                    cost: action.cost,
                    action: Some(action.id),
                }),
            })
        });
        Self { config, known: known.collect() }
    }

    /// An operation whose handler declares a class, at one token a call. It goes before an action of
    /// the same operation.
    #[must_use]
    pub fn class(self, method: &str, path: &str, class: C) -> Self {
        self.with(method, path, Some(Charge { class, cost: 1, action: None }))
    }

    /// An operation whose handler declares no class.
    #[must_use]
    pub fn unlimited(self, method: &str, path: &str) -> Self {
        self.with(method, path, None)
    }

    fn with(mut self, method: &str, path: &str, charge: Option<Charge<C>>) -> Self {
        let known = Known { method: method.to_owned(), path: path.to_owned(), charge };
        self.known.insert(0, known);
        self
    }

    /// Writes the limits into a document.
    ///
    /// # Errors
    ///
    /// When the document has operations whose limits are not known; all others are written then.
    pub fn write(&self, document: &mut OpenApi) -> Result<(), UnknownOperations> {
        let mut unknown = Vec::new();
        let mut has_limits = false;
        for (path, item) in &mut document.paths.paths {
            for (method, operation) in operations(item) {
                match self.known.iter().find(|known| known.is(method, path)) {
                    Some(Known { charge: Some(charge), .. }) if charge.binds(self.config) => {
                        charge.write(self.config, operation);
                        has_limits = true;
                    }
                    Some(_) => {}
                    None => unknown.push(self.told(method, path)),
                }
            }
        }
        if has_limits {
            answers::define(document.components.get_or_insert_default());
        }
        if unknown.is_empty() { Ok(()) } else { Err(UnknownOperations { operations: unknown }) }
    }

    /// An unknown operation, with the one that may be meant.
    fn told(&self, method: &str, path: &str) -> String {
        let given = format!("{method} {path}");
        let known: Vec<String> =
            self.known.iter().map(|known| format!("{} {}", known.method, known.path)).collect();
        match nearest(&given, known.iter().map(String::as_str)) {
            Some(near) => format!("`{given}` (did you mean `{near}`?)"),
            None => format!("`{given}`"),
        }
    }
}

impl<C> Known<C> {
    fn is(&self, method: &str, path: &str) -> bool {
        self.method.eq_ignore_ascii_case(method) && is_same_path(&self.path, path)
    }
}

/// Whether two paths are the same but for the names of their parameters.
fn is_same_path(left: &str, right: &str) -> bool {
    let is_parameter = |segment: &str| segment.starts_with('{') && segment.ends_with('}');
    let mut right = right.split('/');
    let same = left.split('/').all(|left| {
        right
            .next()
            .is_some_and(|right| left == right || (is_parameter(left) && is_parameter(right)))
    });
    same && right.next().is_none()
}

/// The operations of a path, each with its method.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let PathItem { get, put, post, delete, options, head, patch, trace, .. } = item;
    let all = [
        ("GET", get),
        ("PUT", put),
        ("POST", post),
        ("DELETE", delete),
        ("OPTIONS", options),
        ("HEAD", head),
        ("PATCH", patch),
        ("TRACE", trace),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

impl<C: Catalogue> fmt::Debug for DocumentedLimits<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentedLimits").field("known", &self.known.len()).finish_non_exhaustive()
    }
}
