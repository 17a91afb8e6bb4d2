//! The opening of a store, also after a crash.

use std::{path::Path, thread, time::Instant};

use super::{
    OpenError,
    counting::count,
    damage::DamagedRange,
    directory::Directory,
    engine::{Batch, Engine, EngineSnapshot as _, ReadFault, caught},
    engine_keys,
    layout::{self, Was},
    progress::StoreMark,
    scrub,
    space::Space,
};
use crate::storage::{Entry, StorageError};

/// An open engine, and the progress of its store.
pub(super) struct Opened<E> {
    pub(super) engine: E,
    pub(super) mark: StoreMark,
}

/// Opens the engine of a folder just taken.
/// A new store has the given rows from its first write on.
pub(super) fn open<E: Engine>(
    directory: &mut Directory,
    space: &Space,
    options: &E::Options,
    first_rows: &[Entry],
) -> Result<Opened<E>, OpenError> {
    let path = directory.path().to_path_buf();
    let damaged = |error: StorageError| OpenError::Damaged {
        path: path.clone(),
        reason: error.to_string(),
    };
    let engine_path = directory.engine_path();
    let mut engine = caught(|| E::open(&engine_path, options)).map_err(damaged)??;
    if !directory.is_new() {
        let used = check_pages(&engine).map_err(damaged)?;
        if has_unfinished(&engine) {
            return Err(OpenError::Unfinished { path });
        }
        if is_damaged(&engine) {
            if directory.accepts_loss() {
                tracing::warn!("rewriting the store without its damaged pages");
                engine = engine.rewrite(&engine_path, options).map_err(damaged)?;
            }
        } else if let Some(used) = used
            && space.is_mostly_unused(used)
        {
            engine = shrink(engine, &engine_path, options).map_err(damaged)?;
        }
    }
    if is_damaged(&engine) {
        return open_damaged(engine, directory).map_err(damaged);
    }
    let found = caught(|| mark(&engine)).map_err(damaged)?;
    let mut found = found.map_err(|fault| damaged(fault.into()))?;
    let apply = |engine: &mut E, batch, mark| {
        caught(|| engine.apply(batch, mark))
            .map_err(damaged)?
            .map_err(|failed| damaged(failed.error().clone()))
    };
    // Existing rows are the first rows of an interrupted creation, and tell its purpose.
    if directory.is_new() && found.is_none_or(|found| found.rows == 0) {
        // The engine has a mark before the folder counts as a store.
        let mut batch = Batch::new();
        for (key, value) in first_rows {
            let key = engine_keys::row_key(key);
            layout::put(&mut batch, key, value, Was::default(), E::PART_LEN);
        }
        found = Some(apply(&mut engine, batch, StoreMark::default())?);
    }
    let mark = directory.admit(found, || {
        let counted = caught(|| count(&engine, found)).map_err(|error| error.to_string())?;
        counted.map_err(|fault| StorageError::from(fault).to_string())
    })?;
    let mark = if found == Some(mark) {
        mark
    } else {
        apply(&mut engine, Batch::new(), mark)?
    };
    directory.record(mark);
    Ok(Opened { engine, mark })
}

/// Reopens the engine after a failure.
/// `last` is the last surely durable mark.
pub(super) fn open_again<E: Engine>(
    directory: &Directory,
    options: &E::Options,
    last: StoreMark,
) -> Result<Opened<E>, StorageError> {
    let engine_path = directory.engine_path();
    let engine = caught(|| E::open(&engine_path, options))?.map_err(StorageError::new)?;
    check_pages(&engine)?;
    if is_damaged(&engine) {
        return open_damaged(engine, directory);
    }
    let mark = caught(|| {
        let found = mark(&engine)?.unwrap_or_default();
        if found.number < last.number {
            let reason = "the database has lost commits that were durable";
            return Err(StorageError::new(reason));
        }
        if E::DROPS_ROWS && !count(&engine, Some(found))?.same_rows(&found) {
            let reason = "the database has lost rows since it was opened; restore a copy";
            return Err(StorageError::new(reason));
        }
        Ok(found)
    })??;
    directory.record(mark);
    Ok(Opened { engine, mark })
}

/// Rewrites the engine's files, without the room of removed rows.
fn shrink<E: Engine>(engine: E, path: &Path, options: &E::Options) -> Result<E, StorageError> {
    let length = || path.metadata().map_or(0, |file| file.len()) / 1_000_000;
    let (before, began) = (length(), Instant::now());
    match engine.rewrite(path, options) {
        Ok(engine) => {
            tracing::info!(
                megabytes_before = before,
                megabytes = length(),
                milliseconds = began.elapsed().as_millis(),
                "gave the room of removed rows back to the disk"
            );
            Ok(engine)
        }
        Err(error) => {
            // A longer file than necessary is no loss.
            tracing::info!(%error, "the store's file was not made shorter");
            E::open(path, options).map_err(StorageError::new)
        }
    }
}

/// Checks all pages of the engine, and bars reads from damaged ones.
/// Returns the bytes of pages in use.
fn check_pages<E: Engine>(engine: &E) -> Result<Option<u64>, StorageError> {
    let Some(pages) = engine.pages()? else {
        return Ok(None);
    };
    let began = Instant::now();
    let mut checked = pages.check_all()?;
    if checked.is_unread {
        // A retry of a failed disk read may succeed a moment later.
        thread::sleep(scrub::PAUSE);
        checked.damaged = pages.check_again(&checked.damaged)?;
    }
    let took = began.elapsed();
    tracing::info!(
        megabytes = checked.bytes / 1_000_000,
        milliseconds = took.as_millis(),
        damaged = checked.damaged.len(),
        "checked the pages of the store"
    );
    if checked.damaged.iter().any(DamagedRange::is_everything) {
        return Err(StorageError::new(
            "the page that leads to all rows is damaged",
        ));
    }
    if let Some(damage) = engine.damage() {
        damage.add(&checked.damaged);
    }
    Ok(Some(checked.bytes))
}

fn is_damaged<E: Engine>(engine: &E) -> bool {
    engine
        .damage()
        .is_some_and(|damage| !damage.spans().is_empty())
}

/// Opens the readable part of a store with damaged pages.
/// Nothing is written to it: redb moves entries between neighbouring pages, and would read the
/// contents of a damaged one as entries.
fn open_damaged<E: Engine>(engine: E, directory: &Directory) -> Result<Opened<E>, StorageError> {
    let found = mark(&engine)?.unwrap_or_default();
    directory.check_number(found)?;
    Ok(Opened {
        engine,
        mark: found,
    })
}

/// Returns whether a former program has left a large commit unfinished.
/// An unreadable page is no answer; the loss of its content is told, or accepted, by other means.
fn has_unfinished<E: Engine>(engine: &E) -> bool {
    let found = caught(|| engine.snapshot()?.get(engine_keys::COMMIT_KEY, |_| ()));
    matches!(found, Ok(Ok(Some(()))))
}

/// The mark in the engine.
pub(super) fn mark<E: Engine>(engine: &E) -> Result<Option<StoreMark>, ReadFault> {
    let snapshot = engine.snapshot()?;
    Ok(snapshot
        .get(engine_keys::MARK_KEY, StoreMark::decode)?
        .flatten())
}
