//! A command as a value, its execution, and its result.
//!
//! A new kind of command is a module like [`screens`] and a line in each `match` here.

use connect_core::{Connect, Error};
use http::HeaderName;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    accounts::{self, AccountCommand},
    locations::{self, LocationCommand},
    screens::{self, ScreenCommand},
    tokens::{self, TokenCommand},
    webhooks::{self, WebhookCommand},
};
use crate::telemetry::audit::{Action, Subject};

/// The server's path for commands.
pub(crate) const PATH: &str = "/admin/v1/commands";

/// The header of every response to a command with the right key.
/// Other programs do not send it.
pub(crate) const MARK: HeaderName = HeaderName::from_static("connect-command");

/// The header with the operator's name, for the log.
///
/// Any caller with the key may write anything there.
pub(crate) const OPERATOR: HeaderName = HeaderName::from_static("connect-operator");

/// Returns a user's name if it fits the log, or `None`.
///
/// It has up to 64 letters, digits and `. _ - @`.
pub(crate) fn operator_name(name: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-@".contains(c);
    let is_name = (1..=64).contains(&name.len()) && name.chars().all(is_plain);
    is_name.then(|| name.to_owned())
}

/// A command of the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AdminCommand {
    /// About accounts.
    Account(AccountCommand),
    /// About locations.
    Location(LocationCommand),
    /// About screens.
    Screen(ScreenCommand),
    /// About tokens.
    Token(TokenCommand),
    /// About webhooks.
    Webhook(WebhookCommand),
}

impl AdminCommand {
    /// Executes the command and returns its result as JSON.
    /// Notes its object in `subject` as soon as it is known. `owner_url` is the address of the
    /// owner's listener, when a server runs.
    ///
    /// # Errors
    /// An object of the command does not exist, or a value is not allowed.
    pub(crate) async fn execute(
        &self,
        connect: &Connect,
        owner_url: Option<&str>,
        subject: &mut Subject,
    ) -> Result<Value, Error> {
        Ok(match self {
            Self::Account(command) => {
                json(&accounts::execute(connect, command, owner_url, subject).await?)
            }
            Self::Location(command) => json(&locations::execute(connect, command, subject).await?),
            Self::Screen(command) => json(&screens::execute(connect, command, subject).await?),
            Self::Token(command) => json(&tokens::execute(connect, command, subject).await?),
            Self::Webhook(command) => json(&webhooks::execute(connect, command, subject).await?),
        })
    }

    /// Returns the action of the command, for the log; `None` for a list.
    pub(crate) fn action(&self) -> Option<Action> {
        Some(match self {
            Self::Account(command) => match command {
                AccountCommand::Create { .. } => Action::CreateAccount,
                AccountCommand::Change { .. } => Action::ChangeAccount,
                AccountCommand::Invite { .. } => Action::InviteOwner,
                AccountCommand::List => return None,
            },
            Self::Location(command) => match command {
                LocationCommand::Create { .. } => Action::CreateLocation,
                LocationCommand::Change { .. } => Action::ChangeLocation,
                LocationCommand::List => return None,
            },
            Self::Screen(command) => match command {
                ScreenCommand::Create { .. } => Action::CreateScreen,
                ScreenCommand::Roll { .. } => Action::RollScreenKey,
                ScreenCommand::Revoke { .. } => Action::RevokeScreenKey,
                ScreenCommand::Change { .. } => Action::ChangeScreen,
                ScreenCommand::Delete { .. } => Action::DeleteScreen,
                ScreenCommand::List => return None,
            },
            Self::Token(command) => match command {
                TokenCommand::Create { .. } => Action::CreateToken,
                TokenCommand::Revoke { .. } => Action::RevokeToken,
                TokenCommand::List { .. } => return None,
            },
            Self::Webhook(command) => match command {
                WebhookCommand::Create { .. } => Action::CreateWebhook,
                WebhookCommand::Change { .. } => Action::ChangeWebhook,
                WebhookCommand::Test { .. } => Action::TestWebhook,
                WebhookCommand::Roll { .. } => Action::RollWebhookSecret,
                WebhookCommand::Enable { .. } => Action::EnableWebhook,
                WebhookCommand::Disable { .. } => Action::DisableWebhook,
                WebhookCommand::Delete { .. } => Action::DeleteWebhook,
                WebhookCommand::Resend { .. } => Action::ResendDeliveries,
                WebhookCommand::List | WebhookCommand::Deliveries { .. } => return None,
            },
        })
    }

    /// Returns the result of the command as text.
    ///
    /// # Errors
    /// It is not a result of this command.
    pub(super) fn text(&self, result: Value) -> serde_json::Result<String> {
        Ok(match self {
            Self::Account(command) => accounts::text(command, result)?,
            Self::Location(command) => locations::text(command, result)?,
            Self::Screen(command) => screens::text(command, result)?,
            Self::Token(command) => tokens::text(command, result)?,
            Self::Webhook(command) => webhooks::text(command, result)?,
        })
    }

    /// Returns the note for a command executed without a running server.
    pub(super) fn without_server(&self) -> Option<&'static str> {
        match self {
            Self::Account(command) => accounts::without_server(command),
            Self::Webhook(command) => webhooks::without_server(command),
            _ => None,
        }
    }
}

/// Converts a result to JSON.
/// Our own types have string keys only, so this cannot fail.
fn json(result: &impl Serialize) -> Value {
    serde_json::to_value(result).unwrap_or_default()
}
