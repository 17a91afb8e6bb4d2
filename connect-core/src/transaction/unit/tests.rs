//! Reads, rollbacks and commits of units of work.

use std::sync::Arc;

use super::*;
use crate::{
    storage::memory::MemoryStorage,
    transaction::{
        Indexed,
        environment::{Environment, ManualClock},
        keys::KeyPart,
    },
    wire::Product,
};

const PLACE: Uuid = Uuid::from_u128(1);

fn store() -> Store {
    let environment = Environment {
        clock: ManualClock::at(Timestamp::EPOCH),
        ..Environment::default()
    };
    Store::new(Arc::new(MemoryStorage::new()), environment)
}

/// A unit with its clock loaded.
async fn begun(store: &Store) -> UnitOfWork<'_> {
    let mut unit = UnitOfWork::new(store, PLACE, None);
    unit.load(Reads::of(PLACE)).await.unwrap();
    unit
}

/// The key of some row.
fn row(number: u64) -> Key {
    key(PLACE, Family::Transaction, &[KeyPart::Number(number)])
}

fn value(byte: u8) -> Value {
    Value::from([byte].as_slice())
}

/// Commits these rows.
async fn put(store: &Store, rows: impl IntoIterator<Item = Key>) {
    let mut unit = begun(store).await;
    for row in rows {
        unit.put(row, value(1));
    }
    assert!(unit.commit().await.unwrap());
}

#[tokio::test]
async fn what_is_known_is_not_read_again() {
    let store = store();
    put(&store, [row(1)]).await;
    let mut unit = begun(&store).await;
    let mut reads = Reads::of(PLACE);
    reads.row(row(1));
    reads.row(row(2));
    unit.load(reads).await.unwrap();
    assert_eq!(unit.rounds, 2);
    let mut reads = Reads::of(PLACE);
    reads.row(row(2));
    unit.load(reads).await.unwrap();
    unit.load(Reads::of(PLACE)).await.unwrap();
    assert_eq!(unit.get(&row(1)).await.unwrap(), Some(value(1)));
    assert_eq!(unit.get(&row(2)).await.unwrap(), None);
    assert_eq!(unit.rounds, 2);
    unit.get(&row(3)).await.unwrap();
    assert_eq!(unit.rounds, 3);
}

/// A row that is overwritten without a read counts as what it is then.
#[tokio::test]
async fn a_row_overwritten_unread_is_counted_once() {
    let store = store();
    for len in [9, 4] {
        let mut unit = begun(&store).await;
        unit.begin_counts();
        unit.put(row(1), Value::from(&[0; 9][..len]));
        assert!(unit.commit().await.unwrap());
    }
    let bytes = begun(&store).await.account_bytes();
    assert_eq!(bytes, row(1).len() as u64 + 4);
}

/// A unit that writes nothing expects nothing of its commit.
#[tokio::test]
async fn several_rounds_are_one_state() {
    for (more_reads, others_write, expected) in [
        (false, false, true),
        (false, true, true),
        (true, false, true),
        (true, true, false),
    ] {
        let store = store();
        put(&store, [row(1)]).await;
        let mut unit = begun(&store).await;
        if others_write {
            put(&store, [row(2)]).await;
        }
        if more_reads {
            unit.get(&row(2)).await.unwrap();
        }
        let ended = unit.commit().await.unwrap();
        assert_eq!(ended, expected, "{more_reads} {others_write}");
    }
}

#[tokio::test]
async fn writes_are_taken_back_to_a_savepoint() {
    let store = store();
    let mut unit = begun(&store).await;
    unit.put(row(1), value(1));
    let outer = unit.savepoint();
    unit.put(row(2), value(2));
    unit.savepoint();
    unit.put(row(3), value(3));
    unit.savepoint();
    unit.put(row(1), value(4));
    let numbers =
        |unit: &UnitOfWork<'_>| [1, 2, 3].map(|number| unit.known(&row(number)).flatten());
    unit.rollback_to(outer + 1);
    let left = [Some(value(1)), Some(value(2)), None];
    assert_eq!(numbers(&unit), left);
    unit.rollback_to(outer);
    assert_eq!(numbers(&unit), [Some(value(1)), None, None]);
    // Nothing is left to go back to.
    unit.rollback_to(outer);
    unit.rollback();
    assert_eq!(numbers(&unit), [Some(value(1)), None, None]);
}

/// The barcode entry of a product.
fn holder(number: u128) -> Key {
    let parts = [KeyPart::Text("A"), KeyPart::Id(Uuid::from_u128(number))];
    key(PLACE, Family::ProductByBarcode, &parts)
}

/// Two holders are found, with any writes of the unit.
/// Nothing more than announced is read while this is enough.
#[tokio::test]
async fn two_holders_tell_whether_there_is_one() {
    let prefix = key(PLACE, Family::ProductByBarcode, &[KeyPart::Text("A")]);
    for (stored, removed, added, holders, more_rounds) in [
        (0, 0, 0, 0, 0),
        (1, 0, 0, 1, 0),
        (2, 0, 0, 2, 0),
        (5, 0, 0, 2, 0),
        (0, 0, 1, 1, 0),
        (1, 1, 0, 0, 0),
        (1, 1, 1, 1, 0),
        (2, 1, 0, 1, 0),
        (2, 2, 0, 0, 0),
        (3, 1, 0, 2, 0),
        // There may be more than were loaded.
        (3, 2, 0, 1, 1),
        (5, 2, 0, 2, 1),
        (5, 3, 0, 2, 1),
        (5, 4, 0, 1, 1),
        (5, 2, 1, 2, 0),
    ] {
        let case = format!("{stored} stored, {removed} removed, {added} added");
        let store = store();
        put(&store, (0..stored).map(holder)).await;
        for is_loaded in [true, false] {
            let mut unit = begun(&store).await;
            if is_loaded {
                let mut reads = Reads::of(PLACE);
                let code = Indexed::Text("A");
                reads.holders::<Product>(Family::ProductByBarcode, code, MOST_HOLDERS);
                unit.load(reads).await.unwrap();
                let one = unit.known_holder(&prefix);
                let expected = (stored == 1).then(|| Uuid::from_u128(0));
                assert_eq!(one, expected, "{case}");
            }
            for number in 0..removed {
                unit.delete(holder(number));
            }
            for number in 0..added {
                unit.put(holder(100 + number), Value::default());
            }
            let before = unit.rounds;
            let found = unit.two_holders(&prefix).await.unwrap();
            assert_eq!(found.len(), holders, "{case}");
            let left = |id: &Uuid| {
                let number = id.as_u128();
                (removed..stored).contains(&number) || (100..100 + added).contains(&number)
            };
            assert!(found.iter().all(left), "{case}: {found:?}");
            let rounds = if is_loaded {
                more_rounds
            } else {
                unit.rounds - before
            };
            assert_eq!(unit.rounds - before, rounds, "{case}");
        }
    }
}
