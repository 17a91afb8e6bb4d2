//! Runs every fuzz target, and prints a line for each.
//!
//! `cargo run --release -p connect-fuzz -- --inputs 10000000`
#![allow(clippy::print_stdout, reason = "a program for the command line")]

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;
use connect_fuzz::{Target, all, drive::drive, shrink};
use indicatif::{ProgressBar, ProgressStyle};

/// Gives inputs to the readers of Connect: nothing may panic, and what is taken has to read back
/// the same.
#[derive(Debug, Parser)]
struct Arguments {
    /// Inputs for each target.
    #[arg(long, default_value_t = 1_000_000)]
    inputs: u64,
    /// The same seed makes the same inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Gives this file to the target once, in place of a run.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// The targets [default: all]
    targets: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let names: Vec<_> = all().into_iter().map(|target| target.name).collect();
    if let Some(unknown) = arguments.targets.iter().find(|name| !names.contains(name)) {
        println!("There is no target {unknown}, but {}.", names.join(", "));
        return ExitCode::from(2);
    }
    let is_wanted =
        |target: &Target| arguments.targets.is_empty() || arguments.targets.contains(&target.name);
    // Panics are told once, with the input that caused them.
    std::panic::set_hook(Box::new(|_| ()));
    let mut is_clean = true;
    for target in all().into_iter().filter(is_wanted) {
        is_clean &= match &arguments.replay {
            Some(file) => replay(&target, file),
            None => fuzz(&target, &arguments),
        };
    }
    ExitCode::from(u8::from(!is_clean))
}

/// Runs a target and prints its line; `true` without faults.
fn fuzz(target: &Target, arguments: &Arguments) -> bool {
    let style = ProgressStyle::with_template("{msg:<18} {pos}/{len} {per_sec} {eta}");
    let bar = ProgressBar::new(arguments.inputs).with_message(target.name.clone());
    let bar = style.map_or(bar.clone(), |style| bar.with_style(style));
    let summary = drive(target, arguments.inputs, arguments.seed, |done| {
        bar.set_position(done)
    });
    bar.finish_and_clear();
    println!(
        "{:<18} {:>9} inputs, {:>5.1} % taken, {:>7.1} s, {} faults",
        target.name,
        summary.inputs,
        100.0 * summary.taken as f64 / summary.inputs as f64,
        summary.time.as_secs_f64(),
        summary.faults.len(),
    );
    for (input, words) in &summary.faults {
        println!("  {}\n  {words}", input.escape_ascii());
    }
    summary.faults.is_empty()
}

/// Runs a target on a file, and prints the outcome.
/// Returns `true` without faults.
fn replay(target: &Target, file: &PathBuf) -> bool {
    let outcome = match std::fs::read(file) {
        Ok(input) => shrink::run(target, &input).map(|verdict| format!("{verdict:?}")),
        Err(error) => Err(error.to_string()),
    };
    let is_clean = outcome.is_ok();
    println!("{}: {}", target.name, outcome.unwrap_or_else(|words| words));
    is_clean
}
