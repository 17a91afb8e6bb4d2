//! Reading categories, products and batches.

use serde_json::value::RawValue;
use uuid::Uuid;

use super::{
    Invalid, Object, ReadError, array, body, boolean, decimal, field, ignore, integer, missing,
    string, unknown, uuid,
};
use crate::wire::{Batch, CategoryInput, Date, MatchBy, ProductInput, VatRate, limits};

impl CategoryInput {
    const FIELDS: [&str; 3] = ["name", "isActive", "position"];

    /// Reads the body of a write. Read-only fields are accepted and ignored.
    ///
    /// # Errors
    /// The body is malformed, or a field is unknown or of another type.
    pub fn from_json(json: &[u8]) -> Result<Self, ReadError> {
        body(json, |fields| {
            let mut input = Self::default();
            for (key, raw) in fields.fields() {
                match key {
                    "name" => input.name = field(key, raw, string)?,
                    "isActive" => input.is_active = field(key, raw, boolean)?,
                    "position" => input.position = field(key, raw, integer)?,
                    "id" | "createdAt" | "updatedAt" => ignore(key, raw)?,
                    _ => return Err(unknown(key, &Self::FIELDS)),
                }
            }
            Ok(input)
        })
    }
}

impl ProductInput {
    const FIELDS: [&str; 13] = [
        "externalId",
        "name",
        "description",
        "priceCents",
        "vatRate",
        "barcode",
        "categoryId",
        "categoryName",
        "isActive",
        "availableFrom",
        "availableUntil",
        "imageUrl",
        "optionGroupIds",
    ];

    /// Reads the body of a write. Read-only fields are accepted and ignored, `id` among them.
    ///
    /// # Errors
    /// The body is malformed, or a field is unknown or of another type.
    pub fn from_json(json: &[u8]) -> Result<Self, ReadError> {
        body(json, |fields| Self::read(fields, false))
    }

    /// Reads the fields of one product; `id` counts where a batch is matched by it.
    fn read(fields: &Object<'_>, matched_by_id: bool) -> Result<Self, Invalid> {
        let mut input = Self::default();
        for (key, raw) in fields.fields() {
            match key {
                "externalId" => input.external_id = field(key, raw, string)?,
                "name" => input.name = field(key, raw, string)?,
                "description" => input.description = field(key, raw, string)?,
                "priceCents" => input.price_cents = field(key, raw, integer)?,
                "vatRate" => input.vat_rate = field(key, raw, vat_rate)?,
                "barcode" => input.barcode = field(key, raw, string)?,
                "categoryId" => input.category_id = field(key, raw, uuid)?,
                "categoryName" => input.category_name = field(key, raw, string)?,
                "isActive" => input.is_active = field(key, raw, boolean)?,
                "availableFrom" => input.available_from = field(key, raw, date)?,
                "availableUntil" => input.available_until = field(key, raw, date)?,
                "imageUrl" => input.image_url = field(key, raw, string)?,
                "optionGroupIds" => input.option_group_ids = field(key, raw, uuids)?,
                "id" if matched_by_id => input.id = field(key, raw, uuid)?,
                "id" | "currency" | "imageStatus" | "imageError" | "stockQuantity"
                | "createdAt" | "updatedAt" => ignore(key, raw)?,
                _ => return Err(unknown(key, &Self::FIELDS)),
            }
        }
        Ok(input)
    }
}

/// A batch as the service received it: its settings, and each item read or refused by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRequest<T> {
    /// By which field items find their record.
    pub match_by: MatchBy,
    /// Whether an item that finds nothing makes a record.
    pub create_missing: bool,
    /// Whether to do all but save.
    pub dry_run: bool,
    /// The items in order.
    pub items: Vec<BatchItem<T>>,
}

/// An item of a batch: what it says, or why it says nothing usable and the external id it was
/// sent with.
pub type BatchItem<T> = Result<T, (Invalid, Option<String>)>;

impl BatchRequest<ProductInput> {
    /// Whether a body asks for a dry run, also when the rest of it is refused.
    pub fn asks_for_dry_run(json: &[u8]) -> bool {
        let asks =
            |fields: &Object<'_>| Ok(fields.get("dryRun").is_some_and(|raw| raw.get() == "true"));
        body(json, asks).unwrap_or(false)
    }

