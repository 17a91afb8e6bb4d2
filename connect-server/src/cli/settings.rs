//! The given settings, and the source of each.

use std::env;

use clap::{Arg, ArgMatches, Command, builder::Resettable, parser::ValueSource};
use serde::Serialize;

/// A setting of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// The flag, such as `--listen`.
    pub flag: String,
    /// The environment variable for the flag.
    pub variable: String,
    /// The value; `None` without one, and asterisks for a secret.
    pub value: Option<String>,
    /// The source of the value.
    pub source: Source,
}

/// The sources of a setting, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// The command line.
    Flag,
    /// The environment.
    Environment,
    /// Neither; the default applies.
    Default,
}

/// The text in place of a secret.
pub(super) const MASK: &str = "********";

/// Leaves out empty environment variables.
/// A line `CONNECT_SMTP_URL=` in a file of settings sets nothing.
pub(super) fn without_empty(command: Command) -> Command {
    let is_empty = |argument: &Arg| {
        let value = argument.get_env().and_then(env::var_os);
        value.is_some_and(|value| value.is_empty())
    };
    let keep = |argument: Arg| match is_empty(&argument) {
        true => argument.env(Resettable::Reset),
        false => argument,
    };
    command.mut_args(keep).mut_subcommands(without_empty)
}

/// Returns the settings of a subcommand, in the order of its help.
pub(super) fn of(command: &Command, name: &str, matches: &ArgMatches) -> Vec<Setting> {
    let subcommand = command.find_subcommand(name);
    let own = subcommand.into_iter().flat_map(Command::get_arguments);
    own.chain(command.get_arguments())
        .filter_map(|argument| setting(argument, matches))
        .collect()
}

/// Returns the setting of an argument.
/// `None` for an argument without a variable, such as `--help`.
fn setting(argument: &Arg, matches: &ArgMatches) -> Option<Setting> {
    let variable = argument.get_env()?.to_str()?.to_owned();
    let id = argument.get_id().as_str();
    let source = match matches.value_source(id) {
        Some(ValueSource::CommandLine) => Source::Flag,
        Some(ValueSource::EnvVariable) => Source::Environment,
        _ => Source::Default,
    };
    let given = matches.try_get_raw(id).ok().flatten();
    let given = given.and_then(|mut values| values.next());
    let value = given.map(|value| match argument.is_hide_env_values_set() {
        true => MASK.to_owned(),
        false => value.to_string_lossy().into_owned(),
    });
    Some(Setting {
        flag: format!("--{}", argument.get_long()?),
        variable,
        value,
        source,
    })
}
