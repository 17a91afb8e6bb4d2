//! The guards of all pages.

use std::{collections::BTreeSet, sync::Arc};

use connect_core::{Connect, NewAccount, storage::memory::MemoryStorage};
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

#[tokio::test]
async fn what_is_an_owners_is_refused_to_visitors_and_to_foreign_forms() {
    let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
    let account = NewAccount {
        name: "Rye".into(),
        owner_email: "noor@rye.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap();
    let invitation = connect.invite_owner(account.id).await.unwrap();
    let invitation = invitation.secret.expose();
    let session = connect
        .accept_invitation(invitation, "violet tractor 71")
        .await;
    let session = session.unwrap();

    let mut all = BTreeSet::new();
    let mut open = BTreeSet::new();
    for route in ROUTES {
        let is_open = matches!(route.page, Open(_));
        let line = (route.path, route.form.is_some(), is_open);
        assert!(all.insert(line), "{line:?} is there twice");
        if is_open {
            open.insert((route.path, route.form.is_some()));
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
