//! A shop and the model side by side: each write goes to both, and all that can be seen of the one
//! is held against the other.

use std::{collections::BTreeMap, net::IpAddr};

use connect_core::{
    Access, Error, NewScreen, ScreenType,
    wire::{
        AdjustmentType, BatchStatus, Entry, EventType, Field, LineInput, PaymentInput,
        PaymentMethod, Product, ProductInput, Quantity, StockAdjustment, StockBatchChanged,
        StockCount, StockCountItem, StockCounts, StockCountsResult, StockLevel, StockMovement,
        Timestamp, TransactionInput, TransactionType, VatRate,
        query::{StockLevelQuery, StockMovementQuery, SyncQuery},
    },
};
use uuid::Uuid;

use super::{
    input::{CODES, Count, Name, Pick, Step},
    model::{Item, Model, Moved, Refused, Told},
};
use crate::properties::shop::{Shop, events};

/// An id that no record has.
const UNKNOWN: Uuid = Uuid::from_u128(0x0909_0909_0909_7000_8000_0000_0000_0909);

/// A shop and what it should be.
pub(super) struct Play {
    shop: Shop,
    model: Model,
    /// The access of a register.
    register: Access,
    /// A copy of the levels that asks only for what changed, and the time to begin at.
    copy: BTreeMap<Uuid, StockLevel>,
    since: Option<Timestamp>,
    events: usize,
}

impl Play {
    /// An empty shop. Another location has a product with a code that is used here too.
    pub(super) async fn begin(shop: Shop) -> Self {
        let there = shop.connect.location(&shop.there);
        let foreign = there.products().create(coded(Some(CODES[0])));
        let foreign = foreign.await.unwrap().id.uuid();
        let register = register(&shop).await;
        Self {
            model: Model {
                foreign,
                ..Model::default()
            },
            shop,
            register,
            copy: BTreeMap::new(),
            since: None,
            events: 0,
        }
    }

    /// Does a write in both, and compares.
    pub(super) async fn step(&mut self, step: &Step) {
        self.model.told.clear();
        let before = self.model.clone();
        let outcome = self.perform(step).await;
        if outcome.is_err() {
            self.model = before;
            self.model.told.clear();
        }
        self.compare().await;
    }

    /// Holds every row against every index, and the copy against all.
    pub(super) async fn check(&mut self) {
        self.poll().await;
        let report = self.shop.connect.check(&mut |_| {}).await.unwrap();
        assert_eq!(report.problems, []);
    }

