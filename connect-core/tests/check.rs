//! Stores that were damaged on purpose: a check finds what is wrong, and names it.

mod journal;

use std::sync::Arc;

use async_trait::async_trait;
use connect_core::{
    CheckProgress, CheckReport, Problem, ProblemKind, Request,
    storage::{
        Commit, CommitError, Entry, Found, Key, Locked, Range, Read, State, Storage, StorageError,
        Write, memory::MemoryStorage,
    },
    wire::{CategoryInput, Field, Product, ProductInput},
};
use uuid::Uuid;

use crate::shop::{self, Shop, keyed};

/// The bytes of families in keys.
mod family {
    pub(super) const CLOCK: u8 = 0x01;
    pub(super) const ACCOUNT_LIST: u8 = 0x14;
    pub(super) const TOKEN_BY_ID: u8 = 0x11;
    pub(super) const ACCOUNT_OF_TOKEN: u8 = 0x15;
    pub(super) const CATEGORY: u8 = 0x20;
    pub(super) const CATEGORY_BY_CHANGE: u8 = 0x21;
    pub(super) const CATEGORY_BY_NAME: u8 = 0x23;
    pub(super) const CATEGORY_FOLDED_NAME: u8 = 0x24;
    pub(super) const PRODUCT: u8 = 0x30;
    pub(super) const PRODUCT_BY_CHANGE: u8 = 0x31;
    pub(super) const PRODUCT_TOMBSTONE: u8 = 0x32;
    pub(super) const PRODUCT_BY_EXTERNAL_ID: u8 = 0x33;
    pub(super) const PRODUCT_BY_BARCODE: u8 = 0x34;
    pub(super) const PRODUCT_BY_CATEGORY: u8 = 0x35;
    pub(super) const IMAGE_JOB: u8 = 0x40;
    pub(super) const IMAGE_JOB_BY_PRODUCT: u8 = 0x41;
    pub(super) const IMAGE_JOB_BY_DUE: u8 = 0x43;
    pub(super) const EVENT: u8 = 0x50;
    pub(super) const ANSWER: u8 = 0x60;
    pub(super) const ANSWER_BY_EXPIRY: u8 = 0x61;
}

/// A shop with something of everything.
struct Stocked {
    storage: Arc<MemoryStorage>,
    shop: Shop,
}

impl Stocked {
    async fn open() -> Self {
        let storage = Arc::new(MemoryStorage::new());
        let shop = shop::open_on(storage.clone()).await;
        shop.token().await;
        for number in 0..3 {
            let input = ProductInput {
                external_id: Field::Value(format!("P-{number}")),
                barcode: Field::Value("871".into()),
                category_name: Field::Value("Bread".into()),
                image_url: Field::Value("https://images.example/rye".into()),
                ..ProductInput::named("Rye")
            };
            let request = keyed(Request::from(input), &format!("key-{number}"));
            shop.connect
                .location(&shop.at)
                .json::<Product>()
                .create(request)
                .await
                .unwrap();
        }
        let gone = ProductInput::named("Gone");
        let gone = shop.products().create(gone).await.unwrap();
        let empty = CategoryInput::named("Empty");
        shop.categories().create(empty).await.unwrap();
        shop.products().delete(gone.id).await.unwrap();
        shop.connect.maintain().await.unwrap();
        Self { storage, shop }
    }

    async fn check(&self) -> CheckReport {
        self.shop.connect.check(&mut |_| {}).await.unwrap()
    }

    /// All rows of a family.
    async fn rows(&self, family: u8) -> Vec<Entry> {
        let all = Range {
            from: b"",
            to: None,
        };
        let scan = Read::Scan {
            range: all,
            limit: usize::MAX,
            newest_first: false,
        };
        let mut state = self.storage.read(&[scan]).await.unwrap();
        let mut rows = state.entries().unwrap();
        rows.retain(|(key, _)| key[16] == family);
        assert!(!rows.is_empty(), "no rows of family {family:#x}");
        rows
    }

    async fn first(&self, family: u8) -> Entry {
        self.rows(family).await.swap_remove(0)
    }

    async fn write(&self, key: &[u8], write: Write) {
        let commit = Commit {
            writes: vec![(key.into(), write)],
            ..Commit::default()
        };
        self.storage.commit(commit).await.unwrap();
    }

    async fn put(&self, key: &[u8], value: &[u8]) {
        self.write(key, Write::Put(value.into())).await;
    }

    fn location(&self) -> Uuid {
        self.shop.at.location().id.uuid()
    }
}

/// The problem of this kind under this key.
fn find<'r>(report: &'r CheckReport, kind: ProblemKind, key: &[u8]) -> &'r Problem {
    let key = hex::encode(key);
    let is_it = |problem: &&Problem| problem.kind == kind && problem.key == key;
    let found = report.problems.iter().find(is_it);
    found.unwrap_or_else(|| panic!("no {kind:?} of {key} in {:#?}", report.problems))
}

