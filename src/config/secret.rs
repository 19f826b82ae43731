//! [`Secret`]: a text that is never shown.

use std::fmt;

/// A text of the configuration that no `Debug`, log or fault shows.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    #[cfg_attr(not(feature = "redis"), expect(dead_code, reason = "for the clustered store"))]
    /// The text itself, for the one place that needs it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}
