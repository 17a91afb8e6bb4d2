//! What a page says about the action before it.
//!
//! An action ends with a redirect, so that a reload repeats nothing. The address has the name of a
//! notice: nobody can have a page say anything else by a link.

/// The notices by their names.
const NOTICES: &[(&str, &str)] = &[
    ("account-changed", "The account was changed."),
    (
        "password-changed",
        "The password was changed. You are signed out everywhere else.",
    ),
    (
        "password-set",
        "Your password is set, and you are signed in.",
    ),
    ("signed-out", "You are signed out."),
    (
        "token-revoked",
        "The token was revoked. It is refused from now on.",
    ),
];

/// Returns the text of a notice.
pub(super) fn text(name: &str) -> Option<&'static str> {
    let found = NOTICES.iter().find(|(other, _)| *other == name);
    found.map(|(_, text)| *text)
}

/// Returns the address of a page that shows a notice.
pub(super) fn at(path: &str, name: &str) -> String {
    debug_assert!(text(name).is_some(), "there is no notice {name}");
    format!("{path}?done={name}")
}
