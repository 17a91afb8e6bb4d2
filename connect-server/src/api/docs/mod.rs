//! The API reference: a page for people, rendered from an OpenAPI document by a template.
//!
//! It has no scripts, and loads nothing from another host.

mod markdown;

use std::error::Error;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use minijinja::{Environment, UndefinedBehavior, Value, context};
use sha2::{Digest as _, Sha256};

use markdown::markdown;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");

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
/// The text is no JSON, or the template cannot show it.
pub fn render(document: &str) -> Result<Reference, Box<dyn Error + Send + Sync>> {
    let document: Value = serde_json::from_str(document)?;
    let whole = document.clone();
    let mut templates = Environment::new();
    // Most parts of a document are optional.
    templates.set_undefined_behavior(UndefinedBehavior::Chainable);
    templates.add_filter("resolve", move |part: Value| resolve(&whole, part));
    templates.add_filter("markdown", |text: Value| {
        Value::from_safe_string(markdown(text.as_str().unwrap_or_default()))
    });
    templates.add_filter("heading", heading);
    // With string keys, and written to memory, JSON cannot fail.
    templates.add_filter("json", |value: Value| {
        serde_json::to_string(&value).unwrap_or_default()
    });
    templates.add_filter("pretty", |value: Value| {
        serde_json::to_string_pretty(&value).unwrap_or_default()
    });
    let html =
        templates.render_named_str("page.html", PAGE, context! { document, style => STYLE })?;
    let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
    Ok(Reference {
        html,
        policy: format!(
            "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'"
        ),
    })
}

/// Follows a reference such as `#/components/schemas/Product`.
fn resolve(document: &Value, part: Value) -> Value {
    let path = part.get_attr("$ref").unwrap_or_default();
    let Some(path) = path.as_str() else {
        return part;
    };
    let names = path.split('/').skip(1);
    names.fold(document.clone(), |part, name| {
        part.get_attr(name).unwrap_or_default()
    })
}

/// Returns a name of several words as a heading: `ZReports` is "Z reports".
fn heading(name: &str) -> String {
    let mut heading = String::with_capacity(name.len() + 4);
    for (i, letter) in name.char_indices() {
        if i > 0 && letter.is_ascii_uppercase() {
            heading.push(' ');
        }
        heading.push(if i > 0 {
            letter.to_ascii_lowercase()
        } else {
            letter
        });
    }
    heading
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn a_name_becomes_a_heading() {
        for (name, expected) in [
            ("ZReports", "Z reports"),
            ("optionGroups", "option groups"),
            ("Stock", "Stock"),
            ("", ""),
        ] {
            assert_eq!(heading(name), expected);
        }
    }
}