    async fn perform(&mut self, step: &Step) -> Result<(), Refused> {
        let here = self.shop.connect.location(&self.shop.at);
        let (products, stock) = (here.products(), here.stock());
        let (expected, reply) = match step {
            Step::Create(code) => {
                let is_taken = code.is_some_and(|code| self.model.coded(code).is_some());
                let reply = products.create(coded(*code)).await;
                if let (false, Ok(made)) = (is_taken, &reply) {
                    self.model.items.push(Item {
                        id: made.id.uuid(),
                        code: code.map(str::to_owned),
                        stock: None,
                    });
                }
                let expected = if is_taken { Err("conflict") } else { Ok(()) };
                (expected, reply.map(drop))
            }
            Step::Rename(pick, code) => {
                let id = self.picked(*pick);
                let input = ProductInput {
                    external_id: code.map_or(Field::Null, Into::into),
                    ..ProductInput::default()
                };
                let reply = products.update(id, input).await.map(drop);
                (self.model.rename(id, *code), reply)
            }
            Step::Price(pick) => {
                let id = self.picked(*pick);
                let input = ProductInput {
                    price_cents: Field::Value(self.events as i64),
                    ..ProductInput::default()
                };
                let reply = products.update(id, input).await.map(drop);
                (self.model.place(id).map(drop).ok_or("not_found"), reply)
            }
            Step::Delete(pick) => {
                let id = self.picked(*pick);
                let reply = products.delete(id).await;
                (self.model.delete(id), reply)
            }
            Step::Count(pick, count) => {
                let id = self.picked(*pick);
                let reply = stock.count(id, counted(*count)).await;
                let place = self.model.place(id).ok_or("not_found");
                let expected = place.and_then(|at| {
                    if self.model.count(at, *count)? {
                        self.model.told.push(Told::One(id, count.quantity));
                    }
                    Ok(())
                });
                if let Ok(level) = &reply {
                    assert_eq!(level.quantity.thousandths(), count.quantity);
                }
                (expected, reply.map(drop))
            }
            Step::CountMany { items, dry_run } => {
                let counts = StockCounts {
                    items: items
                        .iter()
                        .map(|(name, count)| self.item(*name, *count))
                        .collect(),
                    dry_run: *dry_run,
                    ..StockCounts::default()
                };
                let done = stock.count_many(counts).await.unwrap();
                self.count_many(items, &done);
                // A dry run is told in full and leaves nothing.
                let expected = if *dry_run { Err("dry run") } else { Ok(()) };
                return expected;
            }
            Step::Adjust {
                name,
                change,
                delivery,
            } => {
                let (product_id, external_id) = self.named(*name);
                let kind = match delivery {
                    true => AdjustmentType::Delivery,
                    false => AdjustmentType::Correction,
                };
                let reply = stock.adjust(StockAdjustment {
                    product_id,
                    external_id,
                    quantity_change: Field::Value(quantity(*change)),
                    kind: Field::Value(kind),
                    ..StockAdjustment::default()
                });
                let reply = reply.await.map(drop);
                let expected = match self.find(*name) {
                    _ if *change == 0 || (*delivery && *change < 0) => Err("validation_failed"),
                    Ok(at) => self.model.adjust(at, *change, *delivery),
                    Err("not_found") => Err("validation_failed"),
                    Err(other) => Err(other),
                };
                (expected, reply)
            }
            Step::Sell { lines, refund } => {
                let sign = if *refund { -1 } else { 1 };
                let lines: Vec<_> = lines
                    .iter()
                    .map(|(pick, pieces)| (pick.map(|pick| self.picked(pick)), sign * pieces))
                    .collect();
                let journal = self.shop.connect.location(&self.register).transactions();
                let reply = journal.write(receipt(&lines, *refund)).await;
                let sale = reply.as_ref().ok().map(|sale| sale.id.uuid());
                let expected = self.model.sell(&lines, *refund, sale);
                (expected, reply.map(drop))
            }
            Step::Poll => {
                self.poll().await;
                (Ok(()), Ok(()))
            }
        };
        let told = reply.as_ref().map_err(Error::code);
        match (&expected, told) {
            (Ok(()), Ok(())) => {}
            (Err(code), Err(told)) => assert_eq!(told.as_str(), *code, "{reply:?}"),
            _ => panic!("{reply:?} and not {expected:?}"),
        }
        expected
    }

    /// Counts in the model, and holds the results against it.
    fn count_many(&mut self, items: &[(Name, Count)], done: &StockCountsResult) {
        let mut changed: Vec<(Uuid, i64)> = Vec::new();
        let (mut updated, mut unchanged, mut failed) = (0, 0, 0);
        assert_eq!(done.results.len(), items.len());
        for ((name, count), result) in items.iter().zip(&done.results) {
            let found = self.find(*name);
            let outcome = found.and_then(|at| self.model.count(at, *count));
            let error = result.error.as_ref().map(|error| error.code.as_str());
            assert_eq!(error, outcome.err(), "{name:?} {result:?}");
            let item = found.ok().map(|at| &self.model.items[at]);
            let id = result.product_id.map(|id| id.uuid());
            assert_eq!(id, item.map(|item| item.id));
            let status = match outcome {
                Ok(true) => {
                    updated += 1;
                    let id = item.unwrap().id;
                    match changed.iter_mut().find(|(known, _)| *known == id) {
                        Some((_, quantity)) => *quantity = count.quantity,
                        None => changed.push((id, count.quantity)),
                    }
                    BatchStatus::Updated
                }
                Ok(false) => {
                    unchanged += 1;
                    BatchStatus::Unchanged
                }
                Err(_) => {
                    failed += 1;
                    BatchStatus::Failed
                }
            };
            assert_eq!(result.status, status);
            let quantity = outcome.ok().map(|_| count.quantity);
            assert_eq!(result.quantity.map(Quantity::thousandths), quantity);
        }
        assert_eq!(
            (done.updated, done.unchanged, done.failed),
            (updated, unchanged, failed)
        );
        if !changed.is_empty() {
            self.model.told.push(Told::Many(changed));
        }
    }

    fn picked(&self, pick: Pick) -> Uuid {
        let Model { items, gone, .. } = &self.model;
        match pick {
            Pick::Live(number) if !items.is_empty() => items[usize::from(number) % items.len()].id,
            Pick::Gone(number) if !gone.is_empty() => gone[usize::from(number) % gone.len()].0,
            Pick::Foreign => self.model.foreign,
            _ => UNKNOWN,
        }
    }

