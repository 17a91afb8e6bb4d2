//! The kinds of reads, and their answers.

use std::collections::BTreeMap;

use super::{
    Fault, Place,
    support::{ALL, ascending, commit, put, same, same_rows, same_value},
};
use crate::storage::{Commit, Found, Range, Read, Storage, Write};

const INDEX: Range<'static> = Range {
    from: b"i",
    to: Some(b"j"),
};

fn join(range: Range<'_>, limit: usize, newest_first: bool, tail: usize) -> Read<'_> {
    Read::ScanFollow {
        range,
        limit,
        newest_first,
        rows: b"r",
        tail,
    }
}

pub(super) async fn in_order_asked(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    put(&*store, &[("i1", "1"), ("r1", "one"), ("r2", "two")]).await?;
    let kind = |found: &Found| match found {
        Found::Value(value) => format!("value {}", value.is_some()),
        Found::Followed(found) => format!("followed {}", found.is_some()),
        Found::Entries(entries) => format!("{} entries", entries.len()),
        Found::Joined(entries) => format!("{} joined", entries.len()),
    };
    let follow = |key| Read::Follow { key, rows: b"r" };
    // Each read, and a description to tell its answer from every other.
    let all = [
        (Read::Get(b"r1"), "value true"),
        (Read::Get(b"none"), "value false"),
        (follow(b"i1"), "followed true"),
        (follow(b"none"), "followed false"),
        (ascending(ALL, 3), "3 entries"),
        (ascending(ALL, 2), "2 entries"),
        (join(INDEX, 9, false, 1), "1 joined"),
        (join(ALL, 2, true, 1), "2 joined"),
    ];
    for turn in 0..all.len() {
        let mut asked = all.to_vec();
        asked.rotate_left(turn);
        // The same read twice has two answers.
        asked.push(asked[turn / 2]);
        let reads: Vec<_> = asked.iter().map(|(read, _)| *read).collect();
        let found: Vec<_> = store.read(&reads).await?.map(|one| kind(&one)).collect();
        let wanted: Vec<_> = asked.iter().map(|(_, kind)| (*kind).to_owned()).collect();
        same("the kinds of the answers", found, wanted)?;
    }
    same("answers to no read", store.read(&[]).await?.count(), 0)
}

/// An index entry and its row, as expected.
type Entry<'a> = Option<(&'a str, Option<&'a str>)>;

pub(super) async fn follow(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let rows = [
        ("i whole", "1"),
        ("i rowless", "2"),
        ("i empty", ""),
        ("r1", "one"),
        ("r", "of the empty id"),
        ("1", "not this"),
    ];
    put(&*store, &rows).await?;
    let cases: [(&str, &str, Entry<'_>); 6] = [
        ("i whole", "r", Some(("1", Some("one")))),
        ("i rowless", "r", Some(("2", None))),
        ("i empty", "r", Some(("", Some("of the empty id")))),
        ("i whole", "", Some(("1", Some("not this")))),
        ("i missing", "r", None),
        ("i", "r", None),
    ];
    let reads = cases.map(|(key, rows, _)| Read::Follow {
        key: key.as_bytes(),
        rows: rows.as_bytes(),
    });
    let mut found = store.read(&reads).await?;
    for (key, rows, wanted) in cases {
        let what = format!("{key:?} followed to {rows:?}");
        let found = found.followed()?;
        let wanted_entry = wanted.map(|(value, _)| value.as_bytes());
        same_value(&what, found.as_ref().map(|(value, _)| value), wanted_entry)?;
        let row = found.as_ref().and_then(|(_, row)| row.as_ref());
        let wanted_row = wanted.and_then(|(_, row)| row).map(str::as_bytes);
        same_value(format!("the row of {what}"), row, wanted_row)?;
    }
    Ok(())
}

/// Look-ups for a backend to batch.
/// Most are of one kind, some keys repeat, and other reads come between.
pub(super) async fn many(place: &dyn Place) -> Result<(), Fault> {
    const KEYS: usize = 300;
    let store = place.open().await?;
    // Two of three keys have an entry, and four entries lead to the same id. Every other id has a
    // row in `r`, and every third one in `s`.
    let mut rows = BTreeMap::from([("i1".to_owned(), String::new())]);
    rows.insert("r".to_owned(), "row of the empty id".to_owned());
    for number in (2..KEYS).filter(|number| number % 3 > 0) {
        let id = number / 6;
        rows.insert(format!("i{number}"), id.to_string());
        if id.is_multiple_of(2) {
            rows.insert(format!("r{id}"), format!("row {id}"));
        }
        if id.is_multiple_of(3) {
            rows.insert(format!("s{id}"), format!("other row {id}"));
        }
    }
    let rows: Vec<_> = rows.into_iter().collect();
    put(&*store, &rows).await?;
    let keys: Vec<_> = (0..KEYS)
        .map(|number| format!("i{}", number * 7 % 200))
        .collect();
    // Most look-ups lead to rows in `most`, and every `step`-th in `other`. Without rows it is a
    // `Get`.
    for (most, other, step) in [
        (Some(&b"r"[..]), Some(&b"s"[..]), 9),
        (Some(b"s"), None, 4),
        (None, Some(b"r"), 5),
        (Some(b"r"), Some(b"s"), 2),
    ] {
        let read = |(number, key)| {
            if number % 50 == 3 {
                return ascending(INDEX, 2);
            }
            let rows = if number % step == 0 { other } else { most };
            rows.map_or(Read::Get(key), |rows| Read::Follow { key, rows })
        };
        let keys = keys.iter().map(String::as_bytes);
        let reads: Vec<_> = keys.enumerate().map(read).collect();
        let together = store.read(&reads).await?;
        for (read, found) in reads.iter().zip(together) {
            let alone = store.read(std::slice::from_ref(read)).await?.next();
            let what = format_args!("{read:?} among {KEYS} reads");
            same(what, Some(found), alone)?;
        }
    }
    Ok(())
}

/// A guard without a value is no row, also under its lock.
pub(super) async fn many_under_a_lock(place: &dyn Place) -> Result<(), Fault> {
    const KEYS: usize = 100;
    let store = place.open().await?;
    put(&*store, &[("i", "guard")]).await?;
    let lock = store.lock(b"guard").await?;
    let entry = Read::Follow {
        key: b"i",
        rows: b"",
    };
    let found = lock.read(&[entry; KEYS]).await?.collect::<Vec<_>>();
    let wanted = Found::Followed(Some((b"guard"[..].into(), None)));
    same("the entry of a guard", found, vec![wanted; KEYS])?;
    let found = lock.read(&[Read::Get(b"guard"); KEYS]).await?;
    let found = found.collect::<Vec<_>>();
    same(
        "a guard that was never written",
        found,
        vec![Found::Value(None); KEYS],
    )
}

/// Entries joined with rows, as expected.
type Joined<'a> = [(&'a str, &'a str, Option<&'a str>)];

