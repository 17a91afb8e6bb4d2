//! Arrows point one way: no room of the core names a room that comes after it.

use std::{fs, path::Path};

/// The rooms, in the order in which data flows.
const ROOMS: [&str; 11] = [
    "wire",
    "environment",
    "storage",
    "record",
    "rules",
    "error",
    "access",
    "engine",
    "resource",
    "check",
    "transfer",
];

#[test]
fn no_room_names_a_later_one() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut read = 0;
    for (place, room) in ROOMS.iter().enumerate() {
        let file = src.join(format!("{room}.rs"));
        let files = if file.exists() {
            vec![file]
        } else {
            sources(&src.join(room))
        };
        for file in files {
            read += 1;
            let text = fs::read_to_string(&file).unwrap();
            for later in &ROOMS[place + 1..] {
                // Also within braces: `use crate::{record::Unit, wire::Field}`.
                let named = text.contains(&format!("crate::{later}"))
                    || text
                        .split("use crate::{")
                        .skip(1)
                        .filter_map(|rest| rest.split(';').next())
                        .any(|names| names.contains(&format!("{later}::")));
                assert!(!named, "{} names {later}", file.display());
            }
        }
    }
    assert!(read > 30, "only {read} files were found");
}

/// A backend is small because it has nothing of the domain in it.
#[test]
fn storage_knows_nothing_of_the_domain() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in sources(&src.join("storage")) {
        let text = fs::read_to_string(&file).unwrap();
        for word in ["Product", "Category", "Location", "tombstone"] {
            assert!(!text.contains(word), "{} speaks of {word}", file.display());
        }
    }
}

fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
