//! Privacy: export, erasure, and how long personal data is kept.

use std::borrow::Cow;

use bytes::Bytes;
use connect_core::{Error, PlannedErasure, Reason, Retention, wire::Id, wire::Location};
use maud::{Markup, html};
use serde_json::Value;
use url::form_urlencoded::Serializer;

use crate::{
    commands::{
        Execution,
        accounts::AccountCommand,
        locations::LocationCommand,
        privacy::{PersonArguments, RetentionChanges},
    },
    dashboard::{
        Answer, components,
        inputs::Problem,
        layout,
        notices::{self, Notice},
        page_request::SignedIn,
    },
    telemetry::audit::Action,
};

const PATH: &str = "/dashboard/privacy";
const EXPORT: &str = "/dashboard/privacy/export";
const RETENTION: &str = "/dashboard/privacy/retention";
const BLANK: &str = "/dashboard/privacy/blank";

/// The bytes of an export's file. Larger exports have several.
const FILE: usize = 8 * 1024 * 1024;

/// The fields of the times to keep data: name, label, and the value of the account.
type Days = (
    &'static str,
    fn() -> Cow<'static, str>,
    fn(&Retention) -> Option<u32>,
);

const DAYS: [Days; 6] = [
    (
        "orderDays",
        || text!("privacy-order-days"),
        |of| of.order_days,
    ),
    (
        "personDays",
        || text!("privacy-person-days"),
        |of| of.person_days,
    ),
    (
        "eventDays",
        || text!("privacy-event-days"),
        |of| of.event_days,
    ),
    (
        "deliveryDays",
        || text!("privacy-delivery-days"),
        |of| of.delivery_days,
    ),
    (
        "requestDays",
        || text!("privacy-request-days"),
        |of| of.request_days,
    ),
    (
        "journalDays",
        || text!("privacy-journal-days"),
        |of| of.journal_days,
    ),
];

/// Shows the page.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    Ok(page(to, None))
}

/// Shows the next file of the export.
pub(super) async fn export(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let from = Some(to.query.get("from")).filter(|from| !from.is_empty());
    let (_, next) = file(to, from).await?;
    let next = next.map(|next| {
        let mut query = Serializer::new(String::new());
        query.append_pair("from", &next);
        format!("{EXPORT}?{}", query.finish())
    });
    let content = html! {
        p { (text!("privacy-export-explained", name = to.account().name.as_str())) }
        @if next.is_some() || from.is_some() { p { (text!("privacy-several-files")) } }
        (components::form(EXPORT, &to.csrf, html! {
            @if let Some(from) = from { input type="hidden" name="from" value=(from); }
            button { (text!("privacy-download")) }
        }))
        @if let Some(next) = next { p { a href=(next) { (text!("privacy-next-file")) } } }
        p { a href=(PATH) { (text!("privacy-back")) } }
    };
    Ok(layout::page(to, PATH, &text!("privacy-export"), content))
}

/// Sends a file of the export.
pub(super) async fn download(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let from = Some(to.form.get("from")).filter(|from| !from.is_empty());
    let (lines, _) = file(to, from).await?;
    // Every file: the place of one is no secret, so each can be the first.
    let (account, (object, action)) = (to.account().id, Action::ExportAccount.parts());
    let noted = to.connect.note_action(Some(account), object, action);
    noted.await?;
    let name = format!("connect-{}.ndjson", to.account().id);
    Ok(Answer::file(
        name,
        "application/x-ndjson",
        Bytes::from(lines),
    ))
}

/// The lines of a file, and the place of the next one.
async fn file(to: &SignedIn<'_>, from: Option<&str>) -> Result<(String, Option<String>), Error> {
    let (mut lines, mut from) = (String::new(), from.map(str::to_owned));
    loop {
        let account = to.account().id;
        let piece = to.connect.export_account(account, from.as_deref()).await?;
        lines.push_str(&piece.lines);
        from = piece.next;
        if from.is_none() || lines.len() >= FILE {
            return Ok((lines, from));
        }
    }
}

