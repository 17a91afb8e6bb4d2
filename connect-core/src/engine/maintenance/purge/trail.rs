//! The purge of old entries of the audit trail.
//!
//! Only a chain whose oldest entries follow each other is purged: the note about the removed entries would
//! otherwise hide an altered or a removed one.

use uuid::Uuid;

use super::Purge;
use crate::{
    storage::{Commit, Expectation, Value, Write},
    transaction::{Fault, TrailEntry, TrailHash, TrailHead, trail_anchor_key, trail_key},
};

/// Entries purged per commit. An entry may have hundreds of changes.
const ENTRIES: usize = 100;

impl Purge<'_> {
    /// Purges the old entries of a chain.
    /// The number and the hash of the last one are noted.
    pub(super) async fn trail(&mut self, chain: Uuid) -> Result<(), Fault> {
        let days = self.connect.store().trail_days();
        let oldest = self.now.plus_days(-i64::from(days));
        let anchor = trail_anchor_key(chain);
        loop {
            let noted = self.connect.store().get(&anchor).await?;
            let mut last = TrailHead::read_anchor(&anchor, noted.as_ref())?;
            let (from, to) = (trail_key(chain, 0), trail_key(chain, u64::MAX));
            let piece = self.reader.piece(&from, Some(&to), ENTRIES).await?;
            let mut commit = Commit::default();
            let mut count = 0;
            for (key, row) in &piece.entries {
                let entry: TrailEntry =
                    serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))?;
                if entry.at >= oldest {
                    break;
                }
                if entry.previous != last.hash || entry.number != last.number + 1 {
                    return Err(Fault::corrupt(
                        key,
                        "it does not follow the entry before it",
                    ));
                }
                last = TrailHead {
                    number: entry.number,
                    hash: TrailHash::of(row),
                };
                count += 1;
                commit.writes.push((key.clone(), Write::Remove));
            }
            if count == 0 {
                return Ok(());
            }
            let row = serde_json::to_vec(&last).map_err(|e| Fault::corrupt(&anchor, e))?;
            commit
                .expects
                .push((anchor.clone(), Expectation::unchanged(noted)));
            commit
                .writes
                .push((anchor.clone(), Write::Put(Value::from(row))));
            if !self.connect.store().commit(commit).await? {
                return Ok(());
            }
            self.done.trail_entries += count;
        }
    }
}
