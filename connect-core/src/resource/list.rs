//! Lists by `updatedAt`: pages, cursors, tombstones (specification: Shared shapes; contract:
//! Pages).

use uuid::Uuid;

use super::{Access, Connect, Failure, Json, lane};
use crate::{
    record::{Fault, Position, Row, Table},
    rules::cursor::{self, List},
    wire::{
        Page, Timestamp,
        limits::{DEFAULT_PAGE_SIZE, TOMBSTONE_DAYS},
        query::{Query, SyncQuery},
        read::Invalid,
    },
};

/// Which part of a list a request asks for.
pub(super) struct Slice {
    name: &'static str,
    filters: String,
    pub(super) position: Position,
    pub(super) limit: usize,
    pub(super) include_deleted: bool,
}

impl Slice {
    /// The part of the list `name` that `query`, with the common parameters `sync`, asks for.
    pub(super) fn of(
        name: &'static str,
        at: &Access,
        query: &impl Query,
        sync: &SyncQuery,
        now: Timestamp,
    ) -> Result<Self, Failure> {
        let oldest = now.plus_seconds(-TOMBSTONE_DAYS * 24 * 3600);
        if sync.include_deleted && sync.updated_since.is_some_and(|since| since < oldest) {
            let problem = format!(
                "must not be older than {TOMBSTONE_DAYS} days together with includeDeleted: \
                 deletions before {oldest} are no longer known; read the whole list without \
                 updatedSince instead"
            );
            return Err(Failure::malformed(&Invalid::new("updatedSince", problem)));
        }
        let pairs = query.pairs();
        let filters = pairs
            .iter()
            .filter(|(name, _)| !matches!(*name, "limit" | "cursor"));
        let filters: String = filters
            .map(|(name, value)| format!("{name}={value}\n"))
            .collect();
        let list = List {
            name,
            location: at.location().id,
            filters: &filters,
        };
        let position = match &sync.cursor {
            Some(cursor) => {
                let (time, id) =
                    cursor::decode(list, cursor).map_err(|invalid| Failure::malformed(&invalid))?;
                Position::After(time, id)
            }
            None => Position::From(sync.updated_since.unwrap_or(Timestamp::MIN)),
        };
        Ok(Self {
            name,
            position,
            limit: sync.limit.unwrap_or(DEFAULT_PAGE_SIZE),
            include_deleted: sync.include_deleted,
            filters,
        })
    }

    /// How many rows to look for: one more than the page, to know whether there is another.
    pub(super) fn wanted(&self) -> usize {
        self.limit + 1
    }

    /// The page of these rows, which are sorted and start at the slice's position. Without a row
    /// too many there is another page only when the search for rows `stopped_at` some point.
    pub(super) fn page<T>(
        &self,
        at: &Access,
        rows: &[Row],
        stopped_at: Option<(Timestamp, Uuid)>,
    ) -> Json<Page<T>> {
        let shown = &rows[..rows.len().min(self.limit)];
        let length: usize = shown.iter().map(|(_, row)| row.len() + 1).sum();
        let mut bytes = Vec::with_capacity(length + 120);
        bytes.extend_from_slice(b"{\"data\":[");
        for (index, (_, row)) in shown.iter().enumerate() {
            if index > 0 {
                bytes.push(b',');
            }
            bytes.extend_from_slice(row);
        }
        bytes.extend_from_slice(b"],\"nextCursor\":");
        let next = match shown.last() {
            Some((change, _)) if rows.len() > shown.len() => Some(*change),
            _ => stopped_at,
        };
        match next {
            Some((time, id)) => {
                let list = List {
                    name: self.name,
                    location: at.location().id,
                    filters: &self.filters,
                };
                bytes.push(b'"');
                bytes.extend_from_slice(cursor::encode(list, time, id).as_bytes());
                bytes.push(b'"');
            }
            None => bytes.extend_from_slice(b"null"),
        }
        bytes.push(b'}');
        Json::new(bytes)
    }
}

impl Connect {
    /// The rows of a slice of a whole table.
    pub(super) async fn slice(
        &self,
        at: &Access,
        table: Table,
        slice: &Slice,
    ) -> Result<Vec<Row>, Fault> {
        let records = self.records(at.location().id);
        if !slice.include_deleted {
            return records
                .rows(table.rows, slice.position, slice.wanted())
                .await;
        }
        let mut look = records.look().await?;
        let mut pause = None;
        loop {
            let live = records
                .rows(table.rows, slice.position, slice.wanted())
                .await?;
            let deleted = records
                .rows(table.tombstones, slice.position, slice.wanted())
                .await?;
            if look.saw_one_state().await? {
                return Ok(merge(live, deleted));
            }
            if look.is_losing() && pause.is_none() {
                pause = Some(lane::pause(&self.core, at).await?);
            }
        }
    }
}

/// Rows and tombstones in one order. Each was read to the same length, so the merged list is
/// complete up to that length.
pub(super) fn merge(mut live: Vec<Row>, deleted: Vec<Row>) -> Vec<Row> {
    live.extend(deleted);
    live.sort_by_key(|(change, _)| *change);
    live
}