async fn joins(store: &dyn Storage, read: Read<'_>, wanted: &Joined<'_>) -> Result<(), Fault> {
    let found = store.read(&[read]).await?.joined()?;
    let entries: Vec<_> = found.iter().map(|(entry, _)| entry.clone()).collect();
    let wanted_entries: Vec<_> = wanted.iter().map(|(key, value, _)| (key, value)).collect();
    same_rows(
        format_args!("the entries of {read:?}"),
        &entries,
        &wanted_entries,
    )?;
    for ((_, row), (key, _, wanted)) in found.iter().zip(wanted) {
        let what = format_args!("the row of {key:?} in {read:?}");
        same_value(what, row.as_ref(), wanted.map(str::as_bytes))?;
    }
    Ok(())
}

pub(super) async fn scan_follow(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let rows = [
        ("i.aa", "x"),
        ("i.bb", ""),
        ("i.cc", "y"),
        ("i.dd", "z"),
        ("raa", "of aa"),
        ("rbb", "of bb"),
        ("rdd", ""),
        ("ri.aa", "not this"),
        ("r", "of nothing"),
    ];
    put(&*store, &rows).await?;
    let all = [
        ("i.aa", "x", Some("of aa")),
        ("i.bb", "", Some("of bb")),
        ("i.cc", "y", None),
        ("i.dd", "z", Some("")),
    ];
    let newest = [all[3], all[2], all[1], all[0]];
    joins(&*store, join(INDEX, usize::MAX, false, 2), &all).await?;
    joins(&*store, join(INDEX, 2, false, 2), &all[..2]).await?;
    joins(&*store, join(INDEX, usize::MAX, true, 2), &newest).await?;
    joins(&*store, join(INDEX, 3, true, 2), &newest[..3]).await?;
    joins(&*store, join(INDEX, 0, false, 2), &[]).await?;
    let some = Range {
        from: b"i.b",
        to: Some(b"i.dd"),
    };
    joins(&*store, join(some, 9, false, 2), &all[1..3]).await?;
    let none = Range {
        from: b"i.d",
        to: Some(b"i.b"),
    };
    joins(&*store, join(none, 9, true, 2), &[]).await?;
    let of_nothing = all.map(|(key, value, _)| (key, value, Some("of nothing")));
    joins(&*store, join(INDEX, 9, false, 0), &of_nothing).await
}

