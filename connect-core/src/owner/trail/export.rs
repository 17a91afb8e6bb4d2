//! The export of entries as NDJSON: an entry per line, as stored.

use std::io;

use super::{TrailFilter, TrailScope};
use crate::{
    engine::Connect,
    storage::{Range, Read},
    transaction::{Error, Fault, TrailEntry, trail_key},
};

/// The number of entries per read.
const PIECE: usize = 100;

impl Connect {
    /// Exports entries of the trail: an entry per line, chain by chain, oldest first.
    /// A line is the stored row, so its SHA-256 is `previous` of the next line of its chain. `write` gets
    /// each line with its end. Returns the number of entries.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account. [`Error::Internal`]: `write` failed.
    pub async fn export_trail(
        &self,
        scope: TrailScope,
        filter: &TrailFilter,
        write: &mut (dyn FnMut(&[u8]) -> io::Result<()> + Send),
    ) -> Result<u64, Error> {
        let mut count = 0;
        for part in self.parts(scope, filter, None).await? {
            let mut from = part.from;
            while from < part.to {
                let (start, end) = (trail_key(part.chain, from), trail_key(part.chain, part.to));
                let scan = Read::Scan {
                    range: Range {
                        from: &start,
                        to: Some(&end),
                    },
                    limit: PIECE,
                    newest_first: false,
                };
                let rows = self.store().read(&[scan]).await?.entries();
                let rows = rows.map_err(Fault::from)?;
                from = part.to;
                for (key, row) in &rows {
                    let mut entry: TrailEntry =
                        serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))?;
                    from = entry.number + 1;
                    if filter.reduce(&mut entry) {
                        let line = [row, &b"\n"[..]].concat();
                        write(&line).map_err(|e| Fault::corrupt(key, e))?;
                        count += 1;
                    }
                }
                if rows.len() < PIECE {
                    break;
                }
            }
        }
        Ok(count)
    }
}
