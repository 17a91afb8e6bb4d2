//! Products (specification: Products).

use serde::{Deserialize, Serialize};

use super::{
    Category, CategoryName, Date, Field, Id, OptionGroup, Quantity, Timestamp, VatRate,
    form::{Cents, Code, ExternalId, Ids, Name, OrNull, Prose, WebLink},
    limits::{
        MAX_BARCODE, MAX_DESCRIPTION, MAX_EXTERNAL_ID, MAX_IMAGE_URL,
        MAX_OPTION_GROUPS_PER_PRODUCT, MAX_PRICE_CENTS, MAX_PRODUCT_NAME,
    },
    open_enum::open_enum,
    record::record,
};

open_enum! {
    /// The state of the download of a product's image.
    ImageStatus {
        /// The download is queued; `imageUrl` is the link as it was sent.
        Pending = "pending",
        /// The copy is stored; `imageUrl` points to it.
        Done = "done",
        /// The download failed; `imageError` says why.
        Failed = "failed",
    }
}

record! {
    /// An article that a location sells.
    pub struct Product;

    /// The fields of a product that a client may write. On create `name` is required; on update a
    /// field that is left out stays as it is, and [`Field::Null`] clears what may be cleared.
    ///
    /// ```
    /// use connect_core::wire::{ProductInput, VatRate};
    ///
    /// let bread = ProductInput::named("Bread")
    ///     .external_id("BREAD-1")
    ///     .price_cents(345)
    ///     .vat_rate(VatRate::percent(9));
    /// assert_eq!(
    ///     serde_json::to_string(&bread).unwrap(),
    ///     r#"{"externalId":"BREAD-1","name":"Bread","priceCents":345,"vatRate":9}"#,
    /// );
    /// ```
    #[cfg_attr(
        feature = "schema",
        schemars(extend("not" = {
            "properties": { "categoryId": {}, "categoryName": {} },
            "required": ["categoryId", "categoryName"]
        }))
    )]
    pub struct ProductInput;

    /// The product that is meant, in a batch matched by `id`. Ignored everywhere else.
    id => Id<Product>;
    /// The client's own code for the product, unique in the location. `null` removes it.
    external_id: Option<String> => OrNull<ExternalId<MAX_EXTERNAL_ID>>;
    /// The name of the product.
    name: String => Name<MAX_PRODUCT_NAME>, required;
    /// Text for people, which may have several lines.
    description: Option<String> => OrNull<Prose<MAX_DESCRIPTION>>;
    /// The price in cents, VAT included.
    price_cents: i64 = 0 => Cents<MAX_PRICE_CENTS>;
    /// The ISO code of the location's currency.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z]{3}$")))]
    currency: String, read_only;
    /// The VAT rate in percent. A new product has the location's rate unless this is given.
    vat_rate: VatRate => VatRate;
    /// The barcode. Several products may share one.
    barcode: Option<String> => OrNull<Code<MAX_BARCODE>>;
    /// A category of this location; `null` takes the product out of its category. Not together
    /// with `categoryName`.
    category_id: Option<Id<Category>> => OrNull<Id<Category>>;
    /// The category by its name in any case; it is made when the location has none of that name.
    /// Not together with `categoryId`.
    category_name => CategoryName;
    /// `true` while the product is for sale.
    is_active: bool = true => bool;
    /// The first day on which the product is available, in the location's time zone.
    available_from: Option<Date> => OrNull<Date>;
    /// The last day on which the product is available, in the location's time zone; not before
    /// `availableFrom`.
    available_until: Option<Date> => OrNull<Date>;
    /// A public link to a JPEG, PNG, WebP or GIF of at most 5 MB (5 000 000 bytes): over HTTPS, without a port, and
    /// not to a private address. Plain HTTP and other ports are taken for networks that the service
    /// is configured to allow. A new link queues a download; the one that the product has already,
    /// as it was sent or that of the stored copy, changes nothing; `null` removes the image. Shown
    /// as it was sent until the image is `done`; then it is the link of the stored copy.
    image_url: Option<String> => OrNull<WebLink<MAX_IMAGE_URL>>;
    /// The state of the image; `null` without an image.
    image_status: Option<ImageStatus>, read_only;
    /// The reason why the image is `failed`; `null` otherwise.
    image_error: Option<String>, read_only;
    /// The full list of option groups of this location, in the order in which they are shown.
    option_group_ids: Vec<Id<OptionGroup>> => Ids<OptionGroup, MAX_OPTION_GROUPS_PER_PRODUCT>;
    /// The quantity in stock; `null` when the product is not tracked. A change of it moves
    /// `updatedAt`.
    stock_quantity: Option<Quantity>, read_only;
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

open_enum! {
    /// The reasons for which an image is not taken over.
    ImageErrorCode {
        /// Its address could not be reached.
        Unreachable = "unreachable",
        /// The answer was no success.
        BadStatus = "bad_status",
        /// It is larger than 5 MB (5 000 000 bytes).
        TooLarge = "too_large",
        /// It is no JPEG, PNG, WebP or GIF.
        UnsupportedType = "unsupported_type",
        /// It is damaged.
        Corrupt = "corrupt",
        /// Its address is not public.
        ForbiddenAddress = "forbidden_address",
        /// The download took too long.
        Timeout = "timeout",
        /// The service itself failed, as when it cannot store the copy.
        ServerError = "server_error",
    }
}

/// A download of a product's image: queued, done or failed. A product has at most one; a newer
/// link replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImageJob {
    /// The job's id.
    pub id: Id<Self>,
    /// The product that the image is for.
    pub product_id: Id<Product>,
    /// The link as it was sent.
    pub source_url: String,
    /// The state.
    pub status: ImageStatus,
    /// The reason why the last try failed; `null` when none has, and while a try is under way.
    pub error: Option<ImageError>,
    /// The number of times that the download was tried.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub attempts: u32,
    /// The time at which it was queued.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

/// The reason why an image could not be taken over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ImageError {
    /// Stable and machine-readable.
    pub code: ImageErrorCode,
    /// For people.
    pub message: String,
}
