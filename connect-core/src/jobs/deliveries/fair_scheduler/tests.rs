//! The choice of webhooks among many.

use std::sync::Arc;

use super::*;
use crate::{
    owner::due_key,
    storage::{Commit, Value, Write, memory::MemoryStorage},
    transaction::environment::{Environment, ManualClock},
};

const NOW: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);

fn store(clock: &Arc<ManualClock>) -> Store {
    let environment = Environment {
        clock: clock.clone(),
        ..Environment::default()
    };
    Store::new(Arc::new(MemoryStorage::new()), environment)
}

async fn put(store: &Store, rows: impl IntoIterator<Item = (Key, Value)>) {
    let write = |(key, value)| (key, Write::Put(value));
    let commit = Commit {
        writes: rows.into_iter().map(write).collect(),
        ..Commit::default()
    };
    store.storage().commit(commit).await.unwrap();
}

fn woken(webhook: u128) -> (Key, Value) {
    let id = KeyPart::Id(Uuid::from_u128(webhook));
    (key(GLOBAL, Family::WebhookWoken, &[id]), Value::default())
}

fn due(webhook: u128, at: Timestamp, set_at: Timestamp) -> (Key, Value) {
    let set_at = serde_json::to_vec(&set_at).unwrap();
    (due_key(at, Uuid::from_u128(webhook).into()), set_at.into())
}

/// The chosen webhooks: due ones, and woken ones.
fn chosen(found: &[Chosen]) -> (Vec<u128>, Vec<u128>) {
    let number = |one: &Chosen| one.webhook.as_u128();
    let (due, woken): (Vec<_>, Vec<_>) = found.iter().partition(|one| one.due.is_some());
    (
        due.into_iter().map(number).collect(),
        woken.into_iter().map(number).collect(),
    )
}

/// Retries get half of the places.
/// They mostly go to broken endpoints. They get an odd place every second time.
#[tokio::test]
async fn retries_get_half_of_the_room() {
    let store = store(&ManualClock::at(NOW));
    let all_due = (0..10).map(|number| due(number, NOW, NOW));
    put(&store, all_due.chain((20..30).map(woken))).await;
    let mut look = WebhookScheduler::default();
    let nobody = HashSet::new();
    for (most, due, woken) in [
        (5, vec![0, 1, 2], vec![20, 21]),
        (5, vec![0, 1], vec![22, 23, 24]),
        (4, vec![0, 1], vec![25, 26]),
        // What one list has no use for goes to the other.
        (9, vec![0, 1, 2, 3, 4, 5], vec![27, 28, 29]),
    ] {
        let found = look.next(&store, most, &nobody, &nobody).await.unwrap();
        assert_eq!(chosen(&found), (due, woken), "{most}");
        assert!(look.left_some());
    }
    let others: HashSet<Uuid> = (1..29).map(Uuid::from_u128).collect();
    let mut look = WebhookScheduler::default();
    let found = look.next(&store, 5, &nobody, &others).await.unwrap();
    assert_eq!(chosen(&found), (vec![0], vec![29]));
    assert!(!look.left_some() && look.is_at_end());
}

#[tokio::test]
async fn a_webhook_is_chosen_once() {
    let store = store(&ManualClock::at(NOW));
    put(&store, [due(1, NOW, NOW), woken(1), woken(2)]).await;
    let nobody = HashSet::new();
    let mut look = WebhookScheduler::default();
    let found = look.next(&store, 9, &nobody, &nobody).await;
    assert_eq!(chosen(&found.unwrap()), (vec![1], vec![2]));
}

/// One look is bounded, and the next one goes on behind it.
#[tokio::test]
async fn the_end_of_a_long_list_is_reached() {
    let store = store(&ManualClock::at(NOW));
    let many = (PIECE * PIECES) as u128;
    put(&store, (0..=many).map(woken)).await;
    let others: HashSet<Uuid> = (0..many).map(Uuid::from_u128).collect();
    let mut look = WebhookScheduler::default();
    let found = look
        .next(&store, 9, &others, &HashSet::new())
        .await
        .unwrap();
    assert_eq!((found.len(), look.is_at_end()), (0, false));
    let found = look
        .next(&store, 9, &others, &HashSet::new())
        .await
        .unwrap();
    assert_eq!(chosen(&found), (vec![], vec![many]));
    assert!(look.is_at_end());
}

/// An entry of a clock set back since is found within a minute.
#[tokio::test]
async fn what_a_clock_set_ahead_is_looked_for_once_a_minute() {
    let clock = ManualClock::at(NOW);
    let store = store(&clock);
    let mut look = WebhookScheduler::default();
    let nobody = HashSet::new();
    assert!(
        look.next(&store, 9, &nobody, &nobody)
            .await
            .unwrap()
            .is_empty()
    );
    let (set_at, at) = (NOW.plus_seconds(90_000), NOW.plus_seconds(90_060));
    put(&store, [due(1, at, set_at)]).await;
    for (seconds, found) in [(59, 0), (1, 1), (59, 0), (1, 1)] {
        clock.advance(seconds);
        let seen = look.next(&store, 9, &nobody, &nobody).await.unwrap();
        assert_eq!(seen.len(), found);
    }
}
