//! A row that cannot be read harms what needs that row, and nothing else.

use std::sync::Arc;

use connect_core::{
    Access, Connect, FailureKind, Request,
    storage::{Commit, Key, Storage, Value, Write, memory::MemoryStorage},
    wire::{
        Field, Product, ProductInput,
        query::{ProductQuery, SyncQuery},
        read::BatchRequest,
    },
};
use uuid::Uuid;

use crate::{
    faulty::{Faulty, rows},
    shop::{self, Shop, keyed},
};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

// The bytes that say which family a key is of, as the catalogue of keys has them.
const TOMBSTONES_SINCE: u8 = 0x02;
const MAINTENANCE: u8 = 0x03;
const ACCOUNT: u8 = 0x10;
const ACCOUNT_LIST: u8 = 0x14;
const PRODUCT: u8 = 0x30;
const TOMBSTONE: u8 = 0x32;
const EVENT: u8 = 0x50;
const ANSWER: u8 = 0x60;

struct Tried {
    shop: Shop,
    storage: Arc<Faulty>,
}

impl Tried {
    async fn open() -> Self {
        let storage = Faulty::new(Arc::new(MemoryStorage::new()));
        let shop = shop::open_on(storage.clone()).await;
        Self { shop, storage }
    }

    /// Another location, at which a product was made and deleted: two events, a tombstone, and
    /// under the name of the location a stored answer.
    async fn location(&self, name: &str) -> Uuid {
        let connect = &self.shop.connect;
        let at = shop::location(connect, self.shop.account, name).await;
        let made = create(connect, &at, name).await;
        let deleted = connect.delete_product(&at, made.id, ().into());
        deleted.await.unwrap();
        at.location().id
    }

    /// Writes over every row of a family what nobody can parse; returns how many there are.
    async fn scribble(&self, partition: Uuid, family: u8) -> usize {
        let start = start(partition, family);
        let rows = rows(&*self.storage).await.into_iter();
        let keys = rows
            .map(|(key, _)| key)
            .filter(|key| key.starts_with(&start));
        let garbage = |key: Key| (key, Write::Put(Value::from(&b"garbage"[..])));
        let writes: Vec<_> = keys.map(garbage).collect();
        let count = writes.len();
        let commit = Commit {
            writes,
            ..Commit::default()
        };
        self.storage.commit(commit).await.unwrap();
        count
    }
}

/// What the keys of a family in a partition start with.
fn start(partition: Uuid, family: u8) -> Vec<u8> {
    [&partition.as_bytes()[..], &[family]].concat()
}

/// Makes a product under a key, with its name as external id.
async fn create(connect: &Connect, at: &Access, name: &str) -> Product {
    let input = ProductInput {
        external_id: Field::Value(name.into()),
        ..ProductInput::named(name)
    };
    let made = connect.create_product(at, keyed(Request::from(input), name));
    made.await.unwrap().decode().unwrap()
}

#[tokio::test]
async fn maintenance_goes_on_past_what_cannot_be_read() {
    let tried = Tried::open().await;
    let (connect, account) = (&tried.shop.connect, tried.shop.account);
    // Another account, with a shop of its own, comes first and cannot be read at all.
    tried.location("A").await;
    let b = tried.location("B").await;
    let c = tried.location("C").await;
    let other = shop::open_on(tried.storage.clone()).await;
    let d = shop::location(&other.connect, other.account, "D").await;
    create(&other.connect, &d, "D").await;
    connect.maintain().await.unwrap();

    tried.storage.damage(&start(b, TOMBSTONE));
    tried.storage.damage(&start(c, EVENT));
    tried.storage.damage(&start(other.account, ACCOUNT));
    tried
        .storage
        .damage(&[&start(account, ANSWER)[..], b"A"].concat());
    tried.shop.clock.advance(91 * DAY);
    let round = connect.maintain().await.unwrap();
    // The answers of B, C and D; the tombstones of A and C; the events of A and B. Left are the
    // tombstone of B, the two events of C, the other account, and the answer of A.
    let purged = (round.answers, round.tombstones, round.events);
    assert_eq!((purged, round.failed), ((3, 2, 4), 5), "{round:?}");
    let again = connect.maintain().await.unwrap();
    let purged = (again.answers, again.tombstones, again.events);
    assert_eq!((purged, again.failed), ((0, 0, 0), 5), "{again:?}");

    tried.storage.heal();
    let rest = connect.maintain().await.unwrap();
    let purged = (rest.answers, rest.tombstones, rest.events);
    assert_eq!((purged, rest.failed), ((1, 1, 3), 0), "{rest:?}");
}

