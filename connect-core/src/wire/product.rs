//! Products (specification: Products).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Date, Field, Quantity, Timestamp, VatRate, open_enum::open_enum};

open_enum! {
    /// How far the download of a product's image has come.
    ImageStatus {
        /// The download is queued; `imageUrl` is the link as it was sent.
        Pending = "pending",
        /// The copy is stored; `imageUrl` points to it.
        Done = "done",
        /// The download failed; `imageError` says why.
        Failed = "failed",
    }
}

/// An article that a location sells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    /// Its id.
    pub id: Uuid,
    /// The client's own article code, 1 to 100 letters, digits, blanks and `. _ - /`. Unique in
    /// the location.
    pub external_id: Option<String>,
    /// Its name, 1 to 200 characters.
    pub name: String,
    /// At most 2000 characters.
    pub description: Option<String>,
    /// The price in cents, VAT included, 0 to 100 000 000.
    pub price_cents: i64,
    /// The ISO code of the location's currency.
    pub currency: String,
    /// The VAT rate in percent.
    pub vat_rate: VatRate,
    /// 1 to 64 characters; several products may share one.
    pub barcode: Option<String>,
    /// The category it is in.
    pub category_id: Option<Uuid>,
    /// Whether it is for sale.
    pub is_active: bool,
    /// The first day on which it is available, in the location's time zone.
    pub available_from: Option<Date>,
    /// The last day on which it is available, in the location's time zone.
    pub available_until: Option<Date>,
    /// The link as it was sent until the image is `done`, then that of the stored copy.
    pub image_url: Option<String>,
    /// How far the image is; `None` without an image.
    pub image_status: Option<ImageStatus>,
    /// Why the image failed.
    pub image_error: Option<String>,
    /// Its option groups, in the order in which they are shown.
    pub option_group_ids: Vec<Uuid>,
    /// What is in stock; `None` when the product is not tracked.
    pub stock_quantity: Option<Quantity>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed, stock included, on the location's change clock.
    pub updated_at: Timestamp,
}

/// What a client says of a product: everything it may write. On create `name` is required; on
/// update what is left out stays as it is, and [`Field::Null`] clears what may be cleared.
///
/// ```
/// use connect_core::wire::{Field, ProductInput, VatRate};
///
/// let bread = ProductInput {
///     external_id: Field::Value("BREAD-1".into()),
///     price_cents: Field::Value(345),
///     vat_rate: Field::Value(VatRate::percent(9)),
///     ..ProductInput::named("Bread")
/// };
/// assert_eq!(
///     serde_json::to_string(&bread).unwrap(),
///     r#"{"externalId":"BREAD-1","name":"Bread","priceCents":345,"vatRate":9}"#,
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductInput {
    /// The product meant, in a batch matched by `id`. Ignored everywhere else.
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub id: Field<Uuid>,
    /// See [`Product::external_id`].
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub external_id: Field<String>,
    /// See [`Product::name`].
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub name: Field<String>,
    /// See [`Product::description`].
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub description: Field<String>,
    /// See [`Product::price_cents`]. 0 on create unless given.
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub price_cents: Field<i64>,
    /// See [`Product::vat_rate`]. The location's rate on create unless given.
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub vat_rate: Field<VatRate>,
    /// See [`Product::barcode`].
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub barcode: Field<String>,
    /// See [`Product::category_id`]. Not together with `category_name`.
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub category_id: Field<Uuid>,
    /// The category by its name, which is created when it does not exist yet.
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub category_name: Field<String>,
    /// See [`Product::is_active`]. `true` on create unless given.
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub is_active: Field<bool>,
    /// See [`Product::available_from`].
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub available_from: Field<Date>,
    /// See [`Product::available_until`]. Not before `available_from`.
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub available_until: Field<Date>,
    /// A public HTTPS link to a JPEG, PNG, WebP or GIF; the download is queued. At most 2000
    /// characters. `null` removes the image.
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub image_url: Field<String>,
    /// The full list of option groups.
    #[serde(skip_serializing_if = "Field::is_absent")]
    pub option_group_ids: Field<Vec<Uuid>>,
}

impl ProductInput {
    /// A product of this name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: Field::Value(name.into()),
            ..Self::default()
        }
    }
}

/// A queued download of a product's image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageJob {
    /// The job's id.
    pub id: Uuid,
    /// The product that the image is for.
    pub product_id: Uuid,
    /// The link as it was sent.
    pub source_url: String,
    /// How far it is.
    pub status: ImageStatus,
    /// Why it failed.
    pub error: Option<ImageError>,
    /// How often the download was tried.
    pub attempts: u32,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Why an image could not be taken over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageError {
    /// Stable and machine-readable.
    pub code: String,
    /// For people.
    pub message: String,
}
