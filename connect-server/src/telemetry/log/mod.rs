//! The log on standard error.

mod json;
mod level;
mod line;
mod options;
mod writer;

use std::{
    io::{self, IsTerminal as _},
    path::PathBuf,
};

use tracing::Subscriber;
use tracing_subscriber::{
    EnvFilter, Registry,
    fmt::{
        FormatEvent, FormatFields, SubscriberBuilder,
        format::{DefaultFields, Format},
    },
    registry::LookupSpan,
};

pub(crate) use level::read_level_again;
pub use options::{LogFormat, LogOptions};

use json::Escaped;
use line::{Clock, Line};
use writer::Writer;

/// Starts the log on standard error.
/// Its level comes from a file or `RUST_LOG`. Dropping the result writes the last lines.
///
/// # Errors
/// The system starts no thread.
pub fn start(options: &LogOptions) -> io::Result<Logging> {
    let file = options.log_level_file.clone();
    let (of_file, unread) = match file.as_deref().map_or(Ok(None), level::in_file) {
        Ok(filter) => (filter, None),
        Err(error) => (None, Some(error)),
    };
    let (filter, unknown) = match of_file.map_or_else(level::of_environment, Ok) {
        Ok(filter) => (filter, None),
        Err(error) => (level::usual(), Some(error)),
    };
    let (logging, lines) = lines(filter)?;
    match options.log_format {
        LogFormat::Text => begin(lines.event_format(Line), file),
        LogFormat::Json => {
            let lines = lines.with_timer(Clock).json().flatten_event(true);
            begin(lines.map_event_format(Escaped), file);
        }
    }
    if let Some(error) = unread {
        tracing::warn!(%error, "the level of the log is taken from RUST_LOG");
    }
    if let Some(error) = unknown {
        tracing::warn!(%error, "the level of the log is the default");
    }
    Ok(logging)
}

/// Logs in this form from now on.
/// With a file, its level can be read again.
fn begin<N, E>(lines: SubscriberBuilder<N, E, EnvFilter, Writer>, file: Option<PathBuf>)
where
    N: for<'w> FormatFields<'w> + Send + Sync + 'static,
    E: FormatEvent<Registry, N> + Send + Sync + 'static,
{
    let Some(file) = file else {
        return lines.init();
    };
    let lines = lines.with_filter_reloading();
    let handle = lines.reload_handle();
    level::keep(file, move |filter| {
        // It fails once the log is gone, with the process.
        let _ = handle.reload(filter);
    });
    lines.init();
}

/// The log in lines of text, for the benchmarks to start.
///
/// # Errors
/// The system starts no thread.
#[doc(hidden)]
pub fn text() -> io::Result<(
    Logging,
    impl Subscriber + for<'s> LookupSpan<'s> + Send + Sync,
)> {
    let (logging, lines) = lines(level::of_environment().unwrap_or_else(|_| level::usual()))?;
    Ok((logging, lines.event_format(Line).finish()))
}

fn lines(
    filter: EnvFilter,
) -> io::Result<(
    Logging,
    SubscriberBuilder<DefaultFields, Format, EnvFilter, Writer>,
)> {
    let log = Writer::to(io::stderr())?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(log.clone())
        .with_ansi(io::stderr().is_terminal())
        // They are printed to standard error, and the program ends where that cannot be written.
        .log_internal_errors(false);
    Ok((Logging(log), lines))
}

/// The log of a running program.
#[derive(Debug)]
pub struct Logging(Writer);

impl Drop for Logging {
    fn drop(&mut self) {
        self.0.finish();
    }
}
