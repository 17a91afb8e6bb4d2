//! Looking up a request in the table.

use std::sync::LazyLock;

use connect_core::wire::read::parse_uuid;
use http::Method;
use matchit::Router;
use uuid::Uuid;

use super::ROUTES;
use crate::endpoint::Route;

/// The result of looking a request up in the table.
pub enum Found {
    /// The endpoint, and the ids in the path.
    Route {
        /// The endpoint.
        route: &'static Route,
        /// The ids in the path.
        ids: PathIds,
    },
    /// The path exists, but not with this method; with these it does.
    OtherMethods(Vec<Method>),
    /// No such path; also when an id in it is not a UUID.
    Nothing,
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

/// The routes of each path.
static ROUTER: LazyLock<Router<Vec<&'static Route>>> = LazyLock::new(|| {
    let mut paths: Vec<&str> = ROUTES.iter().map(|route| &*route.path).collect();
    paths.dedup();
    let mut router = Router::new();
    for path in paths {
        let routes = ROUTES.iter().filter(|route| route.path == path).collect();
        // A table that contradicts itself has to be noticed by the first test that runs.
        let inserted = router.insert(path, routes);
        assert!(
            inserted.is_ok(),
            "the path {path} stands twice in the table"
        );
    }
    router
});

/// Looks up a method and a path.
pub fn find(method: &Method, path: &str) -> Found {
    let Ok(matched) = ROUTER.at(path) else {
        return Found::Nothing;
    };
    let mut ids = PathIds::default();
    let slots = [
        (&mut ids.location, "location"),
        (&mut ids.id, "id"),
        (&mut ids.part, "part"),
    ];
    for (slot, name) in slots {
        match matched.params.get(name).map(parse_uuid) {
            Some(None) => return Found::Nothing,
            Some(found) => *slot = found,
            None => {}
        }
    }
    let wanted = if method == Method::HEAD {
        &Method::GET
    } else {
        method
    };
    match matched.value.iter().find(|route| route.method == *wanted) {
        Some(route) => Found::Route { route, ids },
        None => Found::OtherMethods(allowed(matched.value)),
    }
}

/// The methods of a path, HEAD with GET.
fn allowed(routes: &[&Route]) -> Vec<Method> {
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

    const ID: &str = "018f2f6e-4c1a-7000-8000-000000000001";

    fn found(method: Method, path: &str) -> String {
        match find(&method, path) {
            Found::Route { route, ids } => {
                format!(
                    "{} {} {} {}",
                    route.method,
                    route.path,
                    ids.location.is_some(),
                    ids.id.is_some()
                )
            }
            Found::OtherMethods(methods) => format!("{methods:?}"),
            Found::Nothing => "nothing".to_owned(),
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
        assert_eq!(found(Method::PUT, &one), "[GET, HEAD, PATCH, DELETE]");
        assert_eq!(found(Method::GET, &format!("{products}/batch")), "[POST]");
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
    }
}
