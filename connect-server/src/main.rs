//! `connect-server`: see `connect-server --help`.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use connect_server::{cli::Arguments, log, run};

/// Batches take and give back memory in many small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::read();
    let logging = match log::start(arguments.log_format) {
        Ok(logging) => logging,
        Err(error) => return failed(&error),
    };
    let ended = run::run(arguments).await;
    drop(logging);
    ended.unwrap_or_else(|error| failed(&error))
}

/// Tells the reason, where standard error can be written.
fn failed(reason: &dyn std::error::Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "connect-server: {reason}");
    ExitCode::FAILURE
}
