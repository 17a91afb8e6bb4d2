//! Stores that have lost rows, and are repaired.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use async_trait::async_trait;
use connect_core::{
    Access, CheckReport, Connect, Error, LocationHandle, ProblemKind, ScreenType,
    storage::{
        Commit, CommitError, Entry as Row, Key, Locked, Read, State, Storage, StorageError, Write,
        memory::MemoryStorage,
    },
    wire::{
        AnyEvent, Entry, Field, OrderInput, Page, ProductInput, Timestamp, TransactionInput,
        query::{
            CategoryQuery, EventQuery, ImageJobQuery, OptionGroupQuery, OrderQuery, PageQuery as _,
            ProductQuery, StockLevelQuery, StockMovementQuery, SyncQuery, TransactionQuery,
            ZReportQuery,
        },
    },
};
use serde::Serialize;
use serde_json::Value as Json;
use tokio::{runtime::Handle, task::block_in_place};

use super::{Stocked, journal, kinds, orders, stock, webhooks, z_reports};
use crate::{
    faulty::{Fate, Faulty, rows},
    shop,
    stored::{
        family::{
            ACCOUNT, CATEGORY, CATEGORY_TOMBSTONE, CLOCK, DELIVERY_BY_DUE, EVENT, JOURNAL_DAY,
            LEVEL, MOVEMENT, ORDER, ORDER_BY_SCREEN, PRODUCT, PRODUCT_BY_CHANGE,
            PRODUCT_BY_EXTERNAL_ID, TRANSACTION, TRANSACTION_BY_ID, WEBHOOK_BY_DUE, WEBHOOK_STATE,
            WEBHOOK_WOKEN, Z_REPORT,
        },
        garbage, of_family,
    },
};

/// Repairs a store. Returns the check at the end, and the number of repairs.
pub(super) async fn repair(connect: &Connect) -> (CheckReport, usize) {
    let mut repairs = 0;
    let mut tell = |problem: &str, done: &str| {
        assert!(!problem.is_empty() && !done.is_empty());
        repairs += 1;
    };
    let report = connect.repair(&mut |_| {}, &mut tell).await.unwrap();
    (report, repairs)
}

/// The copies that integrators have of a location, by lists with deletions.
#[derive(Clone, Default)]
pub(super) struct Copies([(BTreeMap<String, Json>, Option<Timestamp>); 4]);

impl Copies {
    /// Reads the changes since the last time.
    pub(super) async fn follow(&mut self, at: &LocationHandle) -> Result<(), Error> {
        let (categories, groups) = (at.categories(), at.option_groups());
        let (products, stock) = (at.products(), at.stock());
        let [of_categories, of_groups, of_products, of_levels] = &mut self.0;
        follow(of_categories, async |sync| {
            let query = CategoryQuery {
                sync,
                ..CategoryQuery::default()
            };
            categories.list_with_deleted(&query).await
        })
        .await?;
        follow(of_groups, async |sync| {
            let query = OptionGroupQuery {
                sync,
                ..OptionGroupQuery::default()
            };
            groups.list_with_deleted(&query).await
        })
        .await?;
        follow(of_products, async |sync| {
            let query = ProductQuery {
                sync,
                ..ProductQuery::default()
            };
            products.list_with_deleted(&query).await
        })
        .await?;
        follow(of_levels, async |sync| {
            stock.list_with_deleted(&StockLevelQuery { sync }).await
        })
        .await
    }

    fn records(&self) -> [&BTreeMap<String, Json>; 4] {
        self.0.each_ref().map(|(records, _)| records)
    }
}

async fn follow<R: Serialize>(
    (records, since): &mut (BTreeMap<String, Json>, Option<Timestamp>),
    list: impl AsyncFn(SyncQuery) -> Result<Page<Entry<R>>, Error>,
) -> Result<(), Error> {
    let mut sync = SyncQuery {
        updated_since: *since,
        include_deleted: true,
        limit: Some(200),
        ..SyncQuery::default()
    };
    loop {
        let page = list(sync.clone()).await?;
        for entry in page.data {
            let entry = serde_json::to_value(entry).unwrap();
            let id = entry.get("productId").unwrap_or(&entry["id"]).to_string();
            *since = Some(serde_json::from_value(entry["updatedAt"].clone()).unwrap());
            match entry.get("deleted") {
                Some(_) => records.remove(&id),
                None => records.insert(id, entry),
            };
        }
        sync.cursor = page.next_cursor;
        if sync.cursor.is_none() {
            return Ok(());
        }
    }
}

