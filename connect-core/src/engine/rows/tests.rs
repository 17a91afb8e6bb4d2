//! Walks through lists of rows, compared with a sorted list on every backend.
//! They go forwards and backwards, within a period, while rows are appended.

use std::sync::Arc;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Listed, Reversible};
use crate::{
    Access, Connect, NewAccount, NewLocation,
    storage::{Storage, memory::MemoryStorage, redb::RedbStorage, sled::SledStorage},
    transaction::{End, Fault, Reads, Row, TimeKey, keys::Family},
    wire::{
        Timestamp, VatRate,
        query::{Moment, PageQuery, Paging, Parameter, Period, Query},
    },
};

/// A row ordered by time and id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Movement {
    at: Timestamp,
    id: Uuid,
}

impl Row for Movement {
    type Key = TimeKey;
    // Any family works, as these stores have no other rows of it.
    const ROWS: Family = Family::ProductTombstone;
    const IN_ORDER: Option<Family> = None;
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> TimeKey {
        (self.at, self.id)
    }

    fn key_in(row: &[u8]) -> serde_json::Result<TimeKey> {
        serde_json::from_slice(row).map(|movement: Self| movement.key())
    }
}

#[derive(Clone, Debug, Default)]
struct MovementQuery {
    paging: Paging,
    period: Period,
}

impl Query for MovementQuery {
    const PARAMETERS: &'static [Parameter<Self>] = &[];

    /// The parameters bound to a cursor.
    fn pairs(&self) -> Vec<(&'static str, String)> {
        vec![("period", format!("{:?}", self.period))]
    }
}

impl PageQuery for MovementQuery {
    fn limit(&self) -> Option<usize> {
        self.paging.limit
    }

    fn cursor(&self) -> Option<&str> {
        self.paging.cursor.as_deref()
    }

    fn set_limit(&mut self, limit: usize) {
        self.paging.limit = Some(limit);
    }

    fn set_cursor(&mut self, cursor: String) {
        self.paging.cursor = Some(cursor);
    }
}

impl Listed for Movement {
    const NAME: &'static str = "movement";
    const LIST: &'static str = "movements";

    type Query = MovementQuery;

    fn period(query: &MovementQuery) -> Period {
        query.period
    }
}

impl Reversible for Movement {}

/// A location on a storage.
async fn open(storage: Arc<dyn Storage>) -> (Connect, Access) {
    let connect = Connect::builder(storage).build();
    let account = NewAccount {
        name: "Shop".into(),
        owner_email: "owner@shop.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let location = NewLocation {
        name: "Here".into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(21),
    };
    let location = connect.create_location(account, location).await.unwrap().id;
    let at = connect.authorize_owner(account, location, account).await;
    (connect, at.unwrap())
}

async fn append(connect: &Connect, at: &Access, movements: &[Movement]) {
    let location = at.location().id;
    let appended = connect.store().transact(location, |mut unit| async move {
        unit.load(Reads::of(location.uuid())).await?;
        for movement in movements {
            unit.append(movement);
        }
        Ok::<_, Fault>(End::commit(unit, ()))
    });
    appended.await.unwrap();
}

/// The parameters of a walk, and the rows appended during it.
#[derive(Clone, Debug)]
struct Walk {
    stored: Vec<Movement>,
    later: Vec<Movement>,
    query: MovementQuery,
    newest_first: bool,
}

/// Makes rows with few distinct times.
/// So ids often decide the order.
fn movements(most: usize) -> impl Strategy<Value = Vec<Movement>> {
    let movement = (0..40_i64, any::<u128>()).prop_map(|(micros, id)| Movement {
        at: Timestamp::from_micros(micros),
        id: Uuid::from_u128(id),
    });
    prop::collection::vec(movement, 0..most)
}

fn walks() -> impl Strategy<Value = Walk> {
    let moment = || prop::option::of((0..40_i64).prop_map(Timestamp::from_micros));
    let read = (1..7_usize, moment(), moment(), any::<bool>());
    let rows = (movements(40), movements(8));
    (rows, read).prop_map(|((stored, later), (limit, one, other, newest_first))| {
        let (from, to) = match (one, other) {
            (Some(one), Some(other)) => (Some(one.min(other)), Some(one.max(other))),
            ends => ends,
        };
        let query = MovementQuery {
            paging: Paging {
                limit: Some(limit),
                cursor: None,
            },
            period: Period {
                from: from.map(Moment::At),
                to: to.map(Moment::At),
            },
        };
        Walk {
            stored,
            later,
            query,
            newest_first,
        }
    })
}

