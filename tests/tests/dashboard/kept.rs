//! The location and the period of an address stay, whatever page or form comes between.

use http::StatusCode;

use super::{
    PAGES,
    browser::{Browser, text},
    demo,
    lists::between,
};

/// The address of a form to send, by both ends of its path.
#[track_caller]
fn form_at(page: &str, begin: &str, end: &str) -> String {
    let mut forms = between(page, "method=\"post\" action=\"", "\"").into_iter();
    let is_it = |action: &&str| {
        let path = action.split('?').next().unwrap();
        path.starts_with(begin) && path.ends_with(end)
    };
    let found = forms.find(is_it);
    found.expect(begin).replace("&amp;", "&")
}

#[tokio::test]
async fn every_link_and_form_of_a_page_leads_on_at_the_same_location() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][1]["id"].as_str().unwrap();
    let at = format!("at={location}");
    for path in PAGES {
        let mark = if path.contains('?') { '&' } else { '?' };
        let path = format!("/dashboard{path}{mark}{at}&period=week&date=2026-03-02");
        let page = owner.read(&path).await;
        let links = between(&page, " href=\"/dashboard", "\"").into_iter();
        let links = links.filter(|link| !link.starts_with("/style.css"));
        let mut links: Vec<_> = links.collect();
        assert!(links.len() > 10, "{path}");
        for form in page.split("<form ").skip(1) {
            let form = form.split("</form>").next().unwrap();
            let action = between(form, " action=\"/dashboard", "\"");
            if form.contains("method=\"get\"") {
                let field = format!(" name=\"at\" value=\"{location}\"");
                let is_chosen = form.contains("<select id=\"at\"");
                assert!(form.contains(&field) || is_chosen, "{path}: {form}");
            } else if action != ["/sign-out"] {
                links.extend(action);
            }
        }
        for link in links {
            assert_eq!(link.matches(&at).count(), 1, "{path}: {link}");
        }
    }
    server.kill().await;
}

#[tokio::test]
async fn a_form_leads_back_to_the_same_location_and_period() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][1]["id"].as_str().unwrap();
    let kept = format!("at={location}&period=week&date=2026-03-02");
    let webhook = webhook(&mut owner).await;
    for (path, begin, end, fields) in [
        ("/account", "", "", &[("name", "Rye")][..]),
        ("/sandbox", "", "", &[("do", "sale"), ("at", location)]),
        (
            "/account",
            "/account/profile",
            "",
            &[("name", "Noor"), ("language", "en")],
        ),
        (
            "/screens",
            "",
            "",
            &[
                ("name", "Till 9"),
                ("type", "pos"),
                ("locationId", location),
            ],
        ),
        (
            "/screens/names",
            "",
            "",
            &[
                ("kind", "location"),
                ("id", location),
                ("name", "Rye Station"),
            ],
        ),
        ("/screens", "/screens/", "/delete", &[]),
        (
            "/users",
            "",
            "",
            &[
                ("name", "Ans"),
                ("email", "ans@rye.example"),
                ("language", "en"),
                ("role", "manager"),
            ],
        ),
        ("/privacy", "/privacy/retention", "", &[]),
        (&*webhook, "/webhooks/", "/test", &[]),
        (&*webhook, "/webhooks/", "/disable", &[]),
        ("/tokens", "/tokens/", "/revoke", &[]),
    ] {
        let begin = format!("/dashboard{}", if begin.is_empty() { path } else { begin });
        let end = if end.is_empty() { &*begin } else { end };
        let page = owner.read(&format!("/dashboard{path}?{kept}")).await;
        let action = form_at(&page, &begin, end);
        let answer = owner.submit(&action, fields).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", text(&answer));
        let to = answer.header("location").unwrap();
        for field in kept.split('&').chain(["done="]) {
            assert_eq!(to.matches(field).count(), 1, "{action}: {to}");
        }
        assert_eq!(owner.open(to).await.status, StatusCode::OK, "{to}");
    }
    // A refused form is shown again by its own address, and leads back there as well.
    let page = owner.read(&format!("/dashboard/screens?{kept}")).await;
    let action = form_at(&page, "/dashboard/screens", "/dashboard/screens");
    let refused = owner.submit(&action, &[("name", "")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let again = form_at(&text(&refused), "/dashboard/screens", "/dashboard/screens");
    assert_eq!(again, action);
    server.kill().await;
}

/// Makes a webhook; its page below the dashboard.
async fn webhook(owner: &mut Browser) -> String {
    owner.read("/dashboard/webhooks/new").await;
    let fields = [("url", "http://127.0.0.1:9/"), ("event", "stock.changed")];
    let made = owner.submit("/dashboard/webhooks", &fields).await;
    let page = text(&made);
    format!(
        "/webhooks/{}",
        between(&page, "href=\"/dashboard/webhooks/", "\"")[0]
    )
}

#[tokio::test]
async fn nothing_else_of_an_address_gets_into_a_redirect() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    owner.read("/dashboard/account").await;
    for query in [
        "at=https://evil.example",
        "at=//evil.example&next=//evil.example&kept=https://evil.example",
        "at=019a8c52-8e20-7c42-8a1f-4c2d6e8fab02",
        &format!("at={location}%0d%0aset-cookie:%20a=b"),
        &format!("at={location}%26next=/x"),
        "period=day%0d%0aset-cookie:%20a=b&date=x%22%3E%3Cscript%3E",
        "period=&date=2026-03-02",
        "done=signed-out&q=x&cursor=7&sort=-name",
    ] {
        let path = format!("/dashboard/account?{query}");
        let answer = owner.submit(&path, &[("name", "Rye")]).await;
        let to = answer.header("location");
        assert_eq!(
            to,
            Some("/dashboard/account?done=account-changed"),
            "{query}"
        );
        assert!(answer.header("set-cookie").is_none(), "{query}");
    }
    server.kill().await;
}
