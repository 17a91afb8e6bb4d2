//! Reading batches.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{
    Faults, FieldRule, Invalid, ReadError, array, check_syntax, faults::field, kind, missing,
    object, refusal, utf8,
};
use crate::wire::{Batch, BatchInput, Field, MatchBy, WriteInput};

/// A batch as received by the service.
/// It has its settings, and each item is read or refused by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRequest<T> {
    /// The field for matching items with records.
    pub match_by: MatchBy,
    /// `true` creates a record for an item without a match.
    pub create_missing: bool,
    /// `true` does all but save.
    pub dry_run: bool,
    /// The items in order.
    pub items: Vec<BatchItem<T>>,
}

/// An item of a batch, or its refusal with its external id.
pub type BatchItem<T> = Result<T, (Invalid, Option<String>)>;

/// The name of an item as a whole, in errors.
const ITEM: &str = "item";

/// The settings of a batch.
const SETTINGS: &[FieldRule] = &[
    Field::<MatchBy>::rule("matchBy"),
    Field::<bool>::rule("createMissing"),
    Field::<bool>::rule("dryRun"),
    FieldRule::elsewhere("items"),
];

/// A batch with unread items.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct BatchBody<'a> {
    match_by: Field<MatchBy>,
    create_missing: Field<bool>,
    dry_run: Field<bool>,
    #[serde(borrow, deserialize_with = "items")]
    items: Option<Vec<&'a RawValue>>,
}

pub(super) fn items<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<&'de RawValue>>, D::Error> {
    array(deserializer).map(Some)
}

impl<T> BatchRequest<T> {
    /// Returns whether a body asks for a dry run.
    /// The rest of the body may be refused.
    pub fn asks_for_dry_run(json: &[u8]) -> bool {
        asks_for_dry_run(json)
    }
}

/// Returns whether a body asks for a dry run.
/// The rest of the body may be refused.
pub(super) fn asks_for_dry_run(json: &[u8]) -> bool {
    let text = std::str::from_utf8(json).unwrap_or_default();
    field(text, "dryRun").is_some_and(|sent| sent.get() == "true")
}

impl<T> From<Batch<T>> for BatchRequest<T> {
    fn from(batch: Batch<T>) -> Self {
        Self {
            match_by: batch.match_by,
            create_missing: batch.create_missing,
            dry_run: batch.dry_run,
            items: batch.items.into_iter().map(Ok).collect(),
        }
    }
}

impl<T: BatchInput> BatchRequest<T> {
    /// A batch made in code, with the settings of [`Batch::new`].
    pub fn new(items: Vec<T>) -> Self {
        Batch::new(items).into()
    }

    /// Reads a batch.
    /// An unreadable item does not spoil the rest.
    ///
    /// # Errors
    /// The body is malformed, a setting is invalid, or there are no items or too many.
    pub fn from_json(json: &[u8]) -> Result<Self, ReadError> {
        body(json, Self::read, |batch| {
            batch.items.iter().all(Result::is_ok)
        })
    }

    /// Returns all faults of a batch's settings, and of its item count.
    pub fn faults(json: &[u8]) -> Faults {
        faults_of_request(json, SETTINGS, T::MAX_ITEMS)
    }

    /// Checks the settings and the number of items.
    ///
    /// # Errors
    /// Items of this kind do not match by this field, or there are none or too many.
    pub fn check(&self) -> Result<(), Invalid> {
        check_settings::<T>(&self.match_by, self.items.len())
    }

