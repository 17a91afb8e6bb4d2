//! Locks whose holder took too long.

use std::time::Duration;

use tokio::time::sleep;

use super::{
    Fault, Place,
    support::{conflict, everything, guarded, same_rows, soon},
};

pub(super) async fn go_to_the_next(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let mut late = store.lock(b"g").await?;
    late.commit(guarded(b"g", None, b"1", b"k", b"in time"))
        .await?;
    let next = soon("the lock of somebody whose lease is over", place, async {
        store.lock(b"g").await
    });
    let mut next = next.await??;
    next.commit(guarded(b"g", Some(b"1"), b"2", b"k", b"the next"))
        .await?;
    let still_late = guarded(b"g", Some(b"2"), b"3", b"k", b"late");
    let result = late.commit(still_late.clone()).await;
    conflict("a commit under a lock that went to the next", result)?;
    drop(next);
    // Nobody has the lock now, the late one neither; and dropping it takes it from nobody.
    let result = late.commit(still_late).await;
    conflict("a commit under a lock that the next released", result)?;
    let mut third = store.lock(b"g").await?;
    drop(late);
    third
        .commit(guarded(b"g", Some(b"2"), b"3", b"k", b"the third"))
        .await?;
    let rows = [("g", "3"), ("k", "the third")];
    same_rows("after that", &everything(&*store).await?, &rows)
}

pub(super) async fn refuse_late_commits(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let mut lock = store.lock(b"g").await?;
    sleep(place.lease() + Duration::from_millis(100)).await;
    let late = guarded(b"g", None, b"1", b"k", b"late");
    conflict("a late commit", lock.commit(late).await)?;
    same_rows("after that", &everything(&*store).await?, &[("", ""); 0])?;
    // The late one is still there, and nobody waits for it.
    let others = guarded(b"g", None, b"2", b"k", b"another");
    let others = soon(
        "a commit after a lease was over",
        place,
        store.commit(others),
    );
    others.await??;
    let rows = [("g", "2"), ("k", "another")];
    same_rows("after that", &everything(&*store).await?, &rows)?;
    drop(lock);
    Ok(())
}
