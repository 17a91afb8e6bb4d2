//! The progress of a long command on standard error.
//! On a terminal one line is rewritten; elsewhere a line is added every few seconds.

use std::{
    io::{self, IsTerminal as _, Stderr, Write},
    time::Duration,
};

use tokio::time::Instant;

/// The time between two writes to a terminal.
const ON_TERMINAL: Duration = Duration::from_millis(200);

/// The time between two writes to a file or a pipe.
const ELSEWHERE: Duration = Duration::from_secs(5);

/// Shows progress.
pub(crate) struct ProgressLine<W = Stderr> {
    output: W,
    is_terminal: bool,
    interval: Duration,
    /// The time of the next output.
    next: Instant,
}

impl ProgressLine {
    pub(crate) fn new() -> Self {
        let output = io::stderr();
        let is_terminal = output.is_terminal();
        Self::to(output, is_terminal)
    }
}

impl<W: Write> ProgressLine<W> {
    pub(super) fn to(output: W, is_terminal: bool) -> Self {
        let interval = if is_terminal { ON_TERMINAL } else { ELSEWHERE };
        Self {
            output,
            is_terminal,
            interval,
            next: Instant::now() + interval,
        }
    }

    /// Shows the text, unless another was shown a moment ago.
    pub(crate) fn show(&mut self, text: &str) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + self.interval;
        // A failed write does not stop the work.
        let _ = match self.is_terminal {
            true => write!(self.output, "\r{text}\x1b[K"),
            false => writeln!(self.output, "{text}"),
        };
        let _ = self.output.flush();
    }

    /// Clears the line.
    pub(crate) fn end(mut self) {
        if self.is_terminal {
            let _ = write!(self.output, "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_terminal_has_one_line_and_a_file_has_one_each_five_seconds() {
        for (is_terminal, expected) in [
            (true, "\r2 rows\x1b[K\r4 rows\x1b[K\r\x1b[K"),
            (false, "4 rows\n"),
        ] {
            let mut output = Vec::new();
            let mut line = ProgressLine::to(&mut output, is_terminal);
            for (rows, milliseconds) in [(1, 199), (2, 1), (3, 199), (4, 4601)] {
                advance(Duration::from_millis(milliseconds)).await;
                line.show(&format!("{rows} rows"));
            }
            line.end();
            assert_eq!(String::from_utf8(output).unwrap(), expected);
        }
    }
}
