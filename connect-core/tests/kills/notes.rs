//! What the process that is killed writes down, one write per line: what has been written to a
//! file outlives the process.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::op::{Op, Shown};

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Note {
    /// The store is open.
    Opened,
    /// A write is about to be sent.
    Sent(Op),
    /// It was acknowledged.
    Done(Op),
    /// Products were shown, by a read or in an answer.
    Shown(Vec<Shown>),
}

/// The notes of one process.
#[derive(Clone)]
pub(super) struct Notes(Arc<fs::File>);

impl Notes {
    pub(super) fn open(directory: &Path, run: u32) -> Self {
        let file = fs::File::options()
            .append(true)
            .create(true)
            .open(path(directory, run));
        Self(Arc::new(file.unwrap()))
    }

    pub(super) fn write(&self, note: &impl Serialize) {
        let mut line = serde_json::to_vec(note).unwrap();
        line.push(b'\n');
        (&*self.0).write_all(&line).unwrap();
    }
}

/// Takes the notes of a process. A line without an end was never written in full.
pub(super) fn take<N: DeserializeOwned>(directory: &Path, run: u32) -> Vec<N> {
    let text = fs::read_to_string(path(directory, run)).unwrap_or_default();
    let _ = fs::remove_file(path(directory, run));
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Checks that a process has written something down.
pub(super) fn are_there(directory: &Path, run: u32) -> bool {
    fs::metadata(path(directory, run)).is_ok_and(|notes| notes.len() > 0)
}

fn path(directory: &Path, run: u32) -> PathBuf {
    directory.join(format!("notes-{run}"))
}
