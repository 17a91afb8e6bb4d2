//! Removes the rows of a deleted webhook.

use crate::{
    owner::{WebhookState, due_key},
    storage::{Commit, Expectation, Key, Write},
    transaction::{
        Fault, LenientReader, Store, Webhook, Webhooks, clock_key, keys::after_prefix, woken_key,
    },
    wire::Id,
};

/// The rows removed by one commit.
const CHUNK: usize = 500;

/// Removes all rows of a webhook.
/// The last commit removes its state and its entry in the order of due times: without them, no
/// other session goes on with it. It also removes the link, needed to tell that the account no
/// longer has the webhook, and the mark of the deletion.
pub(super) async fn remove(store: &Store, webhook: Id<Webhook>) -> Result<(), Fault> {
    let last = [
        clock_key(webhook.uuid()),
        WebhookState::key(webhook),
        Webhooks::link_key(webhook.uuid()),
        woken_key(webhook),
    ];
    let end = after_prefix(webhook.uuid().as_bytes());
    let reader = LenientReader::new(store);
    let mut from = Some(Key::from(webhook.uuid().as_bytes().as_slice()));
    while let Some(start) = from {
        let piece = reader.piece(&start, Some(&end), CHUNK).await?;
        let damaged = piece.damaged.into_iter().map(|(key, _)| key);
        let keys = piece.entries.into_iter().map(|(key, _)| key).chain(damaged);
        commit(store, Vec::new(), keys.filter(|key| !last.contains(key))).await?;
        from = piece.next;
    }
    let state_key = WebhookState::key(webhook);
    let row = store.get(&state_key).await?;
    let due = WebhookState::read(&state_key, row.as_ref()).due;
    let due = due.map(|due| due_key(due, webhook));
    // A session that took the lease over meanwhile has put the webhook elsewhere in the order.
    let unchanged = vec![(state_key, Expectation::unchanged(row))];
    commit(store, unchanged, last.into_iter().chain(due)).await
}

async fn commit(
    store: &Store,
    expects: Vec<(Key, Expectation)>,
    removed: impl Iterator<Item = Key>,
) -> Result<(), Fault> {
    let commit = Commit {
        expects,
        writes: removed.map(|key| (key, Write::Remove)).collect(),
        ..Commit::default()
    };
    // In conflict: another session is at it.
    store.commit(commit).await.map(drop)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        storage::{Value, memory::MemoryStorage},
        transaction::environment::Environment,
    };

    /// A session taking over the lease meanwhile goes on with the rows.
    #[tokio::test]
    async fn rows_are_removed_while_the_state_is_as_it_was() {
        let store = Store::new(Arc::new(MemoryStorage::new()), Environment::default());
        let state = Key::from(*b"state");
        let value = |byte: u8| Value::from([byte].as_slice());
        let first = Commit {
            writes: vec![(state.clone(), Write::Put(value(1)))],
            ..Commit::default()
        };
        store.storage().commit(first).await.unwrap();
        for (expected, is_there) in [(2, true), (1, false)] {
            let unchanged = vec![(state.clone(), Expectation::Is(value(expected)))];
            let removed = [state.clone()].into_iter();
            commit(&store, unchanged, removed).await.unwrap();
            let found = store.get(&state).await.unwrap();
            assert_eq!(found.is_some(), is_there);
        }
    }
}
