//! The command-line syntax of token commands.

use std::ffi::OsStr;

use clap::{
    Arg, Args, Command, Error, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
    error::ErrorKind,
};
use connect_core::{
    Account, Grant, Token,
    wire::{Id, Location, Scope, Timestamp},
};
use serde::{Deserialize, Serialize};

/// A command about tokens, by which other software uses the API.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TokenCommand {
    /// Make a token. Its value is shown this once.
    Create {
        /// The name, 1 to 100 characters. Changes made with the token are attributed to it.
        #[arg(long)]
        name: String,
        /// The rights.
        #[command(flatten)]
        rights: Rights,
        /// The locations where it has these scopes, with commas between [default: all that the
        /// account has now]
        #[arg(long, value_name = "IDS", value_delimiter = ',')]
        locations: Vec<Id<Location>>,
        /// The account it belongs to [default: that of the locations, or the only one]
        #[arg(long, value_name = "ID")]
        account: Option<Id<Account>>,
        /// The days after which it is refused [default: never]
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3650))]
        expires_in: Option<u16>,
        /// The time from which on it is refused, such as 2027-01-31T00:00:00Z.
        #[arg(long, value_name = "TIME", conflicts_with = "expires_in")]
        expires_at: Option<Timestamp>,
    },
    /// List the tokens, without their values. Revoked ones are left out.
    List {
        /// List revoked tokens as well.
        #[arg(long)]
        all: bool,
    },
    /// Revoke a token. It is refused from then on.
    Revoke {
        /// The token.
        id: Id<Token>,
    },
}

/// The rights of a new token: the same at several locations, or some at each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[group(required = true, multiple = true)]
#[serde(rename_all = "camelCase")]
pub struct Rights {
    /// The scopes, with commas between.
    #[arg(long, value_name = "SCOPES", value_delimiter = ',', value_parser = scope())]
    pub scopes: Vec<Scope>,
    /// Give it all scopes.
    #[arg(long, conflicts_with = "scopes")]
    pub all_scopes: bool,
    /// The scopes at one location: "ID=catalog:read,stock:read". May be given several times, for
    /// other locations.
    #[arg(long = "grant", value_name = "LOCATION=SCOPES", value_parser = GrantParser,
          conflicts_with_all = ["scopes", "all_scopes", "locations"])]
    pub grants: Vec<Grant>,
}

/// Reads a scope.
/// The refusal of an unknown one lists all scopes and names the nearest.
fn scope() -> impl TypedValueParser<Value = Scope> {
    let known = Scope::KNOWN.iter().map(Scope::as_str);
    PossibleValuesParser::new(known).map(|text| Scope::from(&*text))
}

/// Reads a location with its scopes.
#[derive(Clone)]
struct GrantParser;

impl TypedValueParser for GrantParser {
    type Value = Grant;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Grant, Error> {
        let form = || {
            let says = "must be a location, =, and scopes with commas between\n";
            Error::raw(ErrorKind::ValueValidation, format!("--grant {says}")).with_cmd(command)
        };
        let (location, scopes) = value
            .to_str()
            .and_then(|text| text.split_once('='))
            .ok_or_else(form)?;
        let parse = |scope| scope_of(command, argument, scope);
        Ok(Grant {
            location_id: location.parse().map_err(|_| form())?,
            scopes: scopes.split(',').map(parse).collect::<Result<_, _>>()?,
        })
    }
}

fn scope_of(command: &Command, argument: Option<&Arg>, text: &str) -> Result<Scope, Error> {
    scope().parse_ref(command, argument, OsStr::new(text))
}
