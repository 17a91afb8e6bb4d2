//! A secret on its way to its owner.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A new secret, shown only once. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ShownOnce(String);

impl ShownOnce {
    /// Wraps the value of a secret.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, to be shown to its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ShownOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShownOnce(..)")
    }
}
