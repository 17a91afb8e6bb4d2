//! The guards of all pages.

use std::{collections::BTreeSet, sync::Arc};

use connect_core::{
    Account, Author, Connect, IssuedSession, NewAccount, NewLocation, NewScreen, Role, ScreenType,
    UserChange, UserRole,
    storage::memory::MemoryStorage,
    wire::{
        Field, Id, ProductBatch, ProductInput, Quantity, StockCount, VatRate, ZReportInput,
        query::{ProductQuery, SyncQuery},
    },
};
use http::{HeaderMap, header::COOKIE};

use super::*;
use crate::dashboard::{
    AnswerContent, DashboardContext, FormFields, IdempotentForms, area,
    csrf::{self, FormTokens},
    sections::ROOT,
};

const ID: &str = "0199e3a1-7c00-7000-8000-000000000001";

pub(super) fn context() -> DashboardContext {
    DashboardContext {
        api_url: "http://127.0.0.1:8080/v1".into(),
        owner_url: "http://127.0.0.1:8081".into(),
        sandbox: None,
        providers: None,
        used: IdempotentForms::default(),
    }
}

/// A request to a route, without the token of a form.
fn request(connect: &Connect, route: &Route, session: &str) -> PageRequest {
    let mut headers = HeaderMap::new();
    headers.insert(
        COOKIE,
        format!("connect-session={session}").parse().unwrap(),
    );
    PageRequest {
        connect: connect.clone(),
        context: context(),
        method: if route.form.is_some() {
            Method::POST
        } else {
            Method::GET
        },
        path: format!("{ROOT}/{}", route.path.replace("{}", ID)),
        query: FormFields::default(),
        form: FormFields::default(),
        has_too_large_file: false,
        headers,
        host: "127.0.0.1:8081".into(),
        address: [127, 0, 0, 1].into(),
        tls: false,
    }
}

/// The page for a visitor to go to.
fn onward(answer: &Answer) -> &str {
    match &answer.content {
        AnswerContent::Redirect(path) => path,
        _ => "",
    }
}