#[tokio::test]
async fn a_store_that_is_as_it_was_written_is_clean() {
    let stocked = Stocked::open().await;
    let mut seen = 0;
    let mut progress = |progress: CheckProgress| seen = progress.rows;
    let report = stocked.shop.connect.check(&mut progress).await.unwrap();
    assert_eq!(report.problems, []);
    assert!(report.is_clean());
    assert_eq!(seen, report.rows);
    for (family, count) in [
        ("Account", 1),
        ("Token", 1),
        ("Product", 3),
        ("ProductByBarcode", 3),
        ("ProductTombstone", 1),
        ("Category", 2),
        ("ImageJob", 3),
        ("Answer", 3),
    ] {
        assert_eq!(report.families[family], count, "{family}");
    }
}

#[tokio::test]
async fn a_missing_index_entry_is_named() {
    for family in [
        family::ACCOUNT_LIST,
        family::TOKEN_BY_ID,
        family::ACCOUNT_OF_TOKEN,
        family::CATEGORY_BY_CHANGE,
        family::CATEGORY_BY_NAME,
        family::CATEGORY_FOLDED_NAME,
        family::PRODUCT_BY_CHANGE,
        family::PRODUCT_BY_EXTERNAL_ID,
        family::PRODUCT_BY_BARCODE,
        family::PRODUCT_BY_CATEGORY,
        family::IMAGE_JOB_BY_PRODUCT,
        family::IMAGE_JOB_BY_DUE,
        family::ANSWER_BY_EXPIRY,
    ] {
        let stocked = Stocked::open().await;
        let (key, _) = stocked.first(family).await;
        stocked.write(&key, Write::Remove).await;
        let report = stocked.check().await;
        find(&report, ProblemKind::MissingEntry, &key);
    }
}

#[tokio::test]
async fn an_entry_without_its_row_is_named() {
    for (rows, index) in [
        (family::CATEGORY, family::CATEGORY_BY_CHANGE),
        (family::CATEGORY, family::CATEGORY_FOLDED_NAME),
        (family::PRODUCT, family::PRODUCT_BY_CHANGE),
        (family::PRODUCT, family::PRODUCT_BY_EXTERNAL_ID),
        (family::PRODUCT, family::PRODUCT_BY_BARCODE),
        (family::PRODUCT, family::PRODUCT_BY_CATEGORY),
        (family::IMAGE_JOB, family::IMAGE_JOB_BY_PRODUCT),
        (family::IMAGE_JOB, family::IMAGE_JOB_BY_DUE),
        (family::ANSWER, family::ANSWER_BY_EXPIRY),
    ] {
        let stocked = Stocked::open().await;
        for (key, _) in stocked.rows(rows).await {
            stocked.write(&key, Write::Remove).await;
        }
        let report = stocked.check().await;
        for (entry, _) in stocked.rows(index).await {
            find(&report, ProblemKind::StrayEntry, &entry);
        }
    }
}

#[tokio::test]
async fn an_entry_too_many_is_named() {
    let stocked = Stocked::open().await;
    let products = stocked.rows(family::PRODUCT_BY_EXTERNAL_ID).await;
    // A second external id of the first product, and a second place in change order.
    let mut second = products[0].0.to_vec();
    let end = second.len() - 3;
    second[end] = b'9';
    stocked.put(&second, &products[0].1).await;
    let mut moved = stocked.first(family::PRODUCT_BY_CHANGE).await.0;
    moved[24] ^= 1;
    stocked.put(&moved, b"").await;
    // A name that no category has.
    let (name, id) = stocked.first(family::CATEGORY_BY_NAME).await;
    let other = [&name[..name.len() - 2], b"s\0\0"].concat();
    stocked.put(&other, &id).await;
    let report = stocked.check().await;
    for key in [&second[..], &moved, &other] {
        let problem = find(&report, ProblemKind::StrayEntry, key);
        assert_eq!(problem.location, Some(stocked.location()));
    }
    // One place in change order, and one name, are more than there are rows.
    let counts = report
        .problems
        .iter()
        .filter(|problem| problem.kind == ProblemKind::Count);
    assert_eq!(counts.count(), 2, "{:#?}", report.problems);
}

#[tokio::test]
async fn a_row_that_does_not_parse_is_named() {
    for family in [
        family::CLOCK,
        family::CATEGORY,
        family::PRODUCT,
        family::PRODUCT_TOMBSTONE,
        family::PRODUCT_BY_EXTERNAL_ID,
        family::PRODUCT_BY_BARCODE,
        family::IMAGE_JOB,
        family::EVENT,
        family::ANSWER,
        family::TOKEN_BY_ID,
    ] {
        let stocked = Stocked::open().await;
        let (key, value) = stocked.first(family).await;
        let cut = value.len().saturating_sub(1);
        let wrong = if value.is_empty() {
            b"x"
        } else {
            &value[..cut]
        };
        stocked.put(&key, wrong).await;
        find(&stocked.check().await, ProblemKind::BadRow, &key);
    }
}

