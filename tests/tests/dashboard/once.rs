//! A form that is sent twice does its work once: a reload and a double click send it again.

use std::time::Duration;

use connect_tests::http::Answer;
use http::StatusCode;
use tokio::time::timeout;

use super::{browser::text, demo, filled::between};

#[track_caller]
fn assert_done_before(answer: &Answer) {
    assert_eq!(answer.status, StatusCode::CONFLICT);
    let page = text(answer);
    assert!(page.contains("nothing was done this time"), "{page}");
    assert!(
        page.contains("class=\"button\" href=\"/dashboard/"),
        "{page}"
    );
}

/// A browser leaves the first of two clicks when the second comes. The answer to that one said that all was
/// done, also when nothing was.
#[tokio::test]
async fn a_form_that_its_browser_left_is_done_once() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    owner.read("/dashboard/screens").await;
    for number in 0..20 {
        let name = format!("Left {number:02}");
        let fields = [("name", &*name), ("type", "pos"), ("locationId", location)];
        let mut first = owner.clone();
        let wait = Duration::from_micros(300 * number);
        let left = timeout(wait, first.submit("/dashboard/screens", &fields)).await;
        let second = owner.submit("/dashboard/screens", &fields).await;
        if second.status != StatusCode::SEE_OTHER {
            assert_done_before(&second);
        }
        drop(left);
        let screens = owner.read("/dashboard/screens").await;
        let cell = format!("<td>{name}</td>");
        assert_eq!(screens.matches(&cell).count(), 1, "{name}");
    }
    server.kill().await;
}

/// Both requests of a double click arrive at the same time.
#[tokio::test]
async fn of_two_forms_at_once_one_is_done() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    let grant = format!("{location} catalog:read");
    owner.read("/dashboard/tokens/new").await;
    let fields = [("name", "Twice"), ("grant", &*grant)];
    let mut other = owner.clone();
    let (one, two) = tokio::join!(
        owner.submit("/dashboard/tokens", &fields),
        other.submit("/dashboard/tokens", &fields)
    );
    let mut statuses = [one.status, two.status];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::CONFLICT]);
    let tokens = owner.read("/dashboard/tokens").await;
    assert_eq!(tokens.matches(">Twice<").count(), 1);
    server.kill().await;
}

/// An action that takes something away is in a dialog, which its button opens without scripts.
#[tokio::test]
async fn what_cannot_be_undone_asks_first() {
    let (server, mut owner) = demo().await;
    owner.read("/dashboard/webhooks/new").await;
    let fields = [("url", "http://127.0.0.1:9/"), ("event", "stock.changed")];
    owner.submit("/dashboard/webhooks", &fields).await;
    let webhooks = owner.read("/dashboard/webhooks").await;
    let webhook = between(&webhooks, "class=\"wide\" href=\"", "\"").to_owned();
    let mut asked = 0;
    for (page, ends) in [
        ("/dashboard/tokens", &["/revoke"][..]),
        ("/dashboard/screens", &["/key", "/revoke", "/delete"]),
        (&*webhook, &["/roll", "/delete"]),
    ] {
        let page = owner.read(page).await;
        for part in page.split("<form").skip(1) {
            let action = between(part, "action=\"", "\"");
            if !ends.iter().any(|end| action.ends_with(end)) {
                continue;
            }
            let before = &page[..page.find(part).unwrap()];
            let (outside, inside) = before.rsplit_once("<div class=\"dialog\"").unwrap();
            assert!(inside.contains(" popover role=\"dialog\""), "{action}");
            // The dialog ends with the button to cancel.
            assert!(!inside.contains("popovertargetaction"), "{action}");
            let id = between(inside, "id=\"", "\"");
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{action}");
            let opens = format!("popovertarget=\"{id}\"");
            assert_eq!(outside.matches(&opens).count(), 1, "{action}");
            assert_eq!(page.matches(&opens).count(), 2, "{action}");
            asked += 1;
        }
    }
    // A token, two screens with keys, and the webhook.
    assert!(asked >= 9, "{asked}");
    server.kill().await;
}

/// Compressed pages have lengths that tell what is repeated in them: a token that stays the same could be
/// guessed piece by piece.
#[tokio::test]
async fn no_two_forms_have_the_same_token() {
    let (server, mut owner) = demo().await;
    let mut seen = std::collections::HashSet::new();
    for _ in 0..2 {
        let page = owner.read("/dashboard/screens").await;
        let tokens = page.split("name=\"csrf\" value=\"").skip(1);
        let tokens: Vec<_> = tokens.map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(tokens.len() > 5, "{page}");
        for token in tokens {
            assert_eq!(token.len(), 128);
            // Neither half is that of another, nor the digest under the mask.
            let (mask, rest) = token.split_at(64);
            assert!(seen.insert(mask.to_owned()) && seen.insert(rest.to_owned()));
        }
    }
    let first = owner.csrf().to_owned();
    owner.read("/dashboard/screens").await;
    assert_ne!(owner.csrf(), first);
    // All of them are good.
    let fields = [("csrf", &*first), ("name", "Rye")];
    let saved = owner.submit_bare("/dashboard/account", &fields).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER);
    server.kill().await;
}
