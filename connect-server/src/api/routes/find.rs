//! Looks up requests in the table.

use connect_core::wire::read::parse_uuid;
use http::Method;
use matchit::Router;
use uuid::Uuid;

use crate::api::endpoint::Route;

/// A table of endpoints, with look-up by method and path.
pub struct Table {
    routes: Vec<Route>,
    /// The indexes in `routes` of each path's endpoints.
    paths: Router<Vec<usize>>,
}

/// The result of a look-up in the table.
pub enum RouteMatch<'t> {
    /// The endpoint, and the ids in the path.
    Route {
        /// The endpoint.
        route: &'t Route,
        /// The ids in the path.
        ids: PathIds,
    },
    /// The path exists, but not with this method.
    OtherMethods {
        /// The path as it stands in the table.
        path: &'t str,
        /// The methods of the path.
        allowed: Vec<Method>,
    },
    /// No such path, or a malformed id in it.
    Nothing,
}

impl<'t> RouteMatch<'t> {
    /// Returns the template of the path, with names in place of ids.
    pub fn template(&self) -> Option<&'t str> {
        match self {
            Self::Route { route, .. } => Some(&route.path),
            Self::OtherMethods { path, .. } => Some(path),
            Self::Nothing => None,
        }
    }
}

/// The ids in a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathIds {
    /// `{location}`.
    pub location: Option<Uuid>,
    /// `{id}`: a record at the location.
    pub id: Option<Uuid>,
    /// `{part}`: a part of the record.
    pub part: Option<Uuid>,
}

impl Table {
    /// Makes a table of these endpoints.
    pub(crate) fn new(routes: Vec<Route>) -> Self {
        let mut paths = Router::new();
        for (at, route) in routes.iter().enumerate() {
            let is_first = routes[..at].iter().all(|other| other.path != route.path);
            if !is_first {
                continue;
            }
            let of_path = |(_, other): &(usize, &Route)| other.path == route.path;
            let of_path = routes.iter().enumerate().filter(of_path);
            let inserted = paths.insert(&route.path, of_path.map(|(at, _)| at).collect());
            // A table that contradicts itself has to be noticed by the first test that runs.
            let path = &route.path;
            assert!(inserted.is_ok(), "the path {path} is in the table twice");
        }
        Self { routes, paths }
    }

    /// The endpoints.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// Returns a hint for an unknown path.
    pub fn hint(&self, path: &str) -> String {
        const EXAMPLE: &str = "018f2f6e-4c1a-7000-8000-000000000001";
        const LONGEST: usize = 60;
        if let Ok(matched) = self.paths.at(path) {
            let mut ids = matched.params.iter().map(|(_, id)| id);
            if let Some(sent) = ids.find(|id| parse_uuid(id).is_none()) {
                let sent: String = sent.chars().take(LONGEST).collect();
                return format!(
                    "\"{sent}\" is no id: ids are UUIDs such as {EXAMPLE}, as lists return them"
                );
            }
        }
        let path = path.trim_end_matches('/');
        if self.paths.at(path).is_ok() {
            return "leave out the slash at the end".to_owned();
        }
        let rest = path.strip_prefix("/v1/").unwrap_or_default();
        let at_location = format!("/v1/locations/{EXAMPLE}/{rest}");
        if self.paths.at(&at_location).is_ok() {
            let rest: String = rest.chars().take(LONGEST).collect();
            return format!(
                "name the location, as in /v1/locations/{{location}}/{rest}; GET /v1/locations \
                 lists the locations"
            );
        }
        "see openapi.json for the paths".to_owned()
    }

    /// Looks up a method and a path.
    pub fn find(&self, method: &Method, path: &str) -> RouteMatch<'_> {
        let Ok(matched) = self.paths.at(path) else {
            return RouteMatch::Nothing;
        };
        let mut ids = PathIds::default();
        let slots = [
            (&mut ids.location, "location"),
            (&mut ids.id, "id"),
            (&mut ids.part, "part"),
        ];
        for (slot, name) in slots {
            match matched.params.get(name).map(parse_uuid) {
                Some(None) => return RouteMatch::Nothing,
                Some(found) => *slot = found,
                None => {}
            }
        }
        let wanted = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let mut of_path = matched.value.iter().map(|at| &self.routes[*at]);
        match of_path.clone().find(|route| route.method == *wanted) {
            Some(route) => RouteMatch::Route { route, ids },
            None => RouteMatch::OtherMethods {
                allowed: allowed(of_path.clone()),
                path: of_path.next().map_or("", |route| &route.path),
            },
        }
    }
}

