//! The purge of tokens ended long ago.
//! A client making a new one each hour would otherwise have thousands of them.
//! As all tokens are read here, those that expire soon are found on the way.
//!
//! The requests of a token go with it. No other row refers to a token: changes and movements keep its name, and
//! stored answers are gone after a day.

use uuid::Uuid;

use super::Purge;
use crate::{
    rules::access,
    storage::{Commit, Entry, Expectation, Key, Value, Write},
    transaction::{
        Fault, Lookup, ReadKey, Token,
        keys::{Family, GLOBAL, KeyPart, after_prefix, key},
    },
    wire::{Id, Timestamp, limits::ENDED_TOKEN_DAYS},
};

/// Tokens purged per commit. Each has four rows.
const TOKENS: usize = 125;

impl Purge<'_> {
    /// Purges the tokens of an account revoked or expired long ago.
    pub(super) async fn ended_tokens(&mut self, account: Uuid) -> Result<(), Fault> {
        let start = key(account, Family::TokenById, &[]);
        let end = after_prefix(&start);
        let mut from = Some(start);
        while let Some(at) = from {
            let piece = self.piece(&at, &end).await?;
            from = piece.next;
            for listed in piece.entries.chunks(TOKENS) {
                self.ended_of(account, listed).await?;
            }
        }
        Ok(())
    }

    /// Purges the ended ones of these tokens, in one commit.
    async fn ended_of(&mut self, account: Uuid, listed: &[Entry]) -> Result<(), Fault> {
        let oldest = self.now.plus_days(-ENDED_TOKEN_DAYS);
        let mut rows = Vec::new();
        for (entry, digest) in listed {
            match (ReadKey::of(entry).and_then(|at| at.id()), digest_of(digest)) {
                (Some(id), Some(digest)) => rows.push((id, digest)),
                _ => self.failed(hex::encode(entry), &"the entry of a token is unreadable"),
            }
        }
        let token_key = |digest| key(GLOBAL, Family::Token, &[KeyPart::Digest(digest)]);
        let keys: Vec<Key> = rows.iter().map(|(_, digest)| token_key(digest)).collect();
        let found = self.reader.values(&keys).await?;
        let warns = self.connect.queues_mail();
        let (mut commit, mut expiring, mut ended) = (Commit::default(), Vec::new(), Vec::new());
        for (((id, digest), token_key), row) in rows.iter().zip(keys).zip(found) {
            let Some((row, token)) = readable(row) else {
                self.failed(hex::encode(&token_key), &"a token is unreadable");
                continue;
            };
            if warns && access::is_warning_due(&token, self.now) {
                expiring.push(token_key);
                continue;
            }
            if ended_at(&token).is_none_or(|at| at >= oldest) {
                continue;
            }
            let token = Id::new(*id);
            let failed = self.done.failed;
            let purged = self.requests_of(account, token).await;
            self.note(purged, token);
            if self.done.failed > failed {
                // The token waits for its unreadable requests: without it, they are never looked at again.
                continue;
            }
            ended.push(token);
            // A token changed since is checked again in the next round.
            let unchanged = Expectation::Is(row);
            commit.expects.push((token_key.clone(), unchanged));
            let others = [
                key(GLOBAL, Family::AccountOfToken, &[KeyPart::Digest(digest)]),
                key(account, Family::TokenById, &[KeyPart::Id(*id)]),
                key(account, Family::TokenUse, &[KeyPart::Id(*id)]),
            ];
            let all = others.into_iter().chain([token_key]);
            commit.writes.extend(all.map(|key| (key, Write::Remove)));
        }
        if !ended.is_empty() && self.connect.store().commit(commit).await? {
            self.done.tokens += ended.len();
            // Without the entry of its token, no request is stored any more: these are the last ones.
            for token in ended {
                let purged = self.requests_of(account, token).await;
                self.note(purged, token);
            }
        }
        self.warn_of_expiry(account, &expiring).await;
        Ok(())
    }
}

fn digest_of(row: &Value) -> Option<[u8; 32]> {
    (**row).try_into().ok()
}

fn readable(row: Lookup) -> Option<(Value, Token)> {
    match row {
        Lookup::Found(Some(row)) => {
            let token = serde_json::from_slice(&row).ok()?;
            Some((row, token))
        }
        _ => None,
    }
}

/// Returns the time of a token's end, by revocation or expiry.
fn ended_at(token: &Token) -> Option<Timestamp> {
    let ends = token.revoked_at.into_iter().chain(token.expires_at);
    ends.min()
}
