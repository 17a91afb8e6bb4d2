//! Tokens in words: presets, tasks at all locations or at single ones, and the status of each.

use http::StatusCode;

use super::{browser::text, demo, lists::between};

#[tokio::test]
async fn a_preset_ticks_its_tasks_at_all_locations() {
    let (server, mut owner) = demo().await;
    for (query, ticked) in [
        ("", &[][..]),
        ("?preset=unheard-of", &[]),
        ("?preset=bookkeeping", &["pos:read"]),
        (
            "?preset=webshop",
            &["catalog:read", "stock:read", "stock:write"],
        ),
        (
            "?preset=kiosk",
            &["catalog:read", "stock:read", "orders:read"],
        ),
    ] {
        let page = owner.read(&format!("/dashboard/tokens/new{query}")).await;
        let boxes = between(&page, "name=\"grant\" value=\"", ">");
        let is_ticked = |tag: &&str| tag.ends_with("\" checked");
        let found: Vec<_> = boxes.into_iter().filter(is_ticked).collect();
        let expected: Vec<_> = ticked
            .iter()
            .map(|scope| format!("all {scope}\" checked"))
            .collect();
        assert_eq!(found, expected, "{query}");
        let chosen = page.matches("aria-current=\"true\"").count();
        assert_eq!(chosen, usize::from(!ticked.is_empty()), "{query}");
    }
    server.kill().await;
}

#[tokio::test]
async fn a_token_is_told_in_words() {
    let (server, mut owner) = demo().await;
    let location = |place: usize, field: &str| {
        let found = &server.welcome["locations"][place][field];
        found.as_str().unwrap().to_owned()
    };
    owner.read("/dashboard/tokens/new").await;
    let refused = [("name", ""), ("grant", "all catalog:read")];
    let refused = owner.submit("/dashboard/tokens", &refused).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(text(&refused).contains("value=\"all catalog:read\" checked"));

    let both = [
        ("name", "Shelves"),
        ("grant", "all stock:read"),
        ("grant", "all catalog:read"),
        ("expiresAt", ""),
    ];
    let made = owner.submit("/dashboard/tokens", &both).await;
    assert_eq!(made.status, StatusCode::OK);
    let list = owner.read("/dashboard/tokens").await;
    assert!(list.contains(">Read the catalog, Read stock<"), "{list}");

    owner.read("/dashboard/tokens/new").await;
    let there = format!("{} stock:read", location(1, "id"));
    let fields = [
        ("name", "Chain"),
        ("grant", "all catalog:read"),
        ("grant", &*there),
        ("expiresAt", "10"),
    ];
    let made = owner.submit("/dashboard/tokens", &fields).await;
    assert_eq!(made.status, StatusCode::OK);
    let list = owner.read("/dashboard/tokens").await;
    for part in [
        ">Differs by location<",
        "<span class=\"tag warn\">Expires in 10 days</span>",
    ] {
        assert_eq!(list.matches(part).count(), 1, "{part}: {list}");
    }
    let row = list.split(">Chain<").next().unwrap();
    let (_, id) = row.rsplit_once("/dashboard/tokens/").unwrap();
    let path = format!("/dashboard/tokens/{}", &id[..36]);
    let page = owner.read(&path).await;
    for (part, times) in [
        ("<code>catalog:read</code>", 2),
        ("<code>stock:read</code>", 1),
        (&*format!("Tasks at {}", location(0, "name")), 1),
        (&*format!("Tasks at {}", location(1, "name")), 1),
        ("Expires in 10 days", 1),
        ("Never", 1),
    ] {
        assert_eq!(page.matches(part).count(), times, "{part}: {page}");
    }

    let file = text(&owner.open("/dashboard/tokens?format=csv").await);
    let heading = "Name,Token,Tasks,Created,Last used,Expires,Status\n";
    assert!(file.contains(heading), "{file}");
    let mut lines = file.lines();
    let line = lines.find(|line| line.starts_with("Chain,")).unwrap();
    assert!(line.contains(",Differs by location,"), "{line}");
    assert!(line.ends_with(",Expires in 10 days"), "{line}");

    owner.submit(&format!("{path}/revoke"), &[]).await;
    let list = owner.read("/dashboard/tokens").await;
    assert!(list.contains("<span class=\"tag\">Revoked</span>"));
    assert!(!list.contains(&format!("{path}/revoke")));
    let page = owner.read(&path).await;
    assert!(page.contains("Revoked <time") && !page.contains("/revoke"));
    server.kill().await;
}

/// A link to the requests of a token may be older than the removal of the token.
#[tokio::test]
async fn a_token_that_is_gone_filters_no_requests() {
    let (server, mut owner) = demo().await;
    for token in ["unheard-of", "00000000-0000-7000-8000-000000000000"] {
        let path = format!("/dashboard/requests?token={token}");
        let page = owner.read(&path).await;
        let choice = between(&page, "<select id=\"token\"", "</select>");
        assert_eq!(choice.len(), 1, "{page}");
        assert!(!choice[0].contains(" selected"), "{}", choice[0]);
    }
    server.kill().await;
}
