//! Whatever interrupts a transfer: it goes on where it was, and the result is the same.

use std::{fs, sync::Arc};

use connect_core::{
    storage::{
        Entry, Storage,
        redb::{RedbOptions, RedbStorage},
        sled::{SledOptions, SledStorage},
    },
    transfer::{CheckedFile, ImportOptions, TransferError, restored, take_over, unfinished_import},
};

use super::{
    Engine, engines, export, export_anew, exported, fill, import, many, row, store, with_rows,
};
use crate::faulty::{Fate, Faulty, rows};

/// Rows for eight chunks: some by their number, some by their length.
fn eight_chunks() -> Vec<Entry> {
    let mut rows = many(7000);
    rows.extend((0..4).map(|n| row(format!("long {n}"), vec![n; 700_000])));
    rows.push(row("longest", vec![5; 3_000_000]));
    rows
}

#[tokio::test]
async fn an_export_that_was_interrupted_after_any_chunk_goes_on() {
    let rows = eight_chunks();
    let (_, whole, _folder) = exported(&rows).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let source = Faulty::new(with_rows(&rows).await);
    // The rows that a page stops at, and the chunks that the file has by then at most.
    let stops = [
        "key 000000",
        "key 002300",
        "key 004444",
        "key 006999",
        "long 2",
        "longest",
    ];
    let mut lengths = Vec::new();
    for stop in stops {
        source.damage(stop.as_bytes());
        let refused = export(&*source, &file).await.unwrap_err();
        assert!(matches!(refused, TransferError::Storage(_)), "{refused}");
        source.heal();
        lengths.push(fs::metadata(&file).unwrap().len());
        let (target, _folder) = store(Engine::Memory).await;
        let refused = import(&*target, &file).await.unwrap_err();
        assert!(
            matches!(refused, TransferError::Unfinished { .. }),
            "{refused}"
        );
    }
    assert!(lengths.is_sorted() && lengths[0] < lengths[1] && lengths[1] < lengths[5]);
    export(&*source, &file).await.unwrap();
    assert!(fs::read(&file).unwrap() == whole);
}

/// A process that was killed, or a loss of power.
#[tokio::test]
async fn an_export_that_was_cut_at_any_byte_goes_on() {
    let rows = many(3);
    let (file, whole, _folder) = exported(&rows).await;
    let source = with_rows(&rows).await;
    for length in 0..whole.len() {
        fs::write(&file, &whole[..length]).unwrap();
        export(&*source, &file).await.unwrap();
        assert!(fs::read(&file).unwrap() == whole, "{length}");
        // The disk may have the length of a file and not its last bytes.
        if length > 28 {
            let mut torn = whole[..length].to_vec();
            torn[length - 1] ^= 0xFF;
            fs::write(&file, &torn).unwrap();
            export(&*source, &file).await.unwrap();
            assert!(fs::read(&file).unwrap() == whole, "{length}");
        }
    }
}

#[tokio::test]
async fn an_export_of_several_chunks_that_was_cut_goes_on() {
    let rows = eight_chunks();
    let (file, whole, _folder) = exported(&rows).await;
    let source = with_rows(&rows).await;
    for length in (0..whole.len()).step_by(whole.len() / 23) {
        fs::write(&file, &whole[..length]).unwrap();
        export(&*source, &file).await.unwrap();
        assert!(fs::read(&file).unwrap() == whole, "{length}");
    }
}

/// The rows of the first part may be others by now.
#[tokio::test]
async fn a_store_that_changed_meanwhile_is_noticed() {
    let (file, whole, _folder) = exported(&many(5000)).await;
    let source = with_rows(&many(5000)).await;
    for changed in [row("key 000007", "new"), row("key 000007b", "")] {
        fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        fill(&*source, &[changed]).await;
        let refused = export(&*source, &file).await.unwrap_err();
        assert!(matches!(refused, TransferError::Changed(_)), "{refused}");
        assert!(
            refused.to_string().contains("stop all servers"),
            "{refused}"
        );
    }
    assert_eq!(export_anew(&*source, &file).await.unwrap().rows, 5001);
}

async fn interrupted_import(engine: Engine, fate: Fate, at: usize) {
    let expected = eight_chunks();
    let (file, _, _exported) = exported(&expected).await;
    let (target, _folder) = store(engine).await;
    let target = Faulty::new(target as Arc<dyn Storage>);
    target.decide(std::iter::repeat_n(Fate::Acknowledged, at).chain([fate]));
    let refused = import(&*target, &file).await.unwrap_err();
    assert!(matches!(refused, TransferError::Commit(_)), "{refused}");
    let applied = at as u64 + u64::from(fate == Fate::AppliedWithoutAnswer);
    let unfinished = unfinished_import(&*target).await.unwrap();
    assert_eq!(unfinished.map_or(0, |import| import.chunks), applied);
    import(&*target, &file).await.unwrap();
    assert_eq!(unfinished_import(&*target).await.unwrap(), None);
    assert!(rows(&*target).await == expected, "{engine:?} {fate:?} {at}");
}

