//! The last requests of each token, stored for the owner to look at.
//!
//! They are gathered in memory and stored together every few seconds: a request costs no commit of its own, and
//! the last few seconds are lost when a process is killed.

use std::collections::{HashMap, VecDeque};

use super::connect::Connect;
use crate::{
    storage::{Commit, Expectation, Key, Range, Read, Value, Write},
    transaction::{
        Account, AnsweredRequest, Error, Fault, ReadKey, Token,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{Id, limits::MAX_KEPT_REQUESTS},
};

/// The tokens whose requests are stored by one commit.
const TOKENS: usize = 20;

/// The tries of a commit beside other processes that store requests of the same tokens.
const TRIES: usize = 5;

/// Requests of a token, and its account.
type OfToken = ((Id<Account>, Id<Token>), VecDeque<AnsweredRequest>);

impl Connect {
    /// Keeps an answered request of a token, to be [stored](Self::flush_requests) soon.
    /// Memory is bounded: of a busy token, only the last 100 are kept until then.
    pub fn note_request(&self, account: Id<Account>, request: AnsweredRequest) {
        self.core.admission.requests.lock().add(account, request);
    }

    /// Stores the noted requests, for other processes and the next start.
    /// The last 500 of each token stay. Call it every few seconds, and once more before the process ends.
    ///
    /// # Errors
    /// The storage failed; the requests of this round are lost.
    pub async fn flush_requests(&self) -> Result<(), Error> {
        let _turn = self.core.admission.writing_requests.lock().await;
        let pending = self.core.admission.requests.lock().take();
        let mut pending: Vec<OfToken> = pending.into_iter().collect();
        pending.sort_by_key(|(of, _)| *of);
        for some in pending.chunks(TOKENS) {
            let mut tries = 0;
            while !self.store_requests(some).await? {
                tries += 1;
                if tries == TRIES {
                    tracing::debug!(
                        "the last requests of tokens were not stored: other servers store some of the same tokens"
                    );
                    break;
                }
            }
        }
        Ok(())
    }

    /// Stores requests of some tokens; `false` on a conflict.
    async fn store_requests(&self, some: &[OfToken]) -> Result<bool, Error> {
        let own = |account: &Id<Account>| key(account.uuid(), Family::Account, &[]);
        let accounts: Vec<Key> = some.iter().map(|((account, _), _)| own(account)).collect();
        let ranges: Vec<(Key, Key)> = some.iter().map(|(of, _)| range(*of)).collect();
        let reads = accounts
            .iter()
            .zip(&ranges)
            .flat_map(|(account, (from, to))| {
                let newest = Read::Scan {
                    range: Range { from, to: Some(to) },
                    limit: 1,
                    newest_first: true,
                };
                [Read::Get(account), newest]
            });
        let reads: Vec<Read<'_>> = reads.collect();
        let mut state = self.store().read(&reads).await?;
        let mut commit = Commit::default();
        let mut expected: HashMap<Key, Value> = HashMap::new();
        for (((account, token), requests), account_key) in some.iter().zip(accounts) {
            let row = state.value().map_err(Fault::from)?;
            let newest = state.entries().map_err(Fault::from)?;
            // The requests of an erased account go with it.
            let Some(row) = row else { continue };
            expected.insert(account_key, row);
            let newest = newest
                .first()
                .and_then(|(key, _)| ReadKey::of(key)?.number());
            let next = newest.map_or(0, |number| number.saturating_add(1));
            for (number, request) in (next..).zip(requests) {
                let key = AnsweredRequest::key(account.uuid(), *token, number);
                let row = serde_json::to_vec(request).map_err(|e| Fault::corrupt(&key, e))?;
                commit.expects.push((key.clone(), Expectation::Absent));
                commit.writes.push((key, Write::New(Value::from(row))));
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
        Ok(commit.writes.is_empty() || self.store().commit(commit).await?)
    }
}

/// The keys of the requests of a token.
fn range((account, token): (Id<Account>, Id<Token>)) -> (Key, Key) {
    let from = key(
        account.uuid(),
        Family::Request,
        &[KeyPart::Id(token.uuid())],
    );
    let to = after_prefix(&from);
    (from, to)
}
