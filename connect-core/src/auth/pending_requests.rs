//! Answered requests, not stored yet.

use std::collections::{HashMap, VecDeque};

use crate::{
    transaction::{Account, AnsweredRequest, Token},
    wire::Id,
};

/// The most requests of a token waiting to be stored. Newer ones replace the oldest.
const OF_TOKEN: usize = 100;

/// The most requests of all tokens waiting to be stored.
const OF_ALL: usize = 20_000;

/// Answered requests in memory, by account and token.
#[derive(Default)]
pub(crate) struct PendingRequests {
    tokens: HashMap<(Id<Account>, Id<Token>), VecDeque<AnsweredRequest>>,
    count: usize,
}

impl PendingRequests {
    /// Adds a request. Without room, it takes the place of the oldest one of its token.
    pub(crate) fn add(&mut self, account: Id<Account>, request: AnsweredRequest) {
        let of_token = self.tokens.entry((account, request.token_id)).or_default();
        if of_token.len() >= OF_TOKEN || (self.count >= OF_ALL && !of_token.is_empty()) {
            of_token.pop_front();
            self.count -= 1;
        }
        if self.count < OF_ALL {
            of_token.push_back(request);
            self.count += 1;
        }
    }

    /// Takes all requests out.
    pub(crate) fn take(&mut self) -> HashMap<(Id<Account>, Id<Token>), VecDeque<AnsweredRequest>> {
        self.count = 0;
        std::mem::take(&mut self.tokens)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::wire::Timestamp;

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

    #[test]
    fn memory_is_bounded_and_the_newest_of_each_token_stay() {
        let (account, mut pending) = (Uuid::from_u128(1).into(), PendingRequests::default());
        for at in 0..250 {
            pending.add(account, request(1, at));
        }
        for token in 2..1000 {
            for at in 0..30 {
                pending.add(account, request(token, at));
            }
        }
        let taken = pending.take();
        let times = |token: u128| {
            let of_token = taken.get(&(account, Uuid::from_u128(token).into()));
            let times = of_token.map(|all| all.iter().map(|request| request.at.micros()));
            times.map(Iterator::collect::<Vec<_>>).unwrap_or_default()
        };
        assert_eq!(times(1), (150..250).collect::<Vec<_>>());
        assert_eq!(times(2), (0..30).collect::<Vec<_>>());
        assert_eq!(taken.values().map(VecDeque::len).sum::<usize>(), OF_ALL);
        assert!(pending.take().is_empty());
        pending.add(account, request(999, 7));
        assert_eq!(pending.take().len(), 1);
    }
}
