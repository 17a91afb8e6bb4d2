//! The last requests of each token, for its owner to look at.
//!
//! They are kept in memory and lost at each restart of the server. Their memory is limited in bytes: without
//! room, the least recently used token is dropped.

use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use connect_core::{
    Token,
    wire::{Id, Timestamp},
};
use http::{HeaderValue, Method, Request, StatusCode, uri::PathAndQuery};
use rustc_hash::FxHashMap;

/// The most requests kept of a token.
const OF_TOKEN: usize = 100;

/// The memory for all of them, in bytes.
/// It holds the requests of a thousand busy tokens, or of more less busy ones.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The memory of a token besides its requests, in bytes.
/// It covers its entries in the maps and their spare room.
const TOKEN_BYTES: usize = 256;

/// The memory overhead of an allocation, in bytes.
const ALLOCATION_BYTES: usize = 16;

/// The requests of all tokens before a token moves to the end.
const MOVE_AFTER: u64 = 1000;

/// The longest text kept of a request, in bytes.
/// Our own paths are shorter.
const LONGEST: usize = 200;

/// An answered request, as the owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecentRequest {
    /// The time of the answer.
    pub(crate) at: Timestamp,
    pub(crate) method: Method,
    /// The path, without its query.
    pub(crate) path: String,
    pub(crate) status: StatusCode,
    /// The idempotency key, if any.
    pub(crate) key: Option<String>,
    pub(crate) request_id: String,
}

/// A request without an answer yet.
/// It shares the texts of the request: its token is still unknown, so a copy may be of no use.
pub(crate) struct RequestSummary {
    method: Method,
    path: Option<PathAndQuery>,
    key: Option<HeaderValue>,
}

impl RequestSummary {
    /// Keeps the known parts of a request.
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        Self {
            method: request.method().clone(),
            path: request.uri().path_and_query().cloned(),
            key: request.headers().get("idempotency-key").cloned(),
        }
    }

    /// Adds the facts of the answer.
    pub(crate) fn answered<'r>(
        &'r self,
        at: Timestamp,
        status: StatusCode,
        request_id: Option<&'r HeaderValue>,
    ) -> Answered<'r> {
        Answered {
            at,
            method: &self.method,
            path: clipped(self.path.as_ref().map_or("", PathAndQuery::path).into()),
            status,
            key: self.key.as_ref().map(text).unwrap_or_default(),
            request_id: request_id.map(text).unwrap_or_default(),
        }
    }
}

fn text(value: &HeaderValue) -> Cow<'_, str> {
    clipped(String::from_utf8_lossy(value.as_bytes()))
}

/// The beginning of a text, up to [`LONGEST`] bytes.
fn clipped(text: Cow<'_, str>) -> Cow<'_, str> {
    let end = text.floor_char_boundary(LONGEST);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}

/// An answered request, not yet kept.
pub(crate) struct Answered<'r> {
    at: Timestamp,
    method: &'r Method,
    path: Cow<'r, str>,
    status: StatusCode,
    key: Cow<'r, str>,
    request_id: Cow<'r, str>,
}

/// A request in memory, with its texts joined.
struct StoredRequest {
    at: Timestamp,
    method: Method,
    status: StatusCode,
    key_at: usize,
    request_id_at: usize,
    text: String,
}

impl StoredRequest {
    /// Keeps a request in the memory of a dropped one.
    fn new(request: &Answered<'_>, mut text: String) -> Self {
        let texts = [&*request.path, &request.key, &request.request_id];
        text.clear();
        text.reserve_exact(texts.iter().map(|text| text.len()).sum());
        text.extend(texts);
        Self {
            at: request.at,
            method: request.method.clone(),
            status: request.status,
            key_at: request.path.len(),
            request_id_at: request.path.len() + request.key.len(),
            text,
        }
    }

    /// The memory of its text.
    fn text_bytes(&self) -> usize {
        self.text.capacity() + ALLOCATION_BYTES
    }