#[tokio::test]
async fn a_row_under_the_key_of_another_is_named() {
    for family in [
        family::CATEGORY,
        family::PRODUCT,
        family::PRODUCT_TOMBSTONE,
        family::IMAGE_JOB,
        family::EVENT,
    ] {
        let stocked = Stocked::open().await;
        let (mut key, value) = stocked.first(family).await;
        if let Some(last) = key.last_mut() {
            *last ^= 0x40;
        }
        stocked.put(&key, &value).await;
        find(&stocked.check().await, ProblemKind::BadRow, &key);
    }
}

#[tokio::test]
async fn keys_that_nobody_writes_are_named() {
    let stocked = Stocked::open().await;
    let location = stocked.location();
    let strange = [
        b"short".to_vec(),
        [location.as_bytes(), &[0x7F][..], b"?"].concat(),
        [location.as_bytes(), &[family::PRODUCT][..], b"no id"].concat(),
        [
            location.as_bytes(),
            &[family::ACCOUNT_LIST][..],
            location.as_bytes(),
        ]
        .concat(),
    ];
    for key in &strange {
        stocked.put(key, b"{}").await;
    }
    let report = stocked.check().await;
    for key in &strange {
        find(&report, ProblemKind::UnknownKey, key);
    }
    assert_eq!(report.problem_count, 4);
}

#[tokio::test]
async fn missing_events_are_named() {
    let stocked = Stocked::open().await;
    let events = stocked.rows(family::EVENT).await;
    assert!(events.len() > 5);
    // Old ones are purged from the front: that is no damage.
    stocked.write(&events[0].0, Write::Remove).await;
    assert_eq!(stocked.check().await.problems, []);
    stocked.write(&events[2].0, Write::Remove).await;
    stocked.write(&events[3].0, Write::Remove).await;
    let report = stocked.check().await;
    let problem = find(&report, ProblemKind::BrokenEvents, &events[2].0);
    assert_eq!(problem.message, "events 3 to 4 are missing");
    assert_eq!(report.problem_count, 1);
    let last = &events[events.len() - 1].0;
    stocked.write(last, Write::Remove).await;
    let report = stocked.check().await;
    find(&report, ProblemKind::BrokenEvents, last);
    // And all of them.
    for (event, _) in &events {
        stocked.write(event, Write::Remove).await;
    }
    let report = stocked.check().await;
    find(&report, ProblemKind::BrokenEvents, last);
}

#[tokio::test]
async fn events_out_of_order_are_named() {
    let stocked = Stocked::open().await;
    let events = stocked.rows(family::EVENT).await;
    let (key, row) = &events[3];
    let mut event: serde_json::Value = serde_json::from_slice(row).unwrap();
    event["createdAt"] = "1999-01-01T00:00:00Z".into();
    stocked.put(key, event.to_string().as_bytes()).await;
    let report = stocked.check().await;
    find(&report, ProblemKind::BrokenEvents, key);
}

#[tokio::test]
async fn a_clock_behind_its_records_is_named() {
    let stocked = Stocked::open().await;
    let location = stocked.location();
    let key = [location.as_bytes(), &[family::CLOCK][..]].concat();
    let behind = br#"{"updatedAt":"2020-01-01T00:00:00Z","sequence":1,"nonce":7}"#;
    stocked.put(&key, behind).await;
    let report = stocked.check().await;
    let of_clock = |problem: &&Problem| problem.kind == ProblemKind::ClockBehind;
    // Behind the records, and behind the events.
    assert_eq!(report.problems.iter().filter(of_clock).count(), 2);
    stocked.write(&key, Write::Remove).await;
    find(&stocked.check().await, ProblemKind::ClockBehind, &key);
}

#[tokio::test]
async fn a_record_that_is_deleted_and_there_is_named() {
    let stocked = Stocked::open().await;
    let (product_key, product) = stocked.first(family::PRODUCT).await;
    let product: Product = serde_json::from_slice(&product).unwrap();
    let (key, row) = stocked.first(family::PRODUCT_TOMBSTONE).await;
    let mut tombstone: serde_json::Value = serde_json::from_slice(&row).unwrap();
    tombstone["id"] = product.id.to_string().into();
    let doubled = [&key[..key.len() - 16], product.id.uuid().as_bytes()].concat();
    stocked
        .put(&doubled, tombstone.to_string().as_bytes())
        .await;
    let report = stocked.check().await;
    find(&report, ProblemKind::DeletedAndThere, &product_key);
    assert_eq!(report.problem_count, 1);
}

