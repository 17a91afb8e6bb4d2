//! Privacy: erasures, exports, and how long personal data is kept.
//! The commands are among those of accounts and locations.

use std::fmt::Write as _;

use clap::Args;
use connect_core::{
    Account, Blanked, Error, Person, PlannedErasure, Reason, Retention,
    wire::{Id, Location, Timestamp},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::execution::{Execution, Shown, known};
use crate::telemetry::audit::Action;

/// The days to keep personal data of an account. 0 takes a setting away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetentionChanges {
    /// Remove orders after so many days; 0 keeps them.
    #[arg(long, value_name = "DAYS")]
    pub orders: Option<u32>,
    /// Blank the names of customers in orders and of employees in receipts after so many days; 0 keeps them.
    #[arg(long, value_name = "DAYS")]
    pub persons: Option<u32>,
    /// Keep events for so many days, 7 to 30.
    #[arg(long, value_name = "DAYS")]
    pub events: Option<u32>,
    /// Keep the log of deliveries for so many days, 7 to 30.
    #[arg(long, value_name = "DAYS")]
    pub deliveries: Option<u32>,
    /// Keep the last requests of tokens so many days, 7 to 30.
    #[arg(long, value_name = "DAYS")]
    pub requests: Option<u32>,
    /// Keep the journal for so many days after an erasure, without names; 0 erases it too.
    #[arg(long, value_name = "DAYS")]
    pub journal: Option<u32>,
}

impl RetentionChanges {
    fn over(self, before: Retention) -> Retention {
        let of = |change: Option<u32>, before| match change {
            None => before,
            Some(0) => None,
            days => days,
        };
        Retention {
            order_days: of(self.orders, before.order_days),
            person_days: of(self.persons, before.person_days),
            event_days: of(self.events, before.event_days),
            delivery_days: of(self.deliveries, before.delivery_days),
            request_days: of(self.requests, before.request_days),
            journal_days: of(self.journal, before.journal_days),
        }
    }
}

/// The person to blank: in one record, or everywhere at the location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[group(required = true, multiple = false)]
#[serde(rename_all = "camelCase", default)]
pub struct PersonArguments {
    /// The receipt or the order with this id.
    #[arg(long, value_name = "ID")]
    pub record: Option<Uuid>,
    /// The name, exactly as it is stored.
    #[arg(long)]
    pub name: Option<String>,
}

/// Plans the erasure of an account or a location.
pub(super) async fn erase<'a>(
    to: &Execution<'a>,
    account: Id<Account>,
    location: Option<Id<Location>>,
) -> Result<Shown<'a>, Error> {
    let planned = to.connect.plan_erasure(account, location).await?;
    Ok(known(planned))
}

/// Takes back the erasure of an account or a location.
pub(super) async fn keep<'a>(
    to: &Execution<'a>,
    account: Id<Account>,
    location: Option<Id<Location>>,
) -> Result<Shown<'a>, Error> {
    to.connect.cancel_erasure(account, location).await?;
    Ok(known(json!({})))
}

/// Changes how long personal data is kept, or shows it.
pub(super) async fn retention<'a>(
    to: &Execution<'a>,
    account: Id<Account>,
    changes: RetentionChanges,
) -> Result<Shown<'a>, Error> {
    let before = to.connect.account(account).await?.retention;
    let after = changes.over(before);
    Ok(known(to.connect.set_retention(account, after).await?))
}

/// Exports a piece of an account, and notes it.
pub(super) async fn export<'a>(
    to: &mut Execution<'a>,
    account: Id<Account>,
    from: Option<&str>,
) -> Result<Shown<'a>, Error> {
    let piece = to.connect.export_account(account, from).await?;
    // An erased account has no trail any more.
    let trail = to.connect.account(account).await.is_ok().then_some(account);
    let (object, action) = Action::ExportAccount.parts();
    to.connect.note_action(trail, object, action).await?;
    Ok(known(json!({ "lines": piece.lines, "next": piece.next })))
}

/// Blanks a person at a location.
pub(super) async fn blank<'a>(
    to: &Execution<'a>,
    account: Id<Account>,
    location: Id<Location>,
    person: &PersonArguments,
) -> Result<Shown<'a>, Error> {
    let person = match (person.record, &person.name) {
        (Some(record), None) => Person::OfRecord(record),
        (None, Some(name)) => Person::Named(name.clone()),
        _ => {
            let problem = "name either a record or a name";
            return Err(Error::Invalid(Reason::of("person", problem)));
        }
    };
    let Blanked {
        receipts,
        orders,
        events,
        ..
    } = to.connect.blank_person(account, location, &person).await?;
    Ok(known(
        json!({ "receipts": receipts, "orders": orders, "events": events }),
    ))
}

/// The text of a planned erasure.
pub(super) fn erased_text(what: &str, id: &str, result: Value) -> serde_json::Result<String> {
    let planned: PlannedErasure = serde_json::from_value(result)?;
    Ok(format!(
        "The {what} {id} is erased with everything of it at {}. Until then `connect-server {what} keep {id}` takes \
         this back.",
        planned.erase_at
    ))
}

/// The text of an erasure taken back.
pub(super) fn kept_text(what: &str, id: &str) -> String {
    format!("The {what} {id} is not erased.")
}

/// The text of the days to keep data.
pub(super) fn retention_text(result: Value) -> serde_json::Result<String> {
    let retention: Retention = serde_json::from_value(result)?;
    let mut text = String::new();
    for (what, days, otherwise) in [
        ("orders", retention.order_days, "kept"),
        ("names of persons", retention.person_days, "kept"),
        ("events", retention.event_days, "30 days"),
        ("deliveries", retention.delivery_days, "30 days"),
        ("last requests", retention.request_days, "30 days"),
        ("journal after an erasure", retention.journal_days, "erased"),
    ] {
        let days = days.map_or(otherwise.to_owned(), |days| format!("{days} days"));
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{what}: {days}");
    }
    Ok(text.trim_end().to_owned())
}

/// The text of blanked records.
pub(super) fn blanked_text(result: &Value) -> String {
    format!(
        "Blanked in {} receipts, {} orders and {} events.",
        result["receipts"], result["orders"], result["events"]
    )
}

/// The end of a line about a planned erasure.
pub(super) fn planned(erase_at: Option<Timestamp>) -> String {
    erase_at.map_or(String::new(), |at| format!("  erased at {at}"))
}
