//! Order, ranges and limits.

use super::{
    Fault, Place,
    support::{ALL, put, same_rows, scan},
};
use crate::storage::{Range, Read};

pub(super) async fn unsigned_bytes(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    // Listed in order; written out of order.
    let keys: [&[u8]; 12] = [
        b"\0",
        b"\0\0",
        b"\0\xff",
        b"\x01",
        b"A",
        b"a",
        b"a\0",
        b"ab",
        b"b",
        b"\x7f",
        b"\x80",
        b"\xff\xff",
    ];
    let rows = keys.map(|key| (key, key));
    let mut shuffled = rows;
    shuffled.reverse();
    shuffled.swap(2, 9);
    put(&*store, &shuffled).await?;
    same_rows(
        "a scan of everything",
        &scan(&*store, ALL, 100).await?,
        &rows,
    )?;
    // One commit per key, for backends that sort within a commit only.
    let other = shuffled.map(|(key, _)| (key, b"again"));
    for row in other {
        put(&*store, &[row]).await?;
    }
    let rows = keys.map(|key| (key, b"again"));
    same_rows(
        "a scan after overwriting",
        &scan(&*store, ALL, 100).await?,
        &rows,
    )
}

const LETTERS: [(&str, &str); 4] = [("b", "1"), ("d", "2"), ("da", "3"), ("f", "4")];

pub(super) async fn range_ends(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    put(&*store, &LETTERS).await?;
    let cases = [
        ("b", Some("f"), 0..3),
        ("b", Some("f\0"), 0..4),
        ("b\0", Some("f"), 1..3),
        ("a", Some("d"), 0..1),
        ("c", Some("da"), 1..2),
        ("d", None, 1..4),
        ("g", None, 4..4),
        ("", None, 0..4),
        ("", Some("b"), 0..0),
    ];
    for (from, to, wanted) in cases {
        let range = Range {
            from: from.as_bytes(),
            to: to.map(str::as_bytes),
        };
        let found = scan(&*store, range, 100).await?;
        let wanted = LETTERS.get(wanted).unwrap_or_default();
        same_rows(
            format_args!("a scan from {from:?} to {to:?}"),
            &found,
            wanted,
        )?;
    }
    Ok(())
}

pub(super) async fn empty_ranges(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    same_rows(
        "a scan of an empty store",
        &scan(&*store, ALL, 100).await?,
        &LETTERS[..0],
    )?;
    put(&*store, &LETTERS).await?;
    for (from, to) in [
        ("b", "b"),
        ("c", "c"),
        ("f", "b"),
        ("z", "a"),
        ("b", ""),
        ("", ""),
    ] {
        let range = Range {
            from: from.as_bytes(),
            to: Some(to.as_bytes()),
        };
        let found = scan(&*store, range, 100).await?;
        same_rows(
            format_args!("a scan from {from:?} to {to:?}"),
            &found,
            &LETTERS[..0],
        )?;
    }
    Ok(())
}

pub(super) async fn limits(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    put(&*store, &LETTERS).await?;
    for limit in [0, 1, 3, 4, 5, usize::MAX] {
        let found = scan(&*store, ALL, limit).await?;
        let wanted = &LETTERS[..limit.min(LETTERS.len())];
        same_rows(format_args!("a scan with limit {limit}"), &found, wanted)?;
    }
    Ok(())
}

pub(super) async fn newest_first(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    put(&*store, &LETTERS).await?;
    let cases = [
        ("", None, usize::MAX, 0..4),
        ("", None, 2, 2..4),
        ("", None, 0, 4..4),
        ("b", Some("f"), 9, 0..3),
        ("b", Some("f"), 1, 2..3),
        ("b\0", Some("da"), 9, 1..2),
        ("d", Some("da\0"), 9, 1..3),
        ("g", None, 9, 4..4),
        ("d", Some("d"), 9, 4..4),
        ("f", Some("b"), 9, 4..4),
    ];
    for (from, to, limit, wanted) in cases {
        let range = Range {
            from: from.as_bytes(),
            to: to.map(str::as_bytes),
        };
        let read = Read::Scan {
            range,
            limit,
            newest_first: true,
        };
        let found = store.read(&[read]).await?.entries()?;
        let mut wanted = LETTERS.get(wanted).unwrap_or_default().to_vec();
        wanted.reverse();
        let what = format_args!("at most {limit} newest from {from:?} to {to:?}");
        same_rows(what, &found, &wanted)?;
    }
    Ok(())
}
