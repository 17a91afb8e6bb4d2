//! The last requests of each token, for its owner to look at.
//!
//! They are kept in memory: they begin anew with each start of the server.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use connect_core::{
    Token,
    wire::{Id, Timestamp},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

/// The requests that are kept of a token.
const OF_TOKEN: usize = 100;

/// The tokens of which requests are kept. Of one more, the requests of another are forgotten.
const TOKENS: usize = 10_000;

/// The longest text that is kept of a request, in bytes. Paths of ours are shorter.
const LONGEST: usize = 200;

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecentRequest {
    /// The time of the answer.
    pub(crate) at: Timestamp,
    pub(crate) method: Method,
    /// The path, without its query.
    pub(crate) path: String,
    pub(crate) status: StatusCode,
    /// The idempotency key, if it had one.
    pub(crate) key: Option<String>,
    pub(crate) request_id: String,
}

/// A request that is not answered yet.
pub(crate) struct Asked {
    method: Method,
    path: String,
    key: Option<String>,
}

impl Asked {
    /// Keeps what is known of a request.
    pub(crate) fn of(method: &Method, path: &str, headers: &HeaderMap) -> Self {
        Self {
            method: method.clone(),
            path: clipped(path),
            key: headers.get("idempotency-key").map(text),
        }
    }

    /// Adds what is known once it is answered.
    pub(crate) fn answered(
        self,
        at: Timestamp,
        status: StatusCode,
        request_id: Option<&HeaderValue>,
    ) -> RecentRequest {
        let Self { method, path, key } = self;
        RecentRequest {
            at,
            method,
            path,
            status,
            key,
            request_id: request_id.map(text).unwrap_or_default(),
        }
    }
}

fn text(value: &HeaderValue) -> String {
    clipped(&String::from_utf8_lossy(value.as_bytes()))
}

/// The beginning of a text, which is all of it unless somebody sends what is too long.
fn clipped(text: &str) -> String {
    text[..text.floor_char_boundary(LONGEST)].to_owned()
}

/// The last requests of each token. Cheap to clone; clones share them.
#[derive(Clone, Default)]
pub(crate) struct RecentRequests(Arc<Mutex<HashMap<Id<Token>, VecDeque<RecentRequest>>>>);

impl RecentRequests {
    /// Keeps a request of a token.
    pub(crate) fn add(&self, token: Id<Token>, request: RecentRequest) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= TOKENS
            && !all.contains_key(&token)
            && let Some(other) = all.keys().next().copied()
        {
            all.remove(&other);
        }
        let of_token = all.entry(token).or_default();
        if of_token.len() == OF_TOKEN {
            of_token.pop_front();
        }
        of_token.push_back(request);
    }

    /// Returns the requests of a token, the latest first.
    pub(crate) fn of(&self, token: Id<Token>) -> Vec<RecentRequest> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_token = all.get(&token);
        of_token
            .map(|requests| requests.iter().rev().cloned().collect())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn request(number: usize) -> RecentRequest {
        let path = format!("/v1/{number}");
        let asked = Asked::of(&Method::GET, &path, &HeaderMap::new());
        asked.answered(Timestamp::EPOCH, StatusCode::OK, None)
    }

    fn token(number: usize) -> Id<Token> {
        Uuid::from_u128(number as u128).into()
    }

    #[test]
    fn the_last_hundred_of_each_token_are_kept() {
        let recent = RecentRequests::default();
        for number in 0..=OF_TOKEN {
            recent.add(token(1), request(number));
        }
        recent.add(token(2), request(7));
        let of_first = recent.of(token(1));
        assert_eq!(of_first.len(), OF_TOKEN);
        assert_eq!(
            (&of_first[0], of_first.last()),
            (&request(OF_TOKEN), Some(&request(1)))
        );
        assert_eq!(recent.of(token(2)), [request(7)]);
        assert_eq!(recent.of(token(3)), []);
    }

    #[test]
    fn memory_is_bounded() {
        let recent = RecentRequests::default();
        for number in 0..TOKENS + 10 {
            recent.add(token(number), request(number));
        }
        assert_eq!(recent.0.lock().unwrap().len(), TOKENS);
        let mut headers = HeaderMap::new();
        headers.insert("idempotency-key", "é".repeat(LONGEST).parse().unwrap());
        let path = "/é".repeat(LONGEST);
        let long = Asked::of(&Method::GET, &path, &headers);
        assert!(long.path.len() <= LONGEST && long.key.unwrap().len() <= LONGEST);
    }
}
