//! The page to send deliveries again: how many it would be, before it is done.

use chrono::{NaiveDateTime, NaiveTime};
use connect_core::{
    Delivery, Error, Reason, Resent, Webhook, local_time, time_of_local,
    wire::{Id, Timestamp},
};
use http::StatusCode;
use maud::{Markup, html};

use super::{PATH, deliveries::CHOSEN, filters::DeliveryFilters, show};
use crate::dashboard::{
    Answer, FormFields, components, inputs::Field, layout, page_request::SignedIn,
};

/// The format of a date and a time in a field.
const LOCAL: &str = "%Y-%m-%dT%H:%M";

/// The fields with the period.
pub(super) const SINCE: &str = "since";
pub(super) const UNTIL: &str = "until";

/// The delivery from which a search goes on.
pub(super) const GO_ON: &str = "go-on";

/// The field of the button for chosen deliveries.
const OF: &str = "of";

/// Asks before deliveries are sent again: the chosen ones, or those of a period.
pub(crate) async fn ask(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Webhook> = components::id(id)?;
    let webhook = to.connect.webhook(to.account().id, id).await?;
    let chosen = chosen(&to.query);
    if to.query.get(OF).is_empty() && chosen.is_empty() {
        return of_period(to, &webhook).await;
    }
    if chosen.is_empty() {
        let reason = Reason::new(text!("webhooks-choose-first"));
        let page = show::page(to, id, Some(&reason)).await?;
        return Ok(page.with_status(StatusCode::UNPROCESSABLE_ENTITY));
    }
    let count = to
        .connect
        .count_resend_many(to.account().id, id, &chosen)
        .await;
    match count {
        Ok(count) => {
            let fields = html! {
                @for id in &chosen { input type="hidden" name=(CHOSEN) value=(id); }
            };
            let content = confirmation(to, &webhook, "resend", &count, fields);
            Ok(page(to, &webhook, None, content))
        }
        Err(error) => {
            let again = async |reason: &Reason| Ok(page(to, &webhook, Some(reason), html! {}));
            components::again(error, again).await
        }
    }
}

async fn of_period(to: &SignedIn<'_>, webhook: &Webhook) -> Result<Answer, Error> {
    if !to.query.has_field(SINCE) {
        let form = form(to, webhook, &to.query, None);
        return Ok(page(to, webhook, None, form));
    }
    let counted = count(to, webhook).await;
    match counted {
        Ok((request, count)) => {
            let content = html! {
                (form(to, webhook, &to.query, None))
                (confirmation(to, webhook, "resend-failed", &count, request.fields(None)))
            };
            Ok(page(to, webhook, None, content))
        }
        Err(error) => refused(to, webhook, &to.query, error).await,
    }
}

async fn count(to: &SignedIn<'_>, webhook: &Webhook) -> Result<(ResendRequest, Resent), Error> {
    let request = ResendRequest::read(&to.query)?;
    let (account, since, until) = (to.account().id, request.since(), request.until());
    let counted =
        to.connect
            .count_resend_given_up(account, webhook.id, since, until, request.go_on);
    Ok((request, counted.await?))
}

/// Shows the form of a period again, with the problem.
///
/// # Errors
/// The error itself, if the reader of the form cannot correct it.
pub(super) async fn refused(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    typed: &FormFields,
    error: Error,
) -> Result<Answer, Error> {
    let again = async |reason: &Reason| {
        let form = form(to, webhook, typed, Some(reason));
        Ok(page(to, webhook, Some(reason), form))
    };
    components::again(error, again).await
}

/// Makes the page, with a problem of no field.
pub(super) fn page(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    refused: Option<&Reason>,
    content: Markup,
) -> Answer {
    let back = DeliveryFilters::of(to).here(webhook);
    let content = html! {
        p { a.wide href=(back) { (webhook.url) } }
        (components::problem(refused, &[SINCE, UNTIL]))
        (content)
    };
    layout::page(to, PATH, &text!("webhooks-resend-title"), content)
}

/// The form with the period; typed input is kept.
fn form(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    typed: &FormFields,
    refused: Option<&Reason>,
) -> Markup {
    let since = match typed.has_field(SINCE) {
        true => typed.get(SINCE).to_owned(),
        false => yesterday(local_time(to.connect.now())),
    };
    let field = |name, label, value, hint| Field {
        label,
        name,
        kind: "datetime-local",
        value,
        hint,
        autocomplete: "off",
    };
    let (no_hint, until_hint) = ("".into(), text!("webhooks-until-hint"));
    let since = field(SINCE, text!("webhooks-given-up-since"), &since, no_hint).render(refused);
    let until = typed.get(UNTIL);
    let until = field(UNTIL, text!("webhooks-given-up-until"), until, until_hint);
    html! {
        p.hint { (text!("webhooks-resend-about")) }
        form method="get" action={ (PATH) "/" (webhook.id) "/resend" } {
            (DeliveryFilters::of(to).hidden())
            (since)
            (until.render_optional(true, refused))
            button.quiet { (text!("webhooks-count")) }
        }
    }
}

