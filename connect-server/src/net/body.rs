use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::Body as _;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

/// A request's body, not read yet.
///
/// Dropping it unread is fine: what the client still sends is read and thrown away, within
/// limits, before the answer goes out.
#[derive(Debug)]
pub struct Body {
    incoming: Option<Incoming>,
    deadline: Duration,
    touched: bool,
    leftover: Option<Leftover>,
}

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// It is longer than the limit: its announced length, or what has come so far.
    #[error("the body is too large")]
    TooLarge,
    /// It did not arrive in time.
    #[error("the body took too long to arrive")]
    TooSlow,
    /// It broke off or is not framed as HTTP wants it.
    #[error("the body broke off")]
    Broken,
}

impl Body {
    /// A body to be read within `deadline`. With `leftover`, what stays unread ends up there.
    pub(super) fn new(incoming: Incoming, deadline: Duration, leftover: Option<Leftover>) -> Self {
        Self {
            incoming: Some(incoming),
            deadline,
            touched: false,
            leftover,
        }
    }

    /// Its length in bytes, when the client announced one.
    pub fn announced(&self) -> Option<u64> {
        self.incoming
            .as_ref()
            .and_then(|incoming| incoming.size_hint().exact())
    }

    /// Whether it is certain that there is none.
    pub fn is_empty(&self) -> bool {
        self.incoming
            .as_ref()
            .is_none_or(|incoming| incoming.is_end_stream())
    }

    /// The whole body, of at most `limit` bytes. One that announces more is not touched.
    /// A body that came in one piece is not copied.
    pub async fn read(mut self, limit: usize) -> Result<Bytes, BodyError> {
        if self.announced().is_some_and(|length| length > limit as u64) {
            return Err(BodyError::TooLarge);
        }
        match timeout(self.deadline, self.collect(limit)).await {
            Ok(read) => read,
            Err(_) => Err(BodyError::TooSlow),
        }
    }

    async fn collect(&mut self, limit: usize) -> Result<Bytes, BodyError> {
        let mut first = Bytes::new();
        let mut all = BytesMut::new();
        while let Some(data) = self.next().await? {
            if first.len() + all.len() + data.len() > limit {
                return Err(BodyError::TooLarge);
            }
            if first.is_empty() && all.is_empty() {
                first = data;
                continue;
            }
            if all.is_empty() {
                all.extend_from_slice(&std::mem::take(&mut first));
            }
            all.extend_from_slice(&data);
        }
        Ok(if all.is_empty() { first } else { all.freeze() })
    }

    /// The next piece; `None` at the end, trailers are skipped.
    async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        while let Some(incoming) = &mut self.incoming {
            self.touched = true;
            match incoming.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Some(Err(_)) => {
                    self.incoming = None;
                    return Err(BodyError::Broken);
                }
                None => self.incoming = None,
            }
        }
        Ok(None)
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let (Some(leftover), Some(incoming)) = (self.leftover.take(), self.incoming.take())
            && !incoming.is_end_stream()
        {
            leftover.put(Unread {
                incoming,
                touched: self.touched,
            });
        }
    }
}

/// What the app left of a body.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) incoming: Incoming,
    /// Whether reading had begun, so that a client that waits for `100 Continue` has got it.
    pub(super) touched: bool,
}

/// Where a dropped body leaves what it did not read.
#[derive(Clone, Debug, Default)]
pub(super) struct Leftover(Arc<Mutex<Option<Unread>>>);

impl Leftover {
    fn put(&self, unread: Unread) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(unread);
    }

    pub(super) fn take(&self) -> Option<Unread> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