/// Reads the other lists of the location to their ends.
pub(super) async fn read_all(at: &LocationHandle) -> Result<(), Error> {
    macro_rules! read {
        ($rows:expr, $query:ty) => {
            let mut query = <$query>::default();
            while let Some(next) = $rows.list(&query).await?.next_cursor {
                query.set_cursor(next);
            }
        };
    }
    read!(at.transactions(), TransactionQuery);
    read!(at.z_reports(), ZReportQuery);
    read!(at.orders(), OrderQuery);
    read!(at.image_jobs(), ImageJobQuery);
    read!(at.stock().movements(), StockMovementQuery);
    read!(at.events(), EventQuery);
    Ok(())
}

/// A store in memory with these rows, as another process has it.
async fn copy(
    stocked: &Stocked,
    all: impl IntoIterator<Item = Row>,
) -> (Arc<MemoryStorage>, Connect) {
    let storage = Arc::new(MemoryStorage::new());
    let put = |(key, value): Row| (key, Write::Put(value));
    let commit = Commit {
        writes: all.into_iter().map(put).collect(),
        ..Commit::default()
    };
    storage.commit(commit).await.unwrap();
    let connect = shop::connect(storage.clone(), &stocked.shop.clock);
    (storage, connect)
}

/// Families of rows that follow from no others.
pub(super) const LOST_FOR_GOOD: [u8; 7] = [
    ACCOUNT,
    EVENT,
    TRANSACTION,
    ORDER,
    ORDER_BY_SCREEN,
    MOVEMENT,
    Z_REPORT,
];

/// The problems that stay when rows of a family are lost.
fn lost_for_good(family: u8) -> &'static [ProblemKind] {
    use ProblemKind::{BadRow, BrokenEvents, Count, MissingReference, NoOwner, StrayEntry};
    match family {
        ACCOUNT => &[MissingReference, NoOwner],
        EVENT => &[BrokenEvents, MissingReference],
        TRANSACTION => &[BadRow, Count, MissingReference, StrayEntry],
        ORDER => &[Count, MissingReference],
        ORDER_BY_SCREEN => &[Count],
        MOVEMENT | Z_REPORT => &[BadRow],
        _ => &[],
    }
}

/// Checks that no problem stays but those of lost rows.
pub(super) fn only_lost(families: &[u8], report: &CheckReport, case: &str) {
    let mut lost = families.iter().flat_map(|family| lost_for_good(*family));
    let lost: Vec<_> = lost.by_ref().collect();
    for problem in &report.problems {
        assert!(lost.contains(&&problem.kind), "{case}: {problem:#?}");
    }
}

/// Loses the first row of each of these families, the last one, and all of them.
async fn lose_each_family(stocked: Stocked, is_lost: impl Fn(u8) -> bool) {
    let whole = rows(&*stocked.shop.storage).await;
    let at = stocked.shop.connect.location(&stocked.shop.at);
    let mut copies = Copies::default();
    copies.follow(&at).await.unwrap();
    let families: BTreeSet<u8> = whole.iter().map(|(key, _)| key[16]).collect();
    for family in families.into_iter().filter(|family| is_lost(*family)) {
        let keys = whole.iter().map(|(key, _)| key);
        let keys: Vec<&Key> = keys.filter(|key| key[16] == family).collect();
        let last = &keys[keys.len() - 1..];
        let parts: BTreeSet<&[&Key]> = [&keys[..1], last, &keys].into();
        for lost in parts {
            let case = format!("{} rows of family {family:#04x}", lost.len());
            let kept = whole.iter().filter(|(key, _)| !lost.contains(&key));
            let (storage, connect) = copy(&stocked, kept.cloned()).await;
            let (left, _) = repair(&connect).await;
            only_lost(&[family], &left, &case);
            // What is repaired stays so.
            assert_eq!(repair(&connect).await, (left, 0), "{case}");
            if is_derived(family) {
                let now = rows(&*storage).await;
                let others = |(key, _): &&Row| key[16] != CLOCK;
                let is_whole = now.iter().filter(others).eq(whole.iter().filter(others));
                assert!(is_whole, "{case}: other rows than before");
            }
            let (account, location) = (stocked.shop.account, stocked.shop.at.location().id);
            match connect.authorize_owner(account, location, account).await {
                Ok(access) => goes_on(&connect, &access, &copies, &[family], &case).await,
                Err(_) => assert_eq!(family, ACCOUNT),
            }
        }
    }
}

