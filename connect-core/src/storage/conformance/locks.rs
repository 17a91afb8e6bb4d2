//! Locks: callers with and without a wait.

use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, Either, poll_immediate, select},
    stream::FuturesUnordered,
};
use parking_lot::Mutex;

use super::{
    Fault, Place,
    support::{
        everything, get, guarded, put, same, same_rows, same_value, some_trips, within_a_lease,
    },
};
use crate::storage::{Commit, CommitError, Guard, Read, StorageError};

pub(super) async fn hold_off_commits(place: &dyn Place) -> Result<(), Fault> {
    within_a_lease(place, |store, guard| async move {
        let lock = store.lock(&guard).await?;
        let waiting = tokio::spawn({
            let (store, late) = (store.clone(), guarded(&guard, Some(b"1"), b"2", b"k", b"2"));
            async move { store.commit(late).await }
        });
        some_trips(&*store).await?;
        if waiting.is_finished() {
            let what = "a commit with a guard that is locked has not waited";
            return Err(Fault::new(what));
        }
        // The waiting commit expects a row, written only by the holder of the lock.
        let first = guarded(&guard, None, b"1", b"k", b"1");
        lock.commit(first).await?;
        waiting.await??;
        let found = get(&*store, b"k").await?;
        same_value("the row, once all is done", found.as_ref(), Some(b"2"))
    })
    .await
}

pub(super) async fn leave_others_alone(place: &dyn Place) -> Result<(), Fault> {
    within_a_lease(place, |store, guard| async move {
        let lock = store.lock(&guard).await?;
        let other = [&guard[..], b" other"].concat();
        put(&*store, &[("k", "by nobody")]).await?;
        let with_another = guarded(&other, None, b"1", b"k", b"by another");
        store.commit(with_another).await?;
        let second = store.lock(&other).await?;
        let with_second = guarded(&other, Some(b"1"), b"2", b"k", b"by the second");
        second.commit(with_second).await?;
        let found = get(&*store, b"k").await?;
        same_value("the row", found.as_ref(), Some(b"by the second"))?;
        // If one of them had waited for the lock, it would be lost by now.
        let first = guarded(&guard, None, b"1", b"k", b"by the first");
        lock.commit(first).await?;
        Ok(())
    })
    .await
}

pub(super) async fn exclusive(place: &dyn Place) -> Result<(), Fault> {
    within_a_lease(place, |store, guard| async move {
        let first = store.lock(&guard).await?;
        let next = tokio::spawn({
            let (store, guard) = (store.clone(), guard.clone());
            async move {
                let lock = store.lock(&guard).await?;
                let found = lock.read(&[Read::Get(&guard)]).await?.value()?;
                Ok::<_, StorageError>((lock, found))
            }
        });
        for _ in 0..3 {
            some_trips(&*store).await?;
            if next.is_finished() {
                return Err(Fault::new("two hold the lock of one guard at once"));
            }
        }
        let change = guarded(&guard, None, &[2], b"k", &[2]);
        first.commit(change).await?;
        let (next, found) = next.await??;
        same_value("the guard under the next lock", found.as_ref(), Some(&[2]))?;
        let more = guarded(&guard, Some(&[2]), &[3], b"k", &[3]);
        next.commit(more).await?;
        Ok(())
    })
    .await
}

/// The number of callers waiting for one lock.
const WAITING: usize = 6;

pub(super) async fn granted_in_order(place: &dyn Place) -> Result<(), Fault> {
    within_a_lease(place, |store, guard| async move {
        let granted = Mutex::new(Vec::new());
        let mut waiting = FuturesUnordered::new();
        let first = store.lock(&guard).await?;
        for number in 0..WAITING {
            let (store, guard, granted) = (&store, &guard, &granted);
            let ask = async move {
                let lock = store.lock(guard).await?;
                granted.lock().push(number);
                drop(lock);
                Ok::<_, StorageError>(())
            };
            waiting.push(ask.boxed());
            // The next caller asks once this one must have arrived.
            let trips = some_trips(&**store).boxed();
            match select(waiting.next(), trips).await {
                Either::Left(_) => {
                    return Err(Fault::new("a lock was granted that another caller holds"));
                }
                Either::Right((made, _)) => made?,
            }
        }
        drop(first);
        while let Some(granted) = waiting.next().await {
            granted?;
        }
        drop(waiting);
        let wanted: Vec<_> = (0..WAITING).collect();
        same(
            "the order of those who got it",
            granted.into_inner(),
            wanted,
        )
    })
    .await
}

