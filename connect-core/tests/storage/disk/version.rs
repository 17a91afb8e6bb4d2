//! The version of the rows in the marker of a folder.

use std::{fs, path::Path};

use connect_core::storage::{RowsVersion, disk::OpenError};
use serde_json::{Value as Json, json};

use crate::storage::engines::{Engine, on_each_engine, value};

const THIS: u32 = RowsVersion::THIS.written_by;

fn marker(path: &Path) -> Json {
    serde_json::from_slice(&fs::read(path.join("connect.store")).unwrap()).unwrap()
}

/// Makes the marker that of another program, which knows of no checksum.
fn write_marker(path: &Path, change: impl FnOnce(&mut Json)) {
    let mut marker = marker(path);
    marker.as_object_mut().unwrap().remove("checksum").unwrap();
    change(&mut marker);
    fs::write(path.join("connect.store"), marker.to_string()).unwrap();
}

fn numbers(path: &Path) -> [Json; 3] {
    let marker = marker(path);
    ["format", "written_by", "oldest_reader"].map(|field| marker[field].clone())
}

/// The numbers of a folder to which this program has written.
fn of_this() -> [Json; 3] {
    let oldest = RowsVersion::THIS.oldest_reader;
    [json!(3), json!(THIS), json!(oldest)]
}

async fn a_new_folder_has_the_numbers(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    drop(engine.open(folder.path()).unwrap());
    assert_eq!(numbers(folder.path()), of_this());
}

/// A folder as the programs have left it that knew of no numbers.
async fn a_folder_without_numbers_gets_them_with_the_first_commit(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let store = engine.open(folder.path()).unwrap();
    store.put(b"k", b"v").await.unwrap();
    drop(store);
    write_marker(folder.path(), |marker| {
        let fields = marker.as_object_mut().unwrap();
        fields["format"] = json!(2);
        fields.remove("written_by");
        fields.remove("oldest_reader");
    });
    let before = fs::read(folder.path().join("connect.store")).unwrap();
    let store = engine.open(folder.path()).unwrap();
    assert_eq!(store.get(b"k").await.unwrap(), value(b"v"));
    drop(store);
    // Who only reads keeps nobody out.
    let after = fs::read(folder.path().join("connect.store")).unwrap();
    assert_eq!(after, before);
    let store = engine.open(folder.path()).unwrap();
    store.put(b"k", b"w").await.unwrap();
    assert_eq!(numbers(folder.path()), of_this());
    drop(store);
    let store = engine.open(folder.path()).unwrap();
    assert_eq!(store.get(b"k").await.unwrap(), value(b"w"));
}

async fn a_commit_whose_numbers_cannot_be_noted_is_refused(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    drop(engine.open(folder.path()).unwrap());
    write_marker(folder.path(), |marker| marker["format"] = json!(2));
    let store = engine.open(folder.path()).unwrap();
    // In the way of the file that takes the marker's place.
    let new = folder.path().join("connect.store.new");
    fs::create_dir(&new).unwrap();
    let refused = store.put(b"k", b"v").await.unwrap_err();
    assert!(refused.to_string().contains("connect.store"), "{refused}");
    assert_eq!(store.get(b"k").await.unwrap(), None);
    fs::remove_dir(&new).unwrap();
    store.put(b"k", b"v").await.unwrap();
    assert_eq!(numbers(folder.path()), of_this());
}

async fn only_what_needs_a_newer_program_is_refused(engine: Engine) {
    for (oldest_reader, is_refused) in [(THIS, false), (THIS + 1, true)] {
        let folder = tempfile::tempdir().unwrap();
        drop(engine.open(folder.path()).unwrap());
        write_marker(folder.path(), |marker| {
            marker["written_by"] = json!(THIS + 1);
            marker["oldest_reader"] = json!(oldest_reader);
            // A newer program may have other engines.
            if is_refused {
                marker["engine"] = json!("another");
            }
        });
        let before = numbers(folder.path());
        match engine.open(folder.path()) {
            Ok(store) => {
                assert!(!is_refused);
                store.put(b"k", b"v").await.unwrap();
                store.read(&[]).await.unwrap();
            }
            Err(error) => {
                assert!(is_refused, "{error}");
                assert!(matches!(error, OpenError::NewerRows { .. }), "{error:?}");
                let text = error.to_string();
                let shown = format!("version {}; this program reads up to {THIS}", THIS + 1);
                assert!(text.contains(&shown), "{text}");
                assert!(text.contains("use that program"), "{text}");
            }
        }
        assert_eq!(numbers(folder.path()), before);
    }
}

/// No bit is silent or taken for the number of another program.
async fn a_flipped_bit_in_the_marker_is_damage(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    drop(engine.open(folder.path()).unwrap());
    let path = folder.path().join("connect.store");
    let whole = fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&whole);
    let name = text.find("checksum").unwrap();
    let name = name..name + "checksum".len();
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, bytes).unwrap();
        match engine.open(folder.path()) {
            // Without the field, the others are taken as they are.
            Ok(_) if name.contains(&(bit / 8)) => fs::write(&path, &whole).unwrap(),
            Ok(_) => panic!("bit {bit} is not noticed"),
            Err(error) => assert!(error.to_string().contains("restore"), "bit {bit}: {error}"),
        }
    }
}

on_each_engine!(
    a_flipped_bit_in_the_marker_is_damage,
    a_new_folder_has_the_numbers,
    a_folder_without_numbers_gets_them_with_the_first_commit,
    a_commit_whose_numbers_cannot_be_noted_is_refused,
    only_what_needs_a_newer_program_is_refused,
);
