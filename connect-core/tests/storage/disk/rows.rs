//! Reads and commits.

use connect_core::storage::{
    Commit, CommitError, Expectation, Found, Guard, MAX_KEY_LEN, MAX_VALUE_LEN, Range, Read,
    Storage, Write, in_process::LEASE,
};

use super::{
    harness::{Engine, commit, get, put, scan, value, write},
    on_each_engine,
};

on_each_engine!(
    all_kinds_of_reads,
    what_was_written_is_read,
    conflicts_write_nothing,
    too_long_keys_and_values_are_refused,
    nothing_stale_is_read_beside_a_writer,
);

async fn all_kinds_of_reads<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = E::open(folder.path()).unwrap();
    let index = |id: u8| {
        (
            [b'i', 9 - id, id][..].into(),
            Write::Index(value(&[id]).unwrap()),
        )
    };
    let mut writes = vec![write(b"name", &[2])];
    for id in 1..=3 {
        writes.push(write(&[b'r', id], &[id, id]));
        writes.push(index(id));
    }
    commit(&store, writes).await.unwrap();
    let range = Range {
        from: b"i",
        to: Some(b"j"),
    };
    for _ in 0..2 {
        let reads = [
            Read::Follow {
                key: b"name",
                rows: b"r",
            },
            Read::Scan {
                range,
                limit: 1,
                newest_first: true,
            },
            Read::ScanFollow {
                range,
                limit: 2,
                newest_first: false,
                rows: b"r",
                tail: 1,
            },
        ];
        let found: Vec<Found> = store.read(&reads).await.unwrap().collect();
        let followed = Some((value(&[2]).unwrap(), value(&[2, 2])));
        let entry = |id: u8| ([b'i', 9 - id, id][..].into(), value(b"").unwrap());
        let expected = [
            Found::Followed(followed),
            Found::Entries(vec![entry(1)]),
            Found::Joined(vec![(entry(3), value(&[3, 3])), (entry(2), value(&[2, 2]))]),
        ];
        assert_eq!(found, expected);
    }
}

async fn what_was_written_is_read<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..4_u8 {
        let store = if round % 2 == 0 {
            E::open(folder.path()).unwrap()
        } else {
            E::open_with(folder.path(), 0, LEASE).unwrap()
        };
        for (number, content) in [b"one", b"two"].into_iter().enumerate() {
            put(&store, b"key", content).await.unwrap();
            assert_eq!(
                get(&store, b"key").await.unwrap(),
                value(content),
                "{number}"
            );
            assert_eq!(
                get(&store, b"key").await.unwrap(),
                value(content),
                "{number}"
            );
        }
        commit(&store, vec![(b"key"[..].into(), Write::Remove)])
            .await
            .unwrap();
        assert_eq!(get(&store, b"key").await.unwrap(), None);
        put(&store, &[round], b"").await.unwrap();
        let rows = scan(&store).await.unwrap();
        assert_eq!(rows.len(), usize::from(round) + 1);
    }
}

async fn conflicts_write_nothing<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = E::open(folder.path()).unwrap();
    let first = Guard {
        key: b"clock"[..].into(),
        was: None,
        becomes: value(b"1").unwrap(),
    };
    let with = |guard: &Guard, expects| Commit {
        guard: Some(guard.clone()),
        expects,
        writes: vec![write(b"row", b"")],
    };
    store.commit(with(&first, Vec::new())).await.unwrap();
    let again = store.commit(with(&first, Vec::new())).await;
    assert!(matches!(again, Err(CommitError::Conflict)), "{again:?}");
    let second = Guard {
        was: value(b"1"),
        becomes: value(b"2").unwrap(),
        ..first
    };
    let other_value = Expectation::Is(value(b"other").unwrap());
    let refused = store
        .commit(with(&second, vec![(b"row"[..].into(), other_value)]))
        .await;
    assert!(matches!(refused, Err(CommitError::Conflict)), "{refused:?}");
    assert_eq!(get(&store, b"clock").await.unwrap(), value(b"1"));
    store.commit(with(&second, Vec::new())).await.unwrap();
}

async fn too_long_keys_and_values_are_refused<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = E::open(folder.path()).unwrap();
    let too_long = [
        put(&store, &[0; MAX_KEY_LEN + 1], b"").await,
        put(&store, b"k", &vec![0; MAX_VALUE_LEN + 1]).await,
    ];
    for refused in too_long {
        assert!(
            matches!(refused, Err(CommitError::NotApplied(_))),
            "{refused:?}"
        );
    }
    put(&store, b"k", b"still works").await.unwrap();
}

/// Two rows are always written together, one of them long; readers go through the cache, through
/// scans and through joins.
async fn nothing_stale_is_read_beside_a_writer<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = std::sync::Arc::new(E::open(folder.path()).unwrap());
    let writes = |round: u32| {
        let long = vec![round as u8; 20_000];
        vec![
            write(b"a", &round.to_be_bytes()),
            write(b"b", &[&round.to_be_bytes()[..], &long].concat()),
            (b"ib"[..].into(), Write::Index(value(b"").unwrap())),
        ]
    };
    commit(&*store, writes(0)).await.unwrap();
    let writer = tokio::spawn({
        let store = store.clone();
        async move {
            for round in 1..=200 {
                commit(&*store, writes(round)).await.unwrap();
            }
        }
    });
    let mut last = 0;
    while !writer.is_finished() {
        let range = Range {
            from: b"a",
            to: Some(b"c"),
        };
        let reads = [
            Read::Get(b"a"),
            Read::Get(b"b"),
            Read::Scan {
                range,
                limit: 9,
                newest_first: true,
            },
            Read::ScanFollow {
                range: Range {
                    from: b"i",
                    to: None,
                },
                limit: 9,
                newest_first: false,
                rows: b"",
                tail: 1,
            },
        ];
        let mut state = store.read(&reads).await.unwrap();
        let number = |bytes: &[u8]| u32::from_be_bytes(bytes[..4].try_into().unwrap());
        let a = number(&state.value().unwrap().unwrap());
        let b = number(&state.value().unwrap().unwrap());
        let scanned = state.entries().unwrap();
        let joined = state.joined().unwrap();
        let scanned = [number(&scanned[0].1), number(&scanned[1].1)];
        let joined = number(joined[0].1.as_ref().unwrap());
        assert_eq!([b, scanned[0], scanned[1], joined], [a; 4]);
        assert!(a >= last);
        last = a;
        tokio::task::yield_now().await;
    }
    writer.await.unwrap();
}
