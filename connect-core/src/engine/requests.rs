//! The last requests of each token, stored for the owner to look at.
//!
//! They are gathered in memory and stored together every few seconds: a request costs no commit of its own, and
//! the last few seconds are lost when a process is killed.

use std::collections::HashMap;

use super::connect::Connect;
use crate::{
    auth::{PendingOfToken, TokenOf},
    storage::{Commit, Expectation, Key, Range, Read, Value, Write},
    transaction::{
        Account, AnsweredRequest, Error, Fault, LenientReader, ReadKey,
        keys::{Family, KeyPart, key},
    },
    wire::{Id, limits::MAX_KEPT_REQUESTS},
};

/// The tokens whose requests are stored by one commit.
const TOKENS: usize = 20;

/// The tries of a commit beside other processes.
const TRIES: usize = 5;

impl Connect {
    /// Keeps an answered request of a token, to be [stored](Self::flush_requests) soon.
    /// Memory is bounded: of a busy token, only the last 100 are kept until then, of an account 2000. Of
    /// requests beyond a rate limit (429), only the first one of a token in each minute is kept.
    pub fn note_request(&self, account: Id<Account>, request: AnsweredRequest) {
        self.core.admission.requests.lock().add(account, request);
    }

    /// Stores the noted requests, for other processes and the next start.
    /// The last 500 of each token stay. Call it every few seconds, and once more before the process ends.
    ///
    /// # Errors
    /// The storage failed for some of them; the next round tries again.
    pub async fn flush_requests(&self) -> Result<(), Error> {
        self.store_pending(None).await
    }

    /// Stores the noted requests of an account, for a list of them.
    /// A list lacks the last few seconds if they cannot be stored.
    pub(crate) async fn flush_requests_of(&self, account: Id<Account>) {
        if let Err(error) = self.store_pending(Some(account)).await {
            let cause = error.cause();
            tracing::warn!(%cause, "the last requests of tokens were not saved");
        }
    }

    /// Stores the noted requests, of one account or of all.
    /// They stay in memory until stored, so an abandoned call loses none.
    async fn store_pending(&self, account: Option<Id<Account>>) -> Result<(), Error> {
        let _turn = self.core.admission.writing_requests.lock().await;
        let tokens = self.core.admission.requests.lock().tokens(account);
        let mut stored = Ok(());
        for some in tokens.chunks(TOKENS) {
            if let Err(fault) = self.store_together(some).await {
                // A store that gives no answer at all has none for the next ones.
                LenientReader::new(self.store()).probe().await?;
                stored = Err(fault.into());
            }
        }
        stored
    }

    /// Stores the noted requests of some tokens.
    /// After a conflict, or beside a damaged row, each token is on its own.
    async fn store_together(&self, some: &[TokenOf]) -> Result<(), Fault> {
        match self.store_requests(some).await {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(fault @ (Fault::NotApplied(_) | Fault::Unknown(_))) => return Err(fault),
            Err(_) => LenientReader::new(self.store()).probe().await?,
        }
        let mut stored = Ok(());
        for token in some {
            if let Err(fault) = self.store_alone(*token).await {
                stored = Err(fault);
            }
        }
        stored
    }

    /// Stores the noted requests of a token.
    async fn store_alone(&self, token: TokenOf) -> Result<(), Fault> {
        for _ in 0..TRIES {
            if self.store_requests(&[token]).await? {
                return Ok(());
            }
        }
        let (_, token) = token;
        tracing::debug!(
            %token,
            "the last requests of a token wait for the next round: other servers store some of it"
        );
        Ok(())
    }

    /// Stores noted requests in one commit; `false` on a conflict.
    /// Those of an erased account or a purged token are dropped: no list has them.
    async fn store_requests(&self, some: &[TokenOf]) -> Result<bool, Fault> {
        let requests = |token: &TokenOf| self.core.admission.requests.lock().of(*token);
        let some: Vec<(TokenOf, PendingOfToken)> =
            some.iter().map(|token| (*token, requests(token))).collect();
        let keys: Vec<RowKeys> = some.iter().map(|(token, _)| RowKeys::of(*token)).collect();
        let reads: Vec<Read<'_>> = keys.iter().flat_map(RowKeys::reads).collect();
        let mut state = self.store().read(&reads).await?;
        let mut commit = Commit::default();
        // Tokens of one account expect the same row.
        let mut expected: HashMap<Key, Value> = HashMap::new();
        for (((account, token), pending), keys) in some.iter().zip(keys) {
            let rows = (state.value()?, state.value()?);
            let newest = state.entries()?.pop();
            let (Some(row), Some(entry)) = rows else {
                continue;
            };
            expected.insert(keys.account, row);
            expected.insert(keys.entry, entry);
            let number = newest
                .as_ref()
                .and_then(|(key, _)| ReadKey::of(key)?.number());
            let next = number.map_or(0, |number| number.saturating_add(1));
            let rows = rows_after(pending, newest.as_ref().map(|(_, row)| row))?;
            for (number, row) in (next..).zip(rows) {
                let key = AnsweredRequest::key(account.uuid(), *token, number);
                commit.expects.push((key.clone(), Expectation::Absent));
                commit.writes.push((key, Write::New(row)));
                if let Some(oldest) = number.checked_sub(MAX_KEPT_REQUESTS) {
                    let key = AnsweredRequest::key(account.uuid(), *token, oldest);
                    commit.writes.push((key, Write::Remove));
                }
            }
        }
        let expected = expected.into_iter();
        commit
            .expects
            .extend(expected.map(|(key, row)| (key, Expectation::Is(row))));
        let is_stored = commit.writes.is_empty() || self.store().commit(commit).await?;
        if is_stored {
            let mut requests = self.core.admission.requests.lock();
            for (token, stored) in &some {
                requests.drop_stored(*token, stored);
            }
        }
        Ok(is_stored)
    }
}

/// The keys read before requests of a token are stored.
struct RowKeys {
    account: Key,
    /// The entry of the token by its id, removed by its purge.
    entry: Key,
    requests: (Key, Key),
}

impl RowKeys {
    fn of((account, token): TokenOf) -> Self {
        let (account, id) = (account.uuid(), KeyPart::Id(token.uuid()));
        Self {
            account: key(account, Family::Account, &[]),
            entry: key(account, Family::TokenById, &[id]),
            requests: AnsweredRequest::range(account, token),
        }
    }

    /// The reads of the account, the entry and the newest request.
    fn reads(&self) -> [Read<'_>; 3] {
        let (from, to) = &self.requests;
        let newest = Read::Scan {
            range: Range { from, to: Some(to) },
            limit: 1,
            newest_first: true,
        };
        [Read::Get(&self.account), Read::Get(&self.entry), newest]
    }
}

/// Returns the rows of requests behind the newest stored one.
/// A commit without an answer may have stored the first of them already.
fn rows_after(pending: &PendingOfToken, newest: Option<&Value>) -> Result<Vec<Value>, Fault> {
    let row = |request: &AnsweredRequest| {
        let row = serde_json::to_vec(request).map_err(|e| Fault::corrupt(b"", e))?;
        Ok(Value::from(row))
    };
    let rows = pending.requests.iter().map(|request| row(request));
    let mut rows: Vec<Value> = rows.collect::<Result<_, Fault>>()?;
    let known = rows.iter().rposition(|row| Some(row) == newest);
    rows.drain(..known.map_or(0, |at| at + 1));
    Ok(rows)
}
