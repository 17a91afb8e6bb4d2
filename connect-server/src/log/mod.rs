//! The log on standard error.

mod json;
mod line;
mod writer;

use std::io::{self, IsTerminal as _};

use tracing::Subscriber;
use tracing_subscriber::{
    EnvFilter,
    fmt::{
        SubscriberBuilder,
        format::{DefaultFields, Format},
    },
    registry::LookupSpan,
};

use crate::cli::LogFormat;

use json::Escaped;
use line::{Clock, Line};
use writer::Writer;

/// The log unless `RUST_LOG` says otherwise. The `h2` crate warns of what clients do wrong, which
/// would let them fill the log; `deadpool` of each connection that a database has closed.
const DEFAULT: &str = "info,h2=error,deadpool=error";

/// Logs to standard error; `RUST_LOG` says how much. The last lines are written when the result is
/// dropped.
///
/// # Errors
/// The system starts no thread.
pub fn start(format: LogFormat) -> io::Result<Logging> {
    let (logging, lines) = lines()?;
    match format {
        LogFormat::Text => lines.event_format(Line).init(),
        LogFormat::Json => {
            let lines = lines.with_timer(Clock).json().flatten_event(true);
            lines.map_event_format(Escaped).init();
        }
    }
    Ok(logging)
}

/// The same in lines of text, for the benchmarks to start.
///
/// # Errors
/// The system starts no thread.
#[doc(hidden)]
pub fn text() -> io::Result<(
    Logging,
    impl Subscriber + for<'s> LookupSpan<'s> + Send + Sync,
)> {
    let (logging, lines) = lines()?;
    Ok((logging, lines.event_format(Line).finish()))
}

fn lines() -> io::Result<(
    Logging,
    SubscriberBuilder<DefaultFields, Format, EnvFilter, Writer>,
)> {
    let wanted = std::env::var(EnvFilter::DEFAULT_ENV).unwrap_or_default();
    let filter = match &*wanted {
        // As with our own variables: without a value nothing is said.
        "" => EnvFilter::new(DEFAULT),
        wanted => EnvFilter::try_new(wanted).unwrap_or_else(|_| EnvFilter::new(DEFAULT)),
    };
    let log = Writer::to(io::stderr())?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(log.clone())
        .with_ansi(io::stderr().is_terminal())
        // They are printed to standard error, and the program ends where that cannot be written.
        .log_internal_errors(false);
    Ok((Logging(log), lines))
}

/// The log of a program that runs.
#[derive(Debug)]
pub struct Logging(Writer);

impl Drop for Logging {
    fn drop(&mut self) {
        self.0.finish();
    }
}
