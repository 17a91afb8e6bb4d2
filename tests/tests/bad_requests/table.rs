//! How a wrong request is written down.

use bytes::Bytes;
use connect_tests::{
    check::Checker,
    http::{Payload, Request},
};
use http::Method;
use serde_json::Value;

/// A wrong request and the answer it has to get. `{here}`, `{product}` and the like stand for
/// what the [`Scene`](super::scene::Scene) holds.
pub(crate) struct Bad {
    /// What is wrong with it.
    pub(crate) name: String,
    pub(crate) request: Request,
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    /// What the message has to contain: the path of the field, the parameter or the header.
    pub(crate) names: String,
    /// Whether the fault is one that the document cannot state, such as one of the state.
    unstated: bool,
}

/// A request at the scene's own location, such as `POST products`.
pub(crate) fn at_home(request: &str) -> Request {
    let (method, path) = request.split_once(' ').expect("a method and a path");
    anywhere(&format!("{method} /v1/locations/{{here}}/{path}"))
}

/// A request anywhere, such as `GET /v1/locations`.
pub(crate) fn anywhere(request: &str) -> Request {
    let (method, target) = request.split_once(' ').expect("a method and a target");
    Request::new(
        Method::from_bytes(method.as_bytes()).expect("a method"),
        target,
    )
}

/// A write of this JSON text.
pub(crate) fn write(request: &str, json: impl Into<Bytes>) -> Request {
    at_home(request)
        .header("content-type", "application/json")
        .body(json)
}

impl Bad {
    fn new(name: &str, request: Request, status: u16, code: &'static str, names: &str) -> Self {
        let (name, names) = (name.to_owned(), names.to_owned());
        Self {
            name,
            request,
            status,
            code,
            names,
            unstated: false,
        }
    }

    /// 400: malformed.
    pub(crate) fn malformed(name: &str, request: Request, names: &str) -> Self {
        Self::new(name, request, 400, "validation_failed", names)
    }

    /// 415: an encoding that is not taken.
    pub(crate) fn unsupported(name: &str, request: Request) -> Self {
        Self::new(name, request, 415, "validation_failed", "Content-Encoding")
    }

    /// 422: a field.
    pub(crate) fn invalid(name: &str, request: Request, names: &str) -> Self {
        Self::new(name, request, 422, "validation_failed", names)
    }

    /// 401.
    pub(crate) fn unauthorized(name: &str, request: Request) -> Self {
        Self::new(name, request, 401, "unauthorized", "Authorization")
    }

    /// 403, with one of its codes.
    pub(crate) fn forbidden(name: &str, request: Request, code: &'static str) -> Self {
        Self::new(name, request, 403, code, "")
    }

    /// 404.
    pub(crate) fn not_found(name: &str, request: Request) -> Self {
        Self::new(name, request, 404, "not_found", "")
    }

    /// 405.
    pub(crate) fn no_method(name: &str, request: Request) -> Self {
        Self::new(name, request, 405, "method_not_allowed", "")
    }

    /// 409.
    pub(crate) fn conflict(name: &str, request: Request, names: &str) -> Self {
        Self::new(name, request, 409, "conflict", names)
    }

    /// 413.
    pub(crate) fn too_large(name: &str, request: Request) -> Self {
        Self::new(name, request, 413, "payload_too_large", "2000000")
    }

    /// An item of a batch that fails with 200 for the whole: `names` is a path from the item on.
    pub(crate) fn item(name: &str, request: Request, code: &'static str, names: &str) -> Self {
        Self::new(name, request, 200, code, names)
    }

    /// The document cannot say that this is wrong.
    pub(crate) fn unstated(self) -> Self {
        Self {
            unstated: true,
            ..self
        }
    }

    /// What the document has against the body: of those whose answer is 422, and of items.
    pub(crate) fn faults_in_the_document(&self) -> Option<Vec<String>> {
        let told = matches!(self.status, 200 | 422) && self.code == "validation_failed";
        if !told || self.unstated {
            return None;
        }
        let Payload::Whole(body) = &self.request.body else {
            return None;
        };
        // A number that no float can hold is beyond this reader, though not beyond the service.
        let body: Value = serde_json::from_slice(body).ok()?;
        let (method, target) = (self.request.method.as_str(), &self.request.target);
        let checker = Checker::of(target);
        let schema = checker.request_schema(method, target)?;
        Some(checker.schema_faults(schema, &body))
    }
}
