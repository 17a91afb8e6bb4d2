//! A row that cannot be read harms what needs that row, and nothing else.

mod lists;
mod maintenance;

use connect_core::{
    Access, Connect, Request,
    storage::{Entry, Key},
    wire::{Field, Id, Location, Product, ProductInput},
};
use uuid::Uuid;

use crate::{
    shop::{Shop, keyed},
    stored::{
        self,
        family::{
            ACCOUNT, ACCOUNT_LIST, ANSWER, EVENT, MAINTENANCE, PRODUCT, PRODUCT_BY_CHANGE,
            PRODUCT_TOMBSTONE as TOMBSTONE, TOMBSTONES_SINCE,
        },
    },
};

/// Another location, at which a product was made and deleted: two events, a tombstone, and
/// under the name of the location a stored answer.
async fn location(shop: &Shop, name: &str) -> Id<Location> {
    let at = shop.location(name).await;
    let made = create(&shop.connect, &at, name).await;
    shop.connect
        .location(&at)
        .products()
        .delete(made.id)
        .await
        .unwrap();
    at.location().id
}

/// Writes over every row of a family with unreadable bytes. Returns their number.
async fn scribble(shop: &Shop, partition: impl Into<Uuid>, family: u8) -> usize {
    let start = start(partition, family);
    let mut rows = stored::of_family(&*shop.storage, family).await;
    rows.retain(|(key, _)| key.starts_with(&start));
    let count = rows.len();
    let writes = rows.into_iter().map(|(key, _)| (key, stored::garbage()));
    stored::write_all(&*shop.storage, writes.collect()).await;
    count
}

/// What the keys of a family in a partition start with.
fn start(partition: impl Into<Uuid>, family: u8) -> Vec<u8> {
    [&partition.into().as_bytes()[..], &[family]].concat()
}

/// The key among these that is of a family in a partition, and ends with an id.
fn key_of(all: &[Entry], partition: impl Into<Uuid>, family: u8, id: impl Into<Uuid>) -> Key {
    let (start, id) = (start(partition, family), id.into());
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
    let made = connect
        .location(at)
        .json::<Product>()
        .create(keyed(Request::from(input), name));
    made.await.unwrap().decode().unwrap()
}
