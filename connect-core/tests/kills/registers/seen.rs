//! All that a reader can see of the place.

use connect_core::{
    Error,
    wire::{
        AnyEvent, Order, Page, Product, StockLevel, StockMovement, Transaction, ZReport,
        query::PageQuery,
    },
};

use super::place::Place;

/// The lists of the location, each in its order.
pub(super) struct Seen {
    pub(super) rows: Vec<Transaction>,
    pub(super) reports: Vec<ZReport>,
    pub(super) orders: Vec<Order>,
    pub(super) levels: Vec<StockLevel>,
    pub(super) movements: Vec<StockMovement>,
    pub(super) products: Vec<Product>,
    pub(super) events: Vec<AnyEvent>,
}

impl Seen {
    /// Reads every page of every list.
    pub(super) async fn of(place: &Place) -> Self {
        let here = place.shop.connect.location(&place.shop.at);
        let (transactions, reports) = (here.transactions(), here.z_reports());
        let (orders, stock, events) = (here.orders(), here.stock(), here.events());
        let (movements, products) = (stock.movements(), here.products());
        Self {
            rows: all(async |query: &_| transactions.list(query).await).await,
            reports: all(async |query: &_| reports.list(query).await).await,
            orders: all(async |query: &_| orders.list(query).await).await,
            levels: all(async |query: &_| stock.list(query).await).await,
            movements: all(async |query: &_| movements.list(query).await).await,
            products: all(async |query: &_| products.list(query).await).await,
            events: all(async |query: &_| events.list(query).await).await,
        }
    }

    /// The row with this receipt number, if there is one and all before it are there.
    pub(super) fn row(&self, number: u64) -> Option<&Transaction> {
        self.rows.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }
}

async fn all<Q: PageQuery + Default, R>(
    list: impl AsyncFn(&Q) -> Result<Page<R>, Error>,
) -> Vec<R> {
    let mut query = Q::default();
    query.set_limit(200);
    let mut records = Vec::new();
    loop {
        let page = list(&query).await.unwrap();
        records.extend(page.data);
        match page.next_cursor {
            Some(cursor) => query.set_cursor(cursor),
            None => return records,
        }
    }
}
