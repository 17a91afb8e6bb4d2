//! The body of a request: a stream with a minimum pace.
//! Its bytes are counted.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::sync::oneshot;

use super::{Pace, budget::Held, pace::Pacer};

/// A request's body, not read yet.
///
/// It may be dropped unread: further bytes of the client are read and thrown away, within limits, before
/// the answer goes out.
#[derive(Debug)]
pub struct Body(Option<Box<Upload>>);

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

/// A body with bytes to come.
#[derive(Debug)]
struct Upload {
    incoming: Incoming,
    pace: Pace,
    pacer: Pacer,
    held: Arc<Held>,
    is_touched: bool,
    unread: oneshot::Sender<UnreadRest>,
}

/// The part of a body left unread by the app.
#[derive(Debug)]
pub(super) struct UnreadRest {
    pub(super) incoming: Incoming,
    /// Set once reading had begun.
    /// A client waiting for `100 Continue` has got it then.
    pub(super) is_touched: bool,
}

impl Body {
    /// A body without bytes.
    pub(super) const EMPTY: Self = Self(None);

    /// A body with this minimum pace, counting its bytes in `held`.
    /// When it is dropped, its unread rest is sent.
    pub(super) fn new(
        incoming: Incoming,
        pace: Pace,
        held: Arc<Held>,
    ) -> (Self, oneshot::Receiver<UnreadRest>) {
        let (unread, rest) = oneshot::channel();
        let upload = Upload {
            incoming,
            pace,
            pacer: Pacer::default(),
            held,
            is_touched: false,
            unread,
        };
        (Self(Some(Box::new(upload))), rest)
    }
}

impl Upload {
    /// Returns whether all of it may fit.
    /// It is better refused now than half way.
    fn may_fit(&self) -> bool {
        let announced = self.incoming.size_hint().lower();
        let announced = usize::try_from(announced).unwrap_or(usize::MAX);
        self.held.has_room_for(announced)
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
        let Some(upload) = &mut this.0 else {
            return Poll::Ready(None);
        };
        if !upload.is_touched && !upload.may_fit() {
            return Poll::Ready(Some(Err(BodyError::NoRoom)));
        }
        upload.is_touched = true;
        let frame = match Pin::new(&mut upload.incoming).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                upload.pacer.moved(bytes, upload.pace);
                let fits = upload.held.take(bytes);
                fits.then_some(frame).ok_or(BodyError::NoRoom)
            }
            Poll::Ready(end) => {
                this.0 = None;
                return Poll::Ready(end.map(|_| Err(BodyError::Broken)));
            }
            Poll::Pending => {
                ready!(upload.pacer.poll(cx, upload.pace));
                Err(BodyError::TooSlow)
            }
        };
        Poll::Ready(Some(frame))
    }

    fn is_end_stream(&self) -> bool {
        let upload = self.0.as_ref();
        upload.is_none_or(|upload| upload.incoming.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let upload = self.0.as_ref();
        upload.map_or(SizeHint::with_exact(0), |upload| {
            upload.incoming.size_hint()
        })
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Some(upload) = self.0.take()
            && !upload.incoming.is_end_stream()
        {
            let Upload {
                incoming,
                is_touched,
                unread,
                ..
            } = *upload;
            let _ = unread.send(UnreadRest {
                incoming,
                is_touched,
            });
        }
    }
}
