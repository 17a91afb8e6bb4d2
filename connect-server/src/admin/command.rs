//! A command as a value, and its execution.

use connect_core::{Connect, Error};
use serde::{Deserialize, Serialize};

use super::screens::{self, ScreenCommand};

/// A command of the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AdminCommand {
    /// About screens.
    Screen(ScreenCommand),
}

/// Executes a command.
///
/// # Errors
/// Something that the command names is not there, or a value of it is not allowed.
pub(super) async fn execute(
    connect: &Connect,
    command: AdminCommand,
) -> Result<serde_json::Value, Error> {
    match command {
        AdminCommand::Screen(command) => {
            let screens = screens::execute(connect, command).await?;
            // Our own shapes have string keys only: this cannot fail.
            Ok(serde_json::to_value(screens).unwrap_or_default())
        }
    }
}
