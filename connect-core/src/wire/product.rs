//! Products (specification: Products).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Batch, BatchExtra, BatchInput, BatchResult, Category, CategoryName, Date, Field, Id,
    ImageError, ImageStatus, MatchBy, OptionGroup, Quantity, Timestamp, VatRate,
    form::{Cents, Code, ExternalId, IdList, Name, OrNull, Prose, WebLink},
    limits::{
        MAX_BARCODE, MAX_DESCRIPTION, MAX_EXTERNAL_ID, MAX_IMAGE_URL,
        MAX_OPTION_GROUPS_PER_PRODUCT, MAX_PRICE_CENTS, MAX_PRODUCT_NAME, MAX_PRODUCTS_PER_BATCH,
    },
    record::record,
};

record! {
    /// An article for sale at a location.
    pub struct Product;

    /// The writable fields of a product.
    /// On create `name` is required. On update a field left out stays as it is, and [`Field::Null`]
    /// clears a nullable field.
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

    /// The product to match, in a batch matched by `id`.
    /// Ignored everywhere else.
    id => Id<Product>;
    /// The client's own code for the product, unique in the location.
    /// `null` removes it.
    external_id: Option<String> => OrNull<ExternalId<MAX_EXTERNAL_ID>>;
    /// The name of the product.
    name: String => Name<MAX_PRODUCT_NAME>, required;
    /// Text for people; it may have several lines.
    description: Option<String> => OrNull<Prose<MAX_DESCRIPTION>>;
    /// The price in cents, VAT included.
    price_cents: i64 = 0 => Cents<MAX_PRICE_CENTS>;
    /// The ISO code of the location's currency.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z]{3}$")))]
    currency: String, read_only;
    /// The VAT rate in percent.
    /// A new product has the location's rate unless this is given.
    vat_rate: VatRate => VatRate;
    /// The barcode. Several products may share one.
    barcode: Option<String> => OrNull<Code<MAX_BARCODE>>;
    /// A category of this location.
    /// `null` takes the product out of its category. Not together with `categoryName`.
    category_id: Option<Id<Category>> => OrNull<Id<Category>>;
    /// The category by its name, regardless of case.
    /// It is created if the location has none of this name. Not together with `categoryId`.
    category_name => CategoryName;
    /// `true` while the product is for sale.
    is_active: bool = true => bool;
    /// The first day of availability, in the location's time zone.
    available_from: Option<Date> => OrNull<Date>;
    /// The last day of availability, in the location's time zone.
    /// Not before `availableFrom`.
    available_until: Option<Date> => OrNull<Date>;
    /// A public link to a JPEG, PNG, WebP or GIF image.
    /// The image has at most 5 MB (5 000 000 bytes). The link is over HTTPS, without a port, and
    /// not to a private address. Plain HTTP and other ports are accepted only for networks allowed
    /// in the configuration of the service. A new link queues a download. The product's current
    /// link, as sent or as the link of the stored copy, changes nothing. `null` removes the image.
    /// Until the image is `done`, this field shows the link as it was sent; then it is the link of
    /// the stored copy.
    image_url: Option<String> => OrNull<WebLink<MAX_IMAGE_URL>>;
    /// The state of the image; `null` without an image.
    image_status: Option<ImageStatus>, read_only;
    /// The reason why the image is `failed`; `null` otherwise.
    image_error: Option<String>, read_only;
    /// The full list of its option groups, in display order.
    /// They are groups of this location.
    option_group_ids: Vec<Id<OptionGroup>> => IdList<OptionGroup, MAX_OPTION_GROUPS_PER_PRODUCT>;
    /// The quantity in stock; `null` for an untracked product.
    /// A change of it moves `updatedAt`.
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

/// A download of a product's image: queued, done or failed.
/// A product has at most one; a newer link replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImageJob {
    /// The job's id.
    pub id: Id<Self>,
    /// The product of the image.
    pub product_id: Id<Product>,
    /// The link as it was sent.
    pub source_url: String,
    /// The state.
    pub status: ImageStatus,
    /// The reason why the last try failed.
    /// `null` without a failed try, and while a try is under way.
    pub error: Option<ImageError>,
    /// The number of tries.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub attempts: u32,
    /// The time of queuing.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

/// A batch of 1 to 500 products.
pub type ProductBatch = Batch<ProductInput>;

impl BatchInput for ProductInput {
    const MATCH_BY: &'static [MatchBy] = &[MatchBy::ExternalId, MatchBy::Barcode, MatchBy::Id];
    const MAX_ITEMS: usize = MAX_PRODUCTS_PER_BATCH;

    type Extra = ImagesQueued;

    fn id(&self) -> Option<Uuid> {
        self.id.value().map(|id| id.uuid())
    }

    fn external_id(&self) -> Option<&str> {
        self.external_id.value().map(String::as_str)
    }
}

/// The additional part of the result of product batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImagesQueued {
    /// Image downloads queued.
    pub images_queued: usize,
}

impl BatchExtra for ImagesQueued {
    fn add(&mut self, later: Self) {
        self.images_queued = self.images_queued.saturating_add(later.images_queued);
    }
}

/// The result of a batch of products.
pub type ProductBatchResult = BatchResult<ImagesQueued>;
