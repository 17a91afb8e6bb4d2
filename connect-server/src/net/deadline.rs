//! A deadline to poll.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};

/// A time limit starting at its first poll.
#[derive(Debug, Default)]
pub(super) struct Deadline {
    /// Kept when stopped: restarting it is cheaper than a new one.
    sleep: Option<Pin<Box<Sleep>>>,
    runs: bool,
}

impl Deadline {
    pub(super) fn runs(&self) -> bool {
        self.runs
    }

    pub(super) fn stop(&mut self) {
        self.runs = false;
    }

    /// Ready this long after the first poll since a stop.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, after: Duration) -> Poll<()> {
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(after)));
        if !self.runs {
            self.runs = true;
            sleep.as_mut().reset(Instant::now() + after);
        }
        sleep.as_mut().poll(cx)
    }
}