/// Checks a walk: each row present throughout appears once, in order.
/// Of the rows appended meanwhile, those after the current position appear.
async fn is_as_sorted(storage: Arc<dyn Storage>, walk: Walk) {
    let (connect, at) = open(storage).await;
    append(&connect, &at, &walk.stored).await;
    let mut list = connect.location(&at).rows::<Movement>();
    let Walk {
        stored,
        mut later,
        mut query,
        newest_first,
    } = walk;
    if newest_first {
        list = list.newest_first();
    }
    let period = query.period;
    let time = |moment: Moment| match moment {
        Moment::At(time) => time,
        Moment::Day(day) => panic!("{day} is no time"),
    };
    let has = |movement: &Movement| {
        period.from.is_none_or(|from| movement.at >= time(from))
            && period.to.is_none_or(|to| movement.at < time(to))
    };
    let sorted = |mut movements: Vec<Movement>| {
        movements.retain(has);
        movements.sort();
        if newest_first {
            movements.reverse();
        }
        movements
    };
    let mut expected = sorted(stored);
    let mut seen = Vec::new();
    loop {
        let page = list.list(&query).await.unwrap();
        assert!(page.data.len() <= query.paging.limit.unwrap());
        seen.extend(page.data);
        let Some(cursor) = page.next_cursor else {
            break;
        };
        query.set_cursor(cursor);
        if let Some(movement) = later.pop() {
            append(&connect, &at, std::slice::from_ref(&movement)).await;
            let is_ahead = seen.last().is_none_or(|last| match newest_first {
                true => movement < *last,
                false => movement > *last,
            });
            if is_ahead {
                expected.push(movement);
            }
        }
    }
    assert_eq!(seen, sorted(expected));
}

/// Runs one case on one backend.
fn run(storage: Arc<dyn Storage>, walk: Walk) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    runtime.unwrap().block_on(is_as_sorted(storage, walk));
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn a_walk_is_as_a_sorted_list_in_memory(walk in walks()) {
        run(Arc::new(MemoryStorage::new()), walk);
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn a_walk_is_as_a_sorted_list_on_sled(walk in walks()) {
        let directory = tempfile::tempdir().unwrap();
        run(Arc::new(SledStorage::open(directory.path(), Default::default()).unwrap()), walk);
    }

    #[test]
    fn a_walk_is_as_a_sorted_list_on_redb(walk in walks()) {
        let directory = tempfile::tempdir().unwrap();
        run(Arc::new(RedbStorage::open(directory.path(), Default::default()).unwrap()), walk);
    }
}

#[tokio::test]
async fn a_cursor_belongs_to_its_period_and_its_direction() {
    let (connect, at) = open(Arc::new(MemoryStorage::new())).await;
    let movement = |micros| Movement {
        at: Timestamp::from_micros(micros),
        id: Uuid::from_u128(1),
    };
    append(&connect, &at, &[1, 2, 3].map(movement)).await;
    let list = connect.location(&at).rows::<Movement>();
    let mut query = MovementQuery::default();
    query.set_limit(1);
    let cursor = list.list(&query).await.unwrap().next_cursor.unwrap();
    query.set_cursor(cursor);
    assert_eq!(list.list(&query).await.unwrap().data, [movement(2)]);
    let since = MovementQuery {
        period: Period {
            from: Some(Moment::At(Timestamp::EPOCH)),
            to: None,
        },
        ..query.clone()
    };
    let events = crate::wire::query::EventQuery {
        paging: query.paging.clone(),
        ..Default::default()
    };
    assert!(list.list(&since).await.is_err());
    assert!(list.clone().newest_first().list(&query).await.is_err());
    assert!(connect.location(&at).events().list(&events).await.is_err());
    let never = MovementQuery {
        period: Period {
            from: Some(Moment::At(Timestamp::from_micros(3))),
            to: Some(Moment::At(Timestamp::from_micros(2))),
        },
        ..MovementQuery::default()
    };
    let refused = list.list(&never).await.unwrap_err();
    assert!(refused.to_string().contains("from"), "{refused}");
}
