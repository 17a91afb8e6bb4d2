//! The pace that a transfer has to keep.

use std::{
    task::{Context, Poll},
    time::Duration,
};

use super::deadline::Deadline;

/// The least that a client has to send or take: so many bytes, in any such time in which the
/// server waits for it. A slow but steady client keeps it however long the whole transfer lasts;
/// one that sends or takes a byte now and then does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The bytes that have to move, or the rest of the transfer if that is less.
    pub bytes: usize,
    /// The time that they may take.
    pub within: Duration,
}

/// Holds one transfer to a pace. Time counts only while the client is waited for.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    deadline: Deadline,
    /// Bytes since the deadline began.
    moved: usize,
}

impl Pacer {
    /// Counts bytes that moved.
    pub(super) fn moved(&mut self, bytes: usize, pace: Pace) {
        self.moved = self.moved.saturating_add(bytes);
        if self.moved >= pace.bytes {
            self.stop();
        }
    }

    /// Ends the wait for the client.
    pub(super) fn stop(&mut self) {
        self.moved = 0;
        self.deadline.stop();
    }

    /// Waits for the client. Ready when it is too slow.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, pace: Pace) -> Poll<()> {
        self.deadline.poll(cx, pace.within)
    }
}