pub(super) async fn released_when_dropped(place: &dyn Place) -> Result<(), Fault> {
    within_a_lease(place, |store, guard| async move {
        let mut was: Option<[u8; 1]> = None;
        for round in 0..10_u8 {
            let lock = store.lock(&guard).await?;
            let was_now = was.as_ref().map(|was| &was[..]);
            let commit = guarded(&guard, was_now, &[round], b"k", b"");
            if round % 3 == 0 {
                // Dropped without a commit; the next caller is a commit, not a lock.
                drop(lock);
                store.commit(commit).await?;
            } else {
                lock.commit(commit).await?;
            }
            was = Some([round]);
        }
        Ok(())
    })
    .await
}

pub(super) async fn see_what_was_before(place: &dyn Place) -> Result<(), Fault> {
    within_a_lease(place, |store, guard| async move {
        let mut was = None;
        for number in 0..10_u8 {
            // Handed in, perhaps acknowledged, then followed by a lock.
            let commit = guarded(&guard, was.as_deref(), &[number], b"k", &[number]);
            store.commit(commit).await?;
            let lock = store.lock(&guard).await?;
            let reads = [Read::Get(&guard), Read::Get(b"k")];
            let mut state = lock.read(&reads).await?;
            was = state.value()?;
            same_value("the guard under the lock", was.as_ref(), Some(&[number]))?;
            let row = state.value()?;
            same_value("the row under the lock", row.as_ref(), Some(&[number]))?;
        }
        Ok(())
    })
    .await
}

pub(super) async fn for_one_guard(place: &dyn Place) -> Result<(), Fault> {
    within_a_lease(place, |store, guard| async move {
        let before = everything(&*store).await?;
        let other = guarded(b"other", None, b"1", b"k", b"wrong");
        let none = Commit {
            guard: None::<Guard>,
            ..other.clone()
        };
        for wrong in [other, none] {
            let result = store.lock(&guard).await?.commit(wrong).await;
            if !matches!(result, Err(CommitError::NotApplied(_))) {
                let what = format!("wanted NotApplied for another guard, got {result:?}");
                return Err(Fault::new(what));
            }
        }
        same_rows("after that", &everything(&*store).await?, &before)?;
        // The lock was released nevertheless.
        let right = guarded(&guard, None, b"1", &guard.repeat(2), b"right");
        store.lock(&guard).await?.commit(right).await?;
        Ok(())
    })
    .await
}

pub(super) async fn given_up_waiting(place: &dyn Place) -> Result<(), Fault> {
    within_a_lease(place, |store, guard| async move {
        let first = store.lock(&guard).await?;
        let commit = |was, becomes| guarded(&guard, was, becomes, b"k", b"");
        let mut gave_up: Vec<BoxFuture<'_, ()>> = Vec::new();
        for _ in 0..3 {
            gave_up.push(store.lock(&guard).map(drop).boxed());
            gave_up.push(store.commit(commit(Some(b"never"), b"?")).map(drop).boxed());
        }
        let mut waiting = gave_up.into_iter().collect::<FuturesUnordered<_>>();
        let asked = poll_immediate(waiting.next()).await;
        let trips = some_trips(&*store).boxed();
        if asked.is_some() || matches!(select(waiting.next(), trips).await, Either::Left(_)) {
            return Err(Fault::new("a lock that is held was not waited for"));
        }
        let next = tokio::spawn({
            let (store, guard) = (store.clone(), guard.clone());
            async move { store.lock(&guard).await }
        });
        some_trips(&*store).await?;
        drop(waiting);
        drop(first);
        let next = next.await??;
        next.commit(commit(None, b"1")).await?;
        store.commit(commit(Some(b"1"), b"2")).await?;
        Ok(())
    })
    .await
}
