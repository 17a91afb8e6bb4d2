//! The requests of tokens, read on from the newest ones.
//!
//! Requests of a token are numbered as they are stored. Several servers store theirs every few seconds, so the
//! times rise with the numbers but for these seconds.

use uuid::Uuid;

use super::filter::RequestFilter;
use crate::{
    engine::Connect,
    owner::accounts::parse,
    storage::{Entry, Key, Range, Read},
    transaction::{Account, AnsweredRequest, Fault, ReadKey, TimeKey, Token},
    wire::{Id, Timestamp},
};

/// The tokens whose requests are read together.
const TOKENS: usize = 100;

/// The most requests per read, of all tokens together.
const PIECE: usize = 1000;

/// The greatest disorder of times among numbered requests, in seconds.
const DISORDER: i64 = 60;

/// A request with its place in the list.
pub(super) type PlacedRequest = (TimeKey, AnsweredRequest);

/// The unread requests of a token.
pub(super) struct UnreadRequests {
    token: Id<Token>,
    /// The end of their numbers; 0 without any.
    to: u64,
    /// The latest possible time of them.
    newest: Timestamp,
}

impl UnreadRequests {
    /// The latest possible time of an unread request; `None` without any.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        (self.to > 0).then_some(self.newest)
    }

    /// The keys of the unread requests.
    fn range(&self, account: Id<Account>) -> (Key, Key) {
        let (from, _) = AnsweredRequest::range(account.uuid(), self.token);
        let to = AnsweredRequest::key(account.uuid(), self.token, self.to);
        (from, to)
    }
}

/// The possible first numbers of a token since a time.
struct NumberBounds {
    token: Id<Token>,
    from: u64,
    to: u64,
}

impl NumberBounds {
    /// The number between them; `None` when the number is found.
    fn middle(&self) -> Option<u64> {
        (self.from < self.to).then(|| self.from + (self.to - self.from) / 2)
    }
}

impl Connect {
    /// Returns the unread requests of tokens before a time, or all.
    pub(super) async fn unread(
        &self,
        account: Id<Account>,
        tokens: Vec<Id<Token>>,
        until: Option<Timestamp>,
    ) -> Result<Vec<UnreadRequests>, Fault> {
        let Some(until) = until else {
            let all = tokens.into_iter().map(|token| UnreadRequests {
                token,
                to: u64::MAX,
                newest: Timestamp::MAX,
            });
            return Ok(all.collect());
        };
        // Behind this one, no request of the token is earlier than the time.
        let beyond = until.plus_seconds(DISORDER);
        let mut unread = Vec::with_capacity(tokens.len());
        for some in tokens.chunks(TOKENS) {
            let bounds = self.numbers_since(account, some, beyond).await?;
            unread.extend(bounds.into_iter().map(|of| UnreadRequests {
                token: of.token,
                to: of.to,
                newest: beyond,
            }));
        }
        Ok(unread)
    }

    /// Finds the first number of each token since a time.
    async fn numbers_since(
        &self,
        account: Id<Account>,
        tokens: &[Id<Token>],
        time: Timestamp,
    ) -> Result<Vec<NumberBounds>, Fault> {
        let mut all = self.numbers(account, tokens).await?;
        loop {
            let open = all.iter_mut().filter_map(|of| Some((of.middle()?, of)));
            let open: Vec<(u64, &mut NumberBounds)> = open.collect();
            if open.is_empty() {
                return Ok(all);
            }
            let keys = open
                .iter()
                .map(|(middle, of)| AnsweredRequest::key(account.uuid(), of.token, *middle));
            let keys: Vec<Key> = keys.collect();
            let reads: Vec<Read<'_>> = keys.iter().map(|key| Read::Get(key)).collect();
            let mut state = self.store().read(&reads).await?;
            for ((middle, of), key) in open.into_iter().zip(&keys) {
                let row = state.value()?;
                let request = row.map(|row| parse::<AnsweredRequest>(key, &row));
                // A missing one was purged, and so were those before it.
                match request.transpose()? {
                    Some(request) if request.at >= time => of.to = middle,
                    _ => of.from = middle + 1,
                }
            }
        }
    }

