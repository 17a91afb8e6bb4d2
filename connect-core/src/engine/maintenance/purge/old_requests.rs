//! The purge of old requests of tokens.
//! The requests of a token are numbered, so its first ones are the oldest.

use uuid::Uuid;

use super::{CHUNK, Purge};
use crate::{
    storage::{Commit, Key, Range, Read, Write},
    transaction::{
        Account, AnsweredRequest, Fault, ReadKey,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{Timestamp, limits::REQUEST_DAYS},
};

/// Tokens whose oldest requests are read together.
const TOKENS: usize = 100;

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
            let ids: Vec<Uuid> = ids
                .filter_map(|(entry, _)| ReadKey::of(entry)?.id())
                .collect();
            for some in ids.chunks(TOKENS) {
                for token in self.with_older(account, some, oldest).await? {
                    self.requests_before(account, token, Some(oldest)).await?;
                }
            }
        }
        Ok(())
    }

    /// Purges all requests of a token.
    pub(super) async fn requests_of(&mut self, account: Uuid, token: Uuid) -> Result<(), Fault> {
        self.requests_before(account, token, None).await
    }

    /// Returns the tokens with a request older than a time.
    async fn with_older(
        &self,
        account: Uuid,
        tokens: &[Uuid],
        oldest: Timestamp,
    ) -> Result<Vec<Uuid>, Fault> {
        let ranges = tokens.iter().map(|token| range(account, *token));
        let ranges: Vec<(Key, Key)> = ranges.collect();
        let reads: Vec<Read<'_>> = ranges.iter().map(first).collect();
        let mut state = self.connect.store().read(&reads).await?;
        let mut found = Vec::new();
        for token in tokens {
            let first = state.entries()?;
            // An unreadable one is looked at again by the purge of its token.
            let is_old = first.first().is_some_and(|(_, row)| is_before(row, oldest));
            found.extend(is_old.then_some(*token));
        }
        Ok(found)
    }

    /// Purges the requests of a token before a time, or all.
    async fn requests_before(
        &mut self,
        account: Uuid,
        token: Uuid,
        time: Option<Timestamp>,
    ) -> Result<(), Fault> {
        let (from, to) = range(account, token);
        loop {
            let piece = self.reader.piece(&from, Some(&to), CHUNK).await?;
            let is_old = |row: &[u8]| time.is_none_or(|time| is_before(row, time));
            let old = piece.entries.iter().take_while(|(_, row)| is_old(row));
            let writes = old.map(|(key, _)| (key.clone(), Write::Remove));
            let commit = Commit {
                writes: writes.collect(),
                ..Commit::default()
            };
            let count = commit.writes.len();
            if count == 0 || !self.connect.store().commit(commit).await? {
                return Ok(());
            }
            self.done.requests += count;
        }
    }
}

/// The keys of the requests of a token.
fn range(account: Uuid, token: Uuid) -> (Key, Key) {
    let from = key(account, Family::Request, &[KeyPart::Id(token)]);
    let to = after_prefix(&from);
    (from, to)
}

/// The read of the oldest request in a range of keys.
fn first((from, to): &(Key, Key)) -> Read<'_> {
    Read::Scan {
        range: Range { from, to: Some(to) },
        limit: 1,
        newest_first: false,
    }
}

/// Returns whether a request was before a time; so is an unreadable one.
fn is_before(row: &[u8], time: Timestamp) -> bool {
    let request: Option<AnsweredRequest> = serde_json::from_slice(row).ok();
    request.is_none_or(|request| request.at < time)
}