/// The methods of a path, with HEAD after GET.
fn allowed<'t>(routes: impl Iterator<Item = &'t Route>) -> Vec<Method> {
    let mut methods = Vec::new();
    for route in routes {
        methods.push(route.method.clone());
        if route.method == Method::GET {
            methods.push(Method::HEAD);
        }
    }
    methods
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::API;

    const ID: &str = "018f2f6e-4c1a-7000-8000-000000000001";

    fn found(method: Method, path: &str) -> String {
        let found = API.find(&method, path);
        let path = found.template().unwrap_or("nothing");
        match &found {
            RouteMatch::Route { route, ids } => {
                let (has_location, has_id) = (ids.location.is_some(), ids.id.is_some());
                format!("{} {path} {has_location} {has_id}", route.method)
            }
            RouteMatch::OtherMethods { allowed, .. } => format!("{path} {allowed:?}"),
            RouteMatch::Nothing => path.to_owned(),
        }
    }

    #[test]
    fn paths_lead_to_their_routes() {
        let products = format!("/v1/locations/{ID}/products");
        let one = format!("{products}/{ID}");
        assert_eq!(
            found(Method::GET, "/v1/locations"),
            "GET /v1/locations false false"
        );
        assert_eq!(
            found(Method::HEAD, &one),
            "GET /v1/locations/{location}/products/{id} true true"
        );
        assert_eq!(
            found(Method::POST, &format!("{products}/batch")),
            "POST /v1/locations/{location}/products/batch true false"
        );
        assert_eq!(
            found(Method::PUT, &one),
            "/v1/locations/{location}/products/{id} [GET, HEAD, PATCH, DELETE]"
        );
        assert_eq!(
            found(Method::GET, &format!("{products}/batch")),
            "/v1/locations/{location}/products/batch [POST]"
        );
        assert_eq!(
            found(
                Method::GET,
                &one.to_uppercase()
                    .replace("/V1/LOCATIONS", "/v1/locations")
                    .replace("PRODUCTS", "products")
            ),
            "GET /v1/locations/{location}/products/{id} true true"
        );
        for path in [
            "/v1".to_owned(),
            format!("{products}/"),
            format!("{products}/x"),
            format!("{one}/x"),
            "/v1/locations/x/products".to_owned(),
            format!("/v1/locations/{}/products", ID.replace('-', "")),
            format!("/v1/locations/{{{ID}}}/products"),
        ] {
            assert_eq!(found(Method::GET, &path), "nothing", "{path}");
        }
        assert!(super::super::lists().any(|path| path.ends_with("/events")));
    }

    #[test]
    fn a_path_that_is_nearly_right_has_a_hint() {
        let products = format!("/v1/locations/{ID}/products");
        for (path, hint) in [
            (format!("{products}/"), "leave out the slash at the end"),
            (
                format!("{products}/{ID}//"),
                "leave out the slash at the end",
            ),
            (
                format!("{products}/BREAD-1"),
                "\"BREAD-1\" is no id: ids are UUIDs",
            ),
            (
                "/v1/locations/main/products".to_owned(),
                "\"main\" is no id: ids are UUIDs",
            ),
            (
                "/v1/products".to_owned(),
                "name the location, as in /v1/locations/{location}/products; GET /v1/locations",
            ),
            (
                "/v1/option-groups/batch".to_owned(),
                "name the location, as in /v1/locations/{location}/option-groups/batch;",
            ),
            ("/v1/goods".to_owned(), "see openapi.json"),
            ("/v1".to_owned(), "see openapi.json"),
        ] {
            let found = API.hint(&path);
            assert!(found.starts_with(hint), "{path}: {found}");
        }
        assert!(API.hint(&format!("{products}/{}", "x".repeat(9000))).len() < 200);
        assert!(
            API.hint(&format!("/v1/products/{}", "x".repeat(9000)))
                .len()
                < 200
        );
    }
}
