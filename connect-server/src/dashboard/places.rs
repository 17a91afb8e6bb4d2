//! The parts of the dashboard: its navigation, and what the log of requests calls them.

use connect_core::IssuedInvitation;

/// The beginning of all paths.
pub(super) const ROOT: &str = "/dashboard";

/// The parts, in the order of the navigation: path and name.
pub(super) const SECTIONS: &[(&str, &str)] = &[
    (ROOT, "Overview"),
    ("/dashboard/day", "Day"),
    ("/dashboard/journal", "Journal"),
    ("/dashboard/orders", "Orders"),
    ("/dashboard/products", "Products"),
    ("/dashboard/stock", "Stock"),
    ("/dashboard/tokens", "Tokens"),
    ("/dashboard/webhooks", "Webhooks"),
    ("/dashboard/screens", "Screens"),
    ("/dashboard/account", "Account"),
];

/// The part that the demo has besides.
pub(super) const SANDBOX: (&str, &str) = ("/dashboard/sandbox", "Sandbox");

/// The parts that are open to everybody.
const OPEN: &[&str] = &[
    "/dashboard/sign-in",
    "/dashboard/sign-out",
    "/dashboard/invitations",
    "/dashboard/style.css",
];

/// Returns the path at which an owner accepts an invitation.
pub(crate) fn invitation_path(invitation: &IssuedInvitation) -> String {
    format!("/dashboard/invitations/{}", invitation.secret.expose())
}

/// Returns all parts, also those that only some have.
pub(crate) fn areas() -> impl Iterator<Item = &'static str> {
    let sections = SECTIONS.iter().map(|(section, _)| *section);
    sections.chain([SANDBOX.0]).chain(OPEN.iter().copied())
}

/// Returns the part to which a path belongs, for the log. The rest of the path may be a secret.
pub(crate) fn area(path: &str) -> &'static str {
    let is_in = |section: &&str| {
        let rest = path.strip_prefix(section);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    areas()
        .filter(|section| *section != ROOT)
        .find(is_in)
        .unwrap_or(ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_no_more_of_a_path_than_its_part() {
        for (path, part) in [
            ("/dashboard", "/dashboard"),
            ("/dashboard/tokens", "/dashboard/tokens"),
            ("/dashboard/tokens/1/revoke", "/dashboard/tokens"),
            ("/dashboard/tokensx", "/dashboard"),
            ("/dashboard/invitations/secret", "/dashboard/invitations"),
            ("/dashboard/secret", "/dashboard"),
        ] {
            assert_eq!(area(path), part, "{path}");
        }
    }
}
