//! The form to make or change a webhook.

use connect_core::{
    Error, Reason, UserRight, Webhook,
    wire::{EventType, Id, Location},
};
use maud::{Markup, html};

use super::PATH;
use crate::{
    commands::{
        Execution,
        webhooks::{WebhookChanges, WebhookCommand},
    },
    dashboard::{
        Answer, components,
        inputs::{self, Field, Problem},
        layout,
        notices::{self, Notice},
        page_request::SignedIn,
    },
};

/// The title of the form for a new webhook, and its button.
const NEW: (&str, &str) = ("Create webhook", "Create webhook");

/// The same for the form of an existing webhook.
const EDIT: (&str, &str) = ("Edit webhook", "Save");

/// The fields of the form.
struct Filled {
    url: String,
    events: Vec<EventType>,
    location_ids: Vec<Id<Location>>,
}

impl Filled {
    /// Reads the form, ignoring values it does not offer.
    fn of(to: &SignedIn<'_>) -> Self {
        let is_chosen = |kind: &&EventType| to.form.has("event", kind.as_str());
        let locations = to.locations(UserRight::ManageWebhooks);
        let locations = locations.into_iter().map(|location| location.id);
        let chosen = locations.filter(|id| to.form.has("location", &id.to_string()));
        Self {
            url: to.form.get("url").to_owned(),
            events: EventType::KNOWN.iter().filter(is_chosen).cloned().collect(),
            location_ids: chosen.collect(),
        }
    }

    fn of_webhook(webhook: &Webhook) -> Self {
        Self {
            url: webhook.url.clone(),
            events: webhook.events.clone(),
            location_ids: webhook.location_ids.clone(),
        }
    }
}

/// Shows the form for a new webhook.
pub(crate) fn new(to: &SignedIn<'_>) -> Answer {
    // Most want all of them.
    let filled = Filled {
        url: String::new(),
        events: EventType::KNOWN.to_vec(),
        location_ids: Vec::new(),
    };
    page(to, NEW, PATH, &filled, None)
}

/// Makes a webhook, and shows its secret once.
pub(crate) async fn create(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let filled = Filled::of(to);
    let new = WebhookCommand::Create {
        url: filled.url.clone(),
        events: filled.events.clone(),
        locations: filled.location_ids.clone(),
        account: None,
    };
    match to.execute(new).await {
        Ok(done) => Ok(created(to, &filled, &done).made(done.subject)),
        Err(error) => {
            let form = async |reason: &Reason| Ok(page(to, NEW, PATH, &filled, Some(reason)));
            components::again(error, form).await
        }
    }
}

/// Shows the form of a webhook.
pub(crate) async fn edit(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let webhook = to.connect.webhook(to.account().id, id).await?;
    let action = format!("{PATH}/{id}");
    let filled = Filled::of_webhook(&webhook);
    Ok(page(to, EDIT, &action, &filled, None))
}

/// Changes a webhook.
pub(crate) async fn change(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let filled = Filled::of(to);
    let changes = WebhookChanges {
        url: Some(filled.url.clone()),
        events: Some(filled.events.clone()),
        locations: Some(filled.location_ids.clone()),
        all_locations: false,
    };
    let action = format!("{PATH}/{id}");
    match to.execute(WebhookCommand::Change { id, changes }).await {
        Ok(_) => Ok(Answer::redirect(&notices::at(
            &action,
            Notice::WebhookChanged,
        ))),
        Err(error) => {
            let form = async |reason: &Reason| Ok(page(to, EDIT, &action, &filled, Some(reason)));
            components::again(error, form).await
        }
    }
}

fn created(to: &SignedIn<'_>, filled: &Filled, done: &Execution<'_>) -> Answer {
    let path = done.subject.object.map(|id| format!("{PATH}/{id}"));
    let content = html! {
        p { "Events from now on are sent to " code { (filled.url) } "." }
        (components::shown_once("Signing secret", done.secret.as_ref()))
        p.hint {
            "Your endpoint verifies the signature of each delivery with it. In Rust, the crate \
             connect-webhook-verify does that; the webhook guide shows it for other languages."
        }
        p { a.button href=[path] { "Go to the webhook" } }
    };
    layout::page(to, PATH, "Webhook created", content)
}

fn page(
    to: &SignedIn<'_>,
    (title, done): (&str, &str),
    action: &str,
    filled: &Filled,
    refused: Option<&Reason>,
) -> Answer {
    let url = Field {
        label: "Endpoint URL",
        name: "url",
        kind: "url",
        value: &filled.url,
        hint: "Must begin with https:// and be reachable from the internet.",
        autocomplete: "off",
    };
    let fields = html! {
        (components::problem(refused, &["url", "events", "locationIds"]))
        (url.render(refused))
        (events(filled, &Problem::of("events", refused)))
        (locations(to, filled, &Problem::of("locationIds", refused)))
        button { (done) }
    };
    layout::page(to, PATH, title, components::form(action, &to.csrf, fields))
}

fn events(filled: &Filled, problem: &Problem<'_>) -> Markup {
    html! {
        fieldset {
            legend { "Events" }
            (problem.render("At least one event"))
            div.choices {
                @for kind in EventType::KNOWN {
                    @let checked = filled.events.contains(kind);
                    (inputs::check_box("event", kind.as_str(), checked, html! { code { (kind) } }, problem))
                }
            }
        }
    }
}

fn locations(to: &SignedIn<'_>, filled: &Filled, problem: &Problem<'_>) -> Markup {
    html! {
        fieldset {
            legend { "Locations" }
            p.hint { "Choose none to get the events of all locations, including those added later." }
            (problem.render("Locations"))
            div.choices {
                @for location in to.locations(UserRight::ManageWebhooks) {
                    @let id = location.id.to_string();
                    @let checked = filled.location_ids.contains(&location.id);
                    (inputs::check_box("location", &id, checked, html! { (location.name) }, problem))
                }
            }
        }
    }
}
