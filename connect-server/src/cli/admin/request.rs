//! The request of a command to a running server.

use http::HeaderName;

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
