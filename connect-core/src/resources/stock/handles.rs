//! The stock of a location: as values, and as JSON for servers.

use uuid::Uuid;

use super::{
    adjustments::Adjust,
    count_many::CountMany,
    counts::CountOne,
    low::{self, LowStock},
    minimums::{SetMinimum, StockMinimum, check_owner},
};
use crate::{
    Refusal,
    auth::Access,
    engine::{Answer, Connect, Json, Request, Rows, Write, decoded, single},
    rules::stock::input::Adjustment,
    storage::{Key, Read},
    transaction::{
        Error, Fault,
        keys::{Family, KeyPart, key},
    },
    wire::{
        Entry, Id, Page, Product, Quantity, Single, StockAdjustment, StockCount, StockCounts,
        StockCountsResult, StockLevel, StockMovement,
        query::{Paging, StockLevelQuery},
        read::CountsRequest,
    },
};

/// The stock of a location.
/// The SDK's handle has the same methods, but for minimums: they are no part of the API.
#[derive(Clone, Debug)]
pub struct Stock(JsonStock);

/// The same for a server: bodies and answers are JSON.
#[derive(Clone, Debug)]
pub struct JsonStock {
    connect: Connect,
    access: Access,
}

impl Stock {
    pub(in crate::resources) fn new(connect: &Connect, access: &Access) -> Self {
        Self(JsonStock {
            connect: connect.clone(),
            access: access.clone(),
        })
    }

    /// The same for a server.
    pub fn json(&self) -> &JsonStock {
        &self.0
    }

    /// Returns a page of the levels, in the order of their last change.
    /// Untracked products have none.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list(&self, query: &StockLevelQuery) -> Result<Page<StockLevel>, Error> {
        self.0.levels().list(query).await
    }

    /// Returns a page of the levels, with tombstones.
    /// Levels of products deleted in the last 90 days have one, under the id of the product.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list_with_deleted(
        &self,
        query: &StockLevelQuery,
    ) -> Result<Page<Entry<StockLevel>>, Error> {
        self.0.levels().list_with_deleted(query).await
    }

    /// Returns the level of a product.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such product, or it is not tracked.
    pub async fn get(&self, product: impl Into<Id<Product>>) -> Result<StockLevel, Error> {
        let level = self.0.get(product.into().uuid()).await?;
        decoded(level.decode()).map(|single| single.data)
    }

    /// Counts the stock of a product, tracked from then on.
    /// Await it for the resulting level.
    ///
    /// # Errors
    /// A field is missing or invalid, there is no such product, or its stock is not the expected
    /// one.
    pub fn count(&self, product: impl Into<Id<Product>>, count: StockCount) -> Write<StockLevel> {
        let (stock, product) = (self.0.clone(), product.into());
        let target = self.target(&product.to_string());
        Write::new("count", target, count, move |request| {
            Box::pin(stock.count(product.uuid(), request))
        })
    }

    /// Counts the stock of up to 1000 products in one commit.
    /// Failed items do not spoil the rest; the result has the outcome of each.
    ///
    /// # Errors
    /// The request as a whole is invalid.
    pub fn count_many(&self, counts: StockCounts) -> Write<StockCountsResult> {
        let stock = self.0.clone();
        let target = self.target("");
        Write::new("count", target, counts, move |request: Request<_>| {
            Box::pin(stock.count_many(request.map(Into::into)))
        })
    }

    /// Adds to the stock of a product, or takes from it.
    /// The product is tracked from then on. Await it for the movement.
    ///
    /// # Errors
    /// A field is missing or invalid, there is no such product, or its stock would be out of bounds.
    pub fn adjust(&self, adjustment: StockAdjustment) -> Write<StockMovement> {
        let stock = self.0.clone();
        let target = self.target("adjustments");
        Write::new("adjust", target, adjustment, move |request| {
            Box::pin(stock.adjust(request))
        })
    }

    /// Sets the minimum of a product's stock; `None` removes it.
    /// This is for the owner. The product need not be tracked. Its deletion removes the minimum too.
    ///
    /// # Errors
    /// The access is not an owner's, the minimum is below 0, or there is no such product.
    pub fn set_minimum(
        &self,
        product: impl Into<Id<Product>>,
        minimum: Option<Quantity>,
    ) -> Write<()> {
        let (stock, product) = (self.0.clone(), product.into());
        let target = self.target(&format!("{product}/minimum"));
        Write::new(
            "set",
            target,
            minimum,
            move |request: Request<Option<Quantity>>| {
                Box::pin(async move {
                    check_owner(&stock.access)?;
                    let change =
                        move |()| Ok(Box::new(SetMinimum::checked(product, minimum)?) as _);
                    let (connect, access) = (&stock.connect, &stock.access);
                    connect.write(access, request.map(|_| ()), change).await
                })
            },
        )
    }

    /// Returns the minimums of these products, in the order of the ids.
    /// A product without one is left out. They are read in one round trip.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub async fn minimums(&self, products: &[Id<Product>]) -> Result<Vec<StockMinimum>, Error> {
        let location = self.0.access.partition();
        let place =
            |id: &Id<Product>| key(location, Family::StockMinimum, &[KeyPart::Id(id.uuid())]);
        let places: Vec<Key> = products.iter().map(place).collect();
        let reads: Vec<_> = places.iter().map(|place| Read::Get(place)).collect();
        let mut state = self.0.connect.store().read(&reads).await?;
        let mut found = Vec::new();
        for place in &places {
            if let Some(row) = state.value()? {
                let minimum = serde_json::from_slice(&row);
                found.push(minimum.map_err(|e| Fault::corrupt(place, e))?);
            }
        }
        Ok(found)
    }

    /// Returns a page of the products under their minimum, by id.
    /// A product that is not tracked yet is not under its minimum: its stock is unknown, and not 0.
    /// A page may be shorter than wanted, even empty, before the end: it looks at 2000 minimums at most.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn below_minimum(&self, paging: &Paging) -> Result<Page<LowStock>, Error> {
        low::page(&self.0.connect, &self.0.access, paging).await
    }

    /// The movements of stock, in the order of their creation.
    pub fn movements(&self) -> Rows<StockMovement> {
        Rows::new(&self.0.connect, &self.0.access)
    }

    fn target(&self, of: &str) -> String {
        format!("{}/stock/{of}", self.0.access.location().id)
    }
}