/// The number of deliveries, and the button to send them.
fn confirmation(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    action: &str,
    count: &Resent,
    fields: Markup,
) -> Markup {
    let filters = DeliveryFilters::of(to);
    let action = filters.kept_by(&format!("{PATH}/{}/{action}", webhook.id));
    html! {
        h2 { (text!("webhooks-resend-found")) }
        p { (text!("webhooks-resendable", count = count.sent)) }
        (passed_over(count))
        @if count.next.is_some() { p { (text!("webhooks-resend-rest", count = count.left)) } }
        @if count.sent > 0 || count.next.is_some() {
            (components::form(&action, &to.csrf, html! {
                (fields)
                div.actions {
                    button { (text!("webhooks-resend-now", count = count.sent)) }
                    a.button.quiet href=(filters.here(webhook)) { (text!("word-cancel")) }
                }
            }))
        }
    }
}

/// The number of deliveries passed over, with the reasons.
pub(super) fn passed_over(resent: &Resent) -> Markup {
    html! {
        @if resent.passed_over > 0 {
            p { (text!("webhooks-passed-over", count = resent.passed_over)) }
        }
    }
}

/// Returns the chosen deliveries of a form.
pub(super) fn chosen(fields: &FormFields) -> Vec<Id<Delivery>> {
    let chosen = fields.all(CHOSEN).filter_map(|id| id.parse().ok());
    chosen.collect()
}

/// A request to send the given-up deliveries of a period.
pub(super) struct ResendRequest {
    since: NaiveDateTime,
    until: Option<NaiveDateTime>,
    /// The delivery to continue from: only earlier ones are sent.
    pub(super) go_on: Option<Id<Delivery>>,
}

impl ResendRequest {
    /// Reads the form.
    ///
    /// # Errors
    /// A time is missing or invalid, or the period is empty.
    pub(super) fn read(form: &FormFields) -> Result<Self, Error> {
        let time = |name: &str| {
            let problem = || Reason::of(name, text!("webhooks-since-problem"));
            read(form.get(name)).ok_or_else(|| Error::Invalid(problem()))
        };
        let since = time(SINCE)?;
        let until = match form.get(UNTIL) {
            "" => None,
            _ => Some(time(UNTIL)?),
        };
        if until.is_some_and(|until| until <= since) {
            let problem = Reason::of(UNTIL, text!("webhooks-until-problem"));
            return Err(Error::Invalid(problem));
        }
        Ok(Self {
            since,
            until,
            go_on: form.get(GO_ON).parse().ok(),
        })
    }

    /// The start of the period.
    pub(super) fn since(&self) -> Timestamp {
        time_of_local(self.since)
    }

    /// The end of the period.
    pub(super) fn until(&self) -> Option<Timestamp> {
        self.until.map(time_of_local)
    }

    /// The hidden fields of a form for the same period, to go on from a delivery.
    pub(super) fn fields(&self, go_on: Option<Id<Delivery>>) -> Markup {
        html! {
            input type="hidden" name=(SINCE) value=(written(self.since));
            @if let Some(until) = self.until {
                input type="hidden" name=(UNTIL) value=(written(until));
            }
            @if let Some(go_on) = go_on { input type="hidden" name=(GO_ON) value=(go_on); }
        }
    }
}

/// The beginning of the day before.
fn yesterday(now: NaiveDateTime) -> String {
    let day = now.date().pred_opt().unwrap_or(now.date());
    written(day.and_time(NaiveTime::MIN))
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

    #[test]
    fn a_period_has_a_start_and_perhaps_a_later_end() {
        for (form, problem) in [
            ("since=2026-01-01T09:15", None),
            ("since=2026-01-01T09:15:00&until=", None),
            ("since=2026-01-01T09:15&until=2026-01-01T09:16", None),
            ("since=2026-01-01T09:15&until=2026-01-01T09:15", Some(UNTIL)),
            ("since=2026-01-01T09:15&until=2025-12-31T23:59", Some(UNTIL)),
            ("since=2026-01-01T09:15&until=tomorrow", Some(UNTIL)),
            ("since=", Some(SINCE)),
            ("since=2026-02-30T00:00", Some(SINCE)),
            ("", Some(SINCE)),
        ] {
            let read = ResendRequest::read(&FormFields::parse(form.as_bytes()));
            let found = match read {
                Ok(_) => None,
                Err(error) => error.problem().field.clone(),
            };
            assert_eq!(found.as_deref(), problem, "{form}");
        }
    }

    #[test]
    fn a_form_to_go_on_has_the_same_period() {
        let place = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
        let form = format!("since=2026-01-01T09:15&until=2026-01-02T00:00&go-on={place}");
        let request = ResendRequest::read(&FormFields::parse(form.as_bytes())).unwrap();
        assert_eq!(
            request.go_on.map(|id| id.to_string()).as_deref(),
            Some(place)
        );
        let shown = request.fields(request.go_on).into_string();
        for value in ["2026-01-01T09:15", "2026-01-02T00:00", place] {
            assert!(shown.contains(&format!("value=\"{value}\"")), "{shown}");
        }
    }
}
