//! Runs every attack on the server, and prints a table.
//!
//! `cargo build --release -p connect-server && cargo run --release -p connect-tests --bin attack`
#![allow(clippy::print_stdout, reason = "a program for the command line")]

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use connect_tests::attack::{
    Attack, all,
    trial::{Outcome, run, run_none},
    victim::Store,
};

/// Attacks a server of its own, and measures what that costs the server and a well-behaved client.
#[derive(Debug, Parser)]
struct Arguments {
    /// The program of the server [default: connect-server beside this program]
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// Seconds for each attack.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Tell the attacks, and make none.
    #[arg(long)]
    list: bool,
    /// The attacks, or the beginnings of their names [default: all]
    attacks: Vec<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let wanted: Vec<_> = all()
        .into_iter()
        .filter(|attack| arguments.wants(attack))
        .collect();
    if arguments.list {
        for attack in wanted {
            println!("{:<22} {} ({:?})", attack.name, attack.about, attack.caller);
        }
        return ExitCode::SUCCESS;
    }
    let Some(program) = arguments.program() else {
        println!("There is no server: cargo build --release -p connect-server, or --server FILE");
        return ExitCode::from(2);
    };
    let time = Duration::from_secs(arguments.seconds);
    let store = Store::make().await;
    println!("{}", Outcome::HEADING);
    println!("{}", run_none(&store, &program, time).await);
    let mut holds = true;
    for attack in &wanted {
        let outcome = run(&store, &program, attack, time).await;
        println!("{outcome}");
        holds &= outcome.holds();
    }
    ExitCode::from(u8::from(!holds))
}

impl Arguments {
    fn wants(&self, attack: &Attack) -> bool {
        let is_named = |name: &String| attack.name.starts_with(name);
        self.attacks.is_empty() || self.attacks.iter().any(is_named)
    }

    /// The path of the server's program, if it is there.
    fn program(&self) -> Option<String> {
        let beside = || {
            Some(
                std::env::current_exe()
                    .ok()?
                    .with_file_name("connect-server"),
            )
        };
        let path = self.server.clone().or_else(beside)?;
        path.is_file().then(|| path.display().to_string())
    }
}
