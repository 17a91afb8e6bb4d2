//! The options of the log, of every command.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The options of the log.
#[derive(Clone, Debug, Default, Args)]
pub struct LogOptions {
    /// The form of the log on standard error.
    #[arg(
        long,
        value_name = "FORMAT",
        env = "CONNECT_LOG_FORMAT",
        value_enum,
        default_value_t,
        global = true
    )]
    pub log_format: LogFormat,
    /// A file with the level of the log, such as "debug" or "info,connect_server=debug". A server reads it
    /// again at SIGHUP [default: the level is that of RUST_LOG, or "info"]
    #[arg(
        long,
        value_name = "FILE",
        env = "CONNECT_LOG_LEVEL_FILE",
        global = true
    )]
    pub log_level_file: Option<PathBuf>,
}

/// The forms of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// A line of text for people.
    #[default]
    Text,
    /// A line of JSON for programs.
    Json,
}
