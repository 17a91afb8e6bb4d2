//! The body of a request: a stream with a minimum pace.
//! Its bytes are counted.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;

use super::{Pace, budget::Held, pace::Pacer};

/// A request's body, not read yet.
///
/// It may be dropped unread: further bytes of the client are read and thrown away, within limits, before
/// the answer goes out.
#[derive(Debug)]
pub struct Body {
    incoming: Option<Incoming>,
    pace: Pace,
    pacer: Pacer,
    /// `None` when there are no bytes to count.
    held: Option<Arc<Held>>,
    touched: bool,
    unread_body: Option<UnreadBody>,
}

/// The reason why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// It came too slowly. A client may send it again.
    #[error("the body took too long to arrive")]
    TooSlow,
    /// The server's limit for bytes of bodies is reached.
    /// A client may send it again later.
    #[error("the server has no room for the body at the moment")]
    NoRoom,
    /// It broke off or is not valid HTTP framing.
    #[error("the body broke off")]
    Broken,
}

impl Body {
    /// A body with this minimum pace, counting its bytes in `held`.
    /// With `unread_body`, the unread rest ends up there.
    pub(super) fn new(
        incoming: Incoming,
        pace: Pace,
        held: Option<Arc<Held>>,
        unread_body: Option<UnreadBody>,
    ) -> Self {
        Self {
            incoming: Some(incoming),
            pace,
            pacer: Pacer::default(),
            held,
            touched: false,
            unread_body,
        }
    }

    /// Returns whether all of it may fit.
    /// It is better refused now than half way.
    fn may_fit(&self) -> bool {
        let announced = usize::try_from(self.announced().unwrap_or(0)).unwrap_or(usize::MAX);
        let held = self.held.as_ref();
        held.is_none_or(|held| held.has_room_for(announced))
    }

    /// Its length in bytes, when the client announced one.
    pub fn announced(&self) -> Option<u64> {
        self.incoming
            .as_ref()
            .and_then(|incoming| incoming.size_hint().exact())
    }

    /// Returns whether it is certainly empty.
    pub fn is_empty(&self) -> bool {
        self.incoming
            .as_ref()
            .is_none_or(|incoming| incoming.is_end_stream())
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        if !this.touched && !this.may_fit() {
            return Poll::Ready(Some(Err(BodyError::NoRoom)));
        }
        let Some(incoming) = &mut this.incoming else {
            return Poll::Ready(None);
        };
        this.touched = true;
        match Pin::new(incoming).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                let fits = this.held.as_ref().is_none_or(|held| held.take(bytes));
                if !fits {
                    return Poll::Ready(Some(Err(BodyError::NoRoom)));
                }
                this.pacer.moved(bytes, this.pace);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(_))) => {
                this.incoming = None;
                Poll::Ready(Some(Err(BodyError::Broken)))
            }
            Poll::Ready(None) => {
                this.incoming = None;
                Poll::Ready(None)
            }
            Poll::Pending => {
                ready!(this.pacer.poll(cx, this.pace));
                Poll::Ready(Some(Err(BodyError::TooSlow)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming
            .as_ref()
            .map_or(SizeHint::with_exact(0), http_body::Body::size_hint)
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let (Some(unread_body), Some(incoming)) = (self.unread_body.take(), self.incoming.take())
            && !incoming.is_end_stream()
        {
            unread_body.put(UnreadRest {
                incoming,
                touched: self.touched,
            });
        }
    }
}

/// The part of a body left unread by the app.
#[derive(Debug)]
pub(super) struct UnreadRest {
    pub(super) incoming: Incoming,
    /// Set once reading had begun.
    /// A client waiting for `100 Continue` has got it then.
    pub(super) touched: bool,
}

/// The place for the unread rest of a dropped body.
#[derive(Clone, Debug, Default)]
pub(super) struct UnreadBody(Arc<Mutex<Option<UnreadRest>>>);

impl UnreadBody {
    fn put(&self, unread: UnreadRest) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(unread);
    }

    pub(super) fn take(&self) -> Option<UnreadRest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
