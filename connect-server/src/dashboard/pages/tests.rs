//! The guards of all pages.

use std::{collections::BTreeSet, sync::Arc};

use connect_core::{
    Account, Connect, IssuedSession, NewAccount, NewLocation, NewScreen, ScreenType,
    storage::memory::MemoryStorage,
    wire::{Field, Id, ProductBatch, ProductInput, VatRate, ZReportInput},
};
use http::{HeaderMap, header::COOKIE};

use super::*;
use crate::dashboard::{
    AnswerContent, DashboardContext, FormFields, IdempotentForms, area, sections::ROOT,
};

const ID: &str = "0199e3a1-7c00-7000-8000-000000000001";

pub(super) fn context() -> DashboardContext {
    DashboardContext {
        api_url: "http://127.0.0.1:8080/v1".into(),
        owner_url: "http://127.0.0.1:8081".into(),
        sandbox: None,
        recent: Default::default(),
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
async fn signed_in() -> (Connect, Id<Account>, IssuedSession) {
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
        if route.path != "sign-in" {
            assert!(
                onward(&answer).starts_with("/dashboard/sign-in"),
                "{line:?}"
            );
        }
        if route.form.is_some() {
            let foreign = request(&connect, route, session.secret.expose());
            let to = foreign.signed_in().await.unwrap();
            let refused = of_owner(&to).await.unwrap_err();
            assert_eq!(refused.status(), 403, "{line:?}");
        }
    }
    let expected = [
        ("invitations/{}", false),
        ("invitations/{}", true),
        ("sign-in", false),
        ("sign-in", true),
    ];
    assert_eq!(open, BTreeSet::from(expected));
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
    let overview = read("", "").await;
    assert!(overview.contains("Tokens</a></dt><dd>1</dd>"), "{overview}");
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
    let page = read("products", "code=87").await;
    let chosen = page.matches("aria-label=\"Choose ").count();
    assert!(chosen == 2 && page.contains("Choose Bag"), "{page}");
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
}
