//! Lists that are read from their end: each is the same list as forwards, the other way round.

use connect_core::{
    Access, Error, LocationHandle, NewScreen, Request, Reversible, Rows, ScreenType,
    wire::{
        Id, Order, OrderStatus, Page, Product, ProductInput, StockMovement, TransactionType,
        query::{
            Moment, OrderQuery, PageQuery, Period, StockMovementQuery, TransactionQuery,
            ZReportQuery,
        },
    },
};
use serde_json::{Value, json};

use crate::{properties::shop::Shop, screens::soup};

on_each_store!(lists_from_their_end_are_those_from_their_beginning);
on_each_store!(cursors_lead_on_in_their_direction);
on_each_store!(what_comes_meanwhile_is_not_in_it);

/// A shop with a register and a kiosk.
struct Counter {
    shop: Shop,
    till: Access,
    kiosk: Access,
}

impl Counter {
    async fn open(shop: Shop) -> Self {
        let (account, location) = (shop.at.account().id, shop.at.location().id);
        let mut screens = Vec::new();
        for kind in [ScreenType::Pos, ScreenType::OrderKiosk] {
            let new = NewScreen {
                location_id: location,
                kind,
                name: "Screen".into(),
            };
            let id = shop.connect.create_screen(account, new).await.unwrap().id;
            let key = shop.connect.roll_screen_key(account, id).await.unwrap();
            let address = std::net::IpAddr::from([127, 0, 0, 1]);
            let access = shop
                .connect
                .authenticate_screen(address, Some(key.expose()));
            screens.push(access.await.unwrap());
        }
        let kiosk = screens.remove(1);
        let till = screens.remove(0);
        Self { shop, till, kiosk }
    }

    fn here(&self) -> LocationHandle {
        self.shop.connect.location(&self.shop.at)
    }

    /// Sells something `hours` ago, as a register does that was offline.
    async fn sell(&self, hours: i64, product: Id<Product>) {
        let at = self.shop.connect.now().plus_seconds(-3600 * hours);
        let sale = json!({
            "type": "sale",
            "totalCents": 250,
            "lines": [{ "name": "Rye", "quantity": 1, "unitPriceCents": 250, "totalCents": 250,
                        "vatRate": 9, "productId": product }],
            "payments": [{ "method": "card", "amountCents": 250 }],
            "createdAt": at,
        });
        self.write(&sale).await;
    }

    async fn write(&self, row: &Value) {
        let rows = self.shop.connect.location(&self.till).transactions();
        rows.write_json(Request::json(row.to_string()))
            .await
            .unwrap();
    }

    async fn order(&self) -> Order {
        let orders = self.shop.connect.location(&self.kiosk).orders();
        orders.create(soup()).await.unwrap()
    }

    /// Trade over three days, with rows that come late. Returns a product that was sold.
    async fn trade(&self) -> Id<Product> {
        let mut products = Vec::new();
        for name in ["Bread", "Cake"] {
            let made = self.here().products().create(ProductInput::named(name));
            let id = made.await.unwrap().id;
            let count = serde_json::from_str("{\"quantity\": 100}").unwrap();
            self.here().stock().count(id, count).await.unwrap();
            products.push(id);
        }
        for step in 0..24 {
            self.shop.clock.advance(3 * 3600);
            let hours = if step % 5 == 4 { 30 } else { 0 };
            self.sell(hours, products[step % 2]).await;
            if step % 3 == 0 {
                self.write(&json!({ "type": "cash_in", "totalCents": 100,
                                    "payments": [{ "method": "cash", "amountCents": 100 }] }))
                    .await;
            }
            if step % 4 == 0 {
                let reports = self.shop.connect.location(&self.till).z_reports();
                reports.close_json(Request::json("{}")).await.unwrap();
            }
            // Several orders of one time: their ids decide.
            self.order().await;
            self.order().await;
        }
        products[0]
    }
}

/// All pages of a list, of two rows each.
async fn walk<Q: PageQuery, R>(
    mut query: Q,
    list: impl AsyncFn(Q) -> Result<Page<R>, Error>,
) -> Vec<R> {
    query.set_limit(2);
    let mut rows = Vec::new();
    loop {
        let page = list(query.clone()).await.unwrap();
        assert!(page.data.len() <= 2);
        rows.extend(page.data);
        match page.next_cursor {
            Some(cursor) => query.set_cursor(cursor),
            None => return rows,
        }
    }
}

