//! The count of stored secrets, by the key that seals them.

use connect_core::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::execution::{Execution, Shown, known};

/// A command about stored secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SecretCommand {
    /// Counts them.
    Status,
}

/// The stored secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SecretsView {
    /// The keys, the first one first, and then the missing ones.
    keys: Vec<KeyView>,
    /// The number of secrets in clear.
    clear: usize,
    /// The number of secrets that do not open.
    unopened: usize,
}

/// A key, and the secrets sealed by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeyView {
    id: String,
    secrets: usize,
    /// Set if the server does not have it.
    missing: bool,
}

/// Executes a command.
///
/// # Errors
/// The store cannot be read, or an owner asks.
pub(super) async fn execute<'a>(
    SecretCommand::Status: &SecretCommand,
    to: &mut Execution<'a>,
) -> Result<Shown<'a>, Error> {
    to.check_operator()?;
    let stored = to.connect.stored_secrets().await?;
    let missing = stored
        .by_key
        .keys()
        .filter(|key| !stored.keys.contains(key));
    let view = |key, missing| KeyView {
        id: ToString::to_string(key),
        secrets: stored.by_key.get(key).copied().unwrap_or_default(),
        missing,
    };
    let present = stored.keys.iter().map(|key| view(key, false));
    Ok(known(SecretsView {
        keys: present.chain(missing.map(|key| view(key, true))).collect(),
        clear: stored.clear,
        unopened: stored.unopened,
    }))
}

/// Returns the result of a command as text.
///
/// # Errors
/// It is not a result of this command.
pub(super) fn text(result: Value) -> serde_json::Result<String> {
    let view: SecretsView = serde_json::from_value(result)?;
    let mut lines = Vec::new();
    for (place, key) in view.keys.iter().enumerate() {
        let note = match (key.missing, place, key.secrets) {
            (true, ..) => "missing: bring the key back, or give these webhooks new secrets",
            (false, 0, _) => "seals new secrets",
            (false, _, 0) => "needed for older backups only",
            (false, ..) => "its secrets are sealed by the first key within minutes",
        };
        lines.push(format!("{}  {} secrets  {note}", key.id, key.secrets));
    }
    if view.keys.iter().all(|key| key.missing) {
        lines.push("The server has no key: no secret can be stored.".to_owned());
    }
    if view.clear > 0 {
        let clear = view.clear;
        lines.push(format!(
            "{clear} secrets are in clear, from an older version; a server seals them."
        ));
    }
    if view.unopened > 0 {
        let unopened = view.unopened;
        lines.push(format!(
            "{unopened} secrets do not open; `connect-server webhook list` names the webhooks."
        ));
    }
    Ok(lines.join("\n"))
}
