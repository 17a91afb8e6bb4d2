//! The body of an answer, counted as held until taken.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
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
    /// Bytes of a piece; `None` hands all over at once.
    piece: Option<usize>,
    untaken: Option<Arc<Untaken>>,
}

impl AnswerBody {
    /// An empty body.
    pub(super) fn empty() -> Self {
        Self {
            rest: Bytes::new(),
            piece: None,
            untaken: None,
        }
    }

    /// A body counted as held until hyper drops its last byte.
    /// Its request counts as in flight until then.
    pub(super) fn new(bytes: Bytes, piece: Option<usize>, mut in_flight: InFlight) -> Self {
        if bytes.is_empty() {
            return Self::empty();
        }
        in_flight.hold(bytes.len());
        let round = match piece {
            Some(_) => in_flight.activity().rounds().enter(),
            None => NO_ROUND,
        };
        let untaken = Arc::new(Untaken {
            in_flight,
            round: AtomicUsize::new(round),
        });
        let owned = Owned {
            bytes,
            _untaken: untaken.clone(),
        };
        Self {
            rest: Bytes::from_owner(owned),
            piece,
            untaken: Some(untaken),
        }
    }
}

impl http_body::Body for AnswerBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            return Poll::Ready(None);
        }
        if let Some(untaken) = &this.untaken {
            untaken.moved();
        }
        let piece = this.piece.unwrap_or(usize::MAX).min(this.rest.len());
        Poll::Ready(Some(Ok(Frame::data(this.rest.split_to(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

/// The round of an answer not watched by rounds.
const NO_ROUND: usize = usize::MAX;

/// An answer not yet taken whole by the client.
#[derive(Debug)]
struct Untaken {
    in_flight: InFlight,
    round: AtomicUsize,
}

impl Untaken {
    /// Notes a piece on its way to hyper.
    fn moved(&self) {
        let round = self.round.load(Relaxed);
        if round != NO_ROUND {
            let rounds = self.in_flight.activity().rounds();
            rounds.leave(round);
            self.round.store(rounds.enter(), Relaxed);
        }
    }
}

impl Drop for Untaken {
    fn drop(&mut self) {
        let round = *self.round.get_mut();
        if round != NO_ROUND {
            self.in_flight.activity().rounds().leave(round);
        }
    }
}

/// The bytes with a guard dropped after them.
/// hyper's slices of them share it.
struct Owned {
    bytes: Bytes,
    _untaken: Arc<Untaken>,
}

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
