//! The export of entries as NDJSON: an entry per line, as stored.

use serde::{Deserialize, Serialize};

use super::{Chain, TrailFilter, TrailScope};
use crate::{
    engine::Connect,
    storage::{Range, Read},
    transaction::{Error, Fault, TrailEntry, trail_key},
};

/// The number of entries per read.
const ENTRIES: usize = 100;

/// The most entries read for a piece.
const MOST_LOOKED_AT: usize = 5000;

/// The bytes of a piece. It may exceed them by those of one read.
const BYTES: usize = 1024 * 1024;

/// A piece of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrailPiece {
    /// The lines, each with its end.
    pub lines: String,
    /// The place to continue after; `None` at the end.
    pub next: Option<TrailPlace>,
}

/// The place of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailPlace {
    /// The chain: the location, the account, or nil for the store.
    pub chain: Chain,
    /// The number of the entry.
    pub number: u64,
}

impl Connect {
    /// Exports a piece of the trail as NDJSON: chain by chain, the oldest entries first.
    /// A line is the stored row, so its SHA-256 is `previous` of the next line of its chain. `after` is the
    /// place at the end of the piece before.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account.
    pub async fn export_trail(
        &self,
        scope: TrailScope,
        filter: &TrailFilter,
        after: Option<TrailPlace>,
    ) -> Result<TrailPiece, Error> {
        let mut piece = TrailPiece::default();
        let parts = self.parts(scope, filter, None).await?;
        let with_people = self.reads_people(scope).await?;
        let is_begun = |chain: Chain| after.is_none_or(|after| after.chain == chain);
        let begun = parts.iter().skip_while(|part| !is_begun(part.chain));
        let mut looked_at = 0;
        for part in begun {
            let done = after.filter(|after| after.chain == part.chain);
            let mut from = done.map_or(part.from, |done| part.from.max(done.number + 1));
            while from < part.to {
                let (start, end) = (trail_key(part.chain, from), trail_key(part.chain, part.to));
                let scan = Read::Scan {
                    range: Range {
                        from: &start,
                        to: Some(&end),
                    },
                    limit: ENTRIES,
                    newest_first: false,
                };
                let rows = self.store().read(&[scan]).await?.entries();
                let rows = rows.map_err(Fault::from)?;
                from = part.to;
                for (key, row) in &rows {
                    let mut entry: TrailEntry =
                        serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))?;
                    from = entry.number + 1;
                    if filter.reduce(&mut entry, with_people) {
                        let line = std::str::from_utf8(row);
                        piece
                            .lines
                            .push_str(line.map_err(|e| Fault::corrupt(key, e))?);
                        piece.lines.push('\n');
                    }
                }
                looked_at += rows.len();
                if looked_at >= MOST_LOOKED_AT || piece.lines.len() >= BYTES {
                    piece.next = Some(TrailPlace {
                        chain: part.chain,
                        number: from - 1,
                    });
                    return Ok(piece);
                }
                if rows.len() < ENTRIES {
                    break;
                }
            }
        }
        Ok(piece)
    }
}
