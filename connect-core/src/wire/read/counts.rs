//! Reading requests for counting the stock of many products.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Faults, FieldRule, Invalid, ReadError,
    batch::{BatchItem, asks_for_dry_run, body, check_number, faults_of_request, item, items},
    missing,
};
use crate::wire::{
    Field, StockCountItem, StockCounts, WriteInput,
    form::{OrNull, Prose},
    limits::{MAX_NOTE, MAX_STOCK_COUNTS},
};

/// Counts of many products, as received by the service.
/// Each item is read or refused by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountsRequest {
    /// The items in order.
    pub items: Vec<BatchItem<StockCountItem>>,
    /// A remark for people, for every movement.
    pub note: Option<String>,
    /// `true` does all but save.
    pub dry_run: bool,
}

/// The fields besides the items.
const SETTINGS: &[FieldRule] = &[
    Field::<OrNull<Prose<MAX_NOTE>>>::rule("note"),
    Field::<bool>::rule("dryRun"),
    FieldRule::elsewhere("items"),
];

/// The request with unread items.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CountsBody<'a> {
    #[serde(borrow, deserialize_with = "items")]
    items: Option<Vec<&'a RawValue>>,
    note: Field<OrNull<Prose<MAX_NOTE>>>,
    dry_run: Field<bool>,
}

impl CountsRequest {
    /// Reads a request.
    /// An unreadable item does not spoil the rest.
    ///
    /// # Errors
    /// The body is malformed, a field besides the items is invalid, or there are no items or too
    /// many.
    pub fn from_json(json: &[u8]) -> Result<Self, ReadError> {
        body(json, Self::read, |request| {
            request.items.iter().all(Result::is_ok)
        })
    }

    /// Returns whether a body asks for a dry run.
    /// The rest of the body may be refused.
    pub fn asks_for_dry_run(json: &[u8]) -> bool {
        asks_for_dry_run(json)
    }

    /// Returns all faults besides the items, and of their number.
    pub fn faults(json: &[u8]) -> Faults {
        faults_of_request(json, SETTINGS, MAX_STOCK_COUNTS)
    }

    /// Checks the note and the number of items.
    ///
    /// # Errors
    /// The note is too long, or there are no items or too many.
    pub fn check(self) -> Result<Self, Invalid> {
        check_number(self.items.len(), MAX_STOCK_COUNTS)?;
        let mut note = self
            .note
            .map_or(Field::<OrNull<Prose<MAX_NOTE>>>::Null, Field::Value);
        note.check("note")?;
        Ok(Self {
            note: note.into_value(),
            ..self
        })
    }

    fn read(mut body: CountsBody<'_>) -> Result<Self, Invalid> {
        body.note.check("note")?;
        body.dry_run.check("dryRun")?;
        let items = body.items.ok_or_else(|| missing("items"))?;
        check_number(items.len(), MAX_STOCK_COUNTS)?;
        let read = |raw: &&RawValue| item(raw, StockCountItem::READ_ONLY, StockCountItem::REQUIRED);
        Ok(Self {
            items: items.iter().map(read).collect(),
            note: body.note.into_value(),
            dry_run: body.dry_run.value().copied().unwrap_or(false),
        })
    }
}

impl From<StockCounts> for CountsRequest {
    fn from(counts: StockCounts) -> Self {
        Self {
            items: counts.items.into_iter().map(Ok).collect(),
            note: counts.note,
            dry_run: counts.dry_run,
        }
    }
}
