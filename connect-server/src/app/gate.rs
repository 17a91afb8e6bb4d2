//! The checks of a request to the API, in their order: the first that fails answers.
//!
//! 1. the address, the token, the rate limits ([`Connect::admit`])
//! 2. the route: 404, 405
//! 3. the availability of the API, the location, the scope ([`Connect::enter`])
//! 4. the size of the body: 413
//! 5. `Idempotency-Key` and `Content-Type`: 400
//!
//! Then the handler has the core check the stored answer, the form, the fields and the state.
//! Nobody without a valid token learns which routes there are.

use bytes::Bytes;
use connect_core::{
    Admitted, Connect, Failure, FailureKind, Fingerprint, Idempotency, IdempotencyKey,
    wire::{limits::MAX_BODY_BYTES, read::Invalid},
};
use http::{
    HeaderMap, Method, Request,
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE},
};

use crate::{
    endpoint::{Content, Needs, Passed, Reply, Route},
    net::{Body, BodyError},
    routes::{self, Found},
};

/// The token of a request; `None` when there is none, or more than one.
pub(super) fn authorization(headers: &HeaderMap) -> Option<&str> {
    only(headers, &AUTHORIZATION)?.to_str().ok()
}

/// Takes an admitted caller's request through checks 2 to 5.
pub(super) async fn pass(
    connect: &Connect,
    caller: Admitted,
    request: Request<Body>,
) -> Result<(Passed, &'static Route), Reply> {
    let (head, body) = request.into_parts();
    let (route, location, id) = match routes::find(&head.method, head.uri.path()) {
        Found::Route {
            route,
            location,
            id,
        } => (route, location, id),
        Found::OtherMethods(allowed) => {
            return Err(Reply::method_not_allowed(&head.method, &allowed));
        }
        Found::Nothing => {
            let message = format!(
                "there is nothing at {}; see /v1/openapi.json",
                head.uri.path()
            );
            return Err(Failure::new(FailureKind::NotFound, message).into());
        }
    };
    let access = match (&route.needs, location) {
        (Needs::Scope(scope), Some(location)) => Some(connect.enter(&caller, location, scope)?),
        _ => {
            connect.check_available(&caller)?;
            None
        }
    };
    let is_write = !matches!(head.method, Method::GET | Method::HEAD);
    let mut content = Content::default();
    if is_write {
        content.body = read(body).await?;
        let key = idempotency_key(&head.headers)?;
        if head.method != Method::DELETE {
            check_content(&head.headers)?;
        }
        let target = head.uri.path_and_query();
        let target = target.map_or("", |target| target.as_str());
        content.idempotency = key.map(|key| Idempotency {
            key,
            fingerprint: Fingerprint::of(head.method.as_str(), target, &content.body),
        });
    }
    content.query = head.uri.query().unwrap_or_default().to_owned();
    let passed = Passed {
        connect: connect.clone(),
        caller,
        access,
        id,
        content,
    };
    Ok((passed, route))
}

async fn read(body: Body) -> Result<Bytes, Failure> {
    body.read(MAX_BODY_BYTES)
        .await
        .map_err(|error| match error {
            BodyError::TooLarge => Failure::new(
                FailureKind::TooLarge,
                format!(
                    "body: must have at most {MAX_BODY_BYTES} bytes; send it in several requests"
                ),
            ),
            BodyError::TooSlow | BodyError::Broken => {
                Failure::malformed(&Invalid::new("body", format!("{error}; send it again")))
            }
        })
}

/// The request's idempotency key.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Failure> {
    const NAME: &str = "Idempotency-Key";
    if !headers.contains_key(NAME) {
        return Ok(None);
    }
    let value = headers.get_all(NAME).iter().collect::<Vec<_>>();
    let key = match value[..] {
        [value] => IdempotencyKey::parse(value.as_bytes()),
        _ => Err(Invalid::new(NAME, "is given more than once")),
    };
    key.map(Some)
        .map_err(|invalid| Failure::malformed(&invalid))
}

/// A body has to be JSON and say so.
fn check_content(headers: &HeaderMap) -> Result<(), Failure> {
    let invalid =
        |field: &str, problem: &str| Err(Failure::malformed(&Invalid::new(field, problem)));
    let essence = only(headers, &CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .map(str::trim);
    if !essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json")) {
        return invalid("Content-Type", "must be application/json");
    }
    match only(headers, &CONTENT_ENCODING) {
        None if !headers.contains_key(CONTENT_ENCODING) => Ok(()),
        Some(value) if value.as_bytes().eq_ignore_ascii_case(b"identity") => Ok(()),
        _ => invalid(
            "Content-Encoding",
            "must be left out: bodies are taken uncompressed",
        ),
    }
}

/// The value of a header that may be given once.
fn only<'a>(headers: &'a HeaderMap, name: &http::HeaderName) -> Option<&'a http::HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}
