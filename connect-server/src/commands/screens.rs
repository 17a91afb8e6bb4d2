//! Screens: made, listed, given new keys and revoked.

use std::{future::ready, ops::Not};

use clap::Subcommand;
use connect_core::{
    Account, Connect, Error, NewScreen, Screen, ScreenKey, ScreenType,
    wire::{Id, Location, Timestamp},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    ShownOnce,
    execution::{Execution, OfAccount, Shown, known, shown},
};
use crate::{sandbox::check_name, telemetry::audit::Action};

/// A command about screens: registers, kiosks, and Scan & Order.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScreenCommand {
    /// Make a screen. Its key is shown this once.
    Create {
        /// The location where it stands.
        #[arg(long, value_name = "ID")]
        location: Id<Location>,
        /// The type: pos, order_kiosk or scan_and_order.
        #[arg(long = "type", value_name = "TYPE", value_parser = screen_type)]
        kind: ScreenType,
        /// The name, 1 to 100 characters.
        #[arg(long)]
        name: String,
        /// Set for a screen without a key, as the dashboard makes them.
        #[arg(skip)]
        #[serde(default, skip_serializing_if = "Not::not")]
        no_key: bool,
    },
    /// List all screens, without their keys.
    List,
    /// Give a screen a new key, which is shown this once. The old one is refused from then on.
    Roll {
        /// The screen.
        id: Id<Screen>,
    },
    /// Take the key of a screen away. The screen stays; `roll` gives it another key.
    Revoke {
        /// The screen.
        id: Id<Screen>,
    },
    /// Give a screen another name. What it wrote before keeps the former one.
    Change {
        /// The screen.
        id: Id<Screen>,
        /// The name, 1 to 100 characters.
        #[arg(long)]
        name: String,
    },
    /// Delete a screen with its key. What it wrote stays. The API refuses the tokens of an account
    /// without screens.
    Delete {
        /// The screen.
        id: Id<Screen>,
    },
}

fn screen_type(text: &str) -> Result<ScreenType, String> {
    let parsed = serde_json::from_value(text.into());
    parsed.map_err(|_| "must be pos, order_kiosk or scan_and_order".to_owned())
}

/// A screen as shown by commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScreenView {
    /// Its id.
    pub id: Id<Screen>,
    /// Its location.
    pub location_id: Id<Location>,
    /// The type.
    #[serde(rename = "type")]
    pub kind: ScreenType,
    /// Its name.
    pub name: String,
    /// The value of its key, if the command made the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<ShownOnce>,
    /// The first characters of its key; `null` when it has none.
    pub key_prefix: Option<String>,
    /// The time of the key's creation.
    pub key_created_at: Option<Timestamp>,
}

impl OfAccount for Screen {
    const NAME: &'static str = "screen";

    async fn is_of(id: Id<Self>, account: Id<Account>, connect: &Connect) -> Result<bool, Error> {
        let account = connect.account(account).await?;
        Ok(account.screens.iter().any(|screen| screen.id == id))
    }
}

/// Executes a command. Its result has screens.
///
/// # Errors
/// There is no such location or screen, or the name is not allowed.
pub(super) async fn execute<'a>(
    command: &ScreenCommand,
    to: &mut Execution<'a>,
) -> Result<Shown<'a>, Error> {
    let connect = to.connect;
    match command {
        ScreenCommand::List => {
            let mut all = Vec::new();
            for account in to.accounts().await? {
                let screens = connect.screens(account).await?;
                let views = screens.into_iter();
                all.extend(views.map(|(screen, key)| view(screen, key, None)));
            }
            Ok(known(all))
        }
        ScreenCommand::Create {
            location,
            kind,
            name,
            no_key,
        } => {
            let account = to.new_in(Action::CreateScreen, None, &[*location]).await?;
            check_name(&connect.account(account).await?, name)?;
            let new = NewScreen {
                location_id: *location,
                kind: *kind,
                name: name.clone(),
            };
            let screen = connect.create_screen(account, new).await?;
            to.subject.is(screen.id);
            if *no_key {
                return Ok(known([view(screen, None, None)]));
            }
            with_new_key(to, account, screen.id).await
        }
        ScreenCommand::Roll { id } => {
            let account = to.on(Action::RollScreenKey, *id).await?;
            with_new_key(to, account, *id).await
        }
        ScreenCommand::Revoke { id } => {
            let account = to.on(Action::RevokeScreenKey, *id).await?;
            connect.revoke_screen_key(account, *id).await?;
            Ok(shown(views(connect, account, *id, None)))
        }
        ScreenCommand::Change { id, name } => {
            let account = to.on(Action::ChangeScreen, *id).await?;
            check_name(&connect.account(account).await?, name)?;
            connect.rename_screen(account, *id, name).await?;
            Ok(shown(views(connect, account, *id, None)))
        }
        ScreenCommand::Delete { id } => {
            let account = to.on(Action::DeleteScreen, *id).await?;
            let deleted = views(connect, account, *id, None).await;
            connect.delete_screen(account, *id).await?;
            Ok(shown(ready(deleted)))
        }
    }
}

/// Gives a screen a new key and returns the screen with it.
async fn with_new_key<'a>(
    to: &mut Execution<'a>,
    account: Id<Account>,
    id: Id<Screen>,
) -> Result<Shown<'a>, Error> {
    let secret = to.connect.roll_screen_key(account, id).await?;
    let key = to.show_once(&secret);
    Ok(shown(views(to.connect, account, id, Some(key))))
}

async fn views(
    connect: &Connect,
    account: Id<Account>,
    id: Id<Screen>,
    key: Option<ShownOnce>,
) -> Result<Vec<ScreenView>, Error> {
    let screens = connect.screens(account).await?;
    let found = screens.into_iter().find(|(screen, _)| screen.id == id);
    let found = found.map(|(screen, screen_key)| view(screen, screen_key, key));
    Ok(found.into_iter().collect())
}

fn view(screen: Screen, screen_key: Option<ScreenKey>, key: Option<ShownOnce>) -> ScreenView {
    ScreenView {
        id: screen.id,
        location_id: screen.location_id,
        kind: screen.kind,
        name: screen.name,
        key,
        key_created_at: screen_key.as_ref().map(|key| key.created_at),
        key_prefix: screen_key.map(|key| key.prefix),
    }
}

/// Returns the result of a command as text.
///
/// # Errors
/// It is not a result of this command.
pub(super) fn text(command: &ScreenCommand, result: Value) -> serde_json::Result<String> {
    let screens: Vec<ScreenView> = serde_json::from_value(result)?;
    Ok(match command {
        ScreenCommand::Delete { id } => format!("{id} was deleted."),
        _ => lines(&screens),
    })
}

/// Formats screens, one per line.
fn lines(screens: &[ScreenView]) -> String {
    if screens.is_empty() {
        return "There are no screens. `connect-server screen create` makes one.".to_owned();
    }
    let line = |screen: &ScreenView| {
        let kind = serde_json::to_value(screen.kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default();
        let key = match (&screen.key, &screen.key_prefix) {
            (Some(key), _) => format!("key {}  (shown this once)", key.expose()),
            (None, Some(prefix)) => format!("key {prefix}..."),
            (None, None) => "no key".to_owned(),
        };
        let (id, location, name) = (screen.id, screen.location_id, &screen.name);
        format!("{id}  {kind:<14}  at {location}  {name}  {key}")
    };
    let lines: Vec<_> = screens.iter().map(line).collect();
    lines.join("\n")
}