    /// Returns the numbers of the requests of tokens.
    async fn numbers(
        &self,
        account: Id<Account>,
        tokens: &[Id<Token>],
    ) -> Result<Vec<NumberBounds>, Fault> {
        let ranges = tokens
            .iter()
            .map(|token| AnsweredRequest::range(account.uuid(), *token));
        let ranges: Vec<(Key, Key)> = ranges.collect();
        let reads = ranges
            .iter()
            .flat_map(|range| [scan(range, 1, false), scan(range, 1, true)]);
        let reads: Vec<Read<'_>> = reads.collect();
        let mut state = self.store().read(&reads).await?;
        let mut bounds = Vec::with_capacity(tokens.len());
        for token in tokens {
            let (first, last) = (state.entries()?, state.entries()?);
            bounds.push(NumberBounds {
                token: *token,
                from: first.first().map_or(0, number),
                to: last
                    .first()
                    .map_or(0, |last| number(last).saturating_add(1)),
            });
        }
        Ok(bounds)
    }

    /// Reads on in some of these tokens, newest first, up to `most` requests of each.
    /// Returns the number of requests read, and the wanted ones.
    pub(super) async fn read_on(
        &self,
        account: Id<Account>,
        mut unread: Vec<&mut UnreadRequests>,
        filter: &RequestFilter,
        most: usize,
    ) -> Result<(usize, Vec<PlacedRequest>), Fault> {
        unread.truncate(TOKENS);
        let piece = (PIECE / unread.len().max(1)).clamp(1, most);
        let ranges: Vec<(Key, Key)> = unread.iter().map(|of| of.range(account)).collect();
        let reads = ranges.iter().map(|range| scan(range, piece, true));
        let reads: Vec<Read<'_>> = reads.collect();
        let mut state = self.store().read(&reads).await?;
        let (mut count, mut found) = (0, Vec::new());
        for of in unread {
            let rows = state.entries()?;
            count += rows.len();
            of.to = 0;
            for (at, entry) in rows.iter().enumerate() {
                let is_last = at + 1 == piece;
                if !is_last && !filter.may_want(&entry.1) {
                    continue;
                }
                let request: AnsweredRequest = parse(&entry.0, &entry.1)?;
                let number = number(entry);
                if is_last {
                    of.to = number;
                    of.newest = request.at.plus_seconds(DISORDER);
                }
                if filter.wants(&request) {
                    found.push((place(of.token, &request, number), request));
                }
            }
        }
        Ok((count, found))
    }

    /// Reads the newest request of each token.
    pub(super) async fn newest_requests(
        &self,
        account: Id<Account>,
        tokens: &[Id<Token>],
    ) -> Result<Vec<AnsweredRequest>, Fault> {
        let mut newest = Vec::new();
        for some in tokens.chunks(TOKENS) {
            let ranges = some
                .iter()
                .map(|token| AnsweredRequest::range(account.uuid(), *token));
            let ranges: Vec<(Key, Key)> = ranges.collect();
            let reads: Vec<Read<'_>> = ranges.iter().map(|range| scan(range, 1, true)).collect();
            let mut state = self.store().read(&reads).await?;
            for _ in some {
                for (key, row) in state.entries()? {
                    newest.push(parse(&key, &row)?);
                }
            }
        }
        Ok(newest)
    }
}

/// The read of some requests in a range of keys.
fn scan((from, to): &(Key, Key), limit: usize, newest_first: bool) -> Read<'_> {
    Read::Scan {
        range: Range { from, to: Some(to) },
        limit,
        newest_first,
    }
}

/// The number of a stored request.
fn number((key, _): &Entry) -> u64 {
    ReadKey::of(key)
        .and_then(|at| at.number())
        .unwrap_or_default()
}

/// The place of a request: two of one time differ in token or number.
fn place(token: Id<Token>, request: &AnsweredRequest, number: u64) -> TimeKey {
    let (_, token) = token.uuid().as_u64_pair();
    (request.at, Uuid::from_u64_pair(token, number))
}
