//! The message of a failed command.

use std::{
    fmt::Display,
    io::{self, Write as _},
};

/// Writes the reason to standard error, after the name of the command.
pub(crate) fn tell(command: &str, reason: &impl Display) {
    // If this cannot be written, the exit code has to do.
    let _ = writeln!(io::stderr(), "{command}: {reason}");
}
