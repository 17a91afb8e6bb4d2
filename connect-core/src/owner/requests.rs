//! The owner's view of the last requests of tokens.

use std::cmp::Reverse;

use uuid::Uuid;

use super::accounts::parse;
use crate::{
    engine::Connect,
    rules::cursor::{self, CursorScope},
    storage::{Key, Range, Read},
    transaction::{
        Account, AnsweredRequest, Error, Fault, ReadKey, TimeKey, Token,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{
        Id, Page, Timestamp,
        limits::{MAX_KEPT_REQUESTS, MAX_PAGE_SIZE},
    },
};

/// Tokens whose requests are read together.
const TOKENS: usize = 20;

/// The filters of requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFilter {
    /// The token; all of them if `None`.
    pub token: Option<Id<Token>>,
    /// The outcome.
    pub outcome: Option<RequestOutcome>,
    /// The first time.
    pub since: Option<Timestamp>,
    /// The end of the times, not itself included.
    pub until: Option<Timestamp>,
    /// The whole ID of the request, or an idempotency key.
    pub id: Option<String>,
    /// A part of the path.
    pub path: Option<String>,
}

/// The outcome of a request, by its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// 2xx and 3xx without an error of an item.
    Done,
    /// 4xx, or a batch with a failed item: the client's to mend.
    Refused,
    /// 5xx: the server's to mend.
    Failed,
}

impl RequestOutcome {
    /// Returns the outcome of a request.
    pub fn of(request: &AnsweredRequest) -> Self {
        match request.status {
            500.. => Self::Failed,
            400.. => Self::Refused,
            _ if !request.errors.is_empty() => Self::Refused,
            _ => Self::Done,
        }
    }
}

impl RequestFilter {
    /// Returns whether a request is wanted.
    fn wants(&self, request: &AnsweredRequest) -> bool {
        let is_named = |id: &String| {
            let key = request.idempotency_key.as_ref();
            request.request_id == *id || key == Some(id)
        };
        self.outcome
            .is_none_or(|of| of == RequestOutcome::of(request))
            && self.since.is_none_or(|since| request.at >= since)
            && self.until.is_none_or(|until| request.at < until)
            && self.id.as_ref().is_none_or(is_named)
            && self
                .path
                .as_ref()
                .is_none_or(|part| request.path.contains(part))
    }
}

impl Connect {
    /// Lists the last requests of tokens, newest first: at most `limit`, and never more than 200.
    /// The last 500 of each token are kept, for 30 days or the retention of the account. `cursor` is that of
    /// the page before. A user of some locations sees those of tokens for no other ones.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account, or no such token within reach.
    /// [`Error::Malformed`]: the cursor is not of this list.
    pub async fn requests(
        &self,
        account: Id<Account>,
        filter: &RequestFilter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page<AnsweredRequest>, Error> {
        let limit = limit.clamp(1, MAX_PAGE_SIZE);
        let filters = format!("{filter:?}");
        let list = CursorScope {
            name: "requests",
            location: account.uuid(),
            filters: &filters,
        };
        let after = cursor.map(|cursor| cursor::decode::<TimeKey>(list, cursor));
        let after = after.transpose()?.map(|(place, _)| place);
        self.flush_requests().await?;
        let oldest = self.oldest_shown(account).await?;
        let tokens = self
            .tokens(account)
            .await?
            .into_iter()
            .map(|(token, _)| token.id);
        let tokens: Vec<Id<Token>> = tokens
            .filter(|id| filter.token.is_none_or(|of| of == *id))
            .collect();
        if let (Some(token), true) = (filter.token, tokens.is_empty()) {
            return Err(super::owned::missing("token", token));
        }
        let mut found = Vec::new();
        for some in tokens.chunks(TOKENS) {
            let read = self
                .newest_of(account, some, MAX_KEPT_REQUESTS as usize)
                .await?;
            let wanted = read.into_iter().filter(|(place, request)| {
                let is_next = after.is_none_or(|after| *place < after);
                is_next && oldest.is_none_or(|oldest| request.at >= oldest) && filter.wants(request)
            });
            found.extend(wanted);
            found.sort_by_key(|(place, _)| Reverse(*place));
            // One more than wanted tells of a next page.
            found.truncate(limit + 1);
        }
        let has_more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().filter(|_| has_more);
        let next_cursor = last.map(|(place, _)| cursor::encode(list, *place, self.now()));
        let data = found.into_iter().map(|(_, request)| request).collect();
        Ok(Page { data, next_cursor })
    }

    /// The oldest time shown, by the retention of the account.
    async fn oldest_shown(&self, account: Id<Account>) -> Result<Option<Timestamp>, Error> {
        let days = self.account(account).await?.retention.request_days;
        Ok(days.map(|days| self.now().plus_days(-i64::from(days))))
    }

    /// Returns the last request of each token used within the retention.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account.
    pub async fn last_requests(&self, account: Id<Account>) -> Result<Vec<AnsweredRequest>, Error> {
        self.flush_requests().await?;
        let oldest = self.oldest_shown(account).await?;
        let tokens = self.tokens(account).await?;
        let tokens: Vec<Id<Token>> = tokens.into_iter().map(|(token, _)| token.id).collect();
        let last = self.newest_of(account, &tokens, 1).await?;
        let last = last.into_iter().map(|(_, request)| request);
        Ok(last
            .filter(|request| oldest.is_none_or(|oldest| request.at >= oldest))
            .collect())
    }

    /// Reads the newest requests of some tokens, each with its place in the list.
    async fn newest_of(
        &self,
        account: Id<Account>,
        tokens: &[Id<Token>],
        limit: usize,
    ) -> Result<Vec<(TimeKey, AnsweredRequest)>, Fault> {
        let range = |token: &Id<Token>| {
            let from = key(
                account.uuid(),
                Family::Request,
                &[KeyPart::Id(token.uuid())],
            );
            let to = after_prefix(&from);
            (from, to)
        };
        let ranges: Vec<(Key, Key)> = tokens.iter().map(range).collect();
        let reads: Vec<Read<'_>> = ranges.iter().map(|range| newest(range, limit)).collect();
        let mut state = self.store().read(&reads).await?;
        let mut found = Vec::new();
        for token in tokens {
            for (key, row) in state.entries()? {
                let number = ReadKey::of(&key).and_then(|at| at.number());
                let request = parse(&key, &row)?;
                found.push((place(*token, &request, number.unwrap_or_default()), request));
            }
        }
        Ok(found)
    }
}

/// The read of the newest requests in a range of keys.
fn newest((from, to): &(Key, Key), limit: usize) -> Read<'_> {
    Read::Scan {
        range: Range { from, to: Some(to) },
        limit,
        newest_first: true,
    }
}

/// The place of a request in the list: two requests of a time differ in token or number.
fn place(token: Id<Token>, request: &AnsweredRequest, number: u64) -> TimeKey {
    let (_, token) = token.uuid().as_u64_pair();
    (request.at, Uuid::from_u64_pair(token, number))
}
