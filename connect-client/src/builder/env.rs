//! Settings from the environment.

use super::ClientBuilder;
use crate::{Client, Error, error::SettingsError};

/// The variable with the base address.
const URL: &str = "CONNECT_URL";
/// The variable with the API token.
const TOKEN: &str = "CONNECT_TOKEN";

impl Client {
    /// Makes a client from environment variables.
    /// `CONNECT_URL` is the base address with its version, `CONNECT_TOKEN` the API token.
    /// [`ClientBuilder::from_env`] accepts further settings.
    ///
    /// # Errors
    /// [`SettingsError`]: a variable is missing or empty, or a setting is invalid.
    pub fn from_env() -> Result<Self, Error> {
        ClientBuilder::from_env()?.build()
    }
}

impl ClientBuilder {
    /// Begins a client with `CONNECT_URL` and `CONNECT_TOKEN` of the environment.
    ///
    /// # Errors
    /// [`SettingsError::Environment`]: a variable is missing or empty.
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    fn from_variables(read: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let set = |name| {
            let value = read(name).filter(|value| !value.is_empty());
            value.ok_or(SettingsError::Environment(name))
        };
        Ok(Self::new(&set(URL)?, set(TOKEN)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_variables_have_to_be_set() {
        let with = |url: &'static str, token: &'static str| {
            ClientBuilder::from_variables(move |name| match name {
                "CONNECT_URL" => Some(url.to_owned()),
                "CONNECT_TOKEN" => Some(token.to_owned()),
                _ => None,
            })
        };
        let client = with("http://127.0.0.1:1/v1", "ck_test_abc")
            .unwrap()
            .build();
        assert!(client.is_ok());
        for (url, token, missing) in [("", "ck_test_abc", URL), ("http://[::1]", "", TOKEN)] {
            let refused = with(url, token).unwrap_err();
            assert_eq!(refused, SettingsError::Environment(missing));
            assert!(refused.to_string().contains(missing));
        }
    }
}
