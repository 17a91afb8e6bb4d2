//! The feed of events (contract: chapter 12).
//! It has the events of webhooks, for receivers after an outage.

use serde::Deserialize;
use uuid::Uuid;

use crate::{
    auth::Access,
    engine::{Listed, RowFilter},
    transaction::{Error, Reason, number_in},
    wire::{AnyEvent, EventType, Scope, limits::EVENT_DAYS, query::EventQuery},
};

impl Listed for AnyEvent {
    const NAME: &'static str = "event";
    const LIST: &'static str = "events";
    const KEPT_DAYS: Option<i64> = Some(EVENT_DAYS);

    type Query = EventQuery;

    fn after(query: &EventQuery) -> Option<(u64, Uuid)> {
        query.after.map(|id| (number_in(id.uuid()), id.uuid()))
    }

    /// Shows only events within the caller's read scopes at the location.
    fn filter(query: &EventQuery, access: &Access) -> Result<Option<RowFilter>, Error> {
        if let Some(wanted) = query.kind.clone() {
            check_scope(&wanted, access)?;
            return Ok(Some(of_kind(move |kind| kind == wanted)));
        }
        let scopes = EventType::SCOPES.iter();
        let allowed: Vec<Scope> = scopes
            .filter(|scope| access.allows(scope))
            .cloned()
            .collect();
        if allowed.len() == EventType::SCOPES.len() {
            return Ok(None);
        }
        Ok(Some(of_kind(move |kind| {
            kind.scope().is_some_and(|scope| allowed.contains(&scope))
        })))
    }
}

/// A test of the event type. The rest of the envelope is not read.
fn of_kind(passes: impl Fn(EventType) -> bool + Send + Sync + 'static) -> RowFilter {
    #[derive(Deserialize)]
    struct EventTypeField {
        #[serde(rename = "type")]
        kind: EventType,
    }
    Box::new(move |row| serde_json::from_slice(row).map(|event: EventTypeField| passes(event.kind)))
}

/// Refuses an event type outside the caller's scopes.
/// An empty list would look as if nothing had happened.
fn check_scope(wanted: &EventType, access: &Access) -> Result<(), Error> {
    match wanted.scope() {
        Some(scope) if !access.allows(&scope) => Err(Error::ForbiddenScope(Reason::new(format!(
            "this token lacks the scope {scope} for this location, without which it sees no \
                 {wanted} events"
        )))),
        _ => Ok(()),
    }
}
