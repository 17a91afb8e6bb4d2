//! Keys and values of all kinds: empty, long, any bytes; and their removal.

use super::{
    Fault, Place,
    support::{ALL, commit, everything, get, put, refused, remove, same_rows, same_value, scan},
};
use crate::storage::{MAX_KEY_LEN, MAX_VALUE_LEN, Range, Read, Storage, Write};

pub(super) async fn empty_keys_and_values(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    put(&*store, &[("", "of the empty key"), ("a", "")]).await?;
    let found = scan(&*store, ALL, 100).await?;
    same_rows("a scan", &found, &[("", "of the empty key"), ("a", "")])?;
    let found = get(&*store, b"").await?;
    same_value("the empty key", found.as_ref(), Some(b"of the empty key"))?;
    let found = get(&*store, b"a").await?;
    same_value("the empty value", found.as_ref(), Some(b""))?;
    let range = Range {
        from: b"",
        to: Some(b"a"),
    };
    same_rows(
        "a scan",
        &scan(&*store, range, 9).await?,
        &[("", "of the empty key")],
    )?;
    remove(&*store, &[""]).await?;
    same_rows("a scan", &scan(&*store, ALL, 100).await?, &[("a", "")])
}

pub(super) async fn any_bytes(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let mut values: Vec<Vec<u8>> = Vec::new();
    for first in 0..=255 {
        values.push(vec![first]);
        for second in [0, 1, 2, 255] {
            values.push(vec![first, second, 0, 0, 0, 5]);
        }
    }
    let rows: Vec<_> = values.iter().map(|value| (value, value)).collect();
    put(&*store, &rows).await?;
    let reads: Vec<_> = values.iter().map(|value| Read::Get(value)).collect();
    let mut found = store.read(&reads).await?;
    for value in &values {
        same_value("a value", found.value()?.as_ref(), Some(value))?;
    }
    let mut sorted = rows.clone();
    sorted.sort();
    same_rows("a scan", &everything(&*store).await?, &sorted)
}

pub(super) async fn removal(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    remove(&*store, &["never there"]).await?;
    put(&*store, &[("a", "1"), ("b", "2"), ("c", "3")]).await?;
    remove(&*store, &["b", "never there"]).await?;
    remove(&*store, &["b"]).await?;
    same_value("a removed key", get(&*store, b"b").await?.as_ref(), None)?;
    same_rows(
        "a scan",
        &scan(&*store, ALL, 100).await?,
        &[("a", "1"), ("c", "3")],
    )?;
    put(&*store, &[("b", "again")]).await?;
    same_value(
        "written again",
        get(&*store, b"b").await?.as_ref(),
        Some(b"again"),
    )
}

pub(super) async fn new_over_old(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    put(&*store, &[("a", "old"), ("i", "old"), ("z", "old")]).await?;
    let write = |created: &str| {
        let mut commit = commit(&[(created, None::<&str>)], &[(created, Some("created"))]);
        let rows = [("a", "new"), ("b", "new")];
        let new = rows.map(|(key, value)| (key, Write::New(value.as_bytes().into())));
        let index = ("i", Write::NewIndex(b"row"[..].into()));
        let all = new.into_iter().chain([index]);
        let all = all.map(|(key, write)| (key.as_bytes().into(), write));
        commit.writes.extend(all);
        commit
    };
    // Expected absence is checked all the same.
    refused("a key that is there", &*store, write("z")).await?;
    let old = [("a", "old"), ("i", "old"), ("z", "old")];
    same_rows("a scan", &everything(&*store).await?, &old)?;
    store.commit(write("c")).await?;
    let new = [
        ("a", "new"),
        ("b", "new"),
        ("c", "created"),
        ("i", ""),
        ("z", "old"),
    ];
    same_rows("a scan", &everything(&*store).await?, &new)
}

pub(super) async fn long_keys(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let key = |n: u32| [&n.to_be_bytes()[..], &[b'k'; MAX_KEY_LEN - 4]].concat();
    let rows: Vec<_> = (0..600).map(|n| (key(n), n.to_be_bytes())).collect();
    for some in rows.chunks(100) {
        put(&*store, some).await?;
    }
    same_rows("a scan", &everything(&*store).await?, &rows)?;
    let one = key(77);
    // Neither its prefix nor an extension of it, but the key itself.
    let shorter = &one[..MAX_KEY_LEN - 1];
    let found = get(&*store, &one).await?;
    same_value("a long key", found.as_ref(), Some(&77_u32.to_be_bytes()))?;
    same_value("its prefix", get(&*store, shorter).await?.as_ref(), None)
}

/// A value without two identical stretches of equal length.
fn long(len: usize, seed: usize) -> Vec<u8> {
    let word = |n: usize| {
        ((n + seed) as u64)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .to_be_bytes()
    };
    (0..=len / 8).flat_map(word).take(len).collect()
}

pub(super) async fn long_values(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    // Around the sizes where stores may begin to treat values differently.
    let mut lens: Vec<usize> = (12..20)
        .flat_map(|bits| (1_usize << bits) - 1..=(1 << bits) + 1)
        .collect();
    lens.extend([1 << 20, MAX_VALUE_LEN]);
    for len in lens {
        let (key, value) = (len.to_be_bytes(), long(len, 0));
        put(&*store, &[(key, &value)]).await?;
        let what = format!("a value of {len} bytes");
        same_value(&what, get(&*store, &key).await?.as_ref(), Some(&value))?;
        let range = Range {
            from: &key,
            to: None,
        };
        same_rows(what, &scan(&*store, range, 9).await?, &[(key, value)])?;
    }
    Ok(())
}

pub(super) async fn long_values_change(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    put(
        &*store,
        &[("a", "before"), ("k\0\0\0\0", "close by"), ("z", "after")],
    )
    .await?;
    let steps = [1 << 20, 3, 300_000, 299_999, 40_000, 0, 70_000, 1 << 20];
    for (seed, len) in steps.into_iter().enumerate() {
        let value = long(len, seed);
        put(&*store, &[("k", &value)]).await?;
        around(&*store, Some(&value)).await?;
    }
    let now = long(1 << 20, steps.len() - 1);
    let mut almost = now.clone();
    almost[(1 << 20) - 1] ^= 1;
    let wrong = commit(&[("k", Some(&almost))], &[("k", Some(&almost))]);
    refused(
        "expecting a long value with another last byte",
        &*store,
        wrong,
    )
    .await?;
    around(&*store, Some(&now)).await?;
    let twice = commit(&[("k", Some(&now))], &[("k", None), ("l", Some(&now))]);
    store.commit(twice).await?;
    same_value("moved", get(&*store, b"l").await?.as_ref(), Some(&now))?;
    remove(&*store, &["l"]).await?;
    around(&*store, None).await
}

/// Compares all rows: no part of an earlier value may remain.
async fn around(store: &dyn Storage, value: Option<&[u8]>) -> Result<(), Fault> {
    let what = format!("a scan with a value of {:?} bytes", value.map(<[u8]>::len));
    let mut wanted: Vec<(&str, &[u8])> = vec![("a", b"before")];
    wanted.extend(value.map(|value| ("k", value)));
    wanted.extend([("k\0\0\0\0", &b"close by"[..]), ("z", b"after")]);
    same_rows(what, &scan(store, ALL, 100).await?, &wanted)
}
