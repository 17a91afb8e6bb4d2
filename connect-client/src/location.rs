//! The locations, and the kinds of record at each.

use uuid::Uuid;

use crate::{
    Call, Client,
    call::request::Request,
    resource::{Bulk, Listed, Readable, Record, Records, Sealed, Synced, Writable},
    wire::{
        AnyEvent, Category, Id, ImageJob, Location, OptionGroup, Order, Product, StockLevel,
        Timestamp, Transaction, ZReport,
        query::{
            CategoryQuery, EventQuery, ImageJobQuery, OptionGroupQuery, OrderQuery, ProductQuery,
            StockLevelQuery, TransactionQuery, ZReportQuery,
        },
    },
};

// A line has a kind and its capabilities. The handle of a location has a method of the first name, and the
// path ends with the second. A synced kind is listed too; its tombstones have its `id`, unless the line
// names another field.
records! {
    /// Its categories.
    categories: Category, "categories", Readable, Synced<CategoryQuery>, Writable;
    /// Its option groups.
    option_groups: OptionGroup, "option-groups", Readable, Synced<OptionGroupQuery>, Writable, Bulk;
    /// Its products.
    products: Product, "products", Readable, Synced<ProductQuery>, Writable, Bulk;
    /// Its stock, by product. An untracked product has none.
    stock: StockLevel, "stock", Synced<StockLevelQuery> by product_id;
    /// The downloads of its products' images, in queue order.
    image_jobs: ImageJob, "image-jobs", Listed<ImageJobQuery>;
    /// Its orders, in the order of creation.
    /// With `updatedSince` they are in the order of change.
    orders: Order, "orders", Readable, Listed<OrderQuery>;
    /// Its journal: the rows written by its registers, by receipt number.
    transactions: Transaction, "transactions", Readable, Listed<TransactionQuery>;
    /// The closings of its registers, in order of closing.
    z_reports: ZReport, "z-reports", Readable, Listed<ZReportQuery>;
    /// Its events of the last 30 days, in commit order.
    /// Only events covered by the token's scopes are listed.
    events: AnyEvent, "events", Listed<EventQuery>;
}

impl Client {
    /// Returns the locations covered by the token's scopes.
    /// Each comes with its scopes; the list is sorted by name.
    pub fn locations(&self) -> Call<Vec<Location>> {
        Call::collection(self, Request::get("/locations".to_owned()))
    }

    /// Returns the handle of one location, without a request.
    /// Calls of the handle fail when the token has no access to the location.
    pub fn location(&self, id: impl Into<Id<Location>>) -> LocationHandle {
        LocationHandle {
            client: self.clone(),
            id: id.into(),
        }
    }
}

/// The entry to the records of one location.
/// It has a method for each kind of record. Making one sends no request.
#[derive(Clone, Debug)]
pub struct LocationHandle {
    client: Client,
    id: Id<Location>,
}

impl LocationHandle {
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The location's id.
    pub fn id(&self) -> Id<Location> {
        self.id
    }
}

/// Declares the kinds of record.
/// Each has a method of [`LocationHandle`], a type, a path segment and capabilities.
macro_rules! records {
    ($(
        $(#[$meta:meta])*
        $method:ident: $record:ty, $segment:literal $(, $capability:ident $(<$of:ty> $(by $id:ident)?)?)+;
    )+) => {
        impl LocationHandle {
            $(
                $(#[$meta])*
                pub fn $method(&self) -> Records<$record> {
                    Records::new(&self.client, self.id)
                }
            )+
        }

        $(
            impl Sealed for $record {
                const SEGMENT: &'static str = $segment;
            }

            impl Record for $record {}

            $(capability!($capability, $record $(, $of $(, $id)?)?);)+
        )+
    };
}
use records;

macro_rules! capability {
    (Listed, $record:ty, $query:ty) => {
        impl Listed for $record {
            type Query = $query;
        }
    };
    (Readable, $record:ty) => {
        impl Readable for $record {}
    };
    (Synced, $record:ty, $query:ty) => {
        capability!(Synced, $record, $query, id);
    };
    (Synced, $record:ty, $query:ty, $id:ident) => {
        capability!(Listed, $record, $query);

        impl Synced for $record {
            fn changed_at(&self) -> Timestamp {
                self.updated_at
            }

            fn sync_id(&self) -> Uuid {
                self.$id.uuid()
            }
        }
    };
    (Writable, $record:ty) => {
        impl Writable for $record {}
    };
    (Bulk, $record:ty) => {
        impl Bulk for $record {}
    };
}
use capability;
