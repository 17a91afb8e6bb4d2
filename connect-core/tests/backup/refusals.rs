//! What is not done, and the words in which it is refused.

use std::fs::{self, File};

use connect_core::{
    Connect, ProblemKind,
    transfer::{TransferError, unfinished_import},
};

use super::{Engine, export, export_anew, exported, fill, import, many, row, store, with_rows};
use crate::faulty::{Fate, Faulty, rows};

#[tokio::test]
async fn a_store_with_other_rows_is_left_as_it_is() {
    let (file, _, _exported) = exported(&many(10)).await;
    let (target, _folder) = store(Engine::Redb).await;
    let mut others = many(10);
    others[4].1 = (*b"other").into();
    fill(&*target, &others).await;
    let refused = import(&*target, &file).await.unwrap_err();
    assert!(matches!(refused, TransferError::NotEmpty(_)), "{refused}");
    assert!(refused.to_string().contains("import into a new store"));
    assert_eq!(rows(&*target).await, others);
}

/// So an import whose last word was lost can be run again.
#[tokio::test]
async fn a_store_that_has_exactly_the_rows_is_told_to_be_equal() {
    let (file, _, _exported) = exported(&many(10)).await;
    let target = with_rows(&many(10)).await;
    assert_eq!(import(&*target, &file).await.unwrap().rows, 10);
    for more in [many(11), many(9)] {
        let target = with_rows(&more).await;
        let refused = import(&*target, &file).await.unwrap_err();
        assert!(matches!(refused, TransferError::NotEmpty(_)), "{refused}");
    }
}

#[tokio::test]
async fn a_finished_export_is_replaced_only_when_that_is_asked_for() {
    let (file, bytes, _folder) = exported(&many(10)).await;
    let source = with_rows(&many(20)).await;
    let refused = export(&*source, &file).await.unwrap_err();
    assert!(
        matches!(refused, TransferError::Finished { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("--overwrite"));
    assert_eq!(fs::read(&file).unwrap(), bytes);
    assert_eq!(export_anew(&*source, &file).await.unwrap().rows, 20);
    let (target, _folder) = store(Engine::Memory).await;
    import(&*target, &file).await.unwrap();
    assert_eq!(rows(&*target).await, many(20));
}

/// So an export that was interrupted while it compared can be run again.
#[tokio::test]
async fn a_finished_export_of_the_same_rows_is_told_to_be_equal() {
    let (file, bytes, _folder) = exported(&many(10)).await;
    assert_eq!(
        export(&*with_rows(&many(10)).await, &file)
            .await
            .unwrap()
            .rows,
        10
    );
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[tokio::test]
async fn another_file_is_never_replaced() {
    let source = with_rows(&many(10)).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("letter");
    for text in [
        &b"Dear"[..],
        b"A letter that is longer than the head.",
        b"c0nnect",
    ] {
        fs::write(&file, text).unwrap();
        for refused in [
            export(&*source, &file).await.unwrap_err(),
            export_anew(&*source, &file).await.unwrap_err(),
            import(&*source, &file).await.unwrap_err(),
        ] {
            assert!(
                matches!(refused, TransferError::NotAnExport(_)),
                "{refused}"
            );
        }
        assert_eq!(fs::read(&file).unwrap(), text);
    }
    let refused = export(&*source, folder.path()).await.unwrap_err();
    assert!(matches!(refused, TransferError::Io { .. }), "{refused}");
}

#[tokio::test]
async fn a_file_of_another_version_is_refused() {
    let (file, mut bytes, _folder) = exported(&many(10)).await;
    bytes[19] = 3;
    fs::write(&file, bytes).unwrap();
    let source = with_rows(&many(10)).await;
    for refused in [
        export_anew(&*source, &file).await.unwrap_err(),
        import(&*source, &file).await.unwrap_err(),
    ] {
        let is_other = matches!(refused, TransferError::Version { version: 3, .. });
        assert!(is_other, "{refused}");
    }
}

#[tokio::test]
async fn two_do_not_write_to_one_file() {
    let (file, _, _exported) = exported(&many(10)).await;
    let source = with_rows(&many(10)).await;
    let other = File::open(&file).unwrap();
    other.lock().unwrap();
    for refused in [
        export_anew(&*source, &file).await.unwrap_err(),
        import(&*source, &file).await.unwrap_err(),
    ] {
        assert!(matches!(refused, TransferError::FileInUse(_)), "{refused}");
    }
}

/// A store of which a part was filled from a file of 5000 rows.
async fn half_filled(file: &std::path::Path) -> std::sync::Arc<Faulty> {
    let (target, _folder) = store(Engine::Memory).await;
    let target = Faulty::new(target);
    target.decide([Fate::Acknowledged, Fate::Refused]);
    let refused = import(&*target, file).await.unwrap_err();
    assert!(
        refused.to_string().contains("give the same command again"),
        "{refused}"
    );
    target
}

#[tokio::test]
async fn a_store_with_a_part_of_a_file_is_known_as_such() {
    let (file, _, _exported) = exported(&many(5000)).await;
    let target = half_filled(&file).await;
    let unfinished = unfinished_import(&*target).await.unwrap().unwrap();
    assert_eq!(unfinished.chunks, 1);
    let connect = Connect::builder(target.clone()).build();
    let report = connect.check(&mut |_| {}).await.unwrap();
    let is_unfinished = |kind| kind == ProblemKind::UnfinishedImport;
    assert!(
        report
            .problems
            .iter()
            .any(|problem| is_unfinished(problem.kind))
    );
    let (elsewhere, _, _elsewhere) = exported(&[]).await;
    let refused = export_anew(&*target, &elsewhere).await.unwrap_err();
    assert!(
        matches!(refused, TransferError::UnfinishedImport),
        "{refused}"
    );
    import(&*target, &file).await.unwrap();
    assert_eq!(unfinished_import(&*target).await.unwrap(), None);
    assert_eq!(rows(&*target).await, many(5000));
}

#[tokio::test]
async fn an_import_goes_on_with_its_own_file_only() {
    let (file, _, _exported) = exported(&many(5000)).await;
    let (other, _, _other) = exported(&many(5001)).await;
    let target = half_filled(&file).await;
    let before = rows(&*target).await;
    let refused = import(&*target, &other).await.unwrap_err();
    assert!(matches!(refused, TransferError::OtherFile(_)), "{refused}");
    assert_eq!(rows(&*target).await, before);
}

/// What somebody else wrote meanwhile is found by the comparison, and the store stays marked.
#[tokio::test]
async fn a_store_that_others_write_to_is_not_taken_for_the_file() {
    let (file, _, _exported) = exported(&many(5000)).await;
    for strange in [row("zebra", "1"), row("key 000010", "1")] {
        let target = half_filled(&file).await;
        fill(&*target, std::slice::from_ref(&strange)).await;
        let refused = import(&*target, &file).await.unwrap_err();
        assert!(matches!(refused, TransferError::Differs(_)), "{refused}");
        assert!(unfinished_import(&*target).await.unwrap().is_some());
    }
}
