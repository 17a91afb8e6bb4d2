//! Answered requests, not stored yet.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    sync::Arc,
};

use crate::{
    rules::rate,
    transaction::{Account, AnsweredRequest, Token},
    wire::{Id, Timestamp},
};

/// The most requests of a token waiting to be stored.
const OF_TOKEN: usize = 100;

/// The most requests of an account waiting to be stored.
const OF_ACCOUNT: usize = 2_000;

/// The most requests of all tokens waiting to be stored.
const OF_ALL: usize = 20_000;

/// The status of a request beyond a rate limit.
const TOO_MANY: u16 = 429;

/// A token, with its account.
pub(crate) type TokenOf = (Id<Account>, Id<Token>);

/// Answered requests in memory, by account and token.
/// Each stays until it is stored: a failed or an abandoned attempt loses none.
#[derive(Default)]
pub(crate) struct PendingRequests {
    tokens: BTreeMap<TokenOf, VecDeque<Pending>>,
    of_accounts: HashMap<Id<Account>, usize>,
    count: usize,
    /// The number of the last one.
    last: u64,
    limited: LimitedTokens,
}

/// An answered request with its number among those noted by this process.
struct Pending {
    number: u64,
    request: Arc<AnsweredRequest>,
}

/// The requests of a token to be stored now.
pub(crate) struct PendingOfToken {
    /// The requests, oldest first.
    pub(crate) requests: Vec<Arc<AnsweredRequest>>,
    /// The number of the last one.
    last: u64,
}

/// The tokens beyond a rate limit in the current window.
#[derive(Default)]
struct LimitedTokens {
    window: i64,
    tokens: HashSet<Id<Token>>,
}

impl LimitedTokens {
    /// Returns whether a refusal is its token's first in the window.
    fn is_first(&mut self, token: Id<Token>, at: Timestamp) -> bool {
        let window = rate::window(at);
        if window > self.window {
            self.window = window;
            self.tokens.clear();
        }
        self.tokens.insert(token)
    }
}

impl PendingRequests {
    /// Adds a request.
    /// Without room, it takes the place of the oldest one of its token; if there is none, it is left out. Of
    /// the requests beyond a rate limit, only the first one of a token in each window is added: the rest
    /// would take the places of useful ones.
    pub(crate) fn add(&mut self, account: Id<Account>, request: AnsweredRequest) {
        let token = request.token_id;
        if request.status == TOO_MANY && !self.limited.is_first(token, request.at) {
            return;
        }
        let of_account = self.of_accounts.get(&account).copied().unwrap_or(0);
        let of_token = self.tokens.get(&(account, token)).map_or(0, VecDeque::len);
        if of_token >= OF_TOKEN || of_account >= OF_ACCOUNT || self.count >= OF_ALL {
            if of_token == 0 {
                return;
            }
            self.drop_oldest((account, token), |_| true, 1);
        }
        self.last += 1;
        let pending = Pending {
            number: self.last,
            request: Arc::new(request),
        };
        let of_token = self.tokens.entry((account, token)).or_default();
        of_token.push_back(pending);
        *self.of_accounts.entry(account).or_default() += 1;
        self.count += 1;
    }

    /// Lists the tokens with requests, of one account or of all.
    pub(crate) fn tokens(&self, account: Option<Id<Account>>) -> Vec<TokenOf> {
        let all = self.tokens.keys().copied();
        all.filter(|(of, _)| account.is_none_or(|account| account == *of))
            .collect()
    }

    /// Returns the requests of a token.
    pub(crate) fn of(&self, token: TokenOf) -> PendingOfToken {
        let all = self.tokens.get(&token);
        PendingOfToken {
            requests: all
                .into_iter()
                .flatten()
                .map(|pending| pending.request.clone())
                .collect(),
            last: all
                .and_then(VecDeque::back)
                .map_or(0, |pending| pending.number),
        }
    }

    /// Drops requests of a token after they were stored.
    /// Later ones stay.
    pub(crate) fn drop_stored(&mut self, token: TokenOf, stored: &PendingOfToken) {
        self.drop_oldest(
            token,
            |pending| pending.number <= stored.last,
            stored.requests.len(),
        );
    }

