//! Checks a response against the OpenAPI document: status, headers and body.
//! If the service accepted the request, the request is checked as well.

mod body;
mod headers;
mod request;
mod rules;
mod schemas;

use std::sync::LazyLock;

use schemas::Schemas;
use serde_json::Value;

use crate::{
    document::{Document, Path},
    http::Answer,
};

/// The checker of responses.
pub struct Checker {
    document: &'static Document,
    schemas: Schemas,
}

/// The documented path and operation of a request, and its query.
struct Place<'a> {
    path: Option<Path<'a>>,
    operation: Option<&'a Value>,
    query: Vec<(String, String)>,
}

impl Checker {
    /// The checker for this service's document.
    pub fn v1() -> &'static Self {
        static V1: LazyLock<Checker> = LazyLock::new(|| Checker::new(Document::v1()));
        &V1
    }

    /// The checker for the document of the device API.
    pub fn device() -> &'static Self {
        static DEVICE: LazyLock<Checker> = LazyLock::new(|| Checker::new(Document::device()));
        &DEVICE
    }

    /// The checker for requests to this path.
    pub fn of(target: &str) -> &'static Self {
        if target.starts_with("/device/") {
            Self::device()
        } else {
            Self::v1()
        }
    }

    /// A checker for another document.
    pub fn new(document: &'static Document) -> Self {
        let schemas = Schemas::new(document);
        Self { document, schemas }
    }

    /// Returns all violations of this schema of the document by `value`.
    pub fn schema_faults(&self, schema: &Value, value: &Value) -> Vec<String> {
        self.schemas.faults(schema, value)
    }

    /// The schema of the request body of `method` on `target`, if any.
    pub fn request_schema(&self, method: &str, target: &str) -> Option<&'static Value> {
        let (path, _) = target.split_once('?').unwrap_or((target, ""));
        let path = self
            .document
            .find(path.strip_prefix(self.document.base())?)?;
        let operation = path.operation(method)?;
        operation.pointer("/requestBody/content/application~1json/schema")
    }

    /// Returns all violations of the document by this response.
    /// Requests outside the document's paths are not judged.
    pub fn faults(&self, answer: &Answer) -> Vec<String> {
        let target = &answer.request.target;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let Some(below) = path.strip_prefix(self.document.base()) else {
            return Vec::new();
        };
        let path = self.document.find(below);
        let method = answer.request.method.as_str();
        let place = Place {
            path,
            operation: path.and_then(|path| path.operation(method)),
            query: form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        };
        let Some(expected) = self.expected(&place, answer.status.as_u16()) else {
            return vec![format!("{} is not documented here", answer.status)];
        };
        let mut faults = self.header_faults(expected, answer);
        faults.extend(self.body_faults(expected, answer));
        if let Some(path) = place.path {
            faults.extend(rules::allow(&path, answer));
        }
        if answer.status.is_success() && faults.is_empty() {
            faults.extend(self.request_faults(&place, answer));
            faults.extend(rules::list(&place.query, answer));
            faults.extend(rules::batch(answer));
            faults.extend(rules::images(answer));
        }
        faults
    }

    /// Ends the test if the response violates the document.
    ///
    /// # Panics
    /// The response violates the document.
    pub fn judge(&self, answer: &Answer) {
        let faults = self.faults(answer);
        assert!(
            faults.is_empty(),
            "not as the document says:\n  {}\n{}\n{:?}",
            faults.join("\n  "),
            answer.summary(),
            answer.headers,
        );
    }

    /// The documented response for this status and place.
    /// An unknown path or method has the response shared by all such requests.
    fn expected(&self, place: &Place<'static>, status: u16) -> Option<&'static Value> {
        let shared = |name| Some(self.document.shared_response(name));
        match (place.operation, place.path, status) {
            (_, _, 414 | 431) => shared("TooLong"),
            (Some(operation), _, _) => operation["responses"]
                .get(status.to_string())
                .map(|response| self.document.resolve(response)),
            (None, Some(_), 405) => shared("MethodNotAllowed"),
            (None, None, 404) => shared("NotFound"),
            (None, _, 401) => shared("Unauthorized"),
            (None, _, 429) => shared("RateLimited"),
            (None, _, 500) => shared("ServerError"),
            _ => None,
        }
    }
}