/// Holds a list from its end against that from its beginning. Returns the number of rows.
async fn compare<R: Reversible + PartialEq + std::fmt::Debug>(
    rows: &Rows<R>,
    query: R::Query,
) -> usize {
    let forwards = walk(query.clone(), async |query| rows.list(&query).await).await;
    let from_end = rows.clone().newest_first();
    let mut backwards = walk(query, async |query| from_end.list(&query).await).await;
    backwards.reverse();
    assert_eq!(backwards, forwards);
    forwards.len()
}

async fn lists_from_their_end_are_those_from_their_beginning(shop: Shop) {
    let counter = Counter::open(shop).await;
    let product = counter.trade().await;
    let (here, now) = (counter.here(), counter.shop.connect.now());
    let at = |hours: i64| Some(Moment::At(now.plus_seconds(-3600 * hours)));
    let mut periods = vec![Period::default()];
    for (from, to) in [(40, 10), (72, 40), (10, 0), (1000, 900)] {
        periods.push(Period {
            from: at(from),
            to: at(to),
        });
    }
    let mut counts = [0; 4];
    for period in periods {
        for kind in [None, Some(TransactionType::CashIn)] {
            for since_receipt in [None, Some(7)] {
                let query = TransactionQuery {
                    period,
                    kind: kind.clone(),
                    since_receipt,
                    ..TransactionQuery::default()
                };
                counts[0] += compare(&here.transactions(), query).await;
            }
        }
        let query = ZReportQuery {
            period,
            ..ZReportQuery::default()
        };
        counts[1] += compare(&here.z_reports(), query).await;
        for product_id in [None, Some(product)] {
            let query = StockMovementQuery {
                period,
                product_id,
                ..StockMovementQuery::default()
            };
            counts[2] += compare(&here.stock().movements(), query).await;
        }
        for status in [None, Some(OrderStatus::New), Some(OrderStatus::Ready)] {
            let query = OrderQuery {
                from: period.from,
                to: period.to,
                status,
                ..OrderQuery::default()
            };
            let (orders, from_end) = (here.orders(), here.orders().newest_first());
            let forwards = async |query| orders.list(&query).await;
            let forwards = walk(query.clone(), forwards).await;
            let mut backwards = walk(query, async |query| from_end.list(&query).await).await;
            backwards.reverse();
            assert_eq!(backwards, forwards);
            counts[3] += forwards.len();
        }
    }
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}

/// The first page of two rows, and its cursor.
async fn first<R: Reversible>(rows: &Rows<R>, mut query: R::Query) -> R::Query {
    query.set_limit(2);
    let cursor = rows.list(&query).await.unwrap().next_cursor.unwrap();
    query.set_cursor(cursor);
    query
}

/// A cursor is refused by the list in the other direction.
async fn is_bound<R: Reversible>(rows: Rows<R>) {
    let from_end = rows.clone().newest_first();
    let forwards = first(&rows, R::Query::default()).await;
    let backwards = first(&from_end, R::Query::default()).await;
    assert!(rows.list(&forwards).await.is_ok() && from_end.list(&backwards).await.is_ok());
    for (rows, query) in [(&rows, &backwards), (&from_end, &forwards)] {
        let refused = rows.list(query).await.err();
        assert!(matches!(refused, Some(Error::Malformed(_))), "{refused:?}");
    }
}

async fn cursors_lead_on_in_their_direction(shop: Shop) {
    let counter = Counter::open(shop).await;
    counter.trade().await;
    let here = counter.here();
    is_bound(here.transactions()).await;
    is_bound(here.z_reports()).await;
    is_bound::<StockMovement>(here.stock().movements()).await;
    let (orders, from_end) = (here.orders(), here.orders().newest_first());
    let mut query = OrderQuery::default();
    query.set_limit(2);
    let cursor = from_end.list(&query).await.unwrap().next_cursor.unwrap();
    query.set_cursor(cursor);
    assert!(from_end.list(&query).await.is_ok());
    assert!(orders.list(&query).await.is_err());
}

async fn what_comes_meanwhile_is_not_in_it(shop: Shop) {
    let counter = Counter::open(shop).await;
    for _ in 0..5 {
        counter.order().await;
    }
    let orders = counter.here().orders().newest_first();
    let list = async |query: OrderQuery| {
        let page = orders.list(&query).await;
        counter.shop.clock.advance(1);
        counter.order().await;
        page
    };
    let walked = walk(OrderQuery::default(), list).await;
    let mut numbers: Vec<_> = walked.iter().map(|order| order.number).collect();
    // Of one time: their order is that of their ids.
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
}
