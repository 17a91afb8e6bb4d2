//! The server as a program of this package: cargo builds it before the tests that kill it, which
//! it does only for programs of the same package.

use std::process::ExitCode;

use connect_server::{cli::Arguments, run};

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::read();
    // Into a pipe that nobody reads it would come to a stop.
    if std::env::var_os("CONNECT_TESTS_LOG").is_some() {
        run::start_logging(arguments.log_format);
    }
    match run::run(arguments).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
