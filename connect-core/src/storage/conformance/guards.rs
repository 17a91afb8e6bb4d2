//! Guards: rows for the order of commits.

use std::sync::Arc;

use super::{
    Fault, Place,
    support::{
        TASKS, ascending, at_once, everything, get, guarded, number, put, refused, same, same_rows,
        same_value, scan, won,
    },
};
use crate::storage::{Commit, Expectation, Range, Read, Storage};

pub(super) async fn absent_at_first(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let first = |value: &[u8]| guarded(b"g", None, value, b"k", value);
    refused(
        "a guard that is not there",
        &*store,
        guarded(b"g", Some(b""), b"1", b"k", b"1"),
    )
    .await?;
    store.commit(first(b"1")).await?;
    refused("a guard that is there by now", &*store, first(b"2")).await?;
    let rows = [("g", "1"), ("k", "1")];
    same_rows("after that", &everything(&*store).await?, &rows)?;
    store.commit(guarded(b"h", None, b"", b"k", b"3")).await?;
    let over = guarded(b"h", None, b"4", b"k", b"4");
    refused("a guard that is there and empty", &*store, over).await?;
    let rows = [("g", "1"), ("h", ""), ("k", "3")];
    same_rows("after that", &everything(&*store).await?, &rows)
}

pub(super) async fn checked_and_written(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    // Long ones too, and ones with a common prefix.
    let long = |last: u8| [vec![b'v'; 5000], vec![last]].concat();
    let values = [
        b"1".to_vec(),
        b"11".to_vec(),
        long(1),
        long(2),
        b"2".to_vec(),
    ];
    let mut was: Option<&[u8]> = None;
    for value in &values {
        let becomes = value.as_slice();
        for wrong in values.iter().filter(|other| Some(other.as_slice()) != was) {
            let wrong = guarded(b"g", Some(wrong), becomes, b"k", b"wrong");
            refused("a guard that is something else", &*store, wrong).await?;
        }
        store
            .commit(guarded(b"g", was, becomes, b"k", becomes))
            .await?;
        same_value("the guard", get(&*store, b"g").await?.as_ref(), Some(value))?;
        same_value("the row", get(&*store, b"k").await?.as_ref(), Some(value))?;
        was = Some(becomes);
    }
    // A guard is enough for a commit.
    let nothing = Commit {
        writes: Vec::new(),
        ..guarded(b"g", was, b"3", b"", b"")
    };
    store.commit(nothing.clone()).await?;
    refused("the same commit again", &*store, nothing).await?;
    same_value("the guard", get(&*store, b"g").await?.as_ref(), Some(b"3"))
}

pub(super) async fn kept_when_refused(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    put(&*store, &[("a", "1")]).await?;
    let expecting = |was, expected: Option<&[u8]>| Commit {
        expects: vec![(
            b"a"[..].into(),
            Expectation::unchanged(expected.map(Into::into)),
        )],
        ..guarded(b"g", was, b"new", b"a", b"2")
    };
    refused(
        "a row that is something else",
        &*store,
        expecting(None, Some(b"2")),
    )
    .await?;
    refused("a row that is there", &*store, expecting(None, None)).await?;
    same_rows("after that", &everything(&*store).await?, &[("a", "1")])?;
    store.commit(guarded(b"g", None, b"old", b"k", b"")).await?;
    refused(
        "a row that is something else",
        &*store,
        expecting(Some(b"old"), Some(b"2")),
    )
    .await?;
    refused(
        "a wrong guard",
        &*store,
        expecting(Some(b"new"), Some(b"1")),
    )
    .await?;
    let rows = [("a", "1"), ("g", "old"), ("k", "")];
    same_rows("after that", &everything(&*store).await?, &rows)?;
    store.commit(expecting(Some(b"old"), Some(b"1"))).await?;
    let rows = [("a", "2"), ("g", "new"), ("k", "")];
    same_rows("after that", &everything(&*store).await?, &rows)
}

pub(super) async fn apart(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let keys: [&[u8]; 5] = [b"g", b"ga", b"gb", b"g\0", b"\xffg"];
    let mut was = None;
    for becomes in [b"1", b"2", b"3"] {
        for key in keys {
            // Every guard writes the same row, without an expectation about it.
            store.commit(guarded(key, was, becomes, b"k", key)).await?;
            put(&*store, &[("k", "by nobody")]).await?;
        }
        was = Some(&becomes[..]);
    }
    for key in keys {
        same_value("a guard", get(&*store, key).await?.as_ref(), was)?;
    }
    Ok(())
}

/// The number of commits of each of several tasks with one guard.
const TIMES: u64 = 12;

pub(super) async fn one_winner(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let mut was: Option<Vec<u8>> = None;
    for round in 0..TIMES {
        let found = was.clone();
        let won = at_once(&store, move |store, task| {
            let (was, becomes) = (found.clone(), [&round.to_be_bytes()[..], &[task]].concat());
            async move {
                let key = [b"k", &becomes[..]].concat();
                let commit = guarded(b"g", was.as_deref(), &becomes, &key, b"");
                won(store.commit(commit).await)
            }
        })
        .await?;
        let winners = won.iter().filter(|won| **won).count();
        same("commits that found the guard the same", winners, 1)?;
        let rows = everything(&*store).await?;
        same("rows", rows.len() as u64, round + 2)?;
        was = get(&*store, b"g").await?.map(|value| value.to_vec());
    }
    Ok(())
}

pub(super) async fn serial(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let writers = tokio::spawn({
        let store = store.clone();
        async move { at_once(&store, append).await }
    });
    while !writers.is_finished() {
        look(&*store).await?;
        tokio::task::yield_now().await;
    }
    let acknowledged: u64 = writers.await??.iter().sum();
    same("commits in a row", look(&*store).await?, acknowledged)
}

/// Makes commits in a chain: number n writes row n.
async fn append(store: Arc<dyn Storage>, _: u8) -> Result<u64, Fault> {
    let mut acknowledged = 0;
    for _ in 0..u64::from(TASKS) * TIMES {
        let was = get(&*store, b"g").await?;
        let number = was.as_deref().map_or(Ok(0), number)? + 1;
        let becomes = number.to_be_bytes();
        let key = [b"k", &becomes[..]].concat();
        let next = guarded(b"g", was.as_deref(), &becomes, &key, b"");
        acknowledged += u64::from(won(store.commit(next).await)?);
        if acknowledged == TIMES {
            break;
        }
        // Gives readers their turn, on few threads too.
        tokio::task::yield_now().await;
    }
    Ok(acknowledged)
}

/// Returns the number of the last commit, after checking all earlier ones.
async fn look(store: &dyn Storage) -> Result<u64, Fault> {
    let rows = Range {
        from: b"k",
        to: Some(b"l"),
    };
    // Whether the guard or the rows are read first: in one state, all are there.
    let mut state = store
        .read(&[
            Read::Get(b"g"),
            ascending(rows, usize::MAX),
            Read::Get(b"g"),
        ])
        .await?;
    let first = state.value()?;
    let there = state.entries()?.len() as u64;
    same("a guard read twice at once", state.value()?, first.clone())?;
    let last = first.as_deref().map_or(Ok(0), number)?;
    same("rows of the commits up to the guard's", there, last)?;
    // And in a later state, nothing is gone.
    let there = scan(store, rows, usize::MAX).await?.len() as u64;
    if there < last {
        let what = format!("{last} commits were seen, and then {there} rows");
        return Err(Fault::new(what));
    }
    Ok(last)
}
