//! Refusals of arguments without their secrets.
//! A mistyped or misplaced password appears neither on the screen nor in the journal.

use std::{ffi::OsStr, fmt::Display, marker::PhantomData, str::FromStr};

use clap::{
    Arg, Command, Error,
    builder::{StringValueParser, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};

/// Reads a value possibly with a secret.
/// A refusal names the problem without the value.
pub(super) fn secret<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Display> + Clone + Send + Sync + 'static,
{
    Secret(PhantomData)
}

#[derive(Clone)]
struct Secret<T>(PhantomData<T>);

impl<T> TypedValueParser for Secret<T>
where
    T: FromStr<Err: Display> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, Error> {
        let text = StringValueParser::new().parse_ref(command, argument, value)?;
        text.parse().map_err(|error| {
            let name = argument.and_then(Arg::get_long).unwrap_or_default();
            let refusal = format!("--{name} {error}");
            command.clone().error(ErrorKind::ValueValidation, refusal)
        })
    }
}

/// The parts of a refusal with text from the command line.
const GIVEN: [ContextKind; 3] = [
    ContextKind::InvalidArg,
    ContextKind::InvalidSubcommand,
    ContextKind::InvalidValue,
];

/// Removes possible secrets from a refusal.
/// An example is an address with a password in the wrong place. The parser's remark on the value may repeat
/// a part of it, and is left out then.
pub(super) fn without_secrets(error: Error, command: &Command) -> Error {
    let is_secret = |kind, value: &ContextValue| {
        let given = GIVEN.contains(&kind).then_some(value);
        matches!(given, Some(ContextValue::String(given)) if may_hold_secret(given))
    };
    if !error.context().any(|(kind, value)| is_secret(kind, value)) {
        return error;
    }
    // The text of the parser cannot be taken out of the error, so it is made anew. Suggestions repeat the argument.
    let mut masked = Error::new(error.kind()).with_cmd(command);
    let context = error.context();
    for (kind, value) in context.filter(|(kind, _)| *kind != ContextKind::Suggested) {
        let value = match is_secret(kind, value) {
            true => ContextValue::String(super::settings::MASK.to_owned()),
            false => value.clone(),
        };
        masked.insert(kind, value);
    }
    masked
}

fn may_hold_secret(given: &str) -> bool {
    let given = given.to_ascii_lowercase();
    if given.contains("password") || given.contains('@') && given.contains(':') {
        return true;
    }
    let Some((scheme, rest)) = given.split_once("://") else {
        return false;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // An IPv6 address has colons of its own.
    let host = host.rsplit(']').next().unwrap_or_default();
    // A password that begins as a port does is told by the scheme.
    let has_password = ["smtp", "postgres"].iter().any(|of| scheme.starts_with(of));
    let port = host.split_once(':').map(|(_, port)| port);
    port.is_some_and(|port| has_password || port.parse::<u16>().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_hold_no_password_is_repeated() {
        for given in [
            "--listn",
            "0.0.0.0:port",
            "redb:/var/lib/store",
            "http://0.0.0.0:8080",
            "https://[::1]:8443/shop:1",
            "https://[2001:db8::1]/",
            "smtps://mail.example",
        ] {
            assert!(!may_hold_secret(given), "{given}");
        }
    }
}
