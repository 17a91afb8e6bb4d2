//! A transcript of an operator's commands, and of their results as text.
//!
//! A line that begins with `> ` is a command, and what follows is its result and its audit line.
//! `UPDATE_EXPECTED=1` writes the results of today. `> wait 60` and `> deliver 500` are steps of the
//! [`Stage`].

use std::fmt::Write as _;

use clap::Parser as _;
use connect_core::Connect;

use crate::{
    cli::{Arguments, Command},
    commands::{
        Authority, Execution, OwnerCommand,
        transcripts::{self, Stage, without_secrets},
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
        Command::User { command, .. } => command.into(),
        Command::Webhook { command, .. } => command.into(),
        other => panic!("not about an account: {other:?}"),
    })
}

/// Executes a command. Returns its output and the audit log's part.
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
    let stage = Stage::new();
    let file = "src/cli/admin/transcript.txt";
    let mut transcript = String::new();
    for step in transcripts::steps(file) {
        let words: Vec<_> = step.split(' ').collect();
        let seen = match stage.step(&words).await {
            Some(seen) => seen,
            None => done(&stage.connect, &step).await,
        };
        let _ = writeln!(
            transcript,
            "> {step}\n{}\n",
            without_secrets(seen.trim_end())
        );
    }
    transcripts::assert_is(&transcript, file);
}
