//! SQLite as PocketBase uses it: a write-ahead log, one connection that writes, a pool of
//! connections that read, a transaction for each request, prepared statements.

use std::{
    path::Path,
    sync::Mutex,
    thread,
    time::{Duration, SystemTime},
};

use rusqlite::{Connection, Row, Transaction, TransactionBehavior, named_params};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::{
    shop,
    work::{Peer, Work},
};

/// The columns of a product but for its id, as declared here and for TrailBase.
pub const COLUMNS: &str = "
    externalId TEXT UNIQUE, name TEXT NOT NULL, description TEXT, priceCents INTEGER NOT NULL,
    currency TEXT NOT NULL DEFAULT 'EUR', vatRate REAL NOT NULL, barcode TEXT, categoryName TEXT,
    isActive INTEGER NOT NULL, availableFrom TEXT, availableUntil TEXT, imageUrl TEXT,
    imageStatus TEXT, imageError TEXT, optionGroupIds TEXT NOT NULL DEFAULT '[]',
    stockQuantity INTEGER,
    createdAt INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    updatedAt INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER))";

/// The indexes beside those by id and by external id.
pub const INDEXES: &str = "
    CREATE INDEX products_barcode ON products (barcode);
    CREATE INDEX products_category ON products (categoryName);
    CREATE INDEX products_updated ON products (updatedAt);";

/// The settings of PocketBase's connections but for `synchronous`.
const PRAGMAS: &str = "
    PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 200000000;
    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000;";

const INSERT: &str = "
    INSERT INTO products (id, externalId, name, description, priceCents, vatRate, barcode,
        categoryName, isActive, createdAt, updatedAt)
    VALUES (:id, :externalId, :name, :description, :priceCents, :vatRate, :barcode,
        :categoryName, :isActive, :now, :now)
    RETURNING *";

const UPDATE: &str = "
    UPDATE products SET name = :name, description = :description, priceCents = :priceCents,
        vatRate = :vatRate, barcode = :barcode, categoryName = :categoryName,
        isActive = :isActive, updatedAt = :now
    WHERE externalId = :externalId
    RETURNING *";

/// The connections that read.
const READERS: usize = 8;

/// A product to write.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    external_id: String,
    name: String,
    description: Option<String>,
    price_cents: i64,
    vat_rate: f64,
    barcode: Option<String>,
    category_name: Option<String>,
    is_active: bool,
}

/// A row as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'r> {
    id: &'r str,
    external_id: Option<&'r str>,
    name: &'r str,
    description: Option<&'r str>,
    price_cents: i64,
    currency: &'r str,
    vat_rate: f64,
    barcode: Option<&'r str>,
    category_name: Option<&'r str>,
    is_active: bool,
    available_from: Option<&'r str>,
    available_until: Option<&'r str>,
    image_url: Option<&'r str>,
    image_status: Option<&'r str>,
    image_error: Option<&'r str>,
    option_group_ids: &'r str,
    stock_quantity: Option<i64>,
    created_at: i64,
    updated_at: i64,
}

/// A database, with clients in threads.
pub struct Sqlite {
    name: &'static str,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    /// Of the products of the start, the ids and the times.
    start: Vec<(String, i64)>,
    /// Removed at the end.
    _folder: TempDir,
}

impl Sqlite {
    /// Fills a database with `count` products.
    pub fn open(name: &'static str, synchronous: &'static str, count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.db");
        let writer = connect(&path, synchronous);
        let table = format!("CREATE TABLE products (id TEXT PRIMARY KEY NOT NULL, {COLUMNS});");
        writer.execute_batch(&(table + INDEXES)).unwrap();
        // Opened now: those that are opened later get the extensions that TrailBase adds to all.
        let readers = (0..READERS).map(|_| connect(&path, synchronous)).collect();
        let mut made = Self {
            name,
            writer: Mutex::new(writer),
            readers: Mutex::new(readers),
            start: Vec::new(),
            _folder: folder,
        };
        for start in (0..count).step_by(shop::BATCH) {
            let numbers = start..(start + shop::BATCH).min(count);
            let items: Vec<_> = numbers.map(|it| (it, shop::product(it, 100))).collect();
            made.answer(&Work::CreateMany(made.body(&items)));
        }
        let reader = connect(&path, synchronous);
        let all = "SELECT id, updatedAt FROM products ORDER BY externalId";
        let mut all = reader.prepare(all).unwrap();
        let rows = all.query_map((), |row| Ok((row.get(0)?, row.get(1)?)));
        made.start = rows.unwrap().map(Result::unwrap).collect();
        made
    }