    fn shown(&self) -> RecentRequest {
        let key = &self.text[self.key_at..self.request_id_at];
        RecentRequest {
            at: self.at,
            method: self.method.clone(),
            path: self.text[..self.key_at].to_owned(),
            status: self.status,
            key: (!key.is_empty()).then(|| key.to_owned()),
            request_id: self.text[self.request_id_at..].to_owned(),
        }
    }
}

/// The last requests of each token. Cheap to clone; clones share them.
#[derive(Clone, Default)]
pub(crate) struct RecentRequests(Arc<Mutex<All>>);

#[derive(Default)]
struct All {
    tokens: FxHashMap<Id<Token>, OfToken>,
    /// The tokens, least recently used first, within [`MOVE_AFTER`] requests.
    by_use: BTreeMap<u64, Id<Token>>,
    /// The number of requests so far.
    count: u64,
    /// Their memory in bytes, by estimate.
    bytes: usize,
}

#[derive(Default)]
struct OfToken {
    requests: VecDeque<StoredRequest>,
    /// Its key in `by_use`: the number of a request.
    placed: u64,
    texts: usize,
}

impl OfToken {
    fn add(&mut self, request: &Answered<'_>) {
        let is_full = self.requests.len() == OF_TOKEN;
        let oldest = is_full.then(|| self.requests.pop_front()).flatten();
        self.texts -= oldest.as_ref().map_or(0, StoredRequest::text_bytes);
        let memory = oldest.map(|oldest| oldest.text).unwrap_or_default();
        let kept = StoredRequest::new(request, memory);
        self.texts += kept.text_bytes();
        self.requests.push_back(kept);
    }

    fn bytes(&self) -> usize {
        TOKEN_BYTES + self.requests.capacity() * size_of::<StoredRequest>() + self.texts
    }
}

impl RecentRequests {
    /// Keeps a request of a token.
    pub(crate) fn add(&self, token: Id<Token>, request: &Answered<'_>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.add(token, request);
    }

    /// Returns the requests of a token, the latest first.
    pub(crate) fn of(&self, token: Id<Token>) -> Vec<RecentRequest> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_token = all.tokens.get(&token);
        of_token
            .map(|of_token| {
                of_token
                    .requests
                    .iter()
                    .rev()
                    .map(StoredRequest::shown)
                    .collect()
            })
            .unwrap_or_default()
    }
}

