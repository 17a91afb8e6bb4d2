//! Checks of a store for lost files, commits and rows.
//!
//! | loss | detection |
//! |---|---|
//! | a file, or a part of one, of a closed store | the list in `connect.closed` |
//! | a file of a killed store | it is missing, or empty |
//! | the last groups | the engine's mark is older than `connect.progress` |
//! | other rows | all rows are counted, and do not add up to the engine's mark |
//!
//! Counting reads every row. It is done at every opening of a sled store, since sled drops
//! unreadable data, and for redb in case of doubt.

use std::{fs, io, path::Path};

use super::{
    Kind, OpenError,
    clean_shutdown::{self, CleanShutdown},
    directory::Directory,
    files,
    open_error::ACCEPT_LOSS_FILE,
    progress::{self, Recorded, StoreMark},
};
use crate::storage::StorageError;

impl Directory {
    /// Checks the files of an existing store, without its engine.
    pub(super) fn check_files(&mut self) -> Result<(), OpenError> {
        let failed = |source| OpenError::io(&self.path)(source);
        let incomplete = |missing| OpenError::Incomplete {
            path: self.path.clone(),
            missing,
        };
        let accepted = self.path.join(ACCEPT_LOSS_FILE).exists();
        let missing = self.missing_files().map_err(failed)?;
        if !missing.is_empty() {
            return Err(incomplete(missing));
        }
        let in_file = |name| {
            let path = self.path.join(name);
            move |source| OpenError::io(&path)(source)
        };
        self.recorded = Recorded::read(&self.path).map_err(in_file(progress::FILE))?;
        let length = fs::metadata(self.data_path()).map_err(failed)?.len();
        let closed = CleanShutdown::read(&self.path).map_err(in_file(clean_shutdown::FILE))?;
        if let Some(was) = &closed {
            let now = CleanShutdown::list(&self.path, &self.engine_path()).map_err(failed)?;
            let missing = was.missing_in(&now);
            if !missing.is_empty() && !accepted {
                return Err(incomplete(missing));
            }
        }
        self.suspicion = match self.recorded {
            None => Some("the record of its progress is missing or torn"),
            // redb shrinks its file on closing, after the last record; the list is made later.
            Some(recorded) if length < recorded.length && closed.is_none() => {
                Some("the data file is shorter than it was")
            }
            // redb checks its pages after a crash. sled silently opens without the unreadable parts
            // of its log.
            Some(_) => (self.engine == Kind::Sled).then_some("sled does not check them"),
        };
        // The engine changes its files when opening them. If this is interrupted, the list is
        // invalid.
        files::remove(&self.path, clean_shutdown::FILE).map_err(failed)
    }

    /// Describes the engine's missing or empty files.
    fn missing_files(&self) -> io::Result<String> {
        let mut wanted = vec![self.data_path()];
        if self.engine == Kind::Sled {
            let sled = self.engine_path();
            wanted.push(sled.join("conf"));
            wanted.push(sled.join("blobs"));
            wanted.extend(
                files::all_files(&sled)?
                    .into_iter()
                    .filter(|path| is_snapshot(path)),
            );
        }
        let mut missing = Vec::new();
        for path in wanted {
            let name = path.strip_prefix(&self.path).unwrap_or(&path).display();
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_file() && metadata.len() == 0 => {
                    missing.push(format!("{name} is empty"));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    missing.push(format!("{name} is missing"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(missing.join(", "))
    }

    /// Checks a damaged store for all acknowledged commits, by its last group.
    pub(super) fn check_number(&self, found: StoreMark) -> Result<(), StorageError> {
        let recorded = self.recorded.map_or(0, |recorded| recorded.mark.number);
        if found.number < recorded {
            let reason = format_args!(
                "pages are damaged, and groups after {} are lost",
                found.number
            );
            return Err(StorageError::new(reason));
        }
        Ok(())
    }

    /// The mark to continue from, by the engine's and the recorded mark.
    pub(super) fn decide_recovery(
        &self,
        found: Option<StoreMark>,
        accepted: bool,
        count: impl FnOnce() -> Result<StoreMark, String>,
    ) -> Result<StoreMark, OpenError> {
        let path = || self.path.clone();
        let recorded = self.recorded.map_or(0, |recorded| recorded.mark.number);
        let number = found.map_or(0, |found| found.number);
        if number < recorded && !accepted {
            return Err(OpenError::WentBack {
                path: path(),
                recorded,
                found: number,
            });
        }
        let expected = match found {
            Some(found) => found,
            None if accepted => StoreMark::default(),
            None => {
                let missing = "the engine's record of the last commit is missing".into();
                return Err(OpenError::Incomplete {
                    path: path(),
                    missing,
                });
            }
        };
        let suspicion = if accepted {
            Some("a loss is accepted")
        } else {
            self.suspicion
        };
        let Some(suspicion) = suspicion else {
            return Ok(expected);
        };
        tracing::info!(path = %self.path.display(), reason = suspicion, "counting all rows");
        let counted = count().map_err(|reason| OpenError::Damaged {
            path: path(),
            reason,
        })?;
        if counted.same_rows(&expected) {
            return Ok(expected);
        }
        if !accepted {
            return Err(OpenError::RowsDiffer {
                path: path(),
                expected: expected.rows,
                found: counted.rows,
            });
        }
        tracing::warn!(
            path = %self.path.display(),
            rows = counted.rows,
            "continuing with the readable rows of the store: {ACCEPT_LOSS_FILE} exists"
        );
        Ok(StoreMark {
            number: number.max(recorded),
            ..counted
        })
    }
}

/// Returns whether a file is one of sled's page table snapshots.
/// Such a file must not be empty: sled would take it for damage.
fn is_snapshot(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("snap.") && !name.ends_with(".generating")
}
