//! The parts of the dashboard, for the navigation and the request log.

use connect_core::UserRight;
use url::Url;

/// The beginning of all paths.
pub(super) const ROOT: &str = "/dashboard";

/// The path of the style sheet.
pub(super) const STYLE: &str = "/dashboard/style.css";

/// A reserved base address, to detect links to other hosts.
const HERE: &str = "http://dashboard.invalid/";

/// A part of the dashboard.
pub(super) struct Section {
    /// The first part of its paths, and its name in messages.
    pub(super) name: &'static str,
    pub(super) path: &'static str,
    /// The right of its users; `None` for all.
    pub(super) right: Option<UserRight>,
}

impl Section {
    const fn of(name: &'static str, path: &'static str, right: Option<UserRight>) -> Self {
        Self { name, path, right }
    }
}

/// The parts in groups, in the order of the navigation.
pub(super) const GROUPS: [(&str, &[Section]); 3] = [
    (
        "shop",
        &[
            Section::of("dashboard", ROOT, Some(UserRight::ReadSales)),
            Section::of("journal", "/dashboard/journal", Some(UserRight::ReadSales)),
            Section::of("orders", "/dashboard/orders", Some(UserRight::ReadSales)),
            Section::of(
                "products",
                "/dashboard/products",
                Some(UserRight::ReadCatalog),
            ),
            Section::of("stock", "/dashboard/stock", Some(UserRight::ReadCatalog)),
        ],
    ),
    (
        "integrations",
        &[
            Section::of("tokens", "/dashboard/tokens", Some(UserRight::ManageTokens)),
            Section::of("requests", REQUESTS, Some(UserRight::ManageTokens)),
            Section::of(
                "webhooks",
                "/dashboard/webhooks",
                Some(UserRight::ManageWebhooks),
            ),
            Section::of(
                "screens",
                "/dashboard/screens",
                Some(UserRight::ManageScreens),
            ),
            Section::of("usage", USAGE, None),
            Section::of("sandbox", SANDBOX, Some(UserRight::UseSandbox)),
            Section::of("components", COMPONENTS, Some(UserRight::UseSandbox)),
        ],
    ),
    (
        "people",
        &[
            Section::of("users", "/dashboard/users", Some(UserRight::ManageUsers)),
            Section::of(
                "activity",
                "/dashboard/activity",
                Some(UserRight::ReadTrail),
            ),
            Section::of("account", "/dashboard/account", None),
            Section::of(
                "privacy",
                "/dashboard/privacy",
                Some(UserRight::ManagePrivacy),
            ),
        ],
    ),
];

/// The address of the API, and the used part of the limits.
pub(super) const USAGE: &str = "/dashboard/usage";

/// The last requests of tokens.
pub(super) const REQUESTS: &str = "/dashboard/requests";

/// The parts of the demo alone: the simulation, and all components of pages.
pub(super) const SANDBOX: &str = "/dashboard/sandbox";
pub(super) const COMPONENTS: &str = "/dashboard/components";

/// The search, in the frame of each page.
pub(super) const SEARCH: &str = "/dashboard/search";

/// The parts open without a session.
const OPEN: &[&str] = &[
    "/dashboard/sign-in",
    "/dashboard/sign-out",
    "/dashboard/forgotten",
    "/dashboard/invitations",
    STYLE,
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

/// Returns all parts, including the open ones.
pub(crate) fn areas() -> impl Iterator<Item = &'static str> {
    let sections = GROUPS.iter().flat_map(|(_, sections)| *sections);
    let sections = sections.map(|section| section.path);
    sections.chain([SEARCH]).chain(OPEN.iter().copied())
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
            ("/dashboard/search", "/dashboard/search"),
            ("/dashboard/invitations/secret", "/dashboard/invitations"),
            ("/dashboard/secret", "/dashboard"),
        ] {
            assert_eq!(area(path), part, "{path}");
        }
    }
}
