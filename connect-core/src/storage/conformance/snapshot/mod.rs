//! Reads while commits go on.

mod shape;

use tokio::task::yield_now;

use self::shape::{ReadKind, Shape};
use super::{
    Fault, Place,
    support::{at_once, get, put, same, scan},
};
use crate::storage::Range;

pub(super) async fn acknowledged_is_seen(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    at_once(&store, |store, task| async move {
        for number in 0..15_u64 {
            let value = number.to_be_bytes();
            put(&*store, &[([task], value)]).await?;
            let found = get(&*store, &[task]).await?;
            same("a get after the commit", found.as_deref(), Some(&value[..]))?;
            let range = Range {
                from: &[task],
                to: Some(&[task + 1]),
            };
            let found = scan(&*store, range, 1).await?;
            let found = found.first().map(|(_, value)| &**value);
            same("a scan after the commit", found, Some(&value[..]))?;
        }
        Ok(())
    })
    .await?;
    Ok(())
}

const SHORT: Shape = Shape {
    rows: 40,
    commits: 60,
    len: 8,
};

pub(super) async fn one_scan(place: &dyn Place) -> Result<(), Fault> {
    watch(place, SHORT, &[ReadKind::Scan]).await
}

pub(super) async fn several_gets(place: &dyn Place) -> Result<(), Fault> {
    watch(place, SHORT, &[ReadKind::Gets]).await
}

pub(super) async fn follow(place: &dyn Place) -> Result<(), Fault> {
    watch(place, SHORT, &[ReadKind::Follow]).await
}

pub(super) async fn scan_follow(place: &dyn Place) -> Result<(), Fault> {
    watch(place, SHORT, &[ReadKind::ScanFollow]).await
}

const ALL_KINDS: &[ReadKind] = &[
    ReadKind::Gets,
    ReadKind::Follow,
    ReadKind::Scan,
    ReadKind::ScanFollow,
];

pub(super) async fn all_kinds(place: &dyn Place) -> Result<(), Fault> {
    watch(place, SHORT, ALL_KINDS).await
}

pub(super) async fn long_values(place: &dyn Place) -> Result<(), Fault> {
    let shape = Shape {
        rows: 12,
        commits: 80,
        len: 5000,
    };
    watch(place, shape, ALL_KINDS).await
}

pub(super) async fn very_long_values(place: &dyn Place) -> Result<(), Fault> {
    let shape = Shape {
        rows: 4,
        commits: 30,
        len: 140_000,
    };
    watch(place, shape, ALL_KINDS).await
}

async fn watch(place: &dyn Place, shape: Shape, kinds: &'static [ReadKind]) -> Result<(), Fault> {
    let store = place.open().await?;
    store.commit(shape.commit(1)).await?;
    let writer = tokio::spawn({
        let store = store.clone();
        async move {
            for number in 2..=shape.commits {
                store.commit(shape.commit(number)).await?;
                yield_now().await;
            }
            Ok::<_, Fault>(())
        }
    });
    let other = tokio::spawn({
        let (store, end) = (store.clone(), writer.abort_handle());
        async move { shape.watch_until(&end, &*store, kinds).await }
    });
    let seen = shape
        .watch_until(&writer.abort_handle(), &*store, kinds)
        .await;
    let seen_by_other = other.await?;
    writer.await??;
    same("the last commit seen", seen?, shape.commits)?;
    same("the last commit seen", seen_by_other?, shape.commits)
}
