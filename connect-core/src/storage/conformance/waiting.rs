//! Reads without a wait for writes.

use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::{
    Fault, Place,
    support::{commit, get, same_value},
};
use crate::storage::{Commit, Guard, Write};

/// The fewest and the most rows of a commit.
/// It grows until it takes long enough.
const FEWEST: u32 = 4_000;
const MOST: u32 = 64_000;

/// The shortest commit to judge by.
/// A shorter one may be over before a busy machine gives the reads their turn.
const LEAST: Duration = Duration::from_millis(20);

pub(super) async fn reads_go_on(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    store.commit(commit(&[], &[("k", Some("1"))])).await?;
    let mut rows = FEWEST;
    loop {
        let writes = (0..rows).map(|row| {
            let key = [b"rows of one partition ", &row.to_be_bytes()[..]].concat();
            let value = Write::Put(key.as_slice().into());
            (key.into(), value)
        });
        let large = Commit {
            guard: Some(Guard {
                key: b"g"[..].into(),
                was: get(&*store, b"g").await?,
                becomes: rows.to_be_bytes()[..].into(),
            }),
            writes: writes.collect(),
            ..Commit::default()
        };
        // On its own thread, to leave the runtime's others to the reads.
        let writing = tokio::task::spawn_blocking({
            let (store, runtime) = (store.clone(), Handle::current());
            move || {
                let start = Instant::now();
                let result = runtime.block_on(store.commit(large));
                result.map(|()| start.elapsed())
            }
        });
        let mut longest = Duration::ZERO;
        while !writing.is_finished() {
            let start = Instant::now();
            let found = get(&*store, b"k").await?;
            same_value("a row beside a commit", found.as_ref(), Some(b"1"))?;
            longest = longest.max(start.elapsed());
            tokio::task::yield_now().await;
        }
        let written = writing.await??;
        // A read that waits for the commit takes as long as the commit. Any other read may be
        // delayed by the machine, but hardly each time.
        let has_waited = longest >= written / 2;
        if !has_waited && (written >= LEAST || rows >= MOST) {
            return Ok(());
        }
        if rows >= MOST {
            return Err(Fault::new(format_args!(
                "a read took {longest:?} beside a commit of {rows} rows, which took {written:?}"
            )));
        }
        rows *= 2;
    }
}
