//! The filters of a webhook's deliveries, as named in the address.

use std::borrow::Cow;

use chrono::{NaiveDate, NaiveTime};
use connect_core::{
    DeliveryFilter, DeliveryStatus, Webhook, local_time, time_of_local, wire::EventType,
};
use maud::{Markup, html};
use url::form_urlencoded::Serializer;

use super::PATH;
use crate::dashboard::{
    page_request::{CURSOR, SignedIn},
    period::{self, Period},
    period_choice,
};

const RESULT: &str = "result";
const EVENT: &str = "event";

/// The plain test; no webhook asks for it.
const PING: &str = "ping";

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
        }
    }

    /// Returns the filter of the core.
    pub(super) fn of_core(&self) -> DeliveryFilter {
        let start = |day: NaiveDate| time_of_local(day.and_time(NaiveTime::MIN));
        let period = self.period;
        DeliveryFilter {
            status: self.result.map(|(_, status)| status),
            event: self.event.clone(),
            since: period.map(|period| start(period.first)),
            until: period.and_then(|period| period.last.succ_opt()).map(start),
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
        let neighbor = |period: Period| self.address(webhook, Some(period), None);
        html! {
            form.filter method="get" action={ (PATH) "/" (webhook.id) } {
                label for="of-result" { (text!("webhooks-result")) }
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
        self.address(webhook, self.period, Some(cursor))
    }

    fn address(&self, webhook: &Webhook, period: Option<Period>, cursor: Option<&str>) -> String {
        // The day by its date: "today" would be another one tomorrow.
        let day = period.map(|period| period.first.to_string());
        let values = [
            (RESULT, self.result.map(|(name, _)| name)),
            (EVENT, self.event.as_ref().map(EventType::as_str)),
            (period::UNIT, period.map(|period| period.unit.name())),
            (period::DATE, day.as_deref()),
            (CURSOR, cursor),
        ];
        let given = values.iter();
        let given = given.filter_map(|(name, value)| Some((name, (*value)?)));
        let mut query = Serializer::new(String::new());
        query.extend_pairs(given);
        format!("{PATH}/{}?{}", webhook.id, query.finish())
    }
}

/// Returns a result in a word or two.
pub(super) fn words(status: DeliveryStatus) -> Cow<'static, str> {
    match status {
        DeliveryStatus::Delivered => text!("webhooks-delivered"),
        DeliveryStatus::GivenUp => text!("webhooks-given-up"),
        DeliveryStatus::Pending => text!("webhooks-waiting"),
    }
}