/// Returns whether the rows of a family follow from others.
fn is_derived(family: u8) -> bool {
    let line = &kinds::families()[&family];
    let (name, _) = line.split_once(' ').unwrap();
    let parts = "By Of List Link Folded Day Receipt Period".split(' ');
    // These hold a delivery, a time, and what the order does not.
    let others = [DELIVERY_BY_DUE, WEBHOOK_BY_DUE, ORDER_BY_SCREEN];
    parts.into_iter().any(|part| name.contains(part)) && !others.contains(&family)
}

/// All lists answer, integrators who followed them before have what a new one gets, and what is written
/// next takes the number of nothing else.
pub(super) async fn goes_on(
    connect: &Connect,
    access: &Access,
    before: &Copies,
    lost: &[u8],
    case: &str,
) {
    let at = connect.location(access);
    let (mut old, mut new) = (before.clone(), Copies::default());
    old.follow(&at).await.unwrap();
    new.follow(&at).await.unwrap();
    assert_eq!(old.records(), new.records(), "{case}");
    read_all(&at).await.unwrap();
    let product = ProductInput::named("Next");
    at.products().create(product).await.unwrap();
    let till = shop::screen(connect, access, ScreenType::Pos, "Next").await;
    let row = r#"{ "type": "cash_in", "totalCents": 100,
                   "payments": [{ "method": "cash", "amountCents": 100 }] }"#;
    let row = TransactionInput::from_json(row.as_bytes()).unwrap();
    let journal = connect.location(&till).transactions();
    journal.write(row).await.unwrap();
    let after = connect.check(&mut |_| {}).await.unwrap();
    only_lost(lost, &after, case);
}

#[tokio::test]
async fn lost_rows_of_accounts_products_and_webhooks() {
    lose_each_family(webhooks::open().await, |_| true).await;
}

#[tokio::test]
async fn lost_rows_of_stock_and_option_groups() {
    lose_each_family(
        stock::open().await,
        |family| matches!(family, 0x30..0x40 | 0x80..0xA0),
    )
    .await;
    lose_each_family(
        kinds::more().await,
        |family| matches!(family, 0x30..0x40 | 0x70..0x80),
    )
    .await;
}

#[tokio::test]
async fn lost_rows_of_orders_and_the_journal() {
    let is_of_journal = |family| matches!(family, CLOCK | 0x80..0xB0);
    lose_each_family(journal::open().await, is_of_journal).await;
    lose_each_family(orders::Ordered::open().await.stocked, is_of_journal).await;
    lose_each_family(z_reports::open().await, is_of_journal).await;
}

/// Integrators learn of a product that is lost, and of its stock, which is lost as well.
#[tokio::test]
async fn a_lost_product_is_deleted_as_by_a_client() {
    let stocked = stock::open().await;
    let whole = rows(&*stocked.shop.storage).await;
    let mut copies = Copies::default();
    let at = stocked.shop.connect.location(&stocked.shop.at);
    copies.follow(&at).await.unwrap();
    let lost: Vec<&[u8]> = vec![
        &[PRODUCT],
        &[PRODUCT, LEVEL],
        &[PRODUCT, PRODUCT_BY_CHANGE],
        &[CLOCK, PRODUCT],
    ];
    for lost in lost {
        let kept = whole.iter().filter(|(key, _)| !lost.contains(&key[16]));
        let (_, connect) = copy(&stocked, kept.cloned()).await;
        let case = format!("{lost:x?}");
        let at = connect.location(&stocked.shop.at);
        let follow = Copies::default().follow(&at).await;
        assert_eq!(
            follow.is_err(),
            !lost.contains(&PRODUCT_BY_CHANGE),
            "{case}"
        );
        let (left, _) = repair(&connect).await;
        assert!(left.is_clean(), "{case}: {left:#?}");
        let events = connect.location(&stocked.shop.at).events();
        let events = events.list(&EventQuery::default()).await.unwrap().data;
        let is_deletion = |event: &&AnyEvent| event.data["deleted"] == true;
        // One was deleted before.
        assert_eq!(events.iter().filter(is_deletion).count(), 2 + 2, "{case}");
        goes_on(&connect, &stocked.shop.at, &copies, lost, &case).await;
    }
}

