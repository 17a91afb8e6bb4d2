//! Requests without a method in the SDK.

use std::fmt;

use bytes::Bytes;
use form_urlencoded::Serializer;
use http::Method;
use serde::{Serialize, de::DeserializeOwned};

use super::{Call, request::Request};
use crate::{Client, error::RequestError};

impl Client {
    /// Begins a request without a method in the SDK.
    /// It is handled like every call: with the token, retries, an idempotency key for a write, and
    /// typed errors.
    ///
    /// `path` is below the base address, begins with a slash and has no query. Texts inserted into it
    /// must be percent-encoded. With an invalid path the call fails with a [`RequestError`], and
    /// nothing is sent.
    ///
    /// ```no_run
    /// # use connect_client::{Client, Error, Method};
    /// # async fn example(client: Client, location: &str) -> Result<(), Error> {
    /// let tables: serde_json::Value = client
    ///     .request(Method::POST, format!("/locations/{location}/tables"))
    ///     .body(&serde_json::json!({ "name": "Window" }))
    ///     .json()
    ///     .await?;
    /// # Ok(()) }
    /// ```
    pub fn request(&self, method: Method, path: impl Into<String>) -> RawRequest {
        let path = path.into();
        let request = match fault(&path) {
            Some(fault) => Err(RequestError(format!("path: {fault}"))),
            None => Ok(Request::new(method, path)),
        };
        RawRequest {
            client: self.clone(),
            request,
        }
    }
}

/// Returns the reason for refusing a path, if any.
fn fault(path: &str) -> Option<&'static str> {
    let is_dots = |segment: &str| {
        let plain = segment.to_ascii_lowercase().replace("%2e", ".");
        matches!(&*plain, "." | "..")
    };
    if !path.starts_with('/') {
        Some("must begin with a slash")
    } else if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        Some("must be percent-encoded")
    } else if path.contains(['?', '#', '\\']) {
        Some("must not hold a query, a fragment or a backslash")
    } else if path.split('/').any(is_dots) {
        Some("must not have dots for a segment")
    } else {
        None
    }
}

/// A request without a method in the SDK; see [`Client::request`].
#[must_use = "a request is sent when its call is awaited"]
pub struct RawRequest {
    client: Client,
    request: Result<Request, RequestError>,
}

impl RawRequest {
    /// Adds a parameter to the query. It is percent-encoded.
    pub fn query(mut self, name: &str, value: impl fmt::Display) -> Self {
        if let Ok(request) = &mut self.request {
            let pair = Serializer::new(String::new())
                .append_pair(name, &value.to_string())
                .finish();
            if !request.query.is_empty() {
                request.query.push('&');
            }
            request.query.push_str(&pair);
        }
        self
    }

    /// Sends this as JSON, of which the service accepts 2 000 000 bytes.
    /// When it cannot be written as JSON, the call fails with a [`RequestError`].
    pub fn body(mut self, body: &impl Serialize) -> Self {
        self.request = self.request.and_then(|request| request.with_json(body));
        self
    }

    /// Returns a call yielding the JSON of the response.
    pub fn json<T: DeserializeOwned>(self) -> Call<T> {
        Call::new(&self.client, self.request, |body| {
            serde_json::from_slice(body)
        })
    }

    /// Returns a call yielding the raw body of the response.
    pub fn bytes(self) -> Call<Bytes> {
        Call::new(&self.client, self.request, |body| Ok(body.clone()))
    }
}

impl fmt::Debug for RawRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawRequest")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_below_the_base_address() {
        for good in ["/", "/locations", "/a/%2Fb/..c/d.e/", "/a//b"] {
            assert_eq!(fault(good), None, "{good}");
        }
        for bad in [
            "",
            "locations",
            "https://elsewhere.example/",
            "/a b",
            "/é",
            "/a?b",
            "/a#b",
            "/a\\..\\b",
            "/../admin",
            "/a/%2E%2e/b",
            "/a/.",
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
    }
}
