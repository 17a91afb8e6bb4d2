//! The form to make or change a webhook.

use std::borrow::Cow;

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
        messages::markup,
        notices::{self, Notice},
        page_request::SignedIn,
    },
};

/// The purpose of the form.
#[derive(Clone, Copy)]
enum Purpose {
    New,
    Edit,
}

impl Purpose {
    /// Returns the title of the form, and the words of its button.
    fn words(self) -> (Cow<'static, str>, Cow<'static, str>) {
        match self {
            Self::New => (text!("webhooks-create"), text!("webhooks-create")),
            Self::Edit => (text!("webhooks-edit"), text!("word-save")),
        }
    }
}

/// The fields of the form.
struct Filled {
    url: String,
    events: Vec<EventType>,
    location_ids: Vec<Id<Location>>,
    /// Set if a location is not on offer. Without it, the webhook might have the events of all.
    has_unknown_location: bool,
}

impl Filled {
    /// Reads the form, ignoring events it does not offer.
    fn of(to: &SignedIn<'_>) -> Self {
        let is_chosen = |kind: &&EventType| to.form.has("event", kind.as_str());
        let locations = to.locations(UserRight::ManageWebhooks);
        let locations = locations.into_iter().map(|location| location.id);
        let ids: Vec<_> = locations.map(|id| (id, id.to_string())).collect();
        let chosen = ids.iter().filter(|(_, id)| to.form.has("location", id));
        let mut sent = to.form.all("location");
        Self {
            url: to.form.get("url").to_owned(),
            events: EventType::KNOWN.iter().filter(is_chosen).cloned().collect(),
            location_ids: chosen.map(|(id, _)| *id).collect(),
            has_unknown_location: sent.any(|sent| ids.iter().all(|(_, id)| id != sent)),
        }
    }

    /// Refuses a location not on offer.
    fn check(&self) -> Result<(), Error> {
        match self.has_unknown_location {
            true => Err(Error::Invalid(Reason::of(
                "locationIds",
                text!("word-must-be-chosen"),
            ))),
            false => Ok(()),
        }
    }

    fn of_webhook(webhook: &Webhook) -> Self {
        Self {
            url: webhook.url.clone(),
            events: webhook.events.clone(),
            location_ids: webhook.location_ids.clone(),
            has_unknown_location: false,
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
        has_unknown_location: false,
    };
    page(to, Purpose::New, PATH, &filled, None)
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
    let made = match filled.check() {
        Ok(()) => to.execute(new).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(done) => Ok(created(to, &filled, &done).made(done.subject)),
        Err(error) => {
            let form =
                async |reason: &Reason| Ok(page(to, Purpose::New, PATH, &filled, Some(reason)));
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
    Ok(page(to, Purpose::Edit, &action, &filled, None))
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
    let changed = match filled.check() {
        Ok(()) => to.execute(WebhookCommand::Change { id, changes }).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(Answer::redirect(&notices::at(
            &action,
            Notice::WebhookChanged,
        ))),
        Err(error) => {
            let form =
                async |reason: &Reason| Ok(page(to, Purpose::Edit, &action, &filled, Some(reason)));
            components::again(error, form).await
        }
    }
}

fn created(to: &SignedIn<'_>, filled: &Filled, done: &Execution<'_>) -> Answer {
    let path = done.subject.object.map(|id| format!("{PATH}/{id}"));
    let content = html! {
        p { (marked!("webhooks-sent-to", [url = &filled.url], code = markup::code)) }
        (components::shown_once(&text!("webhooks-secret"), done.secret.as_ref()))
        p.hint { (text!("webhooks-secret-hint")) }
        p { a.button href=[path] { (text!("webhooks-go-to")) } }
    };
    layout::page(to, PATH, &text!("webhooks-created"), content)
}

fn page(
    to: &SignedIn<'_>,
    purpose: Purpose,
    action: &str,
    filled: &Filled,
    refused: Option<&Reason>,
) -> Answer {
    let (title, done) = purpose.words();
    let url = Field {
        label: text!("webhooks-url"),
        name: "url",
        kind: "url",
        value: &filled.url,
        hint: text!("webhooks-url-hint"),
        autocomplete: "off",
    };
    let fields = html! {
        (components::problem(refused, &["url", "events", "locationIds"]))
        (url.render(refused))
        (events(filled, &Problem::of("events", refused)))
        (locations(to, filled, &Problem::of("locationIds", refused)))
        button { (done) }
    };
    layout::page(to, PATH, &title, components::form(action, &to.csrf, fields))
}

fn events(filled: &Filled, problem: &Problem<'_>) -> Markup {
    html! {
        fieldset {
            legend { (text!("field-events")) }
            (problem.render(&text!("webhooks-events-problem")))
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
            legend { (text!("word-locations")) }
            p.hint { (text!("webhooks-locations-hint")) }
            (problem.render(&text!("word-locations")))
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
