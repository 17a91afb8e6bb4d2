//! The filters of a webhook's deliveries, as named in the address.

use std::borrow::Cow;

use connect_core::{DeliveryFilter, DeliveryStatus, Webhook, local_time, wire::EventType};
use maud::{Markup, html};

use super::{PATH, test_event::PING};
use crate::dashboard::{
    fields,
    page_request::{CURSOR, SignedIn},
    period::Period,
    period_choice,
    table::SORT,
};

const RESULT: &str = "result";
const EVENT: &str = "event";

/// The results, as named in the address.
const RESULTS: [(&str, DeliveryStatus); 3] = [
    ("delivered", DeliveryStatus::Delivered),
    ("given-up", DeliveryStatus::GivenUp),
    ("waiting", DeliveryStatus::Pending),
];

/// The chosen filters. Unknown values of the address are left out.
pub(super) struct DeliveryFilters {
    result: Option<(&'static str, DeliveryStatus)>,
    event: Option<EventType>,
    period: Option<Period>,
    /// The order of the rows, kept for the next page; or "".
    order: String,
    /// The delivery before the page; or "".
    cursor: String,
}

impl DeliveryFilters {
    /// Reads the address of the page.
    pub(super) fn of(to: &SignedIn<'_>) -> Self {
        let today = local_time(to.connect.now()).date();
        let (result, event) = (to.query.get(RESULT), to.query.get(EVENT));
        let is_known = EventType::known(event).is_some() || event == PING;
        Self {
            result: RESULTS.into_iter().find(|(name, _)| *name == result),
            event: is_known.then(|| EventType::from(event)),
            period: Period::of(&to.query, today),
            order: to.query.get(SORT).to_owned(),
            cursor: to.query.get(CURSOR).to_owned(),
        }
    }

    /// Returns the filter of the core.
    pub(super) fn of_core(&self) -> DeliveryFilter {
        let [since, until] = self.period.map(Period::times).unwrap_or_default();
        DeliveryFilter {
            status: self.result.map(|(_, status)| status),
            event: self.event.clone(),
            since,
            until,
        }
    }

    /// Returns whether all deliveries pass.
    pub(super) fn is_empty(&self) -> bool {
        self.result.is_none() && self.event.is_none() && self.period.is_none()
    }

    /// Renders the form.
    pub(super) fn form(&self, to: &SignedIn<'_>, webhook: &Webhook) -> Markup {
        let event = self.event.as_ref().map(EventType::as_str);
        let result = self.result.map(|(name, _)| name);
        let known = EventType::KNOWN.iter().map(EventType::as_str);
        let page = page_of(webhook);
        let neighbor = |period| fields::address(&page, self.fields(Some(period), ""));
        html! {
            form.filter method="get" action=(page) {
                @if !self.order.is_empty() { input type="hidden" name=(SORT) value=(self.order); }
                label for="of-result" { (text!("word-result")) }
                select id="of-result" name=(RESULT) {
                    option value="" { (text!("word-all")) }
                    @for (name, status) in RESULTS {
                        option value=(name) selected[result == Some(name)] { (words(status)) }
                    }
                }
                label for="of-event" { (text!("webhooks-event")) }
                select id="of-event" name=(EVENT) {
                    option value="" { (text!("word-all")) }
                    @for name in known.chain([PING]) {
                        option value=(name) selected[event == Some(name)] { (name) }
                    }
                }
                (period_choice::fields(to, self.period, true))
                button.quiet { (text!("word-show")) }
                (period_choice::neighbors(to, self.period, neighbor))
            }
        }
    }

    /// Returns the address of the page after this cursor.
    pub(super) fn next(&self, webhook: &Webhook, cursor: &str) -> String {
        fields::address(&page_of(webhook), self.fields(self.period, cursor))
    }

    /// Returns the address of the present page.
    pub(super) fn here(&self, webhook: &Webhook) -> String {
        self.kept_by(&page_of(webhook))
    }

    /// Returns another address with these filters, for the way back.
    pub(super) fn kept_by(&self, path: &str) -> String {
        fields::address(path, self.fields(self.period, &self.cursor))
    }

    /// Returns the hidden fields of a form for another page, for the way back.
    pub(super) fn hidden(&self) -> Markup {
        let fields = self.fields(self.period, &self.cursor).into_iter();
        html! {
            @for (name, value) in fields.filter(|(_, value)| !value.is_empty()) {
                input type="hidden" name=(name) value=(value);
            }
        }
    }

    fn fields(&self, period: Option<Period>, cursor: &str) -> [(&'static str, String); 6] {
        let result = self.result.map(|(name, _)| name);
        let event = self.event.as_ref().map(EventType::as_str);
        let [unit, date] = period.map(Period::fields).unwrap_or_default();
        [
            (RESULT, result.unwrap_or_default().to_owned()),
            (EVENT, event.unwrap_or_default().to_owned()),
            unit,
            date,
            (SORT, self.order.clone()),
            (CURSOR, cursor.to_owned()),
        ]
    }
}

/// The path of the page with the deliveries.
fn page_of(webhook: &Webhook) -> String {
    format!("{PATH}/{}", webhook.id)
}

/// Returns a result in a word or two.
pub(super) fn words(status: DeliveryStatus) -> Cow<'static, str> {
    match status {
        DeliveryStatus::Delivered => text!("webhooks-delivered"),
        DeliveryStatus::GivenUp => text!("webhooks-given-up"),
        DeliveryStatus::Pending => text!("webhooks-waiting"),
    }
}