/// Plans the erasure of the account, once its name is written.
pub(super) async fn erase(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let planned = match check_name(to, None) {
        Ok(()) => {
            let id = to.account().id;
            to.execute(AccountCommand::Erase { id }).await
        }
        Err(error) => Err(error),
    };
    erased(to, planned).await
}

/// Plans the erasure of a location, once its name is written.
pub(super) async fn erase_location(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let planned = match check_name(to, Some(id)) {
        Ok(()) => to.execute(LocationCommand::Erase { id }).await,
        Err(error) => Err(error),
    };
    erased(to, planned).await
}

async fn erased(to: &SignedIn<'_>, planned: Result<Execution<'_>, Error>) -> Result<Answer, Error> {
    match planned {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::ErasurePlanned))),
        Err(error) => components::again(error, async |reason| Ok(page(to, Some(reason)))).await,
    }
}

/// Checks the written name: that of the location, or of the account.
fn check_name(to: &SignedIn<'_>, location: Option<Id<Location>>) -> Result<(), Error> {
    let (account, name) = (to.account(), to.form.get("name").trim());
    let is_right = match location {
        None => account.name == name,
        Some(id) => {
            let mut locations = account.locations.iter();
            let at = locations.find(|at| at.id == id);
            at.ok_or_else(components::gone)?.name == name
        }
    };
    match is_right {
        true => Ok(()),
        false => Err(Error::Invalid(Reason::of(
            "name",
            text!("privacy-must-be-name"),
        ))),
    }
}

/// Takes back the erasure of the account.
pub(super) async fn keep(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let id = to.account().id;
    let done = to.execute(AccountCommand::Keep { id }).await;
    kept(to, done).await
}

/// Takes back the erasure of a location.
pub(super) async fn keep_location(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let done = to.execute(LocationCommand::Keep { id }).await;
    kept(to, done).await
}

async fn kept(to: &SignedIn<'_>, done: Result<Execution<'_>, Error>) -> Result<Answer, Error> {
    match done {
        Ok(_) => Ok(Answer::redirect(&notices::at(
            PATH,
            Notice::ErasureTakenBack,
        ))),
        Err(error) => components::again(error, async |reason| Ok(page(to, Some(reason)))).await,
    }
}

/// Changes how long personal data is kept.
pub(super) async fn retention(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let days = |name: &'static str| match to.form.get(name).trim() {
        // An empty field takes the setting away.
        "" => Ok(Some(0)),
        text => {
            let wrong = || Error::Invalid(Reason::of(name, text!("word-must-be-days")));
            text.parse().map(Some).map_err(|_| wrong())
        }
    };
    let changes = async || {
        let changes = RetentionChanges {
            orders: days("orderDays")?,
            persons: days("personDays")?,
            events: days("eventDays")?,
            deliveries: days("deliveryDays")?,
            requests: days("requestDays")?,
            journal: days("journalDays")?,
        };
        let id = to.account().id;
        to.execute(AccountCommand::Retention { id, changes }).await
    };
    match changes().await {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::AccountChanged))),
        Err(error) => components::again(error, async |reason| Ok(page(to, Some(reason)))).await,
    }
}

/// Blanks a person at a location.
pub(super) async fn blank(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let id = components::id(to.form.get("locationId"))?;
    let text = to.form.get("person").trim();
    let record = text.parse().ok();
    let person = PersonArguments {
        record,
        name: record.is_none().then(|| text.to_owned()),
    };
    match to.result_of(LocationCommand::Blank { id, person }).await {
        Ok(counts) => {
            let counts = counts
                .as_object()
                .into_iter()
                .flat_map(|counts| counts.values());
            let notice = match counts.filter_map(Value::as_u64).sum() {
                0 => Notice::NoPersonFound,
                _ => Notice::PersonBlanked,
            };
            Ok(Answer::redirect(&notices::at(PATH, notice)))
        }
        Err(error) => components::again(error, async |reason| Ok(page(to, Some(reason)))).await,
    }
}

