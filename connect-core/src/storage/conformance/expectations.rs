//! Refused commits. They leave nothing behind.

use super::{
    Fault, Place,
    support::{ALL, commit, put, refused, remove, same_rows, scan},
};

/// No expectation at all.
const NOTHING: &[(&str, Option<&str>)] = &[];

pub(super) async fn absent(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let create = |value| commit(&[("k", None)], &[("k", Some(value))]);
    store.commit(create("first")).await?;
    refused("creating what exists", &*store, create("second")).await?;
    same_rows(
        "after that",
        &scan(&*store, ALL, 9).await?,
        &[("k", "first")],
    )?;
    remove(&*store, &["k"]).await?;
    store.commit(create("")).await?;
    refused("creating over an empty value", &*store, create("third")).await?;
    same_rows("after that", &scan(&*store, ALL, 9).await?, &[("k", "")])
}

pub(super) async fn exact_value(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let replace = |old, new| commit(&[("k", Some(old))], &[("k", Some(new))]);
    refused(
        "expecting a value where none is",
        &*store,
        replace("", "new"),
    )
    .await?;
    put(&*store, &[("k", "one")]).await?;
    for wrong in ["", "on", "one ", "onf", "\0one", "One"] {
        refused("expecting another value", &*store, replace(wrong, "new")).await?;
    }
    store.commit(replace("one", "two")).await?;
    refused(
        "expecting the version before",
        &*store,
        replace("one", "new"),
    )
    .await?;
    store.commit(replace("two", "")).await?;
    refused(
        "expecting the version before an empty one",
        &*store,
        replace("two", "new"),
    )
    .await?;
    store.commit(replace("", "three")).await?;
    store
        .commit(commit(&[("k", Some("three"))], &[("k", None)]))
        .await?;
    refused(
        "expecting a version of a removed key",
        &*store,
        replace("three", "new"),
    )
    .await?;
    same_rows("after that", &scan(&*store, ALL, 9).await?, &[("", ""); 0])
}

pub(super) async fn all_or_nothing(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let rows = [("a", "1"), ("b", "2"), ("c", "3")];
    put(&*store, &rows).await?;
    let writes = [
        ("a", Some("new")),
        ("b", None),
        ("d", Some("new")),
        ("", Some("new")),
        ("e", None),
    ];
    let good = [("a", Some("1")), ("d", None), ("c", Some("3"))];
    for bad in [("b", Some("other")), ("b", None), ("e", Some(""))] {
        // The failing expectation comes first, in the middle and last.
        for place in 0..=good.len() {
            let mut expects = good.to_vec();
            expects.insert(place, bad);
            refused("one bad expectation", &*store, commit(&expects, &writes)).await?;
            same_rows(
                "after a refused commit",
                &scan(&*store, ALL, 9).await?,
                &rows,
            )?;
        }
    }
    store.commit(commit(&good, &writes)).await?;
    let now = [("", "new"), ("a", "new"), ("c", "3"), ("d", "new")];
    same_rows(
        "after the same commit without it",
        &scan(&*store, ALL, 9).await?,
        &now,
    )
}

pub(super) async fn on_keys_not_written(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    put(&*store, &[("row", "1")]).await?;
    let beside = |version, value| commit(&[("row", Some(version))], &[("k", Some(value))]);
    store.commit(beside("1", "first")).await?;
    refused("a row with another version", &*store, beside("2", "second")).await?;
    put(&*store, &[("row", "2")]).await?;
    refused("a row that was changed", &*store, beside("1", "second")).await?;
    store.commit(beside("2", "third")).await?;
    remove(&*store, &["row"]).await?;
    refused("a row that was removed", &*store, beside("2", "fourth")).await?;
    same_rows(
        "after that",
        &scan(&*store, ALL, 9).await?,
        &[("k", "third")],
    )
}

pub(super) async fn without_writes(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    store.commit(commit(NOTHING, NOTHING)).await?;
    put(&*store, &[("k", "1")]).await?;
    store.commit(commit(&[("k", Some("1"))], NOTHING)).await?;
    refused(
        "only expectations",
        &*store,
        commit(&[("k", Some("2"))], NOTHING),
    )
    .await?;
    same_rows("after that", &scan(&*store, ALL, 9).await?, &[("k", "1")])
}
