//! The document and the server's table of routes say the same.

use std::collections::BTreeSet;

use connect_server::routes::{API, DEVICE, Needs, lists};
use connect_tests::document::Document;

/// Method, path, and what a token needs; the document says the last in words.
#[test]
fn the_document_lists_exactly_the_routes_that_there_are() {
    let served: BTreeSet<_> = API
        .routes()
        .iter()
        .map(|route| {
            let scope = match &route.needs {
                Needs::Scope(scope) => Some(scope.to_string()),
                Needs::AnyScope(scopes) => {
                    let names: Vec<_> = scopes.iter().map(ToString::to_string).collect();
                    Some(names.join("` or `"))
                }
                Needs::Nothing | Needs::Screen(_) => None,
            };
            let path = route.path.replace("{location}", "{locationId}");
            let path = path.replace("/stock/{id}", "/stock/{productId}");
            let path = path.replace("{part}", "{optionId}");
            (route.method.to_string(), path, scope)
        })
        .collect();
    let document = Document::v1();
    let mut documented = BTreeSet::new();
    for path in document.paths() {
        for method in path.methods().iter().filter(|method| *method != "HEAD") {
            let operation = path.operation(method).unwrap();
            if operation["security"].as_array().is_some_and(Vec::is_empty) {
                continue;
            }
            let words = operation["description"].as_str().unwrap_or_default();
            let scope = words
                .strip_prefix("Needs `")
                .and_then(|rest| Some(rest.split_once("`.")?.0));
            let path = format!("{}{}", document.base(), path.template);
            documented.insert((method.clone(), path, scope.map(str::to_owned)));
        }
    }
    assert_eq!(served, documented);
}

#[test]
fn the_document_of_devices_lists_exactly_their_routes() {
    let routes = DEVICE.routes().iter();
    let served: BTreeSet<_> = routes
        .map(|route| (route.method.to_string(), route.path.clone()))
        .collect();
    let document = Document::device();
    let mut documented = BTreeSet::new();
    for path in document.paths() {
        for method in path.methods() {
            let path = format!("{}{}", document.base(), path.template);
            if path != "/device/v1/openapi.json" {
                documented.insert((method, path));
            }
        }
    }
    assert_eq!(served, documented);
}

/// The handles of a location, in the core and in the SDK, have a method for each list.
#[test]
fn every_kind_is_in_the_core_and_in_the_sdk() {
    let core = include_str!("../../connect-core/src/resources/locations.rs");
    let sdk = include_str!("../../connect-client/src/location.rs");
    let stock = (
        include_str!("../../connect-core/src/resources/stock/handles.rs"),
        include_str!("../../connect-client/src/resource/stock.rs"),
    );
    for path in lists() {
        let (above, segment) = path.rsplit_once('/').unwrap();
        let method = segment.replace('-', "_");
        let made = format!("pub fn {method}(&self) -> ");
        if above.ends_with("/stock") {
            let (core, sdk) = stock;
            assert!(core.contains(&made), "the core's stock has no {method}()");
            assert!(sdk.contains(&made), "the SDK's stock has no {method}()");
            continue;
        }
        assert!(core.contains(&made), "the core has no {method}()");
        let declared = sdk.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with(&format!("{method}: ")) && line.contains(&format!("{segment:?}"))
        });
        assert!(declared, "the SDK has no {method}()");
    }
}
