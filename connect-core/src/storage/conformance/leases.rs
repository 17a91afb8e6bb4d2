//! Locks held longer than their lease.

use std::time::Duration;

use tokio::time::sleep;

use super::{
    Fault, Place,
    support::{conflict, everything, guarded, same_rows, soon},
};

pub(super) async fn go_to_the_next(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let mut all_late = Vec::new();
    for guard in ["dropped", "held", "released"] {
        all_late.push((guard, store.lock(guard.as_bytes()).await?));
    }
    for (name, late) in all_late {
        let guard = name.as_bytes();
        let next = soon("a lock whose lease is over", place, async {
            store.lock(guard).await
        });
        let next = next.await??;
        let in_time = guarded(guard, None, b"1", &guard.repeat(2), b"the next");
        let too_late = |was| guarded(guard, was, b"2", &guard.repeat(2), b"late");
        match name {
            "held" => {
                let result = late.commit(too_late(None)).await;
                conflict("a commit under a lock that went to the next", result)?;
                next.commit(in_time).await?;
            }
            "released" => {
                next.commit(in_time).await?;
                let result = late.commit(too_late(Some(b"1"))).await;
                conflict("a commit under a lock that the next released", result)?;
            }
            _ => {
                // Dropping it takes the lock from no other holder.
                drop(late);
                next.commit(in_time).await?;
            }
        }
    }
    let rows = [
        ("dropped", "1"),
        ("droppeddropped", "the next"),
        ("held", "1"),
        ("heldheld", "the next"),
        ("released", "1"),
        ("releasedreleased", "the next"),
    ];
    same_rows("after that", &everything(&*store).await?, &rows)
}

pub(super) async fn refuse_late_commits(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let lock = store.lock(b"g").await?;
    // This one is still held at the end, and no caller waits for it.
    let idle = store.lock(b"idle").await?;
    sleep(place.lease() + Duration::from_millis(100)).await;
    let late = guarded(b"g", None, b"1", b"k", b"late");
    conflict("a late commit", lock.commit(late).await)?;
    same_rows("after that", &everything(&*store).await?, &[("", ""); 0])?;
    let others = guarded(b"idle", None, b"2", b"k", b"another");
    let others = soon(
        "a commit after a lease was over",
        place,
        store.commit(others),
    );
    others.await??;
    let rows = [("idle", "2"), ("k", "another")];
    same_rows("after that", &everything(&*store).await?, &rows)?;
    drop(idle);
    Ok(())
}
