//! A row that cannot be read harms what needs that row, and nothing else.

use std::sync::Arc;

use connect_core::{
    Access, Connect, Failure, FailureKind, Request,
    storage::{Commit, Entry, Key, Storage, Value, Write, memory::MemoryStorage},
    wire::{
        Field, Page, Product, ProductInput, Timestamp,
        query::{ProductQuery, SyncQuery},
        read::BatchRequest,
    },
};
use serde_json::Value as Json;
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
const PRODUCT_BY_CHANGE: u8 = 0x31;
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

/// The key among these that is of a family in a partition, and ends with an id.
fn key_of(all: &[Entry], partition: Uuid, family: u8, id: Uuid) -> Key {
    let start = start(partition, family);
    let mut keys = all.iter().map(|(key, _)| key);
    let is_it = |key: &&Key| key.starts_with(&start) && key.ends_with(id.as_bytes());
    keys.find(is_it).unwrap().clone()
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
    tried
        .storage
        .damage(&key_of(&all, a, TOMBSTONE, deleted[1]));
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
    // A page ends before it, and the page that begins with it fails.
    assert_eq!(page(3, 4).await.unwrap(), products[3..5]);
    let failure = page(5, 4).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Server);
    assert!(failure.message.contains("check"), "{failure}");

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

/// Reads a list with deletions page by page from a time on, to its end or to the page that fails.
async fn walk(shop: &Shop, since: Timestamp, limit: usize) -> (Vec<Json>, Option<Failure>) {
    let mut query = ProductQuery {
        sync: SyncQuery {
            updated_since: Some(since),
            limit: Some(limit),
            include_deleted: true,
            cursor: None,
        },
        ..ProductQuery::default()
    };
    let mut found = Vec::new();
    loop {
        match shop.connect.list_products(&shop.at, &query).await {
            Ok(page) => {
                let page: Page<Json> = serde_json::from_slice(&page.into_bytes()).unwrap();
                assert!(page.data.len() <= limit);
                found.extend(page.data);
                query.sync.cursor = page.next_cursor;
            }
            Err(failure) => return (found, Some(failure)),
        }
        if query.sync.cursor.is_none() {
            return (found, None);
        }
    }
}

/// All that lies before an unreadable row is listed, and all behind it: no page of others fails,
/// and none passes over the row in silence.
#[tokio::test]
async fn a_list_ends_before_a_row_that_cannot_be_read() {
    let tried = Tried::open().await;
    let (connect, at) = (&tried.shop.connect, &tried.shop.at);
    for number in 0..20 {
        let product = create(connect, at, &format!("P-{number}")).await;
        // Two runs of deletions among the products.
        if [3, 4, 5, 6, 7, 15].contains(&number) {
            connect
                .delete_product(at, product.id, ().into())
                .await
                .unwrap();
        }
    }
    let location = at.location().id;
    let all = rows(&*tried.storage).await;
    let (whole, failure) = walk(&tried.shop, shop::START, 50).await;
    assert!(failure.is_none() && whole.len() == 20);
    for (place, entry) in whole.iter().enumerate() {
        let id: Uuid = entry["id"].as_str().unwrap().parse().unwrap();
        let families = match entry["deleted"] {
            Json::Bool(true) => vec![TOMBSTONE],
            _ => vec![PRODUCT, PRODUCT_BY_CHANGE],
        };
        for family in families {
            tried.storage.damage(&key_of(&all, location, family, id));
            for limit in [1, 3, 50] {
                let (before, failure) = walk(&tried.shop, shop::START, limit).await;
                assert_eq!(before, whole[..place], "{limit} a page");
                assert_eq!(failure.unwrap().kind, FailureKind::Server);
                if let Some(next) = whole.get(place + 1) {
                    let next: Timestamp =
                        serde_json::from_value(next["updatedAt"].clone()).unwrap();
                    let (behind, failure) = walk(&tried.shop, next, limit).await;
                    assert_eq!((&behind[..], failure), (&whole[place + 1..], None));
                }
            }
            tried.storage.heal();
        }
    }
}

/// A row that is no product any more ends a page that has to look into its rows.
#[tokio::test]
async fn a_filtered_list_ends_before_a_row_that_cannot_be_parsed() {
    let tried = Tried::open().await;
    let (connect, at) = (&tried.shop.connect, &tried.shop.at);
    let same = ProductInput {
        barcode: Field::Value("SAME".into()),
        ..ProductInput::named("Bread")
    };
    // More than are read at once through the barcode.
    let holders = async |count| {
        let batch = BatchRequest::new(vec![same.clone(); count]);
        connect.write_products(at, batch.into()).await.unwrap();
    };
    holders(5).await;
    let torn = create(connect, at, "Torn").await;
    holders(500).await;
    let garbage = Value::from(&b"garbage"[..]);
    let all = rows(&*tried.storage).await;
    let key_in = |family| key_of(&all, at.location().id, family, torn.id);
    let commit = Commit {
        writes: vec![
            (key_in(PRODUCT), Write::Put(garbage.clone())),
            (key_in(PRODUCT_BY_CHANGE), Write::Index(garbage)),
        ],
        ..Commit::default()
    };
    tried.storage.commit(commit).await.unwrap();
    let mut query = ProductQuery {
        barcode: Some("SAME".into()),
        ..ProductQuery::default()
    };
    let first = connect.list_products(at, &query).await.unwrap();
    let first = first.decode().unwrap();
    assert_eq!(first.data.len(), 5);
    query.sync.cursor = first.next_cursor;
    let failure = connect.list_products(at, &query).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Server);
}
