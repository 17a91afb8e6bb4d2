//! The API reference: a page for people, rendered from an OpenAPI document.
//!
//! It has no scripts, and loads nothing from another host.

mod document;
mod fields;
mod markdown;
mod operation;
mod page;
mod style;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use sha2::{Digest as _, Sha256};

/// A rendered page, with the content policy to serve it with.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The page, in HTML.
    pub html: String,
    /// The value of its `Content-Security-Policy`.
    /// It allows the style of the page, and nothing else.
    pub policy: String,
}

/// Renders the reference of an OpenAPI document in JSON.
///
/// # Errors
/// The text is not an OpenAPI document in this service's format.
pub fn render(document: &str) -> Result<Reference, serde_json::Error> {
    let document: document::Document = serde_json::from_str(document)?;
    let style = style::of(&document.languages());
    let hash = BASE64_STANDARD.encode(Sha256::digest(&style));
    Ok(Reference {
        html: page::page(&document, &style).into_string(),
        policy: format!(
            "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'"
        ),
    })
}