    /// Reads a batch of products. An item that cannot be read does not spoil the others.
    ///
    /// # Errors
    /// The body is malformed, a setting is invalid, or there are no items or more than 500.
    pub fn from_json(json: &[u8]) -> Result<Self, ReadError> {
        const MATCHES: [MatchBy; 3] = [MatchBy::ExternalId, MatchBy::Barcode, MatchBy::Id];
        let mut an_item_was_refused = false;
        let batch = body(json, |fields| {
            let (settings, items) = settings(fields, &MATCHES, limits::MAX_PRODUCTS_PER_BATCH)?;
            let matched_by_id = settings.match_by == MatchBy::Id;
            let read = |(index, raw): (usize, &&RawValue)| {
                let path = format_args!("items[{index}]");
                let fields = match serde_json::from_str::<Object<'_>>(raw.get()) {
                    Ok(fields) => fields,
                    Err(_) => return Err((super::no_object(&path.to_string(), raw.get()), None)),
                };
                ProductInput::read(&fields, matched_by_id).map_err(|invalid| {
                    let sent = fields
                        .get("externalId")
                        .and_then(|raw| string("", raw).ok());
                    (invalid.within(&path.to_string()), sent)
                })
            };
            let items: Vec<_> = items.iter().enumerate().map(read).collect();
            an_item_was_refused = items.iter().any(Result::is_err);
            Ok(Self { items, ..settings })
        })?;
        // A key that stands twice makes the whole body malformed, and such an item was refused.
        if an_item_was_refused {
            super::check_syntax(std::str::from_utf8(json).unwrap_or_default())?;
        }
        Ok(batch)
    }
}

/// The settings of a batch (without its items yet) and its items, still raw.
fn settings<'a, T>(
    fields: &Object<'a>,
    matches: &[MatchBy],
    most: usize,
) -> Result<(BatchRequest<T>, Vec<&'a RawValue>), Invalid> {
    let mut batch = BatchRequest {
        match_by: MatchBy::ExternalId,
        create_missing: true,
        dry_run: false,
        items: Vec::new(),
    };
    let mut items = None;
    for (key, raw) in fields.fields() {
        match key {
            "matchBy" => {
                let named = string(key, raw).ok().and_then(|text| MatchBy::known(&text));
                batch.match_by = named.filter(|m| matches.contains(m)).ok_or_else(|| {
                    let allowed: Vec<_> = matches.iter().map(MatchBy::as_str).collect();
                    Invalid::new(key, format!("must be one of {}", allowed.join(", ")))
                })?;
            }
            "createMissing" => batch.create_missing = boolean(key, raw)?,
            "dryRun" => batch.dry_run = boolean(key, raw)?,
            "items" => items = Some(array(key, raw)?),
            _ => {
                return Err(unknown(
                    key,
                    &["matchBy", "createMissing", "dryRun", "items"],
                ));
            }
        }
    }
    let items = items.ok_or_else(|| missing("items"))?;
    if !(1..=most).contains(&items.len()) {
        let problem = format!("must have 1 to {most} entries, not {}", items.len());
        return Err(Invalid::new("items", problem));
    }
    Ok((batch, items))
}

fn vat_rate(key: &str, raw: &RawValue) -> Result<VatRate, Invalid> {
    let hundredths = u16::try_from(decimal(key, raw, 2)?).ok();
    hundredths
        .and_then(VatRate::from_hundredths)
        .ok_or_else(|| Invalid::new(key, "must be a percentage from 0 to 100"))
}

fn date(key: &str, raw: &RawValue) -> Result<Date, Invalid> {
    string(key, raw)?
        .parse()
        .map_err(|e| Invalid::new(key, format!("{e}")))
}

fn uuids(key: &str, raw: &RawValue) -> Result<Vec<Uuid>, Invalid> {
    let read = |(index, raw): (usize, &&RawValue)| uuid(&format!("{key}[{index}]"), raw);
    array(key, raw)?.iter().enumerate().map(read).collect()
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

impl<T> BatchRequest<T> {
    /// A batch made in code, with the default settings: matched by `externalId`, making what is
    /// missing, saving what it does.
    pub fn new(items: Vec<T>) -> Self {
        Self {
            match_by: MatchBy::ExternalId,
            create_missing: true,
            dry_run: false,
            items: items.into_iter().map(Ok).collect(),
        }
    }
}