    /// The product that a write names; or the code of an item that does.
    fn find(&self, name: Name) -> Result<usize, Refused> {
        match name {
            Name::Code(code) => self.model.coded(code).ok_or("not_found"),
            Name::Id(pick) => {
                let id = self.picked(pick);
                let is_foreign = id == self.model.foreign;
                let miss = if is_foreign {
                    "forbidden_location"
                } else {
                    "not_found"
                };
                self.model.place(id).ok_or(miss)
            }
        }
    }

    fn named(&self, name: Name) -> (Field<connect_core::wire::Id<Product>>, Code) {
        match name {
            Name::Id(pick) => (Field::Value(self.picked(pick).into()), Field::Absent),
            Name::Code(code) => (Field::Absent, code.into()),
        }
    }

    fn item(&self, name: Name, count: Count) -> StockCountItem {
        let (product_id, external_id) = self.named(name);
        let StockCount {
            quantity,
            expected_quantity,
            ..
        } = counted(count);
        StockCountItem {
            product_id,
            external_id,
            quantity,
            expected_quantity,
        }
    }

    /// Asks for what changed since the last time, page by page, and holds the copy against the
    /// model.
    async fn poll(&mut self) {
        let stock = self.shop.connect.location(&self.shop.at).stock();
        let mut query = StockLevelQuery {
            sync: SyncQuery {
                limit: Some(2),
                updated_since: self.since,
                ..SyncQuery::default()
            },
        };
        loop {
            let page = stock.list_with_deleted(&query).await.unwrap();
            for entry in page.data {
                match entry {
                    Entry::Live(level) => {
                        self.since = Some(level.updated_at);
                        self.copy.insert(level.product_id.uuid(), level);
                    }
                    Entry::Deleted(tombstone) => {
                        self.since = Some(tombstone.updated_at);
                        self.copy.remove(&tombstone.id);
                    }
                }
            }
            query.sync.cursor = page.next_cursor;
            if query.sync.cursor.is_none() {
                break;
            }
        }
        assert_eq!(shown(self.copy.values()), self.levels());
    }

    /// The levels of the model, by product.
    fn levels(&self) -> Vec<(Uuid, Option<String>, i64)> {
        let items = self.model.items.iter();
        let tracked = items.filter_map(|item| Some((item.id, item.code.clone(), item.stock?)));
        let mut levels: Vec<_> = tracked.collect();
        levels.sort();
        levels
    }

    async fn compare(&mut self) {
        let here = self.shop.connect.location(&self.shop.at);
        let stock = here.stock();
        let mut query = StockLevelQuery::default();
        query.sync.limit = Some(200);
        let entries = stock.list_with_deleted(&query).await.unwrap().data;
        let (mut live, mut gone) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry {
                Entry::Live(level) => live.push(level),
                Entry::Deleted(tombstone) => gone.push(tombstone.id),
            }
        }
        assert_eq!(shown(live.iter()), self.levels());
        assert!(live.is_sorted_by_key(|level| (level.updated_at, level.product_id.uuid())));
        let tracked = self.model.gone.iter().filter(|(_, had_stock)| *had_stock);
        assert_eq!(gone, tracked.map(|(id, _)| *id).collect::<Vec<_>>());
        for item in &self.model.items {
            let product = here.products().get(item.id).await.unwrap();
            let own = product.stock_quantity.map(Quantity::thousandths);
            assert_eq!(own, item.stock);
            let level = live.iter().find(|level| level.product_id.uuid() == item.id);
            // It moves with its stock.
            assert!(level.is_none_or(|level| level.updated_at <= product.updated_at));
            assert_eq!(stock.get(item.id).await.ok().as_ref(), level);
        }
        self.compare_movements().await;
        self.compare_events().await;
    }

    async fn compare_movements(&self) {
        let all = self.movements(None).await;
        let told: Vec<Moved> = all.iter().map(moved).collect();
        assert_eq!(told, self.model.moved);
        assert!(all.is_sorted_by_key(|it| (it.created_at, it.id.uuid())));
        for item in &self.model.items {
            let own = self.movements(Some(item.id)).await;
            let of_it = all.iter().filter(|it| it.product_id.uuid() == item.id);
            assert!(of_it.eq(&own), "the movements of {item:?} differ");
            let sum: i64 = own.iter().map(|it| it.quantity_change.thousandths()).sum();
            assert_eq!(sum, item.stock.unwrap_or(0));
        }
    }

    async fn movements(&self, product: Option<Uuid>) -> Vec<StockMovement> {
        let stock = self.shop.connect.location(&self.shop.at).stock();
        let mut query = StockMovementQuery {
            product_id: product.map(Into::into),
            ..StockMovementQuery::default()
        };
        query.paging.limit = Some(7);
        let mut all = Vec::new();
        loop {
            let page = stock.movements().list(&query).await.unwrap();
            all.extend(page.data);
            query.paging.cursor = page.next_cursor;
            if query.paging.cursor.is_none() {
                return all;
            }
        }
    }

    async fn compare_events(&mut self) {
        let all = events(&self.shop).await;
        let new = all[self.events..]
            .iter()
            .filter_map(|event| match event.kind {
                EventType::StockChanged => {
                    let level: StockLevel = event.data_as().unwrap();
                    Some(Told::One(
                        level.product_id.uuid(),
                        level.quantity.thousandths(),
                    ))
                }
                EventType::StockBatchChanged => {
                    let batch: StockBatchChanged = event.data_as().unwrap();
                    let each = batch.items.iter();
                    let each = each.map(|it| (it.product_id.uuid(), it.quantity.thousandths()));
                    Some(Told::Many(each.collect()))
                }
                _ => None,
            });
        assert_eq!(
            new.collect::<Vec<_>>(),
            self.model.told,
            "the events differ"
        );
        self.events = all.len();
    }
}

