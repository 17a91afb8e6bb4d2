//! The location of a page, and of a form.

use connect_core::{
    NewLocation, NewUser, Role, UserChange, UserRole,
    wire::{ProductInput, VatRate},
};
use http::{HeaderMap, Method, header::COOKIE};

use crate::dashboard::{
    AnswerContent, FormFields, PageRequest,
    csrf::{self, FormTokens},
    pages::{
        answer,
        tests::{context, signed_in},
    },
    sections::ROOT,
};

#[tokio::test]
async fn a_form_is_for_its_own_location_alone() {
    let (connect, account, session) = signed_in().await;
    let user = connect.account(account).await.unwrap().users[0].id;
    let owner = NewUser {
        name: "Owner".into(),
        email: "owner@rye.example".into(),
        language: Default::default(),
        roles: vec![UserRole {
            location_id: None,
            role: Role::Owner,
        }],
    };
    connect.create_user(account, owner).await.unwrap();
    let mut places = Vec::new();
    for name in ["Harbour", "Market Square"] {
        let new = NewLocation {
            name: name.into(),
            currency: "EUR".into(),
            default_vat_rate: VatRate::percent(9),
        };
        let location = connect.create_location(account, new).await.unwrap().id;
        let at = connect.authorize_owner(account, location, account).await;
        let products = connect.location(&at.unwrap()).products();
        let bread = products.create(ProductInput::named("Bread")).await;
        places.push((location, bread.unwrap().id));
    }
    let [(other, _), (own, bread)] = places[..] else {
        panic!("{places:?}");
    };
    let roles = vec![UserRole {
        location_id: Some(own),
        role: Role::Manager,
    }];
    let change = UserChange {
        roles: Some(roles),
        ..UserChange::default()
    };
    connect.change_user(account, user, change).await.unwrap();

    let session = session.secret.expose();
    let ask = async |method: Method, path: &str, query: &str, fields: &str| {
        let csrf = FormTokens::of(session).next();
        let form = match method == Method::POST {
            true => format!("{fields}&{}={csrf}", csrf::FIELD),
            false => String::new(),
        };
        let cookie = format!("connect-session={session}").parse().unwrap();
        answer(PageRequest {
            connect: connect.clone(),
            context: context(),
            method,
            path: format!("{ROOT}/{path}"),
            query: FormFields::parse(query.as_bytes()),
            form: FormFields::parse(form.as_bytes()),
            has_too_large_file: false,
            headers: HeaderMap::from_iter([(COOKIE, cookie)]),
            host: "127.0.0.1:8081".into(),
            address: [127, 0, 0, 1].into(),
            tls: false,
        })
        .await
    };
    let at = |location: &dyn std::fmt::Display| format!("at={location}");
    let (at_own, at_other, at_none) = (at(&own), at(&other), at(&user));
    for (query, fields, status) in [
        ("", &*at_own, 303),
        // The link to the page was of another location, and the page showed this one.
        (&*at_other, &*at_own, 303),
        (&*at_other, "", 404),
        ("", "", 303),
        ("", &*at_other, 404),
        (&*at_own, &*at_other, 404),
        ("", &*at_none, 404),
    ] {
        let fields = format!("quantity=9&{fields}");
        let path = format!("stock/{bread}/count");
        let answer = ask(Method::POST, &path, query, &fields).await;
        assert_eq!(answer.status, status, "{query} {fields}");
    }
    for (query, status) in [
        ("", 200),
        (&*at_own, 200),
        (&*at_other, 200),
        (&*at_none, 404),
    ] {
        let answer = ask(Method::GET, "stock", query, "").await;
        assert_eq!(answer.status, status, "{query}");
        let AnswerContent::Page(page) = answer.content else {
            panic!("no page for {query}");
        };
        let page = page.into_string();
        assert!(status == 404 || page.contains(">Market Square<"), "{page}");
    }
}
