//! The page with the value of a new token, shown once.

use maud::html;

use super::PATH;
use crate::{
    commands::{Execution, ShownOnce},
    dashboard::{Answer, components, layout, page_request::SignedIn},
};

/// Shows the value of a new token, with a first call.
pub(super) fn created(to: &SignedIn<'_>, done: &Execution<'_>) -> Answer {
    let value = done.secret.as_ref();
    let call = format!(
        "curl -H \"Authorization: Bearer {}\" {}/locations",
        value.map(ShownOnce::expose).unwrap_or_default(),
        to.context.api_url
    );
    let content = html! {
        (components::shown_once(&text!("field-token"), value))
        h2 { (text!("tokens-try")) }
        pre tabindex="0" { code { (call) } }
        p { a href=(PATH) { (text!("tokens-back")) } }
    };
    let title = text!("tokens-created", name = to.form.get("name").trim());
    layout::page(to, PATH, &title, content)
}