/// One row of every table that a round walks through.
#[tokio::test]
async fn maintenance_goes_on_past_single_rows_of_its_tables() {
    let tried = Tried::open().await;
    let (connect, account) = (&tried.shop.connect, tried.shop.account);
    let a = tried.location("A").await;
    let at = connect.enter_as_owner(account, a, account).await.unwrap();
    let mut deleted = Vec::new();
    for name in ["B", "C", "D"] {
        let product = create(connect, &at, name).await;
        connect
            .delete_product(&at, product.id, ().into())
            .await
            .unwrap();
        deleted.push(product.id);
    }
    connect.maintain().await.unwrap();

    let all = rows(&*tried.storage).await;
    // The account in the list of accounts, one of four tombstones, the third of eight events, and
    // one of four answers in the table of when they expire.
    let listed = [&start(Uuid::nil(), ACCOUNT_LIST)[..], account.as_bytes()].concat();
    tried.storage.damage(&listed);
    let is_torn = |key: &[u8]| {
        let is_tombstone = key.starts_with(&start(a, TOMBSTONE));
        is_tombstone && key.ends_with(deleted[1].as_bytes())
    };
    let (torn, _) = all.iter().find(|(key, _)| is_torn(key)).unwrap();
    tried.storage.damage(torn);
    let events = start(a, EVENT);
    tried
        .storage
        .damage(&[&events[..], &3u64.to_be_bytes()].concat());
    tried
        .storage
        .damage(&[account.as_bytes(), &b"C\0\0"[..]].concat());
    tried.shop.clock.advance(91 * DAY);
    for expected in [(3, 3, 7), (0, 0, 0)] {
        let round = connect.maintain().await.unwrap();
        let purged = (round.answers, round.tombstones, round.events);
        assert_eq!((purged, round.failed), (expected, 4), "{round:?}");
    }

    // Without the time since when they are complete, no tombstone of the location is purged.
    tried.storage.heal();
    tried.storage.damage(&start(a, TOMBSTONES_SINCE));
    let round = connect.maintain().await.unwrap();
    let purged = (round.answers, round.tombstones, round.events);
    assert_eq!((purged, round.failed), ((1, 0, 1), 1), "{round:?}");
    tried.storage.heal();
    let rest = connect.maintain().await.unwrap();
    assert_eq!((rest.tombstones, rest.failed), (1, 0), "{rest:?}");
}

#[tokio::test]
async fn maintenance_goes_on_past_rows_that_are_something_else() {
    let tried = Tried::open().await;
    let (connect, account) = (&tried.shop.connect, tried.shop.account);
    let other = shop::open_on(tried.storage.clone()).await;
    let a = tried.location("A").await;
    connect.maintain().await.unwrap();
    assert_eq!(tried.scribble(a, TOMBSTONE).await, 1);
    assert_eq!(tried.scribble(a, EVENT).await, 2);
    assert_eq!(tried.scribble(account, ANSWER).await, 1);
    assert_eq!(tried.scribble(other.account, ACCOUNT).await, 1);
    let at = connect.enter_as_owner(account, a, account).await.unwrap();
    create(connect, &at, "B").await;
    tried.shop.clock.advance(91 * DAY);
    let round = connect.maintain().await.unwrap();
    let purged = (round.answers, round.tombstones, round.events);
    assert_eq!((purged, round.failed), ((1, 1, 3), 2), "{round:?}");
}

/// The row that says when the last round was is written anew once the process has counted an hour
/// itself.
#[tokio::test]
async fn maintenance_finds_its_way_without_its_row() {
    let tried = Tried::open().await;
    let connect = &tried.shop.connect;
    connect.maintain().await.unwrap();
    assert_eq!(tried.scribble(Uuid::nil(), MAINTENANCE).await, 1);
    assert!(connect.maintain().await.unwrap().is_held_off);
    tried.shop.clock.advance(HOUR);
    assert!(!connect.maintain().await.unwrap().is_held_off);
    let last = connect.last_maintenance().await.unwrap();
    assert_eq!(last, Some(shop::START.plus_seconds(HOUR)));
}

#[tokio::test]
async fn an_unreadable_product_harms_no_other() {
    let tried = Tried::open().await;
    let (connect, at) = (&tried.shop.connect, &tried.shop.at);
    let mut products = Vec::new();
    for number in 0..10 {
        products.push(create(connect, at, &format!("P-{number}")).await);
    }
    let torn = [
        &start(at.location().id, PRODUCT)[..],
        products[5].id.as_bytes(),
    ]
    .concat();
    tried.storage.damage(&torn);

    for (number, product) in products.iter().enumerate() {
        let read = connect.get_product(at, product.id).await;
        match number {
            5 => assert_eq!(read.unwrap_err().kind, FailureKind::Server),
            _ => assert_eq!(read.unwrap().decode().unwrap().data, *product),
        }
    }
    // The lists up to it, and those from behind it.
    let page = async |since: usize, limit| {
        let query = ProductQuery {
            sync: SyncQuery {
                updated_since: Some(products[since].updated_at),
                limit: Some(limit),
                ..SyncQuery::default()
            },
            ..ProductQuery::default()
        };
        let page = connect.list_products(at, &query).await;
        page.map(|page| page.decode().unwrap().data)
    };
    assert_eq!(page(0, 4).await.unwrap(), products[..4]);
    assert_eq!(page(6, 50).await.unwrap(), products[6..]);
    assert_eq!(page(3, 4).await.unwrap_err().kind, FailureKind::Server);

    // A batch that touches it fails, those beside it do not.
    let batch = async |names: &[&str]| {
        let items = names.iter().map(|name| ProductInput {
            external_id: Field::Value((*name).into()),
            price_cents: Field::Value(5),
            ..ProductInput::default()
        });
        let batch = BatchRequest::new(items.collect());
        connect.write_products(at, batch.into()).await
    };
    let (one, torn, other) = tokio::join!(
        batch(&["P-1", "P-2"]),
        batch(&["P-3", "P-5"]),
        batch(&["P-6", "P-7"]),
    );
    assert_eq!(torn.unwrap_err().kind, FailureKind::Server);
    for answer in [one, other] {
        let done: connect_core::wire::ProductBatchResult = answer.unwrap().decode().unwrap();
        assert_eq!(done.updated, 2);
    }
    let untouched = connect.get_product(at, products[3].id).await.unwrap();
    assert_eq!(untouched.decode().unwrap().data, products[3]);
}
