//! `connect-server`: see `connect-server --help`.

use std::process::ExitCode;

use clap::Parser as _;
use connect_server::{cli::Arguments, run};

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    run::start_logging();
    match run::run(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("connect-server: {error}");
            ExitCode::FAILURE
        }
    }
}
