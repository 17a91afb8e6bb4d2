//! Storages that cannot return some of their rows, or answer nothing.

use std::sync::Arc;

use async_trait::async_trait;
use connect_core::{
    ProblemKind,
    storage::{Commit, CommitError, Locked, Read, State, Storage, StorageError},
};

use super::{Stocked, family, find};
use crate::shop;

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
    for key in &keys {
        stocked.shop.storage.damage(key);
    }
    let report = stocked.shop.connect.check(&mut |_| {}).await.unwrap();
    for key in &keys {
        let problem = find(&report, ProblemKind::Unreadable, key);
        assert!(
            problem.message.contains("a damaged row"),
            "{}",
            problem.message
        );
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
