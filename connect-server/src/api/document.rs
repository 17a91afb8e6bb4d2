//! The OpenAPI documents, as JSON and as pages. Both need no token.

use std::sync::Arc;

use bytes::Bytes;
use connect_core::{
    Error, Reason,
    wire::{
        ErrorCode,
        query::{NoQuery, Query as _},
    },
};
use http::{HeaderValue, Method, StatusCode};
use tokio::{sync::OnceCell, task::spawn_blocking};

use super::{
    docs,
    encoding::{Encoding, PrecompressedBody},
    endpoint::Reply,
};
use crate::workers::images::PublicUrl;

/// The API's address in its document, relative to the document's server.
const RELATIVE: &str = r#""url": "/v1""#;

/// The forms of a served document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON, for programs.
    Json,
    /// The API reference.
    Page,
}

/// A document as it is served. Cheap to clone.
#[derive(Clone)]
pub(super) struct ServedDocument {
    text: PrecompressedBody,
    /// Rendered at the first request for it.
    page: Arc<OnceCell<Option<Page>>>,
}

/// A page and its Content-Security-Policy.
#[derive(Clone)]
struct Page {
    html: PrecompressedBody,
    policy: HeaderValue,
}

impl ServedDocument {
    /// The document exactly as committed.
    pub(super) fn new(text: &'static str) -> Self {
        Self::of(Bytes::from_static(text.as_bytes()))
    }

    /// The document of the API, with its public address.
    pub(super) fn at(public: &PublicUrl, text: &str) -> Self {
        // The text of a URL needs no escapes in JSON.
        let absolute = format!(r#""url": "{public}/v1""#);
        Self::of(text.replacen(RELATIVE, &absolute, 1).into())
    }

    fn of(text: Bytes) -> Self {
        Self {
            text: PrecompressedBody::new(text),
            page: Arc::default(),
        }
    }

    /// Answers a request for it, in the accepted encoding if any.
    pub(super) async fn answer(
        &self,
        form: Form,
        method: &Method,
        query: &str,
        accepted: Option<Encoding>,
    ) -> Reply {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return Reply::method_not_allowed(method, &[Method::GET, Method::HEAD]);
        }
        if let Err(invalid) = NoQuery::parse(query) {
            return Error::Malformed(invalid.into()).into();
        }
        let (reply, text) = match form {
            Form::Json => (
                Reply::json(StatusCode::OK, self.text.plain().clone()),
                &self.text,
            ),
            Form::Page => match self.page.get_or_init(|| rendered(self.text.plain())).await {
                Some(Page { html, policy }) => {
                    (Reply::page(html.plain().clone(), policy.clone()), html)
                }
                None => {
                    let reason = Reason::new("the page could not be rendered; read openapi.json");
                    let detail = reason.detail(ErrorCode::ServerError);
                    return Reply::error(StatusCode::INTERNAL_SERVER_ERROR, detail);
                }
            },
        };
        reply.kept(text, accepted).await
    }
}

/// Renders a document as a page, on a separate thread: it takes 40 ms.
async fn rendered(text: &Bytes) -> Option<Page> {
    let text = text.clone();
    let page = spawn_blocking(move || render(&text)).await;
    page.ok().flatten()
}

/// Renders a document as a page.
/// The tests render every document of ours, so it does not fail.
fn render(text: &[u8]) -> Option<Page> {
    let rendered = std::str::from_utf8(text).ok().map(docs::render)?;
    let reference = rendered
        .inspect_err(|error| tracing::error!(%error, "the API reference was not rendered"))
        .ok()?;
    Some(Page {
        html: PrecompressedBody::new(reference.html.into()),
        policy: HeaderValue::try_from(reference.policy).ok()?,
    })
}
