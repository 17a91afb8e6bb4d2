//! `connect-server`: see `connect-server --help`.

use std::process::ExitCode;

use connect_server::{cli::Arguments, run};

/// Batches take and give back memory in many small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::read();
    run::start_logging(arguments.log_format);
    match run::run(arguments).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("connect-server: {error}");
            ExitCode::FAILURE
        }
    }
}
