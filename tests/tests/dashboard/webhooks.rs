//! Webhooks: what was given up is sent again.

use std::time::Duration;

use connect_core::wire::Timestamp;
use connect_tests::{
    http::{Request, send},
    process::Process,
};
use http::StatusCode;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::{
    browser::{Browser, text},
    demo,
    lists::between,
};

/// Reads the page of a webhook until it shows something so many times.
async fn until(owner: &mut Browser, path: &str, what: &str, count: usize) -> String {
    let shown = async {
        loop {
            let page = owner.read(path).await;
            if page.matches(what).count() == count {
                return page;
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    let shown = timeout(Duration::from_secs(30), shown).await;
    shown.unwrap_or_else(|_| panic!("never {count} times {what}"))
}

/// Changes products, one event each.
async fn products(server: &Process, names: &[&str]) {
    for name in names {
        let body = json!({ "name": name, "externalId": name });
        let request = Request::post(server.at("products"), &body).bearer(&server.token());
        assert_eq!(send(server.address, request).await.unwrap().status, 201);
    }
}

/// Makes a webhook for products, to where nobody answers. Returns the path of its page.
async fn unanswered(owner: &mut Browser) -> String {
    owner.open("/dashboard/webhooks/new").await;
    let fields = [
        ("url", "http://127.0.0.1:9/in"),
        ("event", "catalog.product.changed"),
    ];
    let made = owner.submit("/dashboard/webhooks", &fields).await;
    assert_eq!(made.status, StatusCode::OK, "{}", text(&made));
    let list = owner.read("/dashboard/webhooks").await;
    let id = between(&list, "class=\"wide\" href=\"/dashboard/webhooks/", "\"")[0];
    format!("/dashboard/webhooks/{id}")
}

#[tokio::test]
async fn a_webhook_that_is_probed_says_when_the_next_attempt_is() {
    let (server, mut owner) = demo().await;
    let page = unanswered(&mut owner).await;
    products(&server, &["A", "B", "C", "D"]).await;
    let failing = until(&mut owner, &page, "4 failed in a row", 1).await;
    assert!(!failing.contains("probed"), "{failing}");
    products(&server, &["E", "F"]).await;
    let probed = until(&mut owner, &page, "Probed: 5 failed in a row", 1).await;
    let next = between(
        &probed,
        "until one succeeds, the next at <time datetime=\"",
        "\"",
    )[0];
    let last = between(&probed, "<dt>Last failure</dt><dd><time datetime=\"", "\"")[0];
    let [next, last]: [Timestamp; 2] = [next, last].map(|time| time.parse().unwrap());
    assert_eq!(next, last.plus_seconds(60));
    let list = owner.read("/dashboard/webhooks").await;
    assert!(list.contains("Probed: 5 failed in a row"), "{list}");
    owner.submit(&format!("{page}/disable"), &[]).await;
    let off = until(&mut owner, &page, "You switched it off", 1).await;
    assert!(!off.contains("robed"), "{off}");
    server.kill().await;
}

#[tokio::test]
async fn what_was_given_up_since_a_time_is_sent_again() {
    let (server, mut owner) = demo().await;
    let page = unanswered(&mut owner).await;
    products(&server, &["A", "B"]).await;
    until(&mut owner, &page, ">Waiting<", 2).await;
    owner.submit(&format!("{page}/disable"), &[]).await;
    let off = until(&mut owner, &page, "2 events wait, for up to 30 days", 1).await;
    assert!(!off.contains("Send all again"), "it is off");
    assert!(off.contains("Switch on and send waiting events"), "{off}");
    let resend = format!("{page}/resend-failed");
    let since = [("since", "2026-01-01T00:00")];
    let refused = owner.submit(&resend, &since).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);

    let drop = [("waiting", "drop")];
    let on = owner.submit(&format!("{page}/enable"), &drop).await;
    let location = on.header("location").unwrap();
    assert!(location.ends_with("done=webhook-on-without"), "{location}");
    let on = until(&mut owner, &page, ">Given up<", 2).await;
    assert!(on.contains("Send all again"));
    let default = between(&on, "type=\"datetime-local\" required value=\"", "\"")[0];
    assert_eq!(default.len(), "2026-01-01T00:00".len(), "{default}");
    for bad in ["", "yesterday", "2026-02-30T00:00"] {
        let refused = owner.submit(&resend, &[("since", bad)]).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
        let page = text(&refused);
        assert!(page.contains("must be a date and a time"));
        // It is the page of the webhook, with what was typed.
        assert!(
            page.contains("Send all again") && page.contains(">Given up<"),
            "{page}"
        );
        assert!(
            bad.is_empty() || page.contains(&format!("value=\"{bad}\"")),
            "{page}"
        );
    }
    let later = owner
        .submit(&resend, &[("since", "2999-01-01T00:00")])
        .await;
    let location = later.header("location").unwrap();
    assert!(location.ends_with("done=none-failed"), "{location}");
    // The place belongs to another search, which had come to its end there.
    let place = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    let fields = [
        since[0],
        ("go-on", place),
        ("go-on-since", "2026-05-05T00:00"),
    ];
    let sent = owner.submit(&resend, &fields).await;
    let location = sent.header("location").unwrap();
    assert!(location.ends_with("done=all-resent"), "{location}");
    // Those that were given up stay in the log, and say so.
    until(&mut owner, &page, ">Waiting<", 2).await;
    until(&mut owner, &page, "sent again</span>", 2).await;
    let again = owner.submit(&resend, &since).await;
    let location = again.header("location").unwrap();
    assert!(location.ends_with("done=none-failed"), "{location}");
    server.kill().await;
}

/// A page that is full led to one that said that nothing was sent yet.
#[tokio::test]
async fn a_full_page_of_deliveries_leads_on_only_when_there_are_more() {
    let (server, mut owner) = demo().await;
    let page = unanswered(&mut owner).await;
    let names: Vec<_> = (0..26).map(|number| format!("P{number}")).collect();
    let names: Vec<_> = names.iter().map(|name| &**name).collect();
    products(&server, &names[..25]).await;
    // Of those that wait most were not attempted, and are not in the list.
    owner.submit(&format!("{page}/disable"), &[]).await;
    let drop = [("waiting", "drop")];
    owner.submit(&format!("{page}/enable"), &drop).await;
    let full = until(&mut owner, &page, ">Given up<", 25).await;
    assert!(!full.contains("Older deliveries"), "{full}");
    let ids = between(&full, "/deliveries/", "\"");
    let oldest = ids.iter().rfind(|id| id.len() == 36).unwrap();
    let beyond = owner.read(&format!("{page}?before={oldest}")).await;
    assert!(beyond.contains("There are no older deliveries"), "{beyond}");
    products(&server, &names[25..]).await;
    until(&mut owner, &page, "Older deliveries", 1).await;
    server.kill().await;
}

/// Where one press was not enough, the page goes on from there.
#[tokio::test]
async fn the_form_goes_on_where_the_last_press_stopped() {
    let (server, mut owner) = demo().await;
    let page = unanswered(&mut owner).await;
    products(&server, &["A"]).await;
    until(&mut owner, &page, ">Waiting<", 1).await;
    let place = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    let path = format!("{page}?since=2026-01-01T00:00&go-on={place}&left=7&done=some-resent");
    let form = owner.read(&path).await;
    for part in [
        "value=\"2026-01-01T00:00\"",
        &format!("name=\"go-on\" value=\"{place}\""),
        "name=\"go-on-since\" value=\"2026-01-01T00:00\"",
        "At least 7 are left.",
        "There are more",
    ] {
        assert!(form.contains(part), "{part}: {form}");
    }
    let other = owner
        .read(&format!("{page}?go-on=%3Cb%3E&left=%3Cb%3E&since=x"))
        .await;
    assert!(
        !other.contains("go-on") && !other.contains("At least"),
        "{other}"
    );
    server.kill().await;
}