impl JsonStock {
    /// The levels, in the order of their last change.
    fn levels(&self) -> Rows<StockLevel> {
        Rows::new(&self.connect, &self.access)
    }

    /// Returns the level of a product.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such product, or it is not tracked.
    pub async fn get(&self, product: Uuid) -> Result<Json<Single<StockLevel>>, Error> {
        let store = self.connect.store();
        let row = store.row::<StockLevel>(self.access.partition(), product);
        let row = row.await?;
        row.map(|row| single(&row))
            .ok_or_else(|| Error::not_found("stock level of product", product))
    }

    /// Counts the stock of a product. The answer is the level.
    ///
    /// # Errors
    /// A field is missing or invalid, there is no such product, or its stock is not the expected
    /// one.
    pub fn count(
        &self,
        product: Uuid,
        request: Request<StockCount>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<> {
        let change = move |input| Ok(Box::new(CountOne::checked(product.into(), input)?) as _);
        self.connect.write(&self.access, request, change)
    }

    /// Counts the stock of up to 1000 products in one commit.
    /// Failed items do not spoil the rest; the answer has the outcome of each.
    ///
    /// # Errors
    /// The request as a whole is malformed or invalid.
    pub fn count_many(
        &self,
        request: Request<CountsRequest>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<> {
        let change = |counts| Ok(Box::new(CountMany::checked(counts)?) as _);
        self.connect.write(&self.access, request, change)
    }

    /// Adds to the stock of a product, or takes from it.
    /// The answer is the movement.
    ///
    /// # Errors
    /// A field is missing or invalid, there is no such product, or its stock would be out of bounds.
    pub fn adjust(
        &self,
        request: Request<StockAdjustment>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<> {
        let change = |input| Ok(Box::new(Adjust(Adjustment::check(input)?)) as _);
        self.connect.write(&self.access, request, change)
    }
}