#[tokio::test]
async fn a_reference_that_leads_nowhere_is_named() {
    let stocked = Stocked::open().await;
    let (product_key, _) = stocked.first(family::PRODUCT).await;
    let referred = [
        family::CATEGORY,
        family::IMAGE_JOB,
        family::IMAGE_JOB_BY_PRODUCT,
    ];
    for family in referred {
        for (key, _) in stocked.rows(family).await {
            stocked.write(&key, Write::Remove).await;
        }
    }
    let report = stocked.check().await;
    let of_product = |problem: &&Problem| {
        problem.kind == ProblemKind::MissingReference && problem.key == hex::encode(&product_key)
    };
    // Its category, and the job that it waits for.
    assert_eq!(report.problems.iter().filter(of_product).count(), 2);
}

#[tokio::test]
async fn rows_of_nobodys_location_are_named() {
    let stocked = Stocked::open().await;
    let (account, mut row) = stocked.first(0x10).await;
    let mut text: serde_json::Value = serde_json::from_slice(&row).unwrap();
    text["locations"] = serde_json::json!([]);
    row = text.to_string().into_bytes().into();
    stocked.put(&account, &row).await;
    let report = stocked.check().await;
    let location = stocked.location();
    let key = [location.as_bytes(), &[family::CLOCK][..]].concat();
    find(&report, ProblemKind::NoOwner, &key);
    // Its screen and the token's grant now lead nowhere, too.
    assert_eq!(report.problem_count, 3, "{:#?}", report.problems);
}

/// A storage that cannot return some of its rows, as one whose checksums do not hold.
struct Damaged {
    storage: Arc<MemoryStorage>,
    keys: Vec<Key>,
}

#[async_trait]
impl Storage for Damaged {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let mut state = self.storage.read(reads).await?;
        let found: Vec<Found> = state.by_ref().collect();
        for (read, found) in reads.iter().zip(&found) {
            let is_damaged = match (read, found) {
                (Read::Get(key), _) => self.keys.iter().any(|damaged| **damaged == **key),
                (_, Found::Entries(entries)) => {
                    entries.iter().any(|(key, _)| self.keys.contains(key))
                }
                _ => false,
            };
            if is_damaged {
                return Err(StorageError::new("the checksum of a row does not hold"));
            }
        }
        Ok(State::new(found))
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.storage.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}

#[tokio::test]
async fn rows_that_the_storage_cannot_return_are_named_and_passed_by() {
    let stocked = Stocked::open().await;
    let whole = stocked.check().await;
    let mut keys = Vec::new();
    for family in [
        family::CLOCK,
        family::TOKEN_BY_ID,
        family::PRODUCT,
        family::PRODUCT_BY_CHANGE,
        family::EVENT,
        family::ANSWER_BY_EXPIRY,
    ] {
        keys.push(stocked.first(family).await.0);
    }
    let (storage, damaged) = (stocked.storage.clone(), keys.clone());
    let damaged = Damaged {
        storage,
        keys: damaged,
    };
    let connect = shop::connect(Arc::new(damaged), &stocked.shop.clock);
    let report = connect.check(&mut |_| {}).await.unwrap();
    for key in &keys {
        let problem = find(&report, ProblemKind::Unreadable, key);
        assert!(problem.message.contains("checksum"), "{}", problem.message);
    }
    assert_eq!(
        report.problem_count,
        keys.len() as u64,
        "{:#?}",
        report.problems
    );
    // The rest was checked as ever.
    assert_eq!(report.rows, whole.rows);
    assert_eq!(report.families, whole.families);
}

/// A storage that answers nothing.
struct Down;

#[async_trait]
impl Storage for Down {
    async fn read(&self, _: &[Read<'_>]) -> Result<State, StorageError> {
        Err(StorageError::new("down"))
    }

    async fn commit(&self, _: Commit) -> Result<(), CommitError> {
        Err(CommitError::NotApplied(StorageError::new("down")))
    }

    async fn lock(&self, _: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        Err(StorageError::new("down"))
    }
}

#[tokio::test]
async fn a_storage_that_answers_nothing_is_an_error() {
    let clock = connect_core::environment::ManualClock::at(shop::START);
    let connect = shop::connect(Arc::new(Down), &clock);
    assert!(connect.check(&mut |_| {}).await.is_err());
}

#[tokio::test]
async fn more_problems_than_are_listed_are_counted() {
    let stocked = Stocked::open().await;
    let location = stocked.location();
    for number in 0u16..1200 {
        let key = [location.as_bytes(), &[0x7F][..], &number.to_be_bytes()].concat();
        stocked.put(&key, b"").await;
    }
    let report = stocked.check().await;
    assert_eq!((report.problem_count, report.problems.len()), (1200, 1000));
}
