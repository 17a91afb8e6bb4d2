//! A response as received.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::Request;

/// A response with its request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The request.
    pub request: Request,
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// The value of a header, if it occurs exactly once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let first = values.next()?.to_str().ok()?;
        values.next().is_none().then_some(first)
    }

    /// The value of a header as a number.
    ///
    /// # Panics
    /// It is missing or not a number.
    pub fn number(&self, name: &str) -> i64 {
        let value = self.header(name).and_then(|value| value.parse().ok());
        value.unwrap_or_else(|| panic!("no number in {name}: {self:?}"))
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// It is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Returns the value under `data`.
    ///
    /// # Panics
    /// The response is not a success or has no data.
    pub fn data(&self) -> Value {
        assert!(self.status.is_success(), "{}", self.summary());
        self.json()["data"].take()
    }

    /// The records of a list.
    ///
    /// # Panics
    /// The response is not a list.
    pub fn list(&self) -> Vec<Value> {
        match self.data() {
            Value::Array(records) => records,
            other => panic!("no list: {other}"),
        }
    }

    /// The `id` of the record.
    ///
    /// # Panics
    /// The response is not a single record.
    pub fn id(&self) -> String {
        let data = self.data();
        data["id"].as_str().expect("a record with an id").to_owned()
    }

    /// The cursor of the next page.
    pub fn next_cursor(&self) -> Option<String> {
        self.json()["nextCursor"].as_str().map(str::to_owned)
    }

    /// Status, code and message of a failure, such as `404 not_found`.
    pub fn failure(&self) -> (u16, String, String) {
        let error = self.json()["error"].take();
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        (self.status.as_u16(), text("code"), text("message"))
    }

    /// Returns the response if it has this status.
    ///
    /// # Panics
    /// It has another status.
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.summary());
        self
    }

    /// Returns the response if it fails with this status and code.
    ///
    /// # Panics
    /// The status or the code differs.
    pub fn fails(self, status: u16, code: &str) -> Self {
        let (found, found_code, _) = self.failure();
        assert_eq!((found, &*found_code), (status, code), "{}", self.summary());
        self
    }

    /// Returns a short summary of request and answer, for messages.
    pub fn summary(&self) -> String {
        let body = String::from_utf8_lossy(&self.body);
        let body: String = body.chars().take(600).collect();
        let Request { method, target, .. } = &self.request;
        format!("{method} {target} -> {} {body}", self.status)
    }
}
