//! The parts of the dashboard, for the navigation and the request log.

use connect_core::UserRight;
use url::Url;

/// The beginning of all paths.
pub(super) const ROOT: &str = "/dashboard";

/// A reserved base address, to detect links to other hosts.
const HERE: &str = "http://dashboard.invalid/";

/// The parts, in the order of the navigation: path, name, and the right of its users.
pub(super) const SECTIONS: &[(&str, &str, Option<UserRight>)] = &[
    (ROOT, "Overview", None),
    ("/dashboard/day", "Day", Some(UserRight::ReadSales)),
    ("/dashboard/journal", "Journal", Some(UserRight::ReadSales)),
    ("/dashboard/orders", "Orders", Some(UserRight::ReadSales)),
    (
        "/dashboard/products",
        "Products",
        Some(UserRight::ReadCatalog),
    ),
    ("/dashboard/stock", "Stock", Some(UserRight::ReadCatalog)),
    ("/dashboard/tokens", "Tokens", Some(UserRight::ManageTokens)),
    (
        "/dashboard/webhooks",
        "Webhooks",
        Some(UserRight::ManageWebhooks),
    ),
    (
        "/dashboard/screens",
        "Screens",
        Some(UserRight::ManageScreens),
    ),
    ("/dashboard/users", "Users", Some(UserRight::ManageUsers)),
    (
        "/dashboard/activity",
        "Activity",
        Some(UserRight::ReadTrail),
    ),
    ("/dashboard/account", "Account", None),
    (
        "/dashboard/privacy",
        "Privacy",
        Some(UserRight::ManagePrivacy),
    ),
];

/// The additional part of the demo.
pub(super) const SANDBOX: &str = "/dashboard/sandbox";

/// The parts open without a session.
const OPEN: &[&str] = &[
    "/dashboard/sign-in",
    "/dashboard/sign-out",
    "/dashboard/forgotten",
    "/dashboard/invitations",
    "/dashboard/style.css",
];

/// Returns the dashboard page of an address, as understood by browsers.
/// Returns `None` if the address leads anywhere else, above all to another host.
pub(super) fn page_at(address: &str) -> Option<String> {
    let here = Url::parse(HERE).ok()?;
    let found = here.join(address).ok()?;
    let rest = found.path().strip_prefix(ROOT)?;
    if found.origin() != here.origin() || !(rest.is_empty() || rest.starts_with('/')) {
        return None;
    }
    let query = found.query().map(|query| format!("?{query}"));
    Some(format!("{}{}", found.path(), query.unwrap_or_default()))
}

/// Returns all parts, including the demo's and the open ones.
pub(crate) fn areas() -> impl Iterator<Item = &'static str> {
    let sections = SECTIONS.iter().map(|(section, ..)| *section);
    sections.chain([SANDBOX]).chain(OPEN.iter().copied())
}

/// Returns the part of a path, for the log.
/// The rest of the path may be a secret.
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
    fn an_address_leads_to_a_page_of_the_dashboard_or_nowhere() {
        for page in [
            "/dashboard",
            "/dashboard/day?at=1&date=2026-11-20",
            "/dashboard/webhooks/1",
            "/dashboard/x?next=//evil.example",
            "/dashboard//evil.example",
            "/dashboard/%2f%2fevil.example",
            "/dashboard?%0d%0aset-cookie:%20a=b",
        ] {
            assert_eq!(page_at(page).as_deref(), Some(page));
        }
        for elsewhere in [
            "",
            "/",
            "day",
            "//evil.example",
            "//evil.example/dashboard",
            "/\\evil.example/dashboard",
            "\\\\evil.example/dashboard",
            "/\t/evil.example/dashboard",
            "\n//evil.example/dashboard",
            " //evil.example/dashboard",
            "https://evil.example/dashboard",
            "http:evil.example/dashboard",
            "https:/dashboard",
            "//dashboard.invalid:8080/dashboard",
            "https://dashboard.invalid/dashboard",
            "%2f%2fevil.example/dashboard",
            "/%2fevil.example/dashboard",
            "javascript:alert(1)//dashboard",
            "data:text/html,/dashboard",
            "/dashboard@evil.example",
            "/dashboards",
            "/dashboard/..//evil.example",
            "/dashboard/%2e%2e/%2e%2e//evil.example",
            "/dashboard/..\\\\evil.example",
        ] {
            assert_eq!(page_at(elsewhere), None, "{elsewhere:?}");
        }
        // The header gets the parsed address, without control characters.
        for (typed, page) in [
            ("/dash\tboard/\r\nday", "/dashboard/day"),
            ("/dashboard\\day", "/dashboard/day"),
            (
                "/dashboard/day\u{0}\u{7f}é?é",
                "/dashboard/day%00%7F%C3%A9?%C3%A9",
            ),
            ("/dashboard/x/../day#part", "/dashboard/day"),
        ] {
            assert_eq!(page_at(typed).as_deref(), Some(page));
        }
    }

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
