//! The form by which webhooks are made and changed.

use connect_core::{
    Error, IssuedWebhook, NewWebhook, Reason, Webhook, WebhookChange,
    wire::{EventType, Id, Location},
};
use http::StatusCode;
use maud::{Markup, html};

use super::PATH;
use crate::dashboard::{
    Answer,
    components::{self, Field},
    layout,
    notices::{self, Notice},
    visit::SignedIn,
};

/// The fields of the form.
struct Filled {
    url: String,
    events: Vec<EventType>,
    location_ids: Vec<Id<Location>>,
}

impl Filled {
    /// Reads the form. What it does not offer is left out.
    fn of(to: &SignedIn<'_>) -> Self {
        let is_chosen = |kind: &&EventType| to.form.has("event", kind.as_str());
        let locations = to
            .owner
            .account()
            .locations
            .iter()
            .map(|location| location.id);
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
    page(to, "New webhook", PATH, &filled, None)
}

/// Makes a webhook, and shows its secret this once.
pub(crate) async fn create(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let filled = Filled::of(to);
    let new = NewWebhook {
        url: filled.url.clone(),
        events: filled.events.clone(),
        location_ids: filled.location_ids.clone(),
    };
    match to.connect.create_webhook(to.owner.account().id, new).await {
        Ok(issued) => Ok(made(to, &issued)),
        Err(error) => {
            let reason = components::mendable(error)?;
            Ok(refused(page(
                to,
                "New webhook",
                PATH,
                &filled,
                Some(&reason),
            )))
        }
    }
}

/// Shows the form of a webhook.
pub(crate) async fn edit(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let webhook = to.connect.webhook(to.owner.account().id, id).await?;
    let action = format!("{PATH}/{id}");
    Ok(page(
        to,
        "Change a webhook",
        &action,
        &Filled::of_webhook(&webhook),
        None,
    ))
}

/// Changes a webhook.
pub(crate) async fn change(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let filled = Filled::of(to);
    let change = WebhookChange {
        url: Some(filled.url.clone()),
        events: Some(filled.events.clone()),
        location_ids: Some(filled.location_ids.clone()),
    };
    let action = format!("{PATH}/{id}");
    match to
        .connect
        .change_webhook(to.owner.account().id, id, change)
        .await
    {
        Ok(_) => Ok(Answer::redirect(&notices::at(
            &action,
            Notice::WebhookChanged,
        ))),
        Err(error) => {
            let reason = components::mendable(error)?;
            Ok(refused(page(
                to,
                "Change a webhook",
                &action,
                &filled,
                Some(&reason),
            )))
        }
    }
}

fn refused(answer: Answer) -> Answer {
    answer.with_status(StatusCode::UNPROCESSABLE_ENTITY)
}

fn made(to: &SignedIn<'_>, issued: &IssuedWebhook) -> Answer {
    let content = html! {
        p { "Events that happen from now on are sent to " code { (issued.webhook.url) } "." }
        (components::shown_once("The secret", issued.secret.expose()))
        p.hint {
            "The receiver checks the signature of each delivery with it. The connect-webhook-verify \
             crate does that in Rust; the guide shows it for other languages."
        }
        p { a.button href={ (PATH) "/" (issued.webhook.id) } { "Go on to test it" } }
    };
    layout::page(to, PATH, "The webhook was made", content)
}

fn page(
    to: &SignedIn<'_>,
    title: &str,
    action: &str,
    filled: &Filled,
    reason: Option<&Reason>,
) -> Answer {
    let url = Field {
        label: "Address",
        name: "url",
        kind: "url",
        value: &filled.url,
        hint: "It has to begin with https:// and be reachable from the internet.",
        autocomplete: "off",
    };
    let fields = html! {
        (components::problem(reason, &["url"]))
        (url.render(reason))
        (events(filled))
        (locations(to, filled))
        button { "Save" }
    };
    layout::page(to, PATH, title, components::form(action, &to.csrf, fields))
}

fn events(filled: &Filled) -> Markup {
    html! {
        fieldset {
            legend { "Events" }
            div.choices {
                @for kind in EventType::KNOWN {
                    label {
                        input type="checkbox" name="event" value=(kind) checked[filled.events.contains(kind)];
                        code { (kind) }
                    }
                }
            }
        }
    }
}

fn locations(to: &SignedIn<'_>, filled: &Filled) -> Markup {
    html! {
        fieldset {
            legend { "Locations" }
            p.hint { "Choose none for all locations, those that are added later included." }
            div.choices {
                @for location in &to.owner.account().locations {
                    label {
                        input type="checkbox" name="location" value=(location.id)
                            checked[filled.location_ids.contains(&location.id)];
                        (location.name)
                    }
                }
            }
        }
    }
}
