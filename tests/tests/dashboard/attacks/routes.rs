//! The table of routes, read from its source: what it has and a test leaves out is named.

use connect_core::{Role, UserRight};

/// The file with the table.
const SOURCE: &str = include_str!("../../../../connect-server/src/dashboard/pages/mod.rs");

/// The user pages without an account of [`Filled`](super::super::filled::Filled): those of the demo alone, and the
/// ways onward from the sign-in.
const ELSEWHERE: [&str; 4] = ["sandbox", "components", "sign-in", "sign-in/passkey"];

/// A page or a form.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Route {
    /// The path below the dashboard, with `{}` for an id.
    pub(super) path: &'static str,
    pub(super) is_form: bool,
    pub(super) visitors: Visitors,
}

/// Those who have a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visitors {
    Anybody,
    Users,
    With(UserRight),
}

impl Visitors {
    /// Returns whether the users with a role have the page.
    pub(super) fn have(self, role: Role) -> bool {
        match self {
            Self::Anybody | Self::Users => true,
            Self::With(right) => role.includes(right),
        }
    }
}

impl Route {
    /// Reads a line of the table, as in `page("usage", User(..`.
    fn read(line: &'static str) -> Self {
        let path = line.split('"').nth(1).unwrap();
        let (_, rest) = line.split_once(&format!("\"{path}\"")).unwrap();
        let words = ["Open(", "User(", "Sandbox(", "With("];
        let places = words
            .iter()
            .filter_map(|word| Some((rest.find(word)?, *word)));
        let (at, word) = places.min().unwrap();
        let visitors = match word {
            "Open(" => Visitors::Anybody,
            "User(" => Visitors::Users,
            "Sandbox(" => Visitors::With(UserRight::UseSandbox),
            _ => {
                let name = rest[at + word.len()..].split(',').next().unwrap();
                let mut rights = UserRight::all();
                let right = rights.find(|right| format!("{right:?}") == name);
                Visitors::With(right.unwrap_or_else(|| panic!("no right {name}")))
            }
        };
        Self {
            path,
            is_form: line.starts_with("form("),
            visitors,
        }
    }

    /// Its address, with this for each id.
    pub(super) fn address(&self, id: &str) -> String {
        let path = format!("/dashboard/{}", self.path.replace("{}", id));
        path.trim_end_matches('/').to_owned()
    }

    /// Returns whether it is a page, or a form, of users who are signed in.
    fn is_of_users(&self, is_form: bool) -> bool {
        self.is_form == is_form && self.visitors != Visitors::Anybody
    }

    fn is_at(&self, path: &str) -> bool {
        let parts = |path: &'static str| path.split('/').filter(|part| !part.is_empty());
        let mut pattern = parts(self.path);
        for part in path.split('/').filter(|part| !part.is_empty()) {
            match pattern.next() {
                Some(own) if own == "{}" || own == part => {}
                _ => return false,
            }
        }
        pattern.next().is_none()
    }
}

/// All routes, in their order.
pub(in super::super) fn all() -> Vec<Route> {
    let (_, table) = SOURCE.split_once("static ROUTES").unwrap();
    let (table, _) = table.split_once("\n];").unwrap();
    table.split("Route::").skip(1).map(Route::read).collect()
}

/// The routes of a kind that none of these paths below the dashboard is of. As in the server, a path is of the
/// first that it fits.
fn left_out<'p>(
    is_of_kind: impl Fn(&Route) -> bool,
    paths: impl Iterator<Item = &'p str>,
) -> Vec<&'static str> {
    let mut left: Vec<_> = all()
        .into_iter()
        .filter(|route| is_of_kind(route))
        .collect();
    let routes = left.clone();
    for path in paths {
        let path = path.split('?').next().unwrap();
        let found = routes.iter().find(|route| route.is_at(path));
        let found = found.unwrap_or_else(|| panic!("no route for {path:?}"));
        left.retain(|route| route.path != found.path);
    }
    left.iter().map(|route| route.path).collect()
}

/// The forms of visitors that none of these paths is of.
pub(super) fn open_forms_but(paths: &[&str]) -> Vec<&'static str> {
    let is_open = |route: &Route| route.is_form && route.visitors == Visitors::Anybody;
    left_out(is_open, paths.iter().copied())
}

/// Holds that there is an address of each page of a user, and a path of each form.
#[track_caller]
pub(in super::super) fn assert_complete(pages: &[String], forms: &[String]) {
    let pages = pages
        .iter()
        .map(|page| page.strip_prefix("/dashboard").unwrap());
    let mut pages = left_out(|route| route.is_of_users(false), pages);
    pages.retain(|path| !ELSEWHERE.contains(path));
    let forms = forms.iter().map(|form| &**form);
    let forms = left_out(|route| route.is_of_users(true), forms);
    assert_eq!((pages, forms), (Vec::new(), Vec::new()), "not tried");
}

#[test]
fn the_table_is_read_whole() {
    let all = all();
    let forms = all.iter().filter(|route| route.is_form).count();
    let lines = SOURCE.lines().map(str::trim);
    let lines =
        lines.filter(|line| line.starts_with("Route::page(") || line.starts_with("Route::form("));
    assert_eq!(all.len(), lines.count());
    assert!(all.len() > 100 && forms > 60, "{} and {forms}", all.len());
    for (path, is_form, visitors) in [
        ("", false, Visitors::Users),
        ("journal", false, Visitors::With(UserRight::ReadSales)),
        (
            "products/import",
            true,
            Visitors::With(UserRight::ChangeCatalog),
        ),
        ("sandbox", true, Visitors::With(UserRight::UseSandbox)),
        ("sign-out", true, Visitors::Users),
        ("invitations/{}", true, Visitors::Anybody),
    ] {
        let mut routes = all.iter();
        let found = routes.find(|route| route.path == path && route.is_form == is_form);
        assert_eq!(found.unwrap().visitors, visitors, "{path}");
    }
    for (pages, left) in [(&["stock/count"][..], true), (&["stock/1"], false)] {
        let left_out = left_out(|route| route.is_of_users(false), pages.iter().copied());
        assert_eq!(left_out.contains(&"stock/{}"), left, "{pages:?}");
        assert_eq!(left_out.contains(&"stock/count"), !left, "{pages:?}");
    }
}
