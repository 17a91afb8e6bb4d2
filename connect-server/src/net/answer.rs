//! The body of an answer, counted as held until taken.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use super::activity::InFlight;

/// A body for hyper.
///
/// Over HTTP/2 it is handed over in pieces, the next one once the client has made room for the last.
/// This shows the client's progress. Over HTTP/1.1 the socket shows it, see
/// [`Guarded`](super::guarded_socket::Guarded).
#[derive(Debug)]
pub(super) struct AnswerBody {
    rest: Bytes,
    /// The bytes of a piece, with the request to note them for.
    /// `None` hands all over at once.
    pieces: Option<(usize, Arc<InFlight>)>,
}

impl AnswerBody {
    /// A body counted as held until hyper drops its last byte.
    /// Its request counts as in flight until then.
    pub(super) fn new(bytes: Bytes, piece: Option<usize>, in_flight: InFlight) -> Self {
        if bytes.is_empty() {
            return Self {
                rest: bytes,
                pieces: None,
            };
        }
        in_flight.held.add(bytes.len());
        let Some(piece) = piece else {
            let rest = Bytes::from_owner(Untaken(bytes, in_flight));
            return Self { rest, pieces: None };
        };
        in_flight.moved();
        let in_flight = Arc::new(in_flight);
        Self {
            rest: Bytes::from_owner(Untaken(bytes, in_flight.clone())),
            pieces: Some((piece, in_flight)),
        }
    }
}

impl http_body::Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Self { rest, pieces } = self.get_mut();
        let piece = match pieces {
            Some((piece, in_flight)) => {
                in_flight.moved();
                rest.split_to(rest.len().min(*piece))
            }
            None => std::mem::take(rest),
        };
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

/// The bytes of an answer, in flight until hyper has dropped the last slice of them.
struct Untaken<F>(Bytes, F);

impl<F> AsRef<[u8]> for Untaken<F> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