    /// Drops the oldest due requests of a token, at most so many.
    fn drop_oldest(&mut self, token: TokenOf, is_due: impl Fn(&Pending) -> bool, most: usize) {
        let Some(of_token) = self.tokens.get_mut(&token) else {
            return;
        };
        let due = of_token.iter().take(most).take_while(|of| is_due(of));
        let count = due.count();
        of_token.drain(..count);
        if of_token.is_empty() {
            self.tokens.remove(&token);
        }
        self.count = self.count.saturating_sub(count);
        if let Some(of_account) = self.of_accounts.get_mut(&token.0) {
            *of_account = of_account.saturating_sub(count);
            if *of_account == 0 {
                self.of_accounts.remove(&token.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn request(token: u128, at: i64) -> AnsweredRequest {
        AnsweredRequest {
            token_id: Uuid::from_u128(token).into(),
            at: Timestamp::from_micros(at),
            method: "GET".to_owned(),
            path: "/v1/locations".to_owned(),
            status: 200,
            request_id: at.to_string(),
            idempotency_key: None,
            address: [127, 0, 0, 1].into(),
            client: None,
            errors: Vec::new(),
        }
    }

    fn of(account: u128, token: u128) -> TokenOf {
        let (account, token) = (Uuid::from_u128(account), Uuid::from_u128(token));
        (account.into(), token.into())
    }

    fn times(pending: &PendingRequests, account: u128, token: u128) -> Vec<i64> {
        let found = pending.of(of(account, token)).requests;
        found.iter().map(|request| request.at.micros()).collect()
    }

    #[test]
    fn memory_is_bounded_and_the_newest_of_each_token_stay() {
        let mut pending = PendingRequests::default();
        let mut add = |account, token, at| {
            let (account, _) = of(account, token);
            pending.add(account, request(token, at));
        };
        for at in 0..250 {
            add(1, 1, at);
        }
        // Each account has up to its bound; the last ones find no room at all.
        for account in 1..15 {
            for token in 2..1000 {
                for at in 0..30 {
                    add(account, token, at);
                }
            }
        }
        // A token without room keeps its newest.
        add(2, 2, 30);
        assert_eq!(times(&pending, 1, 1), (150..250).collect::<Vec<_>>());
        assert_eq!(times(&pending, 1, 2), (0..30).collect::<Vec<_>>());
        assert_eq!(times(&pending, 2, 2), (1..31).collect::<Vec<_>>());
        let of_account = |account: u128| {
            let tokens = pending.tokens(Some(of(account, 0).0));
            let counts = tokens.iter().map(|token| pending.of(*token).requests.len());
            counts.sum::<usize>()
        };
        assert_eq!([1, 10, 11].map(of_account), [OF_ACCOUNT, OF_ACCOUNT, 0]);
        assert_eq!(pending.count, OF_ALL);
        assert_eq!(pending.of_accounts.len(), 10);

        for token in pending.tokens(None) {
            let stored = pending.of(token);
            pending.drop_stored(token, &stored);
        }
        assert!(pending.tokens.is_empty() && pending.of_accounts.is_empty());
        assert_eq!(pending.count, 0);
    }

    #[test]
    fn what_was_noted_while_others_were_stored_stays() {
        let (mut pending, token) = (PendingRequests::default(), of(1, 1));
        for at in 0..90 {
            pending.add(token.0, request(1, at));
        }
        let stored = pending.of(token);
        // The first 20 of them make room.
        for at in 90..120 {
            pending.add(token.0, request(1, at));
        }
        pending.drop_stored(token, &stored);
        assert_eq!(times(&pending, 1, 1), (90..120).collect::<Vec<_>>());
        assert_eq!(pending.count, 30);
    }

    #[test]
    fn of_refusals_beyond_a_limit_the_first_of_each_minute_is_added() {
        let (mut pending, token) = (PendingRequests::default(), of(1, 1));
        for second in 0..150 {
            for token in [1, 2] {
                let refused = AnsweredRequest {
                    status: TOO_MANY,
                    ..request(token, second * 1_000_000)
                };
                pending.add(of(1, token).0, refused);
            }
        }
        pending.add(token.0, request(1, 150_000_000));
        let minutes = [0, 60_000_000, 120_000_000];
        assert_eq!(times(&pending, 1, 2), minutes);
        assert_eq!(times(&pending, 1, 1)[..3], minutes);
        assert_eq!(times(&pending, 1, 1).len(), 4);
    }
}