pub(super) async fn short_keys(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let rows = [
        ("", "of the empty key"),
        ("i", "1"),
        ("ia", "2"),
        ("iab", "3"),
        ("r", "not this"),
        ("ri", "not this"),
        ("ria", "of ia"),
        ("rab", "of ab"),
    ];
    put(&*store, &rows).await?;
    let wanted = [
        ("i", "1", None),
        ("ia", "2", Some("of ia")),
        ("iab", "3", Some("of ab")),
    ];
    joins(&*store, join(INDEX, 9, false, 2), &wanted).await?;
    let wanted = wanted.map(|(key, value, _)| (key, value, None));
    joins(&*store, join(INDEX, 9, false, usize::MAX), &wanted).await?;
    let wanted = [("", "of the empty key", None)];
    joins(&*store, join(ALL, 1, false, 1), &wanted).await
}

pub(super) async fn index_entries(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let long = "long ".repeat(2000);
    // The row, an `Index` entry of it and a `Put` entry of it, after each commit.
    let write = |value: &str, entry: &str| Commit {
        writes: vec![
            (b"i.1aa"[..].into(), Write::Put(entry.as_bytes().into())),
            (b"i.2aa"[..].into(), Write::Index(value.as_bytes().into())),
            (b"raa"[..].into(), Write::Put(value.as_bytes().into())),
        ],
        ..Commit::default()
    };
    for (value, entry) in [("one", "a"), (&long, "b"), ("", "c"), ("two", "")] {
        store.commit(write(value, entry)).await?;
        let wanted = [("i.1aa", entry, Some(value)), ("i.2aa", "", Some(value))];
        joins(&*store, join(INDEX, 9, false, 2), &wanted).await?;
        joins(&*store, join(INDEX, 1, true, 2), &wanted[1..]).await?;
        let reads = [Read::Get(b"i.2aa"), ascending(INDEX, 9)];
        let mut found = store.read(&reads).await?;
        same_value("an Index entry", found.value()?.as_ref(), Some(b""))?;
        let rows = [("i.1aa", entry), ("i.2aa", "")];
        same_rows("a scan of entries", &found.entries()?, &rows)?;
    }
    // As with any row: expected by its value, replaced by a Put, removed.
    let put_over = commit(&[("i.2aa", Some(""))], &[("i.2aa", Some("put"))]);
    store.commit(put_over).await?;
    let wanted = [("i.1aa", "", Some("two")), ("i.2aa", "put", Some("two"))];
    joins(&*store, join(INDEX, 9, false, 2), &wanted).await?;
    store.commit(write("three", "d")).await?;
    let removed = [("i.2aa", None::<&str>), ("raa", None)];
    store.commit(commit(&[], &removed)).await?;
    joins(&*store, join(INDEX, 9, false, 2), &[("i.1aa", "d", None)]).await
}