    fn read(mut body: BatchBody<'_>) -> Result<Self, Invalid> {
        body.match_by.check("matchBy")?;
        body.create_missing.check("createMissing")?;
        body.dry_run.check("dryRun")?;
        let match_by = body.match_by.value().unwrap_or(&T::MATCH_BY[0]);
        let items = body.items.ok_or_else(|| missing("items"))?;
        check_settings::<T>(match_by, items.len())?;
        let mut ignored = T::READ_ONLY.to_vec();
        if *match_by == MatchBy::Id {
            ignored.retain(|field| *field != MatchBy::Id.as_str());
        }
        Ok(Self {
            match_by: match_by.clone(),
            create_missing: body.create_missing.value().copied().unwrap_or(true),
            dry_run: body.dry_run.value().copied().unwrap_or(false),
            items: items.iter().map(|raw| item(raw, &ignored, &[])).collect(),
        })
    }
}

/// Reads a body with separately read items.
/// `read` makes the request from the body, and `is_whole` returns whether no item was refused.
pub(super) fn body<'a, B: Deserialize<'a>, T>(
    json: &'a [u8],
    read: impl FnOnce(B) -> Result<T, Invalid>,
    is_whole: impl FnOnce(&T) -> bool,
) -> Result<T, ReadError> {
    let text = utf8(json)?;
    let body = object::<B>(text, &[]).map_err(|_| None);
    let request = body.and_then(|body| read(body).map_err(Some));
    // A key that stands twice makes the whole body malformed, wherever it is.
    if !request.as_ref().is_ok_and(is_whole) {
        check_syntax(text)?;
    }
    request.map_err(|invalid| invalid.unwrap_or_else(|| refusal_of_body::<B>(text)).into())
}

/// Returns the reason why a text is no body with items.
/// Its syntax is good.
fn refusal_of_body<'a, B: Deserialize<'a>>(text: &'a str) -> Invalid {
    let mut refused = refusal::<B>(super::BODY, text, &[]);
    if text.trim_start().starts_with('[') {
        refused.problem.push_str("; send {\"items\": [...]}");
    }
    refused
}

/// Returns all faults of a body except in its items.
/// Only the number of items counts.
pub(super) fn faults_of_request(json: &[u8], settings: &[FieldRule], most: usize) -> Faults {
    let mut faults = Faults::default();
    let Ok(text) = std::str::from_utf8(json) else {
        return faults;
    };
    faults.fields(text, "", settings, &[], &["items"]);
    if let Some(items) = field(text, "items") {
        match serde_json::from_str::<Vec<&RawValue>>(items.get()) {
            Ok(items) => faults.extend(check_number(items.len(), most)),
            Err(_) => {
                let problem = format!("must be an array, not {}", kind(items.get()));
                faults.add(Invalid::new("items", problem));
            }
        }
    }
    faults
}

/// Reads an item, skipping `ignored` fields.
/// A refused item has all its faults, including missing `required` fields.
pub(super) fn item<T: WriteInput>(
    raw: &RawValue,
    ignored: &[&'static str],
    required: &[&str],
) -> BatchItem<T> {
    let text = raw.get();
    object(text, ignored).map_err(|_| {
        let mut faults = Faults::default();
        faults.fields(text, "", T::RULES, ignored, required);
        let first = refusal::<T>(ITEM, text, ignored);
        (faults.after(first), external_id(text))
    })
}

/// Checks the number of items.
pub(super) fn check_number(items: usize, most: usize) -> Result<(), Invalid> {
    if (1..=most).contains(&items) {
        return Ok(());
    }
    let problem = format!("must have 1 to {most} entries, not {items}");
    Err(Invalid::new("items", problem))
}

fn check_settings<T: BatchInput>(match_by: &MatchBy, items: usize) -> Result<(), Invalid> {
    if !T::MATCH_BY.contains(match_by) {
        let allowed: Vec<_> = T::MATCH_BY.iter().map(MatchBy::as_str).collect();
        let problem = format!("must be one of {}, not \"{match_by}\"", allowed.join(", "));
        return Err(Invalid::new("matchBy", problem));
    }
    check_number(items, T::MAX_ITEMS)
}

/// The external id of a refused item.
fn external_id(item: &str) -> Option<String> {
    serde_json::from_str(field(item, "externalId")?.get()).ok()
}
