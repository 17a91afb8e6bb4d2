//! The text of an error.

use std::fmt;

use super::{Error, ErrorKind};
use crate::pipeline::retry::GaveUp;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(call) = &self.0.call else {
            return self.kind().fmt(f);
        };
        write!(f, "{} {}: ", call.method, call.path)?;
        if let Some(status) = self.status() {
            write!(f, "{status} ")?;
        }
        self.kind().fmt(f)?;
        if let Some(id) = self.request_id() {
            write!(f, " [request {id}]")?;
        }
        // A timeout or a refusal reads as if nothing had happened.
        if call.may_be_applied {
            f.write_str(" [unknown whether it was applied]")?;
        }
        match call.gave_up {
            None => Ok(()),
            // The error itself already says that its time is over.
            Some(GaveUp::Budget) if call.attempts == 0 => Ok(()),
            Some(GaveUp::Attempts) => write!(f, " [gave up after {} attempts]", call.attempts),
            Some(GaveUp::Budget) => {
                let attempts = call.attempts;
                write!(
                    f,
                    " [gave up after {attempts} attempts, the time for retries is over]"
                )
            }
            Some(GaveUp::RetryAfter) => {
                let seconds = self.retry_after().unwrap_or_default().as_secs();
                write!(
                    f,
                    " [gave up: the service asks to wait {seconds} s, too long for the time left for retries]"
                )
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.debug_tuple("Error").field(&self.0).finish();
        }
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Transport(error) => std::error::Error::source(error),
            _ => None,
        }
    }
}
