//! Appended rows and their numbers.
//! There are no gaps after rollbacks, conflicts and concurrent commits.

use std::{sync::Arc, time::Duration};

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    storage::{Storage, memory::MemoryStorage},
    transaction::{
        AccessPath, End, Fault, KeyRange, Keyed, ListRead, Reads, Row, Store, UnitOfWork,
        environment::{Environment, ManualClock},
        keys::Family,
    },
    wire::Timestamp,
};

const PLACE: Uuid = Uuid::from_u128(1);

/// A row with its number and the number of its operation.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Receipt {
    number: u64,
    operation: usize,
}

impl Row for Receipt {
    type Key = u64;
    // Any family will do: nothing else is in these stores.
    const ROWS: Family = Family::Answer;
    const IN_ORDER: Option<Family> = None;
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> u64 {
        self.number
    }

    fn key_in(row: &[u8]) -> serde_json::Result<u64> {
        serde_json::from_slice(row).map(|receipt: Self| receipt.number)
    }
}

fn store(storage: &Arc<dyn Storage>) -> Store {
    let environment = Environment {
        clock: ManualClock::at(Timestamp::EPOCH),
        ..Environment::default()
    };
    Store::new(storage.clone(), environment)
}

fn memory() -> Arc<dyn Storage> {
    Arc::new(MemoryStorage::default())
}

/// A unit with its clock loaded.
async fn begun(store: &Store) -> UnitOfWork<'_> {
    let mut unit = UnitOfWork::new(store, PLACE, None);
    unit.load(Reads::of(PLACE)).await.unwrap();
    unit
}

fn write(unit: &mut UnitOfWork<'_>, operation: usize) {
    let number = unit.next_number(Receipt::ROWS);
    unit.append(&Receipt { number, operation });
}

/// All receipts, read from the store.
async fn receipts(store: &Store) -> Vec<Receipt> {
    let slice = ListRead {
        access_path: AccessPath::All,
        key_range: KeyRange::ALL,
        limit: usize::MAX,
        tombstones: None,
        anchor: None,
    };
    let listed = store.list::<Receipt>(PLACE, slice).await.unwrap();
    let read = |(place, row): Keyed<u64>| {
        let receipt: Receipt = serde_json::from_slice(&row).unwrap();
        assert_eq!(receipt.number, place);
        receipt
    };
    listed.rows.into_iter().map(read).collect()
}

#[tokio::test]
async fn every_kind_of_row_has_numbers_of_its_own() {
    let store = store(&memory());
    let mut unit = begun(&store).await;
    let numbers = [Family::Event, Receipt::ROWS, Family::Event, Receipt::ROWS]
        .map(|family| unit.next_number(family));
    assert_eq!(numbers, [1, 1, 2, 2]);
    unit.append(&Receipt {
        number: 2,
        operation: 0,
    });
    assert!(unit.commit().await.unwrap());
    // They go on in the next unit of work, and in another process.
    let mut unit = begun(&store).await;
    assert_eq!(unit.next_number(Receipt::ROWS), 3);
    assert_eq!(unit.next_number(Family::Event), 3);
}

/// Two processes on one store, each with several tasks, all at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn numbers_have_no_gaps_under_conflicts() {
    let storage = memory();
    let stores = [store(&storage), store(&storage)].map(Arc::new);
    let mut tasks = Vec::new();
    for task in 0..6 {
        let store = stores[task % 2].clone();
        tasks.push(tokio::spawn(async move {
            for round in 0..20 {
                let written = store.transact(PLACE, |mut unit| async move {
                    unit.load(Reads::of(PLACE)).await?;
                    write(&mut unit, 100 * task + round);
                    tokio::time::sleep(Duration::from_micros(50)).await;
                    Ok::<_, Fault>(End::commit(unit, ()))
                });
                written.await.unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let receipts = receipts(&stores[0]).await;
    let numbers: Vec<u64> = receipts.iter().map(|receipt| receipt.number).collect();
    assert_eq!(numbers, (1..=120).collect::<Vec<_>>());
    // Those of one task lie in the order in which it wrote them.
    for task in 0..6 {
        let of_task = receipts.iter().map(|receipt| receipt.operation);
        let of_task: Vec<usize> = of_task.filter(|by| by / 100 == task).collect();
        assert_eq!(of_task, (100 * task..100 * task + 20).collect::<Vec<_>>());
    }
}

/// The step of a unit of work after writing a receipt.
#[derive(Clone, Copy, Debug)]
enum Step {
    Keep,
    RollBack,
    /// Writes another receipt and rolls back only this one.
    RollBackInner,
}

/// Units of work: the steps of each, and whether it is abandoned.
fn units() -> impl Strategy<Value = Vec<(Vec<Step>, bool)>> {
    let step = prop_oneof![
        Just(Step::Keep),
        Just(Step::RollBack),
        Just(Step::RollBackInner)
    ];
    let unit = (prop::collection::vec(step, 0..6), any::<bool>());
    prop::collection::vec(unit, 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn what_is_rolled_back_gives_its_numbers_back(units in units()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = store(&memory());
            let (mut operation, mut expected) = (0, Vec::new());
            for (steps, is_given_up) in units {
                let mut unit = begun(&store).await;
                let mut kept = Vec::new();
                for step in steps {
                    operation += 1;
                    unit.next_operation();
                    unit.savepoint();
                    write(&mut unit, operation);
                    match step {
                        Step::Keep => unit.release(),
                        Step::RollBack => {
                            unit.rollback();
                            continue;
                        }
                        Step::RollBackInner => {
                            unit.savepoint();
                            write(&mut unit, usize::MAX);
                            unit.rollback();
                            unit.release();
                        }
                    }
                    kept.push(operation);
                }
                if !is_given_up {
                    assert!(unit.commit().await.unwrap());
                    expected.extend(kept);
                }
            }
            let receipts = receipts(&store).await;
            let numbers: Vec<u64> = receipts.iter().map(|receipt| receipt.number).collect();
            assert_eq!(numbers, (1..=expected.len() as u64).collect::<Vec<_>>());
            let operations: Vec<usize> = receipts.iter().map(|r| r.operation).collect();
            assert_eq!(operations, expected);
        });
    }
}
