//! Comparing long texts of tests with files.

use std::{env, fs, path::Path};

/// Holds a text against a file of this crate. `UPDATE_EXPECTED=1` writes the file.
#[track_caller]
pub(crate) fn assert_is(text: &str, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
    let place = differs.map_or("its length".to_owned(), |at| format!("line {}", at + 1));
    assert!(text == expected, "not as in {file}: {place}\n{text}");
}
