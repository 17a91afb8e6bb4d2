//! Refusals of arguments that hold no secret: who mistypes a password, or the place where it belongs, does not
//! find it on the screen or in the journal.

use std::{ffi::OsStr, fmt::Display, marker::PhantomData, str::FromStr};

use clap::{
    Arg, Command, Error,
    builder::{StringValueParser, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};

/// Reads a value that may hold a secret: the refusal says what is wrong without it.
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

/// The parts of a refusal in which clap repeats what was given.
const GIVEN: [ContextKind; 3] = [
    ContextKind::InvalidArg,
    ContextKind::InvalidSubcommand,
    ContextKind::InvalidValue,
];

/// Takes what may be a secret out of a refusal: an address with a password where no address belongs.
pub(super) fn without_secrets(mut error: Error) -> Error {
    for kind in GIVEN {
        if let Some(ContextValue::String(given)) = error.get(kind)
            && may_hold_secret(given)
        {
            error.insert(kind, ContextValue::String(super::settings::MASK.to_owned()));
        }
    }
    error
}

fn may_hold_secret(given: &str) -> bool {
    let given = given.to_ascii_lowercase();
    given.contains("password") || given.contains('@') && given.contains(':')
}
