//! The form that sends again what was given up since a time.

use chrono::NaiveDateTime;
use connect_core::{
    Delivery, Error, Reason, Resent, Webhook, local_time, time_of_local,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};
use url::form_urlencoded::Serializer;

use super::{PATH, actions::back};
use crate::dashboard::{
    Answer, components,
    notices::{self, Notice},
    visit::SignedIn,
};

/// The form of a date and a time in a field.
const LOCAL: &str = "%Y-%m-%dT%H:%M";

const DAY: i64 = 24 * 3600;

/// The fields: the time, the place at which the time before stopped, and the number that it left.
const SINCE: &str = "since";
const GO_ON: &str = "go-on";
const LEFT: &str = "left";

/// Renders the form, or that which goes on where the one before stopped.
pub(super) fn form(to: &SignedIn<'_>, webhook: &Webhook) -> Markup {
    let since = match read(to.query.get(SINCE)) {
        Some(since) => since,
        None => local_time(to.connect.now().plus_seconds(-DAY)),
    };
    let go_on: Option<Id<Delivery>> = to.query.get(GO_ON).parse().ok();
    let left: Option<usize> = to.query.get(LEFT).parse().ok();
    let action = format!("{PATH}/{}/resend-failed", webhook.id);
    let fields = html! {
        div.actions {
            label for=(SINCE) { "Deliveries that were given up since" }
            input id=(SINCE) name=(SINCE) type="datetime-local" required
                value=(since.format(LOCAL).to_string());
            @if let Some(go_on) = go_on { input type="hidden" name=(GO_ON) value=(go_on); }
            button.quiet { "Send all again" }
            @if let Some(left) = left.filter(|left| *left > 0) {
                span.hint { "At least " (left) " are left." }
            }
        }
    };
    components::form(&action, &to.csrf, fields)
}

/// Sends them again.
pub(crate) async fn act(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let problem = "must be a date and a time, such as 2026-11-20T09:15";
    let typed = read(to.form.get(SINCE));
    let typed = typed.ok_or_else(|| Error::Invalid(Reason::of(SINCE, problem)))?;
    let since: Timestamp = time_of_local(typed);
    let before = to.form.get(GO_ON).parse().ok();
    let account = to.owner.account().id;
    let resent = to.connect.resend_given_up(account, id, since, before);
    Ok(after(id, typed, &resent.await?))
}

/// Leads back to the page of the webhook, with what is left to do.
fn after(id: Id<Webhook>, since: NaiveDateTime, resent: &Resent) -> Answer {
    let Some(next) = resent.next else {
        let is_none = resent.sent == 0;
        return back(
            id,
            if is_none {
                Notice::NoneFailed
            } else {
                Notice::AllResent
            },
        );
    };
    let query = Serializer::new(String::new())
        .append_pair(SINCE, &since.format(LOCAL).to_string())
        .append_pair(GO_ON, &next.to_string())
        .append_pair(LEFT, &resent.left.to_string())
        .finish();
    let path = format!("{PATH}/{id}?{query}");
    Answer::redirect(&notices::at(&path, Notice::SomeResent))
}

/// Reads a date and a time as browsers send them.
fn read(text: &str) -> Option<NaiveDateTime> {
    let with_seconds = || NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S");
    let read = NaiveDateTime::parse_from_str(text, LOCAL).or_else(|_| with_seconds());
    read.ok()
}
