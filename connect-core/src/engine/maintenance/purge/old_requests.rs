//! The purge of old requests of tokens, once an hour.
//! The requests of a token are numbered, so its first ones are the oldest.

use uuid::Uuid;

use super::{super::super::connect::Connect, Expects, Purge};
use crate::{
    storage::{Entry, Key, Range},
    transaction::{
        Account, AnsweredRequest, Fault, ReadKey, Token,
        keys::{Family, after_prefix, key},
    },
    wire::{Id, Timestamp, limits::REQUEST_DAYS},
};

/// Tokens whose oldest requests are read together.
const TOKENS: usize = 100;

/// The seconds between two purges: ages are in days.
const BETWEEN: i64 = 3600;

impl Connect {
    /// Returns whether old requests are to be purged now, and notes it.
    pub(super) fn may_purge_requests(&self, now: Timestamp) -> bool {
        let mut last = self.core.requests_purged_at.lock();
        let is_long_ago = last.is_none_or(|last| last.plus_seconds(BETWEEN) <= now);
        if is_long_ago {
            *last = Some(now);
        }
        is_long_ago
    }
}

impl Purge<'_> {
    /// Purges requests older than 30 days, or than the retention of the account.
    pub(super) async fn old_requests(&mut self, account: &Account) -> Result<(), Fault> {
        let days = account
            .retention
            .request_days
            .map_or(REQUEST_DAYS, i64::from);
        let oldest = self.now.plus_days(-days.min(REQUEST_DAYS));
        let account = account.id.uuid();
        let start = key(account, Family::TokenById, &[]);
        let end = after_prefix(&start);
        let mut from = Some(start);
        while let Some(at) = from {
            let piece = self.piece(&at, &end).await?;
            from = piece.next;
            let ids = piece.entries.iter();
            let ids: Vec<Id<Token>> = ids
                .filter_map(|(entry, _)| ReadKey::of(entry)?.id())
                .map(Id::new)
                .collect();
            for some in ids.chunks(TOKENS) {
                for token in self.with_older(account, some, oldest).await? {
                    let purged = self.requests_before(account, token, Some(oldest)).await;
                    self.note(purged, token);
                }
            }
        }
        Ok(())
    }

    /// Purges all requests of a token.
    pub(super) async fn requests_of(
        &mut self,
        account: Uuid,
        token: Id<Token>,
    ) -> Result<(), Fault> {
        self.requests_before(account, token, None).await
    }

    /// Returns the tokens with a request older than a time.
    async fn with_older(
        &self,
        account: Uuid,
        tokens: &[Id<Token>],
        oldest: Timestamp,
    ) -> Result<Vec<Id<Token>>, Fault> {
        let keys = tokens
            .iter()
            .map(|token| AnsweredRequest::range(account, *token));
        let keys: Vec<(Key, Key)> = keys.collect();
        let ranges = keys.iter().map(|(from, to)| Range { from, to: Some(to) });
        let ranges: Vec<Range<'_>> = ranges.collect();
        let pieces = self.reader.pieces(&ranges, 1).await?;
        let found = tokens.iter().zip(pieces).filter(|(_, piece)| {
            let first = piece.entries.first();
            // Behind a damaged one there may be old ones.
            piece.damaged.is_some() || first.is_some_and(|(_, row)| is_before(row, oldest))
        });
        Ok(found.map(|(token, _)| *token).collect())
    }

    /// Purges the requests of a token before a time, or all.
    async fn requests_before(
        &mut self,
        account: Uuid,
        token: Id<Token>,
        time: Option<Timestamp>,
    ) -> Result<(), Fault> {
        let (start, end) = AnsweredRequest::range(account, token);
        let is_kept = |(_, row): &Entry| time.is_some_and(|time| !is_before(row, time));
        let pick = |rows: &mut Vec<Entry>| {
            let read = rows.len();
            rows.truncate(rows.iter().position(is_kept).unwrap_or(read));
            rows.len() == read
        };
        // Once all are gone, their numbers begin again.
        self.done.requests += self.walk(start, end, Expects::Unchanged, pick).await?;
        Ok(())
    }
}

/// Returns whether a request was before a time; so is an unreadable one.
fn is_before(row: &[u8], time: Timestamp) -> bool {
    let request: Option<AnsweredRequest> = serde_json::from_slice(row).ok();
    request.is_none_or(|request| request.at < time)
}
