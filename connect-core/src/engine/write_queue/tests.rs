//! Writes in a shared commit, and failures among them.

use async_trait::async_trait;

use super::*;
use crate::{
    Connect, NewAccount, NewLocation,
    auth::Access,
    engine::{Change, answer::Outcome as Kind},
    storage::{Key, Value, failing_row::FailingRow, memory::MemoryStorage},
    transaction::{
        Error, clock_key,
        keys::{Family, KeyPart, key},
    },
    wire::VatRate,
};

/// A write of a row.
struct Plain {
    row: Key,
    panics: bool,
}

#[async_trait]
impl Change for Plain {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads.row(self.row.clone());
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, _: &Access) -> Result<Answer, Error> {
        unit.savepoint();
        unit.put(self.row.clone(), Value::from([1].as_slice()));
        assert!(!self.panics, "as the test wants it");
        unit.release();
        Ok(Answer::new(Kind::Removed, Vec::new()))
    }
}

/// A write of many records.
struct Heavy(usize);

#[async_trait]
impl Change for Heavy {
    fn reads(&self, _: &Access, _: &mut Reads) {}

    async fn apply(&self, _: &mut UnitOfWork<'_>, _: &Access) -> Result<Answer, Error> {
        Ok(Answer::new(Kind::Removed, Vec::new()))
    }

    fn weight(&self) -> usize {
        self.0
    }
}

/// Makes a location on a store with an unreadable row.
async fn open(torn: &Key) -> (Connect, Access) {
    let storage = MemoryStorage::new();
    let key = torn.clone();
    let connect = Connect::builder(Arc::new(FailingRow { storage, key })).build();
    let at = locations(&connect, 1).await.remove(0);
    (connect, at)
}

/// Makes an account with so many locations.
async fn locations(connect: &Connect, number: usize) -> Vec<Access> {
    let account = NewAccount {
        name: "Shop".into(),
        owner_email: "owner@shop.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let mut locations = Vec::new();
    for _ in 0..number {
        let location = NewLocation {
            name: "Here".into(),
            currency: "EUR".into(),
            default_vat_rate: VatRate::percent(21),
        };
        let made = connect.create_location(account, location).await;
        locations.push(made.unwrap().id);
    }
    let mut all = Vec::new();
    for location in locations {
        let at = connect.authorize_owner(account, location, account).await;
        all.push(at.unwrap());
    }
    all
}

fn row(number: u64) -> Key {
    // Any partition without other rows works.
    key(
        Uuid::from_u128(9),
        Family::Transaction,
        &[KeyPart::Number(number)],
    )
}

fn job(at: &Access, change: impl Change + 'static) -> Job {
    Job {
        authorship: Default::default(),
        change: Box::new(change),
        at: at.clone(),
        idempotency: None,
    }
}

#[tokio::test]
async fn a_commit_is_shared_by_few_records_and_few_writes() {
    let (_, at) = open(&Key::default()).await;
    let most = MOST_RECORDS;
    for (weights, together) in [
        (vec![1; MOST_JOBS + 6], MOST_JOBS),
        (vec![1, 1], 2),
        (vec![most / 2; 3], 2),
        (vec![most - 1, 1, 1], 2),
        (vec![most, 1], 1),
        (vec![most + 1, 1], 1),
        (vec![1, most], 1),
        (vec![600, 600], 1),
        (vec![0; 3], 3),
    ] {
        let waiting = |weight: &usize| WaitingWrite {
            job: job(&at, Heavy(*weight)),
            reply: oneshot::channel().0,
        };
        let mut queue: VecDeque<WaitingWrite> = weights.iter().map(waiting).collect();
        assert_eq!(next_group(&mut queue).len(), together, "{weights:?}");
        assert_eq!(queue.len(), weights.len() - together);
    }
    // The default weight is one record.
    let plain = Plain {
        row: row(1),
        panics: false,
    };
    assert_eq!(plain.weight(), 1);
}

#[tokio::test]
async fn a_write_that_panics_leaves_nothing_and_the_others_go_on() {
    let (connect, at) = open(&Key::default()).await;
    let plain = |number, panics| {
        let row = row(number);
        job(&at, Plain { row, panics })
    };
    let jobs = [plain(1, false), plain(2, true), plain(3, false)];
    let outcomes = commit_group(connect.store(), at.partition(), &jobs).await;
    let is_done: Vec<bool> = outcomes.iter().map(Result::is_ok).collect();
    assert_eq!(is_done, [true, false, true]);
    for (number, is_there) in [(1, true), (2, false), (3, true)] {
        let found = connect.store().get(&row(number)).await.unwrap();
        assert_eq!(found.is_some(), is_there, "{number}");
    }
}

/// An unreadable row fails only its own write, in a group or alone.
#[tokio::test]
async fn writes_that_fail_together_are_done_one_by_one() {
    let torn = row(2);
    let (connect, at) = open(&torn).await;
    for numbers in [vec![2], vec![1, 2], vec![2, 3, 4]] {
        let plain = |number: &u64| {
            let row = row(*number);
            let panics = false;
            job(&at, Plain { row, panics })
        };
        if numbers.len() == 1 {
            // Here the row is not read before it is written.
            let jobs = [plain(&2)];
            let outcomes = commit_group(connect.store(), at.partition(), &jobs).await;
            assert!(outcomes[0].is_ok());
        }
        let jobs: Vec<Job> = numbers.iter().map(plain).collect();
        let outcomes = commit_group(connect.store(), at.partition(), &jobs).await;
        for (number, outcome) in numbers.iter().zip(outcomes) {
            assert_eq!(outcome.is_ok(), *number != 2, "{number} of {numbers:?}");
        }
    }
}

/// The clock row of one location is unreadable.
/// Once, such a row stopped the account's other locations.
#[tokio::test]
async fn a_damaged_location_harms_no_other() {
    let storage = MemoryStorage::new();
    let all = locations(&Connect::builder(Arc::new(storage.clone())).build(), 2).await;
    let key = clock_key(all[1].partition());
    let connect = Connect::builder(Arc::new(FailingRow { storage, key })).build();
    // The first write makes the clock, which is damaged from then on.
    for (at, is_done) in [(1, true), (0, true), (1, false), (0, true)] {
        let plain = Plain {
            row: row(1),
            panics: false,
        };
        let (at, jobs) = (&all[at], [job(&all[at], plain)]);
        let outcomes = commit_group(connect.store(), at.partition(), &jobs).await;
        assert_eq!(outcomes[0].is_ok(), is_done);
    }
}
