//! The list of requests, newest first, merged over tokens.

use std::cmp::Reverse;

use uuid::Uuid;

use super::{
    filter::RequestFilter,
    unread::{PlacedRequest, UnreadRequests},
};
use crate::{
    engine::Connect,
    owner::owned,
    rules::cursor::{self, CursorScope},
    transaction::{Account, AnsweredRequest, Error, TimeKey, Token},
    wire::{Id, Page, Timestamp, limits::MAX_PAGE_SIZE},
};

/// The most requests read for a page. A page with few matches then ends early.
const MOST_LOOKED_AT: usize = 20_000;

impl Connect {
    /// Lists the last requests of tokens, newest first.
    /// They are at most `limit`, and never more than 200. The last 500 of each token are kept, for 30 days or
    /// the retention of the account. `cursor` is that of the page before. A page may be shorter than wanted,
    /// even empty, before the end. A user of some locations sees those of tokens for no other ones.
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
        let after = after.transpose();
        let after = after.map_err(|invalid| Error::Malformed(invalid.into()))?;
        let after = after.map(|(place, _)| place);
        self.flush_requests_of(account).await;
        let oldest = self.oldest_shown(account).await?;
        let filter = RequestFilter {
            since: oldest.max(filter.since),
            ..filter.clone()
        };
        let tokens = self.tokens(account).await?.into_iter();
        let tokens: Vec<Id<Token>> = tokens
            .map(|(token, _)| token.id)
            .filter(|id| filter.token.is_none_or(|of| of == *id))
            .collect();
        if let (Some(token), true) = (filter.token, tokens.is_empty()) {
            return Err(owned::missing("token", token));
        }
        let (found, next) = self
            .newest_wanted(account, tokens, &filter, after, limit)
            .await?;
        let next_cursor = next.map(|place| cursor::encode(list, place, self.now()));
        let data = found.into_iter().map(|(_, request)| request).collect();
        Ok(Page { data, next_cursor })
    }

    /// Reads the wanted requests behind a place, and the next place.
    async fn newest_wanted(
        &self,
        account: Id<Account>,
        tokens: Vec<Id<Token>>,
        filter: &RequestFilter,
        after: Option<TimeKey>,
        limit: usize,
    ) -> Result<(Vec<PlacedRequest>, Option<TimeKey>), Error> {
        let behind = after.map(|(at, _)| at.plus_micros(1));
        let until = behind.into_iter().chain(filter.until).min();
        let mut unread = self.unread(account, tokens, until).await?;
        let (mut found, mut looked_at) = (Vec::<PlacedRequest>::new(), 0);
        loop {
            found.sort_by_key(|(place, _)| Reverse(*place));
            // One more than wanted tells of a next page.
            found.truncate(limit + 1);
            let down_to = found.get(limit).map(|((at, _), _)| *at).max(filter.since);
            // These may have requests for this page.
            let mut next: Vec<&mut UnreadRequests> = unread
                .iter_mut()
                .filter(|of| of.newest().is_some_and(|at| Some(at) >= down_to))
                .collect();
            next.sort_by_key(|of| Reverse(of.newest()));
            let Some(unseen) = next.first().and_then(|of| of.newest()) else {
                break;
            };
            let end = (unseen, Uuid::max());
            // Each page gets further, however many tokens there are.
            let gets_on = unseen < Timestamp::MAX && after.is_none_or(|after| end < after);
            if looked_at >= MOST_LOOKED_AT && gets_on {
                found.retain(|((at, _), _)| *at > unseen);
                if found.len() <= limit {
                    return Ok((found, Some(end)));
                }
                break;
            }
            let (read, more) = self.read_on(account, next, filter, limit + 1).await?;
            looked_at += read;
            let more = more.into_iter();
            found.extend(more.filter(|(place, _)| after.is_none_or(|after| *place < after)));
        }
        let has_more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| has_more).map(|(place, _)| *place);
        Ok((found, next))
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
        self.flush_requests_of(account).await;
        let oldest = self.oldest_shown(account).await?;
        let tokens = self.tokens(account).await?;
        let tokens: Vec<Id<Token>> = tokens.into_iter().map(|(token, _)| token.id).collect();
        let mut last = self.newest_requests(account, &tokens).await?;
        last.retain(|request| oldest.is_none_or(|oldest| request.at >= oldest));
        Ok(last)
    }
}