type Code = Field<connect_core::wire::form::OrNull<connect_core::wire::form::ExternalId<100>>>;

/// A register at the location of the shop.
async fn register(shop: &Shop) -> Access {
    let account = shop.at.account().id;
    let screen = NewScreen {
        location_id: shop.at.location().id,
        kind: ScreenType::Pos,
        name: "Till".into(),
    };
    let connect = &shop.connect;
    let screen = connect.create_screen(account, screen).await.unwrap();
    let key = connect.roll_screen_key(account, screen.id).await.unwrap();
    let address = IpAddr::from([127, 0, 0, 1]);
    let access = connect.authenticate_screen(address, Some(key.expose()));
    access.await.unwrap()
}

fn coded(code: Option<&str>) -> ProductInput {
    ProductInput {
        external_id: code.map_or(Field::Absent, Into::into),
        ..ProductInput::named("Product")
    }
}

fn counted(count: Count) -> StockCount {
    StockCount {
        expected_quantity: count
            .expected
            .map_or(Field::Absent, |expected| Field::Value(quantity(expected))),
        ..StockCount::of(quantity(count.quantity))
    }
}

/// A receipt with lines of a cent for each thousandth.
fn receipt(lines: &[(Option<Uuid>, i64)], refund: bool) -> TransactionInput {
    let line = |(product, pieces): &(Option<Uuid>, i64)| LineInput {
        product_id: product.map_or(Field::Null, |id| Field::Value(id.into())),
        name: "Line".into(),
        quantity: Field::Value(quantity(*pieces)),
        unit_price_cents: Field::Value(1000),
        total_cents: Field::Value(*pieces),
        vat_rate: Field::Value(VatRate::percent(9)),
        ..LineInput::default()
    };
    let total = lines.iter().map(|(_, pieces)| pieces).sum();
    TransactionInput {
        kind: Field::Value(match refund {
            true => TransactionType::Refund,
            false => TransactionType::Sale,
        }),
        total_cents: Field::Value(total),
        lines: Field::Value(lines.iter().map(line).collect()),
        payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Cash, total)]),
        ..TransactionInput::default()
    }
}

fn quantity(thousandths: i64) -> Quantity {
    Quantity::from_thousandths(thousandths).unwrap()
}

fn shown<'l>(levels: impl Iterator<Item = &'l StockLevel>) -> Vec<(Uuid, Option<String>, i64)> {
    let told = |level: &StockLevel| {
        let quantity = level.quantity.thousandths();
        (level.product_id.uuid(), level.external_id.clone(), quantity)
    };
    let mut shown: Vec<_> = levels.map(told).collect();
    shown.sort();
    shown
}

fn moved(movement: &StockMovement) -> Moved {
    let kinds = ["count", "delivery", "correction", "sale", "refund"];
    let kind = kinds
        .into_iter()
        .find(|kind| *kind == movement.kind.as_str());
    let by_register = matches!(kind, Some("sale" | "refund"));
    let source = if by_register {
        "Register: Till"
    } else {
        "Dashboard"
    };
    assert_eq!(movement.source, source);
    Moved {
        product: movement.product_id.uuid(),
        code: movement.external_id.clone(),
        kind: kind.unwrap(),
        change: movement.quantity_change.thousandths(),
        after: movement.quantity_after.thousandths(),
        sale: movement.transaction_id.map(|id| id.uuid()),
    }
}
