//! Each role, in the whole account and at one location, at each page, each file and each form.

use connect_core::Role;
use connect_tests::process::Process;
use http::StatusCode;

use super::{
    super::{
        browser::{Browser, text},
        demo,
        filled::between,
    },
    routes::{self, Visitors},
};

/// The id of nothing.
const NOTHING: &str = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";

/// What those alone have on the pages of products and stock who may change them.
const OF_CHANGES: [&str; 6] = [
    "<form id=\"edit\"",
    "edit=",
    "name=\"do\" value=\"delete\"",
    "/dashboard/products/import",
    "/dashboard/products/undo",
    "/dashboard/stock/count",
];

/// A new user with a role, in the whole account or at one location.
async fn person(
    server: &Process,
    owner: &mut Browser,
    role: Role,
    location: Option<&str>,
) -> Browser {
    owner.read("/dashboard/users").await;
    let (role, place) = (role.name(), location.unwrap_or_default());
    let email = format!("{role}.{}@shops.example", place.len());
    let field = location.map_or("role".to_owned(), |at| format!("role-{at}"));
    let fields = [
        ("name", role),
        ("email", &*email),
        ("language", "en"),
        (&*field, role),
    ];
    let made = owner.submit("/dashboard/users", &fields).await.expect(303);
    let page = made.header("location").unwrap().split('?').next().unwrap();
    let invited = text(&owner.submit(&format!("{page}/invite"), &[]).await);
    let shown = "id=\"shown-once\" type=\"text\" readonly value=\"";
    Browser::of_owner(server, between(&invited, shown, "\"")).await
}

#[tokio::test]
async fn each_role_has_its_pages_files_and_forms_and_no_others() {
    let (server, mut owner) = demo().await;
    let places = [0, 1].map(|place| server.welcome["locations"][place]["id"].as_str().unwrap());
    // The bar to undo is on the page once there is something to undo.
    let page = owner.read("/dashboard/products").await;
    let is_id = |rest: &&str| rest.starts_with(|first: char| first.is_ascii_digit());
    let product = page.split("edit=").find(is_id).unwrap()[..36].to_owned();
    let off = [("do", "off"), ("id", &*product), ("at", places[0])];
    let done = owner.submit("/dashboard/products/bulk", &off).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER);
    let page = owner.read("/dashboard/products").await;
    let time = between(&page, "name=\"time\" value=\"", "\"").to_owned();

    for role in Role::ALL {
        for place in [None, Some(places[0])] {
            if role == Role::Owner && place.is_some() {
                continue;
            }
            let mut user = person(&server, &mut owner, role, place).await;
            let who = format!("{role:?} at {place:?}");
            try_routes(&mut user, role, &who, places[1]).await;
            let mut shown = String::new();
            for path in ["products?edit=new", "products", "stock"] {
                shown += &user.read(&format!("/dashboard/{path}")).await;
            }
            let may_change = [Role::Owner, Role::Manager].contains(&role);
            for part in OF_CHANGES {
                assert_eq!(shown.contains(part), may_change, "{who}: {part}");
            }
            if !may_change {
                let fields = [("time", &*time), ("at", places[0])];
                let refused = user.submit("/dashboard/products/undo", &fields).await;
                assert_eq!(refused.status, StatusCode::FORBIDDEN, "{who}");
            }
        }
    }
    // None of them has undone it.
    let page = owner.read("/dashboard/products").await;
    assert_eq!(between(&page, "name=\"time\" value=\"", "\""), time);
    server.kill().await;
}

/// Opens each page and sends each form, without a field. Refused is what the role has not, and nothing else.
async fn try_routes(user: &mut Browser, role: Role, who: &str, elsewhere: &str) {
    user.read("/dashboard/account").await;
    let (mut had, mut refused) = (0, 0);
    for route in routes::all() {
        if route.visitors == Visitors::Anybody || route.path == "sign-out" {
            continue;
        }
        let address = route.address(NOTHING);
        let addresses = match route.is_form {
            true => vec![address],
            false => ["", "?format=csv", "?edit=new", "?at="]
                .map(|query| match query {
                    "?at=" => format!("{address}?at={elsewhere}"),
                    query => format!("{address}{query}"),
                })
                .to_vec(),
        };
        let may = route.visitors.have(role);
        for address in addresses {
            let answer = match route.is_form {
                true => user.submit(&address, &[]).await,
                false => user.open(&address).await,
            };
            let is_refused = answer.status == StatusCode::FORBIDDEN;
            let what = format!("{who}: {address} as form: {}", route.is_form);
            assert_eq!(is_refused, !may, "{what}: {}", answer.status);
            assert!(
                !answer.status.is_server_error(),
                "{what}: {}",
                answer.status
            );
            // A refusal is a page, whatever was asked for.
            let kind = answer.header("content-type").unwrap();
            assert!(may || kind.starts_with("text/html"), "{what}: {kind}");
        }
        if may { had += 1 } else { refused += 1 }
    }
    assert!(had > 20, "{who} had {had}");
    assert_eq!(refused == 0, role == Role::Owner, "{who}: {refused}");
}