fn page(to: &SignedIn<'_>, refused: Option<&Reason>) -> Answer {
    let account = to.account();
    let is_retention = refused.is_some() && to.path == RETENTION;
    let mut fields: Vec<&str> = DAYS.iter().map(|(name, ..)| *name).collect();
    fields.push("name");
    let content = html! {
        (components::problem(refused, &fields))
        h2 { (text!("privacy-export")) }
        p.hint { (text!("privacy-export-hint")) }
        p { a.button.quiet href=(EXPORT) { (text!("privacy-export")) } }
        h2 { (text!("privacy-retention")) }
        p.hint { (text!("privacy-retention-hint")) }
        (components::form(RETENTION, &to.csrf, html! {
            @for (name, label, days) in DAYS {
                @let stored = days(&account.retention).map(|days| days.to_string());
                @let value = if is_retention { Some(to.form.get(name).to_owned()) } else { stored };
                @let problem = Problem::of(name, refused);
                @let label = label();
                div.field {
                    label for=(name) { (label) }
                    input id=(name) name=(name) type="text" inputmode="numeric" value=[value]
                        aria-invalid=[problem.invalid()] aria-describedby=[problem.id()];
                    (problem.render(&label))
                }
            }
            button { (text!("word-save")) }
        }))
        h2 { (text!("privacy-blank-person")) }
        p.hint { (text!("privacy-blank-hint")) }
        @for at in &account.locations {
            (components::form(BLANK, &to.csrf, html! {
                input type="hidden" name="locationId" value=(at.id);
                div.field {
                    @let id = format!("person-{}", at.id);
                    label for=(id) { (text!("privacy-person-at", location = at.name.as_str())) }
                    input id=(id) name="person" type="text" required autocomplete="off";
                }
                button.quiet { (text!("privacy-blank")) }
            }))
        }
        h2 { (text!("privacy-erase")) }
        p.hint { (text!("privacy-erase-hint")) }
        @for at in &account.locations {
            (erasure(to, &at.name, Some(at.id), account.planned_erasure(Some(at.id)), refused))
        }
        (erasure(to, &account.name, None, account.planned_erasure(None), refused))
    };
    layout::page(to, PATH, &text!("section-privacy"), content)
}

/// The form for an erasure, or for taking it back.
fn erasure(
    to: &SignedIn<'_>,
    name: &str,
    location: Option<Id<Location>>,
    planned: Option<PlannedErasure>,
    refused: Option<&Reason>,
) -> Markup {
    let (full, path) = match location {
        Some(id) => (
            text!("privacy-erase-location", name = name),
            format!("{PATH}/locations/{id}"),
        ),
        None => (text!("privacy-erase-account", name = name), PATH.to_owned()),
    };
    let is_sent = to.path == format!("{path}/erase");
    let problem = Problem::of("name", refused.filter(|_| is_sent));
    html! {
        @if let Some(planned) = planned {
            @let time = |_: &str| components::time(planned.erase_at);
            p.warning {
                @match location {
                    Some(_) => (marked!("privacy-location-erased", [name = name], time = time)),
                    None => (marked!("privacy-account-erased", [name = name], time = time)),
                }
            }
            (components::form(&format!("{path}/keep"), &to.csrf, html! {
                button { (text!("privacy-keep", name = name)) }
            }))
        } @else {
            @let field = format!("name{}", location.map(|id| format!("-{id}")).unwrap_or_default());
            @let typed = is_sent.then(|| to.form.get("name"));
            @let form = components::form(&format!("{path}/erase"), &to.csrf, html! {
                div.field {
                    label for=(field) { (text!("word-name")) }
                    input id=(field) name="name" type="text" required autocomplete="off" value=[typed]
                        aria-invalid=[problem.invalid()] aria-describedby=[problem.id()];
                    (problem.render(&text!("word-name")))
                }
                button { (text!("privacy-erase")) }
            });
            @let consequence = text!("privacy-write-name");
            // A dialog opens by its button alone, and would hide the problem.
            @if problem.id().is_some() { (components::asked_again(&full, &consequence, form)) }
            @else { div.row { (components::confirmed(&full, &full, &consequence, form)) } }
        }
    }
}
