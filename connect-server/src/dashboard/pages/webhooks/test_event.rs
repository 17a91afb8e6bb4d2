//! The form to send a test: a ping, or an event of a chosen type.

use connect_core::{Reason, Webhook, wire::EventType};
use maud::{Markup, html};

use super::PATH;
use crate::dashboard::{FormFields, components, inputs, page_request::SignedIn};

/// The field with the type.
pub(super) const EVENT: &str = "event";

/// The plain test; no webhook asks for it.
pub(super) const PING: &str = "ping";

/// Renders the form, with the problem of a refused one.
pub(super) fn form(to: &SignedIn<'_>, webhook: &Webhook, refused: Option<&Reason>) -> Markup {
    let action = format!("{PATH}/{}/test", webhook.id);
    let known = EventType::KNOWN.iter().map(EventType::as_str);
    let types = std::iter::once(PING).chain(known);
    let choices = types.map(|name| (name, name));
    let fields = html! {
        div.row {
            (inputs::choice(&text!("webhooks-test-type"), EVENT, choices, to.form.get(EVENT), refused))
            button.quiet { (text!("webhooks-test")) }
        }
        p.hint { (text!("webhooks-test-about")) }
    };
    components::form(&action, &to.csrf, fields)
}

/// Reads the chosen type; `None` for a ping.
pub(super) fn chosen(form: &FormFields) -> Option<EventType> {
    let name = form.get(EVENT);
    (!["", PING].contains(&name)).then(|| EventType::from(name))
}