/// An older program does not know what it would break.
#[tokio::test]
async fn a_store_of_a_newer_program_is_left_as_it_is() {
    let stocked = Stocked::open().await;
    let (entry, _) = stocked.first(PRODUCT_BY_CHANGE).await;
    stocked.write(&entry, Write::Remove).await;
    stocked.put(&[&[7; 16][..], &[0x7F]].concat(), b"").await;
    let before = rows(&*stocked.shop.storage).await;
    let (left, repairs) = repair(&stocked.shop.connect).await;
    assert_eq!((left.newer_kinds.len(), repairs), (1, 0));
    assert_eq!(rows(&*stocked.shop.storage).await, before);
}

/// Servers on the same database go on.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_meanwhile_stays() {
    let stocked = Stocked::open().await;
    for family in [PRODUCT_BY_CHANGE, PRODUCT_BY_EXTERNAL_ID] {
        for (entry, _) in stocked.rows(family).await {
            stocked.write(&entry, Write::Remove).await;
        }
    }
    let (connect, at) = (stocked.shop.connect.clone(), stocked.shop.at.clone());
    let writing = tokio::spawn(async move {
        for number in 0..200 {
            let product = ProductInput {
                external_id: Field::Value(format!("W-{number}")),
                ..ProductInput::named("Rye")
            };
            let products = connect.location(&at).products();
            products.create(product).await.unwrap();
        }
    });
    while !writing.is_finished() {
        repair(&stocked.shop.connect).await;
    }
    writing.await.unwrap();
    let (left, _) = repair(&stocked.shop.connect).await;
    assert!(left.is_clean(), "{left:#?}");
    assert_eq!(left.families["Product"], 3 + 200);
}

/// Loses the rows of these families, and the clock of the location.
async fn without_clock(stocked: &Stocked, lost: &[u8]) -> Connect {
    let location = stocked.location();
    let is_lost = |key: &Key| match key[16] {
        CLOCK => key.starts_with(location.as_bytes()),
        family => lost.contains(&family),
    };
    let whole = rows(&*stocked.shop.storage).await;
    copy(stocked, whole.into_iter().filter(|(key, _)| !is_lost(key)))
        .await
        .1
}

/// Summaries, Z reports and entries know of receipts and orders that are lost.
#[tokio::test]
async fn numbers_of_lost_receipts_and_orders_are_not_given_again() {
    let row = r#"{ "type": "cash_in", "totalCents": 100,
                   "payments": [{ "method": "cash", "amountCents": 100 }] }"#;
    let row = TransactionInput::from_json(row.as_bytes()).unwrap();
    let order = r#"{ "fulfilment": "takeaway",
                     "lines": [{ "name": "Rye", "quantity": 1, "unitPriceCents": 250,
                                 "totalCents": 250, "vatRate": 9 }] }"#;
    let order = OrderInput::from_json(order.as_bytes()).unwrap();
    let stocked = orders::Ordered::open().await.stocked;
    let receipts = stocked.rows(TRANSACTION).await.len() as u64;
    let orders = stocked.rows(ORDER).await.len() as u64;
    for lost in [
        &[TRANSACTION, ORDER][..],
        &[TRANSACTION, ORDER, TRANSACTION_BY_ID],
    ] {
        let connect = without_clock(&stocked, lost).await;
        repair(&connect).await;
        let screen = async |kind| shop::screen(&connect, &stocked.shop.at, kind, "Next").await;
        let till = connect.location(&screen(ScreenType::Pos).await);
        let next = till.transactions().write(row.clone()).await.unwrap();
        assert_eq!(next.receipt_number, receipts + 1, "{lost:x?}");
        let kiosk = connect.location(&screen(ScreenType::OrderKiosk).await);
        let next = kiosk.orders().create(order.clone()).await.unwrap();
        assert_eq!(next.number, orders + 1, "{lost:x?}");
    }
}

