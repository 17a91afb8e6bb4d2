//! The server as a program of this package: cargo builds it before the tests that kill it, which
//! it does only for programs of the same package.

use std::process::ExitCode;

use clap::Parser as _;
use connect_server::{cli::Arguments, run};

#[tokio::main]
async fn main() -> ExitCode {
    match run::run(Arguments::parse()).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