    fn answer(&self, work: &Work) -> Vec<u8> {
        match work {
            Work::Create(body) => self.write(|transaction| {
                let item = serde_json::from_slice(body).unwrap();
                put(transaction, INSERT, &item, json)
            }),
            Work::CreateMany(body) => self.write(|transaction| many(transaction, INSERT, body)),
            Work::UpdateMany(body) => self.write(|transaction| many(transaction, UPDATE, body)),
            Work::Get(number) => {
                let (id, _) = &self.start[*number];
                self.read(|reader| {
                    let one = "SELECT * FROM products WHERE id = ?";
                    let mut one = reader.prepare_cached(one).unwrap();
                    one.query_row([id], |row| Ok(json(row))).unwrap()
                })
            }
            Work::Page(number) => self.list(
                "SELECT * FROM products WHERE rowid > ? ORDER BY rowid LIMIT 200",
                (number * 200 % (self.start.len() - 200)) as i64,
            ),
            Work::Delta(number) => self.list(
                "SELECT * FROM products WHERE updatedAt >= ? ORDER BY updatedAt LIMIT 200",
                self.start[*number].1,
            ),
        }
    }

    /// Runs a transaction on the connection that writes.
    fn write(&self, run: impl FnOnce(&Transaction<'_>) -> Vec<u8>) -> Vec<u8> {
        let mut writer = self.writer.lock().unwrap();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = transaction.unwrap();
        let answer = run(&transaction);
        transaction.commit().unwrap();
        answer
    }

    /// Reads by a connection of the pool.
    fn read(&self, run: impl FnOnce(&Connection) -> Vec<u8>) -> Vec<u8> {
        let reader = self.readers.lock().unwrap().pop();
        let reader = reader.expect("a connection for each client that reads");
        let answer = run(&reader);
        self.readers.lock().unwrap().push(reader);
        answer
    }

    fn list(&self, query: &str, after: i64) -> Vec<u8> {
        self.read(|reader| {
            let mut list = reader.prepare_cached(query).unwrap();
            let mut rows = list.query([after]).unwrap();
            let mut answer = br#"{"data":["#.to_vec();
            while let Some(row) = rows.next().unwrap() {
                answer.extend(json(row));
                answer.push(b',');
            }
            answer.pop();
            answer.extend(b"]}");
            answer
        })
    }
}

fn connect(path: &Path, synchronous: &str) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(PRAGMAS).unwrap();
    let pragma = connection.pragma_update(None, "synchronous", synchronous);
    pragma.unwrap();
    connection
}

/// Writes a product and returns what `show` makes of its row.
fn put<T>(
    transaction: &Transaction<'_>,
    statement: &str,
    item: &Item,
    show: impl Fn(&Row<'_>) -> T,
) -> T {
    let now = SystemTime::UNIX_EPOCH.elapsed();
    let now = now.unwrap_or(Duration::ZERO).as_micros() as i64;
    // As PocketBase makes them.
    let id: String = (0..15).map(|_| fastrand::lowercase()).collect();
    let mut statement_ = transaction.prepare_cached(statement).unwrap();
    let mut parameters: Vec<(&str, &dyn rusqlite::ToSql)> = named_params! {
        ":externalId": item.external_id, ":name": item.name, ":description": item.description,
        ":priceCents": item.price_cents, ":vatRate": item.vat_rate, ":barcode": item.barcode,
        ":categoryName": item.category_name, ":isActive": item.is_active, ":now": now,
    }
    .to_vec();
    if statement == INSERT {
        parameters.push((":id", &id));
    }
    let row = statement_.query_row(&*parameters, |row| Ok(show(row)));
    row.unwrap()
}

/// Writes all products of a batch, and lists their ids.
fn many(transaction: &Transaction<'_>, statement: &str, body: &[u8]) -> Vec<u8> {
    let items: Vec<Item> = serde_json::from_slice(body).unwrap();
    let put = |item| put(transaction, statement, item, |row| row.get(0).unwrap());
    let ids: Vec<String> = items.iter().map(put).collect();
    serde_json::to_vec(&ids).unwrap()
}

fn json(row: &Row<'_>) -> Vec<u8> {
    let text = |column: usize| row.get_ref(column).unwrap().as_str_or_null().unwrap();
    let number = |column: usize| row.get(column).unwrap();
    let shown = Shown {
        id: text(0).unwrap_or_default(),
        external_id: text(1),
        name: text(2).unwrap_or_default(),
        description: text(3),
        price_cents: number(4),
        currency: text(5).unwrap_or_default(),
        vat_rate: row.get(6).unwrap(),
        barcode: text(7),
        category_name: text(8),
        is_active: row.get(9).unwrap(),
        available_from: text(10),
        available_until: text(11),
        image_url: text(12),
        image_status: text(13),
        image_error: text(14),
        option_group_ids: text(15).unwrap_or_default(),
        stock_quantity: row.get(16).unwrap(),
        created_at: number(17),
        updated_at: number(18),
    };
    serde_json::to_vec(&shown).unwrap()
}

impl Peer for Sqlite {
    fn name(&self) -> &'static str {
        self.name
    }

    fn body(&self, products: &[(usize, String)]) -> Vec<u8> {
        let items: Vec<_> = products.iter().map(|(_, item)| item.as_str()).collect();
        match *items {
            [item] => item.into(),
            _ => format!("[{}]", items.join(",")).into_bytes(),
        }
    }

    fn run(&self, clients: Vec<Vec<Work>>) {
        thread::scope(|scope| {
            for requests in clients {
                scope.spawn(move || {
                    for work in requests {
                        work.check(&self.answer(&work));
                    }
                });
            }
        });
    }
}
