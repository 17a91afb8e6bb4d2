//! Brings a menu from a CSV file to a Connect location; `--help` tells how.

use std::process::ExitCode;

use clap::Parser as _;
use connect_examples::sync_catalog::{Arguments, Outcome, Progress, run};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut progress = Progress::on_stderr();
    match run(&arguments, &mut std::io::stdout(), &mut progress).await {
        Ok(Outcome::Complete) => ExitCode::SUCCESS,
        Ok(Outcome::Incomplete) => ExitCode::from(1),
        Err(stopped) => {
            progress.note(&format!("sync_catalog: {stopped}"));
            ExitCode::from(2)
        }
    }
}