#[tokio::test]
async fn an_import_that_was_interrupted_after_any_chunk_goes_on() {
    for at in 0..8 {
        for fate in [Fate::Refused, Fate::Lost, Fate::AppliedWithoutAnswer] {
            interrupted_import(Engine::Memory, fate, at).await;
        }
    }
    for engine in engines() {
        interrupted_import(engine, Fate::AppliedWithoutAnswer, 4).await;
    }
}

/// An import that fails while it compares has not finished, and compares again.
#[tokio::test]
async fn an_import_that_could_not_compare_goes_on() {
    let expected = many(5000);
    let (file, _, _exported) = exported(&expected).await;
    let (target, _folder) = store(Engine::Memory).await;
    let target = Faulty::new(target);
    target.damage(b"key 004500");
    let refused = import(&*target, &file).await.unwrap_err();
    assert!(matches!(refused, TransferError::Storage(_)), "{refused}");
    assert_eq!(
        unfinished_import(&*target).await.unwrap().unwrap().chunks,
        3
    );
    target.heal();
    import(&*target, &file).await.unwrap();
    assert!(rows(&*target).await == expected);
}

/// So whatever interrupts an import, the new store does not pass for one that is whole and empty.
#[tokio::test]
async fn a_new_store_has_the_mark_of_its_import_from_the_first_write_on() {
    let expected = many(5000);
    let (path, _, _exported) = exported(&expected).await;
    for restores in [false, true] {
        let how = ImportOptions { restores };
        let file = CheckedFile::read(&path, &mut |_| {}).await.unwrap();
        let first_rows = || file.first_rows(how).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let open: [&dyn Fn() -> Arc<dyn Storage>; 2] = [
            &|| {
                let options = RedbOptions {
                    first_rows: first_rows(),
                    ..RedbOptions::default()
                };
                Arc::new(RedbStorage::open(folder.path().join("redb"), options).unwrap())
            },
            &|| {
                let options = SledOptions {
                    first_rows: first_rows(),
                    ..SledOptions::default()
                };
                Arc::new(SledStorage::open(folder.path().join("sled"), options).unwrap())
            },
        ];
        for open in open {
            let store = open();
            let mark = unfinished_import(&*store).await.unwrap().unwrap();
            assert_eq!((mark.chunks, mark.restores), (0, restores));
            drop(store);
            let store = open();
            let progress = &mut |_| {};
            let moved = file.import(&*store, how, progress).await.unwrap();
            assert_eq!(moved.rows, 5000);
            assert_eq!(unfinished_import(&*store).await.unwrap(), None);
            let mark = restored(&*store).await.unwrap();
            assert_eq!(mark.is_some(), restores);
            drop(store);
            // It is not made now, so it has no first write.
            let store = open();
            assert_eq!(unfinished_import(&*store).await.unwrap(), None);
            let again = file.import(&*store, how, progress).await;
            assert_eq!(
                matches!(again, Err(TransferError::InUse)),
                restores,
                "{again:?}"
            );
            assert_eq!(take_over(&*store).await.unwrap(), restores);
            assert_eq!(restored(&*store).await.unwrap(), None);
            assert!(rows(&*store).await == expected);
        }
    }
}

/// An import that goes on with what a restore has begun leaves the mark of a restored store all the same.
#[tokio::test]
async fn a_restore_stays_one_whoever_ends_it() {
    let (path, _, exported) = exported(&many(5000)).await;
    let (target, _folder) = store(Engine::Memory).await;
    let target = Faulty::new(target);
    target.decide([Fate::Acknowledged, Fate::Refused]);
    let file = CheckedFile::read(&path, &mut |_| {}).await.unwrap();
    let how = ImportOptions { restores: true };
    assert!(file.import(&*target, how, &mut |_| {}).await.is_err());
    assert_eq!(restored(&*target).await.unwrap(), None);
    let moved = import(&*target, &path).await.unwrap();
    let mark = restored(&*target).await.unwrap().unwrap();
    assert_eq!(mark.checksum, moved.checksum);
    // What is exported of it is the same file as before: the mark is not in it.
    let again = exported.path().join("again");
    export(&*target, &again).await.unwrap();
    assert!(fs::read(&again).unwrap() == fs::read(&path).unwrap());
}
