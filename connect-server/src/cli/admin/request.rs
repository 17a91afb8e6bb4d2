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

#[cfg(test)]
mod tests {
    use super::*;

    /// A name could else forge the rest of a line of the log.
    #[test]
    fn a_name_that_does_not_fit_the_log_is_left_out() {
        let (long, longer) = ("x".repeat(64), "x".repeat(65));
        for (name, is_name) in [
            ("noor.de-wit_7@shop", true),
            (&long, true),
            ("", false),
            (&longer, false),
            ("noor status=200", false),
        ] {
            assert_eq!(operator_name(name).is_some(), is_name, "{name}");
        }
    }
}
