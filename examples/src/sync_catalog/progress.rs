//! Showing how far the work is.

use std::io::{self, IsTerminal, Write};

/// Says on a second output how far the work is: one line that is written over on a terminal, a
/// line per step in a file or pipe.
///
/// What cannot be written is dropped: a closed pipe must not stop the work.
pub struct Progress<W> {
    output: W,
    is_terminal: bool,
    /// Set while the line on the terminal is to be written over.
    is_open: bool,
}

impl Progress<io::Stderr> {
    /// Progress on standard error.
    pub fn on_stderr() -> Self {
        let output = io::stderr();
        let is_terminal = output.is_terminal();
        Self::on(output, is_terminal)
    }
}

impl<W: Write> Progress<W> {
    /// Progress on any output.
    pub fn on(output: W, is_terminal: bool) -> Self {
        Self {
            output,
            is_terminal,
            is_open: false,
        }
    }

    /// One more step is done.
    pub fn step(&mut self, text: &str) {
        if self.is_terminal {
            // Back to the start of the line, and clear what is longer.
            let _ = write!(self.output, "\r\x1b[K{text}");
            let _ = self.output.flush();
            self.is_open = true;
        } else {
            let _ = writeln!(self.output, "{text}");
        }
    }

    /// Something to be kept.
    pub fn note(&mut self, text: &str) {
        self.finish();
        let _ = writeln!(self.output, "{text}");
    }

    /// No more steps: what was written stays.
    pub fn finish(&mut self) {
        if self.is_open {
            let _ = writeln!(self.output);
            self.is_open = false;
        }
    }
}
