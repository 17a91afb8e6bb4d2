//! The filters of requests.

use crate::{
    transaction::{AnsweredRequest, Token},
    wire::{Id, Timestamp},
};

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
    /// Returns whether a row may be wanted, without parsing it.
    pub(super) fn may_want(&self, row: &[u8]) -> bool {
        let texts = self.id.iter().chain(&self.path);
        let mut plain = texts.filter(|text| {
            // Any other text may be written in several ways.
            let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
            !text.is_empty() && text.bytes().all(is_plain)
        });
        plain.all(|text| row.windows(text.len()).any(|part| part == text.as_bytes()))
    }

    /// Returns whether a request is wanted.
    pub(super) fn wants(&self, request: &AnsweredRequest) -> bool {
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
