//! The progress of a long command on standard error.
//! On a terminal one line is rewritten; elsewhere a line is added every few seconds.

use std::{
    io::{self, IsTerminal as _, Write as _},
    time::{Duration, Instant},
};

/// The time between two writes to a terminal.
const ON_TERMINAL: Duration = Duration::from_millis(200);

/// The time between two writes to a file or a pipe.
const ELSEWHERE: Duration = Duration::from_secs(5);

/// Shows progress.
pub(crate) struct ProgressLine {
    is_terminal: bool,
    /// The time of the next output.
    next: Instant,
}

impl ProgressLine {
    pub(crate) fn new() -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self {
            is_terminal,
            next: Instant::now() + interval(is_terminal),
        }
    }

    /// Shows the text, unless another was shown a moment ago.
    pub(crate) fn show(&mut self, text: &str) {
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + interval(self.is_terminal);
        let mut output = io::stderr().lock();
        // A failed write does not stop the work.
        let _ = match self.is_terminal {
            true => write!(output, "\r{text}\x1b[K"),
            false => writeln!(output, "{text}"),
        };
        let _ = output.flush();
    }

    /// Clears the line.
    pub(crate) fn end(self) {
        if self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn interval(is_terminal: bool) -> Duration {
    if is_terminal { ON_TERMINAL } else { ELSEWHERE }
}
