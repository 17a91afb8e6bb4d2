//! A batch of any length: its settings and its position.

use std::{fmt, ops::Range};

use bytes::Bytes;

use super::{
    BatchBody,
    chunk::{Cutter, Limits},
};
use crate::{
    Client, IdempotencyKey,
    call::{CallOptions, settings},
    wire::limits::MAX_BODY_BYTES,
};

/// A batch of any length, sent in as few requests as possible.
/// Requests are sent one after the other; see [`upsert_all`](crate::Records::upsert_all) and
/// [`count_all`](crate::Records::count_all).
#[must_use = "nothing is sent until it is run"]
pub struct LongBatch<B, I> {
    pub(super) client: Client,
    pub(super) path: String,
    pub(crate) body: B,
    pub(super) cutter: Cutter<I>,
    /// The request under way, or the failed one.
    pub(super) outstanding: Option<Outstanding>,
    /// The prefix of the requests' keys; without one, keys are random.
    pub(super) key_prefix: Option<String>,
    /// The settings of each request.
    pub(super) options: CallOptions,
}

/// A request under way, or a failed one.
#[derive(Clone)]
pub(super) struct Outstanding {
    pub(super) items: Range<usize>,
    pub(super) json: Bytes,
    pub(super) key: IdempotencyKey,
    /// Set when it was sent and may have been applied.
    pub(super) may_be_applied: bool,
}

impl<B: BatchBody, I> LongBatch<B, I> {
    pub(crate) fn new(client: &Client, path: String, body: B, items: I) -> Self {
        let limits = Limits {
            items: B::MAX_ITEMS,
            bytes: MAX_BODY_BYTES,
        };
        Self {
            client: client.clone(),
            path,
            body,
            cutter: Cutter::new(items, limits),
            outstanding: None,
            key_prefix: None,
            options: CallOptions::default(),
        }
    }

    settings!("each request", options);

    /// Sets a prefix for the requests' idempotency keys.
    /// Each key is the prefix and the index of the request's first item (`import-17-500`), instead of a
    /// random one. A restarted program sending the same items with the same settings within 24 hours
    /// then gets the stored results of its earlier requests, counted in `replayed`. Different items
    /// under the same keys are a `conflict`.
    ///
    /// The prefix has at most 79 visible ASCII characters. With any other prefix, sending fails with a
    /// [`RequestError`](crate::RequestError).
    pub fn idempotency_key_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.key_prefix = Some(prefix.into());
        self
    }

    /// Sets whether to check everything and save nothing.
    /// Each request is then tried against the present state, without the effects of the earlier
    /// requests.
    pub fn dry_run(mut self, dry: bool) -> Self {
        self.body.set_dry_run(dry);
        self
    }
}

impl<B, I> fmt::Debug for LongBatch<B, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LongBatch")
            .field("path", &self.path)
            .field("position", &self.cutter.position())
            .finish_non_exhaustive()
    }
}
