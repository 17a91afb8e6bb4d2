//! The minimum pace of a transfer.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Sleep, sleep};

/// The minimum pace of a client sending or taking.
/// So many bytes have to move within each such span of waiting for the client. A slow but steady client
/// keeps it however long the whole transfer lasts. A client moving a byte now and then does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The bytes to move, or the rest of the transfer if less.
    pub bytes: usize,
    /// The time allowed for them.
    pub within: Duration,
}

/// Holds one transfer to a pace.
/// Only time spent waiting for the client counts.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    deadline: Option<Pin<Box<Sleep>>>,
    /// Bytes since the deadline began.
    moved: usize,
}

impl Pacer {
    /// Counts moved bytes.
    pub(super) fn moved(&mut self, bytes: usize, pace: Pace) {
        self.moved = self.moved.saturating_add(bytes);
        if self.moved >= pace.bytes {
            self.stop();
        }
    }

    /// Ends the wait for the client.
    pub(super) fn stop(&mut self) {
        *self = Self::default();
    }

    /// Waits for the client. Ready when it is too slow.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, pace: Pace) -> Poll<()> {
        let begin = || Box::pin(sleep(pace.within));
        let deadline = self.deadline.get_or_insert_with(begin);
        deadline.as_mut().poll(cx)
    }
}
