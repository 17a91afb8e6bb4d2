//! A transcript of an operator's commands, and of their results as text.
//!
//! A line that begins with `> ` is a command, and what follows is its result and its audit line.
//! `UPDATE_EXPECTED=1` writes the results of today. Two lines are no commands: `> wait 60` turns the clock,
//! and `> deliver 500` sends all webhooks that are due, to endpoints answering with this status.

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use clap::Parser as _;
use connect_core::{
    Connect,
    environment::{ManualClock, SequentialIds},
    storage::memory::MemoryStorage,
    wire::Timestamp,
};

use crate::{
    cli::{Arguments, Command},
    commands::{
        Authority, Execution, OwnerCommand,
        transcripts::{self, Endpoints, without_secrets},
    },
};

/// Reads a command of the command line.
fn read(words: &str) -> Result<OwnerCommand, clap::Error> {
    let words = ["connect-server"].into_iter().chain(words.split(' '));
    Ok(match Arguments::try_parse_from(words)?.command {
        Command::Account { command, .. } => command.into(),
        Command::Location { command, .. } => command.into(),
        Command::Screen { command, .. } => command.into(),
        Command::Token { command, .. } => command.into(),
        Command::Webhook { command, .. } => command.into(),
        other => panic!("not about an account: {other:?}"),
    })
}

/// Executes a command; what it prints, and what the audit log gets.
async fn done(connect: &Connect, words: &str) -> String {
    let command = match read(words) {
        Ok(command) => command,
        Err(error) => return error.to_string(),
    };
    let mut execution = Execution::new(connect, Authority::Operator, Some("http://owner"));
    let result = match command.execute(&mut execution).await {
        Ok(shown) => command.text(shown.await.unwrap()).unwrap(),
        Err(error) => format!("{}: {}", error.status(), error.cause()),
    };
    let (action, subject) = (execution.action, &execution.subject);
    let note = command.without_server().unwrap_or("none");
    format!("{result}\naudit: {action:?} {subject:?}\nnote without a server: {note}")
}

// The time that an endpoint takes is measured.
#[tokio::test(start_paused = true)]
async fn commands_print_what_is_in_the_transcript() {
    let clock = ManualClock::at(Timestamp::EPOCH.plus_seconds(1_800_000_000));
    let connect = Connect::builder(Arc::new(MemoryStorage::new()))
        .clock(clock.clone())
        .ids(Arc::new(SequentialIds::default()))
        .build();
    let endpoints = Arc::<Endpoints>::default();
    let worker = connect.webhook_worker(endpoints.clone(), None);
    let file = "src/cli/admin/transcript.txt";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let mut transcript = String::new();
    let steps = fs::read_to_string(path).unwrap();
    for step in steps.lines().filter_map(|line| line.strip_prefix("> ")) {
        let seen = match *step.split(' ').collect::<Vec<_>>() {
            ["wait", seconds] => {
                clock.advance(seconds.parse().unwrap());
                String::new()
            }
            ["deliver", status] => {
                endpoints.answer(status.parse().unwrap());
                format!("{:?}", worker.tick().await.unwrap())
            }
            _ => done(&connect, step).await,
        };
        let _ = writeln!(
            transcript,
            "> {step}\n{}\n",
            without_secrets(seen.trim_end())
        );
    }
    transcripts::assert_is(&transcript, file);
}
