//! `connect-server`: see `connect-server --help`.

use std::{
    io::{self, Write as _},
    process::ExitCode,
    time::Duration,
};

use connect_server::{cli::Arguments, log};
use tokio::runtime::Runtime;

/// The allocator. Batches take and return memory in many small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The time limit for background threads at shutdown.
/// Such a thread may be working on an image.
const LAST_WORK: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let arguments = Arguments::read();
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    let ended = runtime.block_on(run(arguments));
    runtime.shutdown_timeout(LAST_WORK);
    ended
}

async fn run(arguments: Arguments) -> ExitCode {
    let logging = match log::start(&arguments.log) {
        Ok(logging) => logging,
        Err(error) => return failed(&error),
    };
    let ended = connect_server::run::run(arguments).await;
    drop(logging);
    ended.unwrap_or_else(|error| failed(&error))
}

/// Prints the reason to standard error, if it can be written.
fn failed(reason: &dyn std::error::Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "connect-server: {reason}");
    ExitCode::FAILURE
}
