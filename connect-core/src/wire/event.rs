//! Events (specification: Events).

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::{Id, Location, Scope, Timestamp, open_enum::open_enum};

open_enum! {
    /// The kinds of events.
    EventType {
        /// A product was created, changed or deleted by a single write.
        ProductChanged = "catalog.product.changed",
        /// Several products changed at once.
        ProductsChanged = "catalog.products.changed",
        /// An option group or option was created, changed or deleted.
        /// Also sent for a batch of groups.
        OptionGroupChanged = "catalog.optiongroup.changed",
        /// A category was created, changed or deleted. Sent only on request.
        CategoryChanged = "catalog.category.changed",
        /// A register wrote a journal row.
        TransactionCreated = "pos.transaction.created",
        /// A register was closed.
        ZReportCreated = "pos.zreport.created",
        /// The stock of a product changed.
        StockChanged = "stock.changed",
        /// The stock of many products was counted.
        StockBatchChanged = "stock.batch_changed",
        /// A kiosk, or Scan & Order, made an order.
        OrderCreated = "order.created",
        /// The status of an order changed.
        OrderStatusChanged = "order.status_changed",
    }
}

impl EventType {
    /// Every scope for reading some type of events.
    pub const SCOPES: &'static [Scope] = &[
        Scope::PosRead,
        Scope::CatalogRead,
        Scope::StockRead,
        Scope::OrdersRead,
    ];

    /// The scope for reading events of this type; `None` without one.
    pub fn scope(&self) -> Option<Scope> {
        match self.as_str().split_once('.')?.0 {
            "pos" => Some(Scope::PosRead),
            "catalog" => Some(Scope::CatalogRead),
            "stock" => Some(Scope::StockRead),
            "order" => Some(Scope::OrdersRead),
            _ => None,
        }
    }
}

/// An event with any data.
pub type AnyEvent = Event<serde_json::Value>;

impl AnyEvent {
    /// Reads the data of the event.
    /// Examples are [`RecordsWritten`] and [`Changed<Product>`](Changed).
    ///
    /// # Errors
    /// The event has other data.
    pub fn data_as<D: DeserializeOwned>(&self) -> Result<D, serde_json::Error> {
        D::deserialize(&self.data)
    }
}

/// The envelope of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Event"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Event<D> {
    /// Its id; receivers ignore an id they have seen.
    pub id: Id<AnyEvent>,
    /// The kind of event.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The commit time of the change.
    pub created_at: Timestamp,
    /// The location where it happened; `null` for a `ping`.
    pub location_id: Option<Id<Location>>,
    /// 1, 2, 3, ... per location in commit order; `null` for a `ping`.
    pub sequence: Option<u64>,
    /// The change; its fields depend on the type of the event.
    pub data: D,
}

/// Data of a deletion: `{ "id", "deleted": true }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Deleted {
    /// The id of the deleted record.
    pub id: Uuid,
    /// Always `true`.
    pub deleted: bool,
}

/// Data of an event about one created or changed record.
/// It has the record as it is now, and `"deleted": false`. A deletion sends [`Deleted`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Changed<R> {
    /// The record as it is now.
    #[serde(flatten)]
    pub record: R,
    /// Always `false`.
    pub deleted: bool,
}

/// Data of an event about a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RecordsWritten {
    /// The created and updated records, in batch order, each once.
    pub ids: Vec<Uuid>,
    /// The number of items creating a record.
    pub created: usize,
    /// The number of items updating a record.
    pub updated: usize,
}

/// Data of `catalog.products.changed`: many products changed for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProductsChanged {
    /// `bulk`, `images` or `optionGroups`.
    pub reason: String,
    /// The changed products.
    pub ids: Vec<Uuid>,
    /// The deleted products; only with the reason `bulk`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_ids: Option<Vec<Uuid>>,
}

/// Data of a `ping`, the account owner's test of a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Ping {
    /// The webhook.
    pub webhook_id: Uuid,
    /// A sentence about it, for people.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_event_has_a_scope() {
        for kind in EventType::KNOWN {
            let scope = kind.scope().unwrap();
            assert!(EventType::SCOPES.contains(&scope), "{kind}");
        }
        let scope = |text: &str| EventType::from(text).scope();
        assert_eq!(scope("catalog.product.changed"), Some(Scope::CatalogRead));
        assert_eq!(scope("pos.transaction.created"), Some(Scope::PosRead));
        assert_eq!(scope("stock.batch_changed"), Some(Scope::StockRead));
        assert_eq!(scope("order.created"), Some(Scope::OrdersRead));
        for text in ["ping", "catalogue.changed", "", "catalog"] {
            assert_eq!(scope(text), None, "{text:?}");
        }
    }
}