/// Another one may be at work, or a client that deletes.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_has_deleted_is_not_deleted_once_more() {
    let stocked = Stocked::open().await;
    for family in [CATEGORY, PRODUCT_BY_EXTERNAL_ID] {
        let (lost, _) = stocked.rows(family).await.remove(0);
        stocked.write(&lost, Write::Remove).await;
    }
    let other = stocked.shop.connect.clone();
    let mut told = Vec::new();
    let mut tell = |problem: &str, _: &str| {
        if told.is_empty() {
            let repaired = async { repair(&other).await };
            let (left, _) = block_in_place(|| Handle::current().block_on(repaired));
            assert!(left.is_clean(), "{left:#?}");
        }
        told.push(problem.to_owned());
    };
    let left = stocked.shop.connect.repair(&mut |_| {}, &mut tell).await;
    assert!(left.unwrap().is_clean());
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!(stocked.rows(CATEGORY_TOMBSTONE).await.len(), 1);
}

/// A storage beside whose reads a server writes.
struct Beside {
    storage: Arc<dyn Storage>,
    server: Connect,
    at: Access,
}

#[async_trait]
impl Storage for Beside {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let state = self.storage.read(reads).await;
        let products = self.server.location(&self.at).products();
        products.create(ProductInput::named("Rye")).await.unwrap();
        state
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.storage.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}

#[tokio::test]
async fn a_server_that_always_writes_does_not_keep_repairs_away() {
    let stocked = Stocked::open().await;
    for family in [PRODUCT_BY_EXTERNAL_ID, CATEGORY] {
        let (lost, _) = stocked.first(family).await;
        stocked.write(&lost, Write::Remove).await;
    }
    let beside = Beside {
        storage: stocked.shop.storage.clone(),
        server: stocked.shop.connect.clone(),
        at: stocked.shop.at.clone(),
    };
    let connect = shop::connect(Arc::new(beside), &stocked.shop.clock);
    repair(&connect).await;
    // Counts are held against a clock that stands still.
    let (left, counts) = repair(&stocked.shop.connect).await;
    assert_eq!((left.problems, counts), (Vec::new(), 1));
}

/// A category that cannot be deleted, for a product that nobody can parse, is no reason to add to a sum that is lost.
#[tokio::test]
async fn what_cannot_be_repaired_keeps_nothing_else_from_it() {
    let stocked = journal::open().await;
    let (product, _) = stocked.first(PRODUCT).await;
    stocked.write(&product, garbage()).await;
    let days = stocked.rows(JOURNAL_DAY).await;
    let whole = rows(&*stocked.shop.storage).await;
    let kept = whole
        .into_iter()
        .filter(|(key, _)| key[16] != CATEGORY && *key != days[0].0);
    let (storage, connect) = copy(&stocked, kept).await;
    let (left, _) = repair(&connect).await;
    assert!(!left.is_clean());
    assert_eq!(of_family(&*storage, JOURNAL_DAY).await, days);
}

/// It would wait for the next event.
#[tokio::test]
async fn a_delivery_that_waits_for_its_next_attempt_is_made() {
    let stocked = webhooks::open().await;
    for family in [WEBHOOK_STATE, WEBHOOK_WOKEN] {
        let (lost, _) = stocked.first(family).await;
        stocked.write(&lost, Write::Remove).await;
    }
    let (left, _) = repair(&stocked.shop.connect).await;
    assert_eq!(left.problems, []);
}

#[tokio::test]
async fn a_storage_that_takes_no_writes_is_named() {
    let stocked = Stocked::open().await;
    let (lost, _) = stocked.first(PRODUCT).await;
    stocked.write(&lost, Write::Remove).await;
    let faulty = Faulty::new(stocked.shop.storage.clone());
    faulty.decide([Fate::Refused]);
    let connect = shop::connect(faulty, &stocked.shop.clock);
    let repaired = connect.repair(&mut |_| {}, &mut |_, _| {}).await;
    let error = repaired.unwrap_err().cause();
    assert_eq!(
        error,
        "nothing was written: storage is unavailable: no room"
    );
}