impl All {
    fn add(&mut self, token: Id<Token>, request: &Answered<'_>) {
        self.count += 1;
        let of_token = self.tokens.entry(token).or_default();
        // One that is new has no request yet, and counts for nothing.
        let is_new = of_token.requests.is_empty();
        if !is_new {
            self.bytes -= of_token.bytes();
        }
        of_token.add(request);
        self.bytes += of_token.bytes();
        // A busy token keeps its place for a while: to move it takes longer than all the rest.
        if is_new || self.count - of_token.placed >= MOVE_AFTER {
            self.by_use.remove(&of_token.placed);
            of_token.placed = self.count;
            self.by_use.insert(self.count, token);
        }
        while self.bytes > MOST_BYTES
            && let Some((_, oldest)) = self.by_use.pop_first()
            && let Some(forgotten) = self.tokens.remove(&oldest)
        {
            self.bytes -= forgotten.bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn asked(path: &str, key: Option<&str>) -> RequestSummary {
        let mut request = Request::get(path);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        RequestSummary::of(&request.body(()).unwrap())
    }

    fn add(recent: &RecentRequests, of: usize, path: &str, key: Option<&str>) {
        let (asked, id) = (asked(path, key), HeaderValue::from_static("r-1"));
        let answered = asked.answered(Timestamp::EPOCH, StatusCode::OK, Some(&id));
        recent.add(token(of), &answered);
    }

    fn token(number: usize) -> Id<Token> {
        Uuid::from_u128(number as u128).into()
    }

    fn paths(recent: &RecentRequests, number: usize) -> Vec<String> {
        let of_token = recent.of(token(number));
        of_token.into_iter().map(|request| request.path).collect()
    }

    #[test]
    fn a_request_is_shown_as_it_was() {
        let recent = RecentRequests::default();
        add(&recent, 1, "/v1/a?secret=b", Some("k-1"));
        add(&recent, 1, "/v1/c", None);
        let shown = |path: &str, key: Option<&str>| RecentRequest {
            at: Timestamp::EPOCH,
            method: Method::GET,
            path: path.to_owned(),
            status: StatusCode::OK,
            key: key.map(str::to_owned),
            request_id: "r-1".to_owned(),
        };
        let expected = [shown("/v1/c", None), shown("/v1/a", Some("k-1"))];
        assert_eq!(recent.of(token(1)), expected);
    }

    #[test]
    fn the_last_hundred_of_each_token_are_kept() {
        let recent = RecentRequests::default();
        for number in 0..=OF_TOKEN {
            add(&recent, 1, &format!("/v1/{number}"), None);
        }
        add(&recent, 2, "/v1/7", None);
        let expected: Vec<_> = (1..=OF_TOKEN)
            .rev()
            .map(|number| format!("/v1/{number}"))
            .collect();
        assert_eq!(paths(&recent, 1), expected);
        assert_eq!(paths(&recent, 2), ["/v1/7"]);
        assert_eq!(recent.of(token(3)), []);
    }

    #[test]
    fn texts_are_clipped() {
        let recent = RecentRequests::default();
        let path = format!("/{}", "%C3%A9".repeat(LONGEST));
        add(&recent, 1, &path, Some(&"é".repeat(LONGEST)));
        let shown = recent.of(token(1)).remove(0);
        assert_eq!(
            (shown.path.len(), shown.key.unwrap().len()),
            (LONGEST, LONGEST)
        );
        assert_eq!(shown.request_id, "r-1");
        let taken = recent.0.lock().unwrap().tokens[&token(1)].texts;
        assert!(taken <= 3 * LONGEST + ALLOCATION_BYTES, "{taken}");
    }

    /// Many tokens stay within the memory limit; the latest used stay.
    #[test]
    fn the_token_that_was_used_longest_ago_is_forgotten() {
        let recent = RecentRequests::default();
        let long = format!("/{}", "a".repeat(LONGEST));
        for number in 0..40_000 {
            add(&recent, number, &long, None);
            add(&recent, 0, "/v1/in-use", None);
            if number % 1500 == 0 {
                add(&recent, 1, "/v1/now-and-then", None);
            }
        }
        let all = recent.0.lock().unwrap();
        let of_request = |request: &StoredRequest| request.text.capacity() + ALLOCATION_BYTES;
        let of_token = |token: &OfToken| {
            let texts: usize = token.requests.iter().map(of_request).sum();
            texts + token.requests.capacity() * size_of::<StoredRequest>() + TOKEN_BYTES
        };
        let counted: usize = all.tokens.values().map(of_token).sum();
        assert_eq!(all.bytes, counted);
        assert!(
            (MOST_BYTES - 2000..=MOST_BYTES).contains(&counted),
            "{counted}"
        );
        assert_eq!(all.tokens.len(), all.by_use.len());
        let kept = all.tokens.len();
        drop(all);
        assert!(kept < 39_000, "{kept} were kept");
        assert_eq!(recent.of(token(0)).len(), OF_TOKEN);
        assert_eq!(recent.of(token(39_999)).len(), 1);
        assert_eq!(recent.of(token(1)).len(), 1 + 27, "since the first");
        assert_eq!(recent.of(token(2)), []);
        // The rest are the last ones without a gap.
        assert_eq!(recent.of(token(40_001 - kept)), []);
        assert_eq!(recent.of(token(40_002 - kept)).len(), 1);
    }
}
