//! The audit trail: listed, exported and verified by the operator.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use connect_core::{
    Account, Author, Error, TrailChange, TrailEntry, TrailFault, TrailFilter, TrailPlace,
    TrailReport, TrailScope,
    wire::{Id, Location, Timestamp},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::execution::{Execution, Shown, known};

/// The most entries verified by one command to a running server.
/// The command line sends the next one. It waits 30 seconds for an answer.
const MOST_VERIFIED: u64 = 200_000;

/// A command about the audit trail.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TrailCommand {
    /// List entries of the trail, newest first: who changed what, and when.
    List {
        /// The filter.
        #[command(flatten)]
        #[serde(flatten)]
        filter: TrailArguments,
        /// The most entries, up to 200. For older ones, name the time of the last one as --until.
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
    },
    /// Print entries as NDJSON, the oldest of each chain first. The SHA-256 of a line is `previous` of the next line
    /// of its chain.
    Export {
        /// The filter.
        #[command(flatten)]
        #[serde(flatten)]
        filter: TrailArguments,
        /// The place to continue after.
        #[arg(skip)]
        #[serde(default)]
        after: Option<TrailPlace>,
    },
    /// Verify the whole trail: no entry was altered or removed. Exits with 1 if one was, and names the first of each
    /// chain.
    Verify {
        /// The chain to continue after.
        #[arg(skip)]
        #[serde(default)]
        after: Option<Uuid>,
    },
}

/// The filter of a list or an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TrailArguments {
    /// Entries of this account and its locations [default: all, and the store itself]
    #[arg(long, value_name = "ID")]
    pub account: Option<Id<Account>>,
    /// Entries of this location.
    #[arg(long, value_name = "ID")]
    pub location: Option<Id<Location>>,
    /// Entries about the object with this id.
    #[arg(long, value_name = "ID")]
    pub object: Option<Uuid>,
    /// Entries about objects of this kind, such as product.
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// Entries of an author: service, operator, or the id of a user, a token or a screen.
    #[arg(long, value_name = "AUTHOR")]
    pub author: Option<String>,
    /// Entries since this time, such as 2026-11-20T09:15:30Z.
    #[arg(long, value_name = "TIME")]
    pub since: Option<Timestamp>,
    /// Entries before this time.
    #[arg(long, value_name = "TIME")]
    pub until: Option<Timestamp>,
}

impl TrailArguments {
    fn scope(&self) -> TrailScope {
        self.account
            .map_or(TrailScope::Everything, TrailScope::Account)
    }

    fn filter(&self) -> TrailFilter {
        TrailFilter {
            object: self.object,
            kind: self.kind.clone(),
            author: self.author.clone(),
            location: self.location,
            since: self.since,
            until: self.until,
        }
    }
}

/// Executes a command. It changes nothing.
///
/// # Errors
/// There is no such account, or only the operator may do this.
pub(super) async fn execute<'a>(
    command: &TrailCommand,
    to: &mut Execution<'a>,
) -> Result<Shown<'a>, Error> {
    to.check_operator()?;
    let connect = to.connect;
    Ok(match command {
        TrailCommand::List { filter, limit } => {
            let (scope, filter) = (filter.scope(), filter.filter());
            let page = connect.trail(scope, &filter, None, *limit).await?;
            known(page.entries)
        }
        TrailCommand::Export { filter, after } => {
            let (scope, filter) = (filter.scope(), filter.filter());
            let piece = connect.export_trail(scope, &filter, *after).await?;
            known(json!({ "lines": piece.lines, "next": piece.next }))
        }
        TrailCommand::Verify { after } => {
            let progress = &mut |_| {};
            let report = connect
                .verify_trail(*after, MOST_VERIFIED, progress)
                .await?;
            known(report)
        }
    })
}

/// The command for the rest of a result, if there is more.
pub(super) fn rest(command: &TrailCommand, result: &Value) -> Option<TrailCommand> {
    let next = &result["next"];
    match command {
        TrailCommand::List { .. } => None,
        TrailCommand::Export { filter, .. } => Some(TrailCommand::Export {
            filter: filter.clone(),
            after: Some(serde_json::from_value(next.clone()).ok()?),
        }),
        TrailCommand::Verify { .. } => Some(TrailCommand::Verify {
            after: Some(serde_json::from_value(next.clone()).ok()?),
        }),
    }
}

/// Returns whether a result names faults.
pub(super) fn has_faults(result: &Value) -> bool {
    result["faults"]
        .as_array()
        .is_some_and(|faults| !faults.is_empty())
}

/// Returns the result of a command as text.
///
/// # Errors
/// It is not a result of this command.
pub(super) fn text(command: &TrailCommand, result: Value) -> serde_json::Result<String> {
    Ok(match command {
        TrailCommand::List { .. } => {
            let entries: Vec<TrailEntry> = serde_json::from_value(result)?;
            let lines: Vec<String> = entries.iter().map(lines).collect();
            match lines.is_empty() {
                true => "There is no such entry.".to_owned(),
                false => lines.join("\n"),
            }
        }
        TrailCommand::Export { .. } => {
            let lines = result["lines"].as_str().unwrap_or_default();
            lines.trim_end().to_owned()
        }
        TrailCommand::Verify { .. } => verified(&serde_json::from_value(result)?),
    })
}

/// The text of a verification.
fn verified(report: &TrailReport) -> String {
    let mut text = String::new();
    for TrailFault {
        chain,
        number,
        problem,
        ..
    } in &report.faults
    {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "entry {number} of chain {chain} {problem}");
    }
    let (entries, chains) = (report.entries, report.chains.len());
    text + &match report.faults.len() {
        0 => format!("{entries} entries verified: {chains} chains are complete."),
        faults => {
            format!("{entries} entries verified: {faults} chains have faults, {chains} none.")
        }
    }
}

/// An entry with a line for each change.
fn lines(entry: &TrailEntry) -> String {
    let (at, author) = (entry.at, author(&entry.author));
    let line = |change: &TrailChange| format!("{at}  {author}  {}", words(change));
    let lines: Vec<String> = entry.changes.iter().map(line).collect();
    lines.join("\n")
}

/// An author in words.
fn author(author: &Author) -> String {
    match author {
        Author::Operator { name: Some(name) } => format!("operator {name}"),
        Author::Operator { name: None } => "operator".to_owned(),
        Author::User { id } => format!("user {id}"),
        Author::Token { name, .. } => format!("token {name}"),
        Author::Screen { name, .. } => format!("screen {name}"),
        _ => "service".to_owned(),
    }
}

/// A change in words, such as `product Rye 0192...: change priceCents 300 to 345`.
fn words(change: &TrailChange) -> String {
    let TrailChange {
        object,
        id,
        name,
        action,
        before,
        after,
        hidden,
        ..
    } = change;
    let name = name
        .as_ref()
        .map_or(String::new(), |name| format!("{name} "));
    let mut parts: Vec<String> = Vec::new();
    for (field, before) in before {
        parts.push(match after.get(field) {
            Some(after) => format!("{field} {before} to {after}"),
            None => format!("{field} {before}"),
        });
    }
    let only_after = after
        .iter()
        .filter(|(field, _)| !before.contains_key(*field));
    parts.extend(only_after.map(|(field, after)| format!("{field} {after}")));
    parts.extend(hidden.iter().map(|field| format!("{field} (not shown)")));
    format!("{object} {name}{id}: {action} {}", parts.join(", "))
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests;
