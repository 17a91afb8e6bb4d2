//! A form that is sent twice does its work once: a reload and a double click send it again.

use std::time::Duration;

use connect_tests::http::Answer;
use http::StatusCode;
use tokio::time::timeout;

use super::{
    browser::{Browser, text},
    demo,
    filled::between,
};

/// Sends a form twice, as a reload does. Returns the value that the first answer shows.
async fn send_twice(owner: &mut Browser, path: &str, fields: &[(&str, &str)]) -> String {
    let first = owner.submit(path, fields).await;
    assert_eq!(first.status, StatusCode::OK, "{path}");
    let page = text(&first);
    let value = between(&page, "id=\"shown-once\"", ">");
    let value = between(value, "value=\"", "\"").to_owned();
    let second = owner.submit(path, fields).await;
    assert_done_before(&second);
    assert!(!text(&second).contains(&value));
    value
}

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

#[tokio::test]
async fn a_form_that_is_sent_again_does_nothing() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    let grant = format!("{location} catalog:read");
    owner.read("/dashboard/tokens/new").await;
    let fields = [("name", "Sync 1"), ("grant", &*grant)];
    let value = send_twice(&mut owner, "/dashboard/tokens", &fields).await;
    assert!(value.starts_with("ck_test_"));
    let tokens = owner.read("/dashboard/tokens").await;
    assert_eq!(tokens.matches(">Sync 1<").count(), 1);
    // A new page has a form of its own.
    send_twice(&mut owner, "/dashboard/tokens", &fields).await;
    let tokens = owner.read("/dashboard/tokens").await;
    assert_eq!(tokens.matches(">Sync 1<").count(), 2);

    owner.read("/dashboard/webhooks/new").await;
    let fields = [("url", "http://127.0.0.1:9/once"), ("event", "ping.none")];
    let refused = owner.submit("/dashboard/webhooks", &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    // Nothing was done, so the same form may be sent again.
    let fields = [fields[0], ("event", "stock.changed")];
    let secret = send_twice(&mut owner, "/dashboard/webhooks", &fields).await;
    let webhooks = owner.read("/dashboard/webhooks").await;
    assert_eq!(webhooks.matches("http://127.0.0.1:9/once").count(), 1);
    let webhook = between(&webhooks, "class=\"wide\" href=\"", "\"").to_owned();
    let roll = format!("{webhook}/roll");
    let rolled = send_twice(&mut owner, &roll, &[]).await;
    assert!(rolled.starts_with("whsec_") && rolled != secret);

    owner.read("/dashboard/screens").await;
    let fields = [
        ("name", "Till 9"),
        ("type", "pos"),
        ("locationId", location),
    ];
    let made = owner.submit("/dashboard/screens", &fields).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER);
    assert_done_before(&owner.submit("/dashboard/screens", &fields).await);
    let screens = owner.read("/dashboard/screens").await;
    assert_eq!(screens.matches("<td>Till 9</td>").count(), 1);
    let row = screens.split_once("<td>Till 9</td>").unwrap().1;
    let path = between(row, "action=\"", "\"").to_owned();
    assert!(path.ends_with("/key"), "{path}");
    let key = send_twice(&mut owner, &path, &[]).await;
    let screens = owner.read("/dashboard/screens").await;
    assert!(
        screens.contains(&format!("<code>{}…</code>", &key[..7])),
        "the first key is good"
    );
    server.kill().await;
}

/// Back in the browser shows the form as it was, with its token. What was filled in anew was lost.
#[tokio::test]
async fn a_form_that_is_filled_in_anew_is_another_one() {
    let (server, mut owner) = demo().await;
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    owner.read("/dashboard/screens").await;
    for name in ["Till 7", "Till 8"] {
        let fields = [("name", name), ("type", "pos"), ("locationId", location)];
        let made = owner.submit("/dashboard/screens", &fields).await;
        assert_eq!(made.status, StatusCode::SEE_OTHER, "{name}");
        assert_done_before(&owner.submit("/dashboard/screens", &fields).await);
    }
    let screens = owner.read("/dashboard/screens").await;
    for name in ["Till 7", "Till 8"] {
        let cell = format!("<td>{name}</td>");
        assert_eq!(screens.matches(&cell).count(), 1, "{name}");
    }
    server.kill().await;
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

/// An action that takes something away is behind a step of its own, which works without scripts.
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
            let open = before.matches("<details").count() - before.matches("</details>").count();
            assert_eq!(open, 1, "{action}");
            asked += 1;
        }
    }
    // A token, two screens with keys, and the webhook.
    assert!(asked >= 9, "{asked}");
    server.kill().await;
}
