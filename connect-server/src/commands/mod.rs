//! Commands about what accounts own: users, locations, screens, tokens, webhooks; and about the audit trail.
//!
//! A command is a value. The command line reads it from arguments, the admin socket from JSON, and a form of the
//! dashboard makes it from its fields. All three execute it here.
//!
//! A new kind of command is a module like [`screens`] and a line in each `match` here.

pub mod accounts;
mod execution;
pub mod locations;
pub mod privacy;
pub mod screens;
pub mod secrets;
mod shown_once;
pub mod tokens;
pub mod trail;
pub mod users;
pub mod webhooks;

use connect_core::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::shown_once::ShownOnce;
use self::{
    accounts::AccountCommand, locations::LocationCommand, screens::ScreenCommand,
    secrets::SecretCommand, tokens::TokenCommand, trail::TrailCommand, users::UserCommand,
    webhooks::WebhookCommand,
};
pub(crate) use self::{
    execution::{Authority, Execution, Shown},
    users::invitation_path,
};

/// A command about an account or its things.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OwnerCommand {
    /// About accounts.
    Account(AccountCommand),
    /// About locations.
    Location(LocationCommand),
    /// About screens.
    Screen(ScreenCommand),
    /// About tokens.
    Token(TokenCommand),
    /// About users.
    User(UserCommand),
    /// About webhooks.
    Webhook(WebhookCommand),
    /// About stored secrets.
    Secrets(SecretCommand),
    /// About the audit trail.
    Trail(TrailCommand),
}

impl OwnerCommand {
    /// Executes the command and returns its result.
    ///
    /// # Errors
    /// An object of the command does not exist, a value is not allowed, or the command is not for this
    /// person.
    pub(crate) async fn execute<'a>(&self, to: &mut Execution<'a>) -> Result<Shown<'a>, Error> {
        match self {
            Self::Account(command) => accounts::execute(command, to).await,
            Self::Location(command) => locations::execute(command, to).await,
            Self::Screen(command) => screens::execute(command, to).await,
            Self::Token(command) => tokens::execute(command, to).await,
            Self::User(command) => users::execute(command, to).await,
            Self::Webhook(command) => webhooks::execute(command, to).await,
            Self::Secrets(command) => secrets::execute(command, to).await,
            Self::Trail(command) => trail::execute(command, to).await,
        }
    }

    /// Returns whether the command only reads.
    pub(crate) fn is_list(&self) -> bool {
        matches!(
            self,
            Self::Account(AccountCommand::List)
                | Self::Location(LocationCommand::List)
                | Self::Screen(ScreenCommand::List)
                | Self::Token(TokenCommand::List { .. })
                | Self::User(UserCommand::List)
                | Self::Trail(_)
                | Self::Webhook(WebhookCommand::List | WebhookCommand::Deliveries { .. })
                | Self::Secrets(SecretCommand::Status)
        )
    }

    /// Returns whether the command stores a secret, for which a key is needed.
    pub(crate) fn seals(&self) -> bool {
        use WebhookCommand::{Create, Roll};
        matches!(self, Self::Webhook(Create { .. } | Roll { .. }))
    }

    /// Returns the result of the command as text.
    ///
    /// # Errors
    /// It is not a result of this command.
    pub(crate) fn text(&self, result: Value) -> serde_json::Result<String> {
        Ok(match self {
            Self::Account(command) => accounts::text(command, result)?,
            Self::Location(command) => locations::text(command, result)?,
            Self::Screen(command) => screens::text(command, result)?,
            Self::Token(command) => tokens::text(command, result)?,
            Self::User(command) => users::text(command, result)?,
            Self::Webhook(command) => webhooks::text(command, result)?,
            Self::Secrets(SecretCommand::Status) => secrets::text(result)?,
            Self::Trail(command) => trail::text(command, result)?,
        })
    }

    /// Returns the command for the rest of a result, if there is more.
    pub(crate) fn rest(&self, result: &Value) -> Option<Self> {
        match self {
            Self::Trail(command) => trail::rest(command, result).map(Self::Trail),
            Self::Account(command) => accounts::rest(command, result).map(Self::Account),
            _ => None,
        }
    }

    /// Returns whether a result is bad news, for the exit code.
    pub(crate) fn has_faults(&self, result: &Value) -> bool {
        matches!(self, Self::Trail(_)) && trail::has_faults(result)
    }

    /// Returns the note for a command executed without a running server.
    pub(crate) fn without_server(&self) -> Option<&'static str> {
        match self {
            Self::Account(command) => accounts::without_server(command),
            Self::User(command) => users::without_server(command),
            Self::Webhook(command) => webhooks::without_server(command),
            _ => None,
        }
    }
}

/// Makes a kind of command one of [`OwnerCommand`].
macro_rules! is_a {
    ($($kind:ident($command:ty),)*) => {
        $(impl From<$command> for OwnerCommand {
            fn from(command: $command) -> Self {
                Self::$kind(command)
            }
        })*
    };
}

is_a! {
    Account(AccountCommand),
    Location(LocationCommand),
    Screen(ScreenCommand),
    Token(TokenCommand),
    User(UserCommand),
    Webhook(WebhookCommand),
    Secrets(SecretCommand),
    Trail(TrailCommand),
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod transcripts;