/// An account, and the session of its owner.
pub(super) async fn signed_in() -> (Connect, Id<Account>, IssuedSession) {
    let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
    let account = NewAccount {
        name: "Rye".into(),
        owner_email: "noor@rye.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let invitation = connect.invite_owner(account).await.unwrap().secret;
    let session = connect
        .accept_invitation(invitation.expose(), "violet tractor 71")
        .await;
    (connect, account, session.unwrap())
}

#[tokio::test]
async fn what_is_an_owners_is_refused_to_visitors_and_to_foreign_forms() {
    let (connect, _, session) = signed_in().await;
    let mut all = BTreeSet::new();
    let mut open = BTreeSet::new();
    for route in ROUTES {
        let is_open = matches!(route.page, Open(_));
        let line = (route.path, route.form.is_some(), is_open);
        assert!(all.insert(line), "{line:?} is there twice");
        if is_open {
            open.insert((route.path, route.form.is_some()));
            if line == ("sign-in", true, true) {
                let answer = super::answer(request(&connect, route, "")).await;
                assert_eq!(answer.status, 403, "{line:?}");
            }
            continue;
        }
        let of_visitor = request(&connect, route, "");
        // The navigation and the log know its part.
        assert_eq!(
            area(&of_visitor.path) == ROOT,
            route.path.is_empty(),
            "{line:?}"
        );
        let answer = super::of_visitor(&of_visitor).await.unwrap();
        // A visitor gets the other page of these addresses.
        if !route.path.starts_with("sign-in") {
            assert!(
                onward(&answer).starts_with("/dashboard/sign-in"),
                "{line:?}"
            );
        }
        if route.form.is_some() {
            let foreign = request(&connect, route, session.secret.expose());
            let to = foreign.signed_in().await.unwrap();
            let refused = of_user(&to).await.unwrap_err();
            assert_eq!(refused.status(), 403, "{line:?}");
        }
    }
    let expected = [
        ("forgotten", false),
        ("forgotten", true),
        ("invitations/{}", false),
        ("invitations/{}", true),
        ("sign-in", false),
        ("sign-in", true),
        ("sign-in/callback/{}", false),
        ("sign-in/code", false),
        ("sign-in/code", true),
        ("sign-in/passkey", false),
        ("sign-in/passkey", true),
        ("sign-in/with/{}", false),
        ("sign-in/with/{}", true),
    ];
    assert_eq!(open, BTreeSet::from(expected));
}

/// A page answered to a form is loaded again from the address of the form.
#[tokio::test]
async fn an_address_of_a_form_leads_to_its_page() {
    let (connect, _, session) = signed_in().await;
    let open = async |route: &Route, query: &str| {
        let asked = PageRequest {
            method: Method::GET,
            query: FormFields::parse(query.as_bytes()),
            ..request(&connect, route, session.secret.expose())
        };
        super::answer(asked).await
    };
    let is_page = |path: &str| {
        let mut pages = ROUTES.iter().filter(|route| route.form.is_none());
        pages.any(|page| page.ids(&segments(path)).is_some())
    };
    let mut tried = 0;
    for route in ROUTES.iter().filter(|route| route.form.is_some()) {
        let path = format!("{ROOT}/{}", route.path.replace("{}", ID));
        if is_page(&path) {
            continue;
        }
        let answer = open(route, "").await;
        assert_eq!(answer.status, 303, "{path}");
        let page = onward(&answer);
        assert!(path.starts_with(page) && is_page(page), "{path}: {page}");
        tried += 1;
    }
    assert!(tried > 30, "{tried}");
    for (form, page) in [
        ("products/{}", "products".to_owned()),
        ("products/new", "products".to_owned()),
        ("products/prices/preview", "products".to_owned()),
        ("products/import/apply", "products/import".to_owned()),
        ("stock/{}/count", format!("stock/{ID}")),
        ("sign-out", String::new()),
    ] {
        let mut forms = ROUTES.iter().filter(|route| route.form.is_some());
        let route = forms.find(|route| route.path == form).unwrap();
        let answer = open(route, "at=7&q=%22%3E").await;
        let page = format!("{ROOT}/{page}");
        let page = page.trim_end_matches('/');
        assert_eq!(onward(&answer), format!("{page}?at=7&q=%22%3E"), "{form}");
    }
}

/// The roles with each part of the dashboard, besides owners. A form can have fewer than its page.
const PARTS: [(&str, bool, &str); 20] = [
    ("", false, "manager accountant developer"),
    ("usage", false, "manager accountant developer"),
    ("search", false, "manager accountant developer"),
    ("journal", false, "manager accountant"),
    ("orders", false, "manager accountant"),
    ("products", false, "manager accountant developer"),
    ("products", true, "manager"),
    ("stock", false, "manager accountant developer"),
    ("stock", true, "manager"),
    ("tokens", false, "manager developer"),
    ("requests", false, "manager developer"),
    ("webhooks", false, "manager developer"),
    ("screens", false, "manager"),
    ("users", false, ""),
    ("activity", false, "manager accountant"),
    ("privacy", false, ""),
    ("sandbox", false, "manager developer"),
    ("components", false, "manager developer"),
    ("account", false, "manager accountant developer"),
    ("sign-in", false, "manager accountant developer"),
];

/// The page and the forms of owners alone.
const PROVIDER: &str = "account/single-sign-on";

/// The pages of the demo alone.
const OF_THE_DEMO: [&str; 2] = ["sandbox", "components"];

/// The owner alone changes these.
const OF_OWNERS: [&str; 1] = ["account"];

/// The pages for the roles with the forms of their part.
const OF_FORMS: [&str; 2] = ["stock/count", "products/import"];

/// Returns whether a role has a page or a form, by the table of parts.
fn is_of(route: &Route, role: Role) -> bool {
    if role == Role::Owner {
        return true;
    }
    let (part, is_form) = (route.path.split('/').next().unwrap(), route.form.is_some());
    if is_form && OF_OWNERS.contains(&route.path) || route.path.starts_with(PROVIDER) {
        return false;
    }
    let of_part = |of_forms: bool| {
        let mut parts = PARTS.iter();
        parts.find(|(name, forms, _)| *name == part && *forms == of_forms)
    };
    let found = of_part(is_form || OF_FORMS.contains(&route.path)).or_else(|| of_part(false));
    // A session can be ended by everybody.
    let Some((.., roles)) = found else {
        return route.path == "sign-out";
    };
    roles.split(' ').any(|name| name == role.name())
}

/// Every page and every form, with every role.
#[tokio::test]
async fn a_page_is_for_the_roles_with_its_part() {
    let (connect, account, session) = signed_in().await;
    let owner = connect.account(account).await.unwrap().users[0].id;
    let other = connect_core::NewUser {
        name: "Other".into(),
        email: "other@rye.example".into(),
        language: Default::default(),
        roles: vec![UserRole {
            location_id: None,
            role: Role::Owner,
        }],
    };
    connect.create_user(account, other).await.unwrap();
    let new = NewLocation {
        name: "Market Square".into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(9),
    };
    let location = connect.create_location(account, new).await.unwrap().id;
    let places = |role| {
        [None, Some(location)]
            .into_iter()
            .filter(move |at| at.is_none() || role != Role::Owner)
    };
    for (role, location_id) in Role::ALL
        .into_iter()
        .flat_map(|role| places(role).map(move |at| (role, at)))
    {
        let change = UserChange {
            roles: Some(vec![UserRole { location_id, role }]),
            ..UserChange::default()
        };
        connect.change_user(account, owner, change).await.unwrap();
        let value = session.secret.expose();
        for route in ROUTES.iter().filter(|route| route.path != "sign-out") {
            if matches!(route.page, Open(_)) {
                continue;
            }
            let field = format!("{}={}", csrf::FIELD, FormTokens::of(value).next());
            let asked = PageRequest {
                form: FormFields::parse(field.as_bytes()),
                ..request(&connect, route, value)
            };
            let to = asked.signed_in().await.unwrap();
            let segments = to.segments();
            let answer = serve(&to, route.page, route.ids(&segments).unwrap()).await;
            let is_refused = matches!(answer, Err(Error::ForbiddenScope(_)));
            // The sandbox is that of the demo alone.
            let is_missing = matches!(answer, Err(Error::NotFound(_)));
            let what = (route.path, route.form.is_some(), role, location_id);
            match is_of(route, role) {
                true => assert!(!is_refused, "{what:?}"),
                false => assert!(
                    is_refused || OF_THE_DEMO.contains(&route.path) && is_missing,
                    "{what:?}"
                ),
            }
        }
        let account_page = ROUTES.iter().find(|route| route.path == "account");
        let page = super::answer(request(&connect, account_page.unwrap(), value)).await;
        let AnswerContent::Page(page) = page.content else {
            panic!("no page for {role:?}");
        };
        let page = page.into_string();
        for (part, is_form, _) in PARTS {
            let is_linked = page.contains(&format!("<li><a href=\"{ROOT}/{part}\""));
            let route = ROUTES
                .iter()
                .find(|route| route.path == part && route.form.is_none());
            if let Some(route) = route
                && !is_form
                && !["", "sign-in", "search"].contains(&part)
                && !OF_THE_DEMO.contains(&part)
            {
                assert_eq!(is_linked, is_of(route, role), "{part} {role:?}");
            }
        }
    }
}

#[tokio::test]
async fn pages_show_what_is_in_use_and_go_on_where_there_is_more() {
    let (connect, account, session) = signed_in().await;
    let new = NewLocation {
        name: "Market Square".into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(9),
    };
    let location_id = connect.create_location(account, new).await.unwrap().id;
    connect.create_full_token(account, "Sync").await.unwrap();
    let new = NewScreen {
        location_id,
        kind: ScreenType::Pos,
        name: "Till".into(),
    };
    let till = connect.create_screen(account, new).await.unwrap().id;
    let key = connect.roll_screen_key(account, till).await.unwrap();
    let here = [127, 0, 0, 1].into();
    let till = connect.authenticate_screen(here, Some(key.expose())).await;
    let at = connect.authorize_owner(account, location_id, account).await;
    let (till, shop) = (
        connect.location(&till.unwrap()),
        connect.location(&at.unwrap()),
    );
    let bread = shop.products().create(ProductInput::named("Bread")).await;
    let bread = bread.unwrap().id;
    for quantity in 0..51 {
        let count = serde_json::from_str(&format!("{{\"quantity\":{quantity}}}")).unwrap();
        shop.stock().count(bread, count).await.unwrap();
        till.z_reports()
            .close(ZReportInput::default())
            .await
            .unwrap();
    }
    let read = async |path: &str, query: &str| {
        let answer = super::answer(PageRequest {
            path: format!("{ROOT}/{path}"),
            query: FormFields::parse(query.as_bytes()),
            ..request(&connect, &ROUTES[0], session.secret.expose())
        });
        match answer.await.content {
            AnswerContent::Page(page) => page.into_string(),
            _ => String::new(),
        }
    };
    let usage = read("usage", "").await;
    assert!(usage.contains("Tokens</a></dt><dd>1</dd>"), "{usage}");
    let stock = format!("stock/{bread}");
    for (path, row) in [
        ("journal/z-reports", "<td>Till</td>"),
        (&stock, "<td>Counted</td>"),
    ] {
        let page = read(path, "").await;
        let (before, _) = page.split_once("\">Next page").unwrap();
        let (_, next) = before.rsplit_once('?').unwrap();
        let last = read(path, &next.replace("&amp;", "&")).await;
        let rows = [page, last].map(|page| page.matches(row).count());
        assert_eq!(rows, [50, 1], "{path}");
    }
    // A code is that of one product, or the barcode of several.
    for (name, code) in [("Bag", Field::Absent), ("Both", Field::Value("87".into()))] {
        let mut new = ProductInput::named(name);
        (new.external_id, new.barcode) = (code, Field::Value("87".into()));
        shop.products().create(new).await.unwrap();
    }
    let page = read("products", "q=87").await;
    let chosen = page.matches("aria-label=\"Choose ").count();
    assert!(chosen == 2 && page.contains("Choose Bag"), "{page}");
    // The count sheet asks for one of them, and shows the last counts of today.
    for (query, offered, told) in [
        ("code=87", 2, "Several products have the code 87."),
        ("code=88", 0, "none has 88."),
        ("", 0, "Bread: <strong>50</strong>"),
        (
            &*format!("product={bread}"),
            0,
            "name=\"expected\" value=\"50\"",
        ),
    ] {
        let page = read("stock/count", query).await;
        let links = page.matches("&amp;product=").count();
        let counts = page.matches("Bread: ").count();
        assert_eq!((links, counts), (offered, 10), "{page}");
        assert!(page.contains(told), "{page}");
    }
    // Of very many categories the first are offered, and the chosen one.
    let mut last = None;
    for shelves in [0..500, 500..1000, 1000..1001] {
        let of_shelf = |number| {
            let mut new = ProductInput::named("Roll");
            new.category_name = Field::Value(format!("Shelf {number}"));
            new
        };
        let batch = ProductBatch::new(shelves.map(of_shelf).collect());
        last = shop.products().batch(batch).await.unwrap().results[0].id;
    }
    let last = shop.products().get(last.unwrap()).await.unwrap();
    let last = last.category_id.unwrap();
    let page = read("products", &format!("category={last}")).await;
    assert!(page.contains("Only 1000 categories are offered"), "{page}");
    assert!(page.contains("<td>Shelf 1000</td>"), "{page}");
    // The first page tells how many products are under their minimum, up to 100.
    let pieces = |pieces: i64| Quantity::from_thousandths(1000 * pieces).unwrap();
    assert!(!read("", "").await.contains("under its minimum"));
    let stock = shop.stock();
    stock.set_minimum(bread, Some(pieces(51))).await.unwrap();
    assert!(
        read("", "")
            .await
            .contains("1 product is under its minimum")
    );
    let query = ProductQuery {
        sync: SyncQuery {
            limit: Some(101),
            ..SyncQuery::default()
        },
        ..ProductQuery::default()
    };
    for product in shop.products().list(&query).await.unwrap().data {
        let count = StockCount::of(pieces(2));
        stock.count(product.id, count).await.unwrap();
        let minimum = Some(pieces(3));
        stock.set_minimum(product.id, minimum).await.unwrap();
    }
    let page = read("", "").await;
    let told = "At least 100 products are under their minimum";
    assert!(page.contains(told), "{page}");
}

/// A movement tells no name itself, so a removed user leaves none.
#[tokio::test]
async fn a_movement_is_by_a_user_of_today() {
    let (connect, account, session) = signed_in().await;
    let new = NewLocation {
        name: "Market Square".into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(9),
    };
    let location = connect.create_location(account, new).await.unwrap().id;
    let new = connect_core::NewUser {
        name: "Ans".into(),
        email: "ans@rye.example".into(),
        language: Default::default(),
        roles: vec![UserRole {
            location_id: None,
            role: Role::Manager,
        }],
    };
    let ans = connect.create_user(account, new).await.unwrap().id;
    let at = connect.authorize_owner(account, location, account).await;
    let by_ans = connect.by(Author::User { id: ans }, Default::default());
    let shop = by_ans.location(&at.unwrap());
    let bread = shop.products().create(ProductInput::named("Bread")).await;
    let bread = bread.unwrap().id;
    let count = StockCount::of(Quantity::default());
    shop.stock().count(bread, count).await.unwrap();
    for (path, name) in [
        (format!("stock/{bread}"), "Ans"),
        ("stock/count".to_owned(), "Ans"),
        (format!("stock/{bread}"), "A former user"),
    ] {
        if name != "Ans" {
            connect.remove_user(account, ans).await.unwrap();
        }
        let answer = super::answer(PageRequest {
            path: format!("{ROOT}/{path}"),
            ..request(&connect, &ROUTES[0], session.secret.expose())
        });
        let AnswerContent::Page(page) = answer.await.content else {
            panic!("no page at {path}");
        };
        let page = page.into_string();
        let (_, counted) = page.split_once("<h2>").unwrap();
        let names = ["Ans", "A former user", "Dashboard"];
        let told = names.map(|name| counted.contains(&format!("{name}</")));
        assert_eq!(told, names.map(|other| other == name), "{path}: {page}");
    }
}
