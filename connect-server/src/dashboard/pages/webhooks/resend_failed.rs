//! The form to send again all deliveries given up since a time.

use chrono::NaiveDateTime;
use connect_core::{
    Delivery, Error, Reason, Resent, Webhook, local_time, time_of_local,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};
use url::form_urlencoded::Serializer;

use super::PATH;
use crate::dashboard::{
    Answer, FormFields, components,
    notices::{self, Notice},
    page_request::SignedIn,
};

/// The format of a date and a time in a field.
const LOCAL: &str = "%Y-%m-%dT%H:%M";

const DAY: i64 = 24 * 3600;

/// The field with the time.
const SINCE: &str = "since";

/// The state of a search to continue: delivery, time and number left.
const GO_ON: &str = "go-on";
const GO_ON_SINCE: &str = "go-on-since";
const LEFT: &str = "left";

/// Renders the form, continuing the previous search if any.
/// Typed input is kept.
pub(super) fn form(to: &SignedIn<'_>, webhook: &Webhook) -> Markup {
    let before = read(to.query.get(SINCE));
    let go_on: Option<Id<Delivery>> = to.query.get(GO_ON).parse().ok();
    let left: Option<usize> = to.query.get(LEFT).parse().ok();
    let yesterday = || local_time(to.connect.now().plus_seconds(-DAY));
    let since = match to.form.get(SINCE) {
        "" => written(before.unwrap_or_else(yesterday)),
        typed => typed.to_owned(),
    };
    let is_wrong = read(&since).is_none();
    let action = format!("{PATH}/{}/resend-failed", webhook.id);
    let fields = html! {
        div.actions {
            label for=(SINCE) { (text!("webhooks-given-up-since")) }
            input id=(SINCE) name=(SINCE) type="datetime-local" required value=(since)
                aria-invalid=[is_wrong.then_some("true")];
            @if let (Some(go_on), Some(before)) = (go_on, before) {
                input type="hidden" name=(GO_ON) value=(go_on);
                input type="hidden" name=(GO_ON_SINCE) value=(written(before));
            }
            button.quiet { (text!("webhooks-resend-all")) }
            @if let Some(left) = left.filter(|left| *left > 0) {
                span.hint { (text!("webhooks-left", count = left)) }
            }
        }
    };
    components::form(&action, &to.csrf, fields)
}

/// A request to send deliveries again.
pub(super) struct ResendRequest {
    typed: NaiveDateTime,
    /// The start of the period.
    pub(super) since: Timestamp,
    /// The delivery to continue from: only earlier ones are sent.
    pub(super) before: Option<Id<Delivery>>,
}

impl ResendRequest {
    /// Reads the form.
    ///
    /// # Errors
    /// The time is missing or invalid.
    pub(super) fn read(form: &FormFields) -> Result<Self, Error> {
        let problem = || Reason::of(SINCE, text!("webhooks-since-problem"));
        let typed = read(form.get(SINCE)).ok_or_else(|| Error::Invalid(problem()))?;
        // Another time starts a new search.
        let goes_on = read(form.get(GO_ON_SINCE)) == Some(typed);
        let before = form.get(GO_ON).parse().ok();
        Ok(Self {
            typed,
            since: time_of_local(typed),
            before: before.filter(|_| goes_on),
        })
    }

    /// Redirects to the page of the webhook, with the number left.
    pub(super) fn answer(&self, id: Id<Webhook>, resent: &Resent) -> Answer {
        let path = format!("{PATH}/{id}");
        let Some(next) = resent.next else {
            let notice = match resent.sent {
                0 => Notice::NoneFailed,
                _ => Notice::AllResent,
            };
            return Answer::redirect(&notices::at(&path, notice));
        };
        let query = Serializer::new(String::new())
            .append_pair(SINCE, &written(self.typed))
            .append_pair(GO_ON, &next.to_string())
            .append_pair(LEFT, &resent.left.to_string())
            .finish();
        let path = format!("{path}?{query}");
        Answer::redirect(&notices::at(&path, Notice::SomeResent))
    }
}

fn written(time: NaiveDateTime) -> String {
    time.format(LOCAL).to_string()
}

/// Reads a date and a time as browsers send them.
fn read(text: &str) -> Option<NaiveDateTime> {
    let with_seconds = || NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S");
    let read = NaiveDateTime::parse_from_str(text, LOCAL).or_else(|_| with_seconds());
    read.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: another time continued the previous search.
    #[test]
    fn another_time_is_another_search() {
        let place = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
        for (since, goes_on) in [
            ("2026-01-01T09:15", true),
            ("2026-01-01T09:15:00", true),
            ("2026-01-01T09:16", false),
            ("2025-01-01T09:15", false),
        ] {
            let form = format!("since={since}&go-on={place}&go-on-since=2026-01-01T09:15");
            let request = ResendRequest::read(&FormFields::parse(form.as_bytes())).unwrap();
            assert_eq!(request.before.is_some(), goes_on, "{since}");
        }
        let form = format!("since=2026-01-01T09:15&go-on={place}");
        let request = ResendRequest::read(&FormFields::parse(form.as_bytes())).unwrap();
        assert_eq!(request.before, None);
    }
}
