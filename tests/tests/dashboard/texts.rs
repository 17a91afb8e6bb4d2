//! Texts that a shop, an integrator or an endpoint has written stand on the pages as texts.

use std::collections::BTreeSet;

use connect_tests::data::DataFolder;

use super::{
    PROGRAM,
    filled::{fill, serve},
};

/// A text that is code wherever it is not escaped: as an element, in an attribute, as an address.
const EVIL: &str =
    "javascript:alert(1)//\"><script>alert(2)</script><img src=x onerror='alert(3)'>";

/// The same where there is little room.
const SHORT: &str = "\"><img src=x onerror='alert(4)'>";

const ESCAPED: &str =
    "&quot;&gt;&lt;script&gt;alert(2)&lt;/script&gt;&lt;img src=x onerror='alert(3)'&gt;";

/// The pages of the dashboard to which a page leads, without queries.
fn links(page: &str) -> impl Iterator<Item = String> {
    let links = page.split("<a ").skip(1);
    let links =
        links.filter_map(|link| link.split("href=\"").nth(1)?.split(['"', '?', '#']).next());
    let links = links.filter(|link| link.starts_with("/dashboard"));
    links.map(str::to_owned)
}

#[tokio::test]
async fn the_texts_of_others_are_escaped_on_every_page() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let email = "\"<script>alert(5)</script>\"@shops.example";
    let mut shop = fill(&data, &server, EVIL, SHORT, email).await;
    let mut escaped = 0;
    let mut linked = BTreeSet::new();
    let pages = shop.pages();
    for path in &pages {
        for query in [
            "", "done", "q", "code", "cursor", "date", "status", "category", "before", "sort",
        ] {
            let mark = if path.contains('?') { '&' } else { '?' };
            let evil: String = form_urlencoded::byte_serialize(EVIL.as_bytes()).collect();
            let address = match query {
                "" => path.to_owned(),
                query => format!("{path}{mark}{query}={evil}"),
            };
            let page = super::browser::text(&shop.browser.open(&address).await);
            assert_harmless(&address, &page);
            linked.extend(links(&page));
            escaped += page.matches(ESCAPED).count();
        }
    }
    // No page was left out.
    let visited = pages.iter().map(|path| path.split('?').next().unwrap());
    let visited: BTreeSet<_> = visited.map(str::to_owned).collect();
    let left_out: Vec<_> = linked.difference(&visited).collect();
    assert_eq!(left_out, Vec::<&String>::new());
    // Each kind of text is there, where its page shows it.
    let hook = format!("/webhooks/{}", shop.webhook);
    for (page, times) in [
        ("", 1),
        ("/tokens", 2),
        (&pages[pages.len() - 1]["/dashboard".len()..], 6),
        ("/screens", 5),
        ("/products", 3),
        ("/stock", 1),
        ("/orders", 2),
        ("/journal", 2),
        (&*format!("/journal/{}", shop.receipt), 4),
        ("/journal/z-reports", 1),
        (&*format!("/stock/{}", shop.product), 1),
        (&*format!("/tokens/{}", shop.token), 1),
        (&*format!("{hook}/deliveries/{}", shop.delivery), 1),
    ] {
        let page = format!("/dashboard{page}");
        let shown = shop.browser.read(&page).await;
        // The business stands on top of each page.
        let shown = shown
            .split_once("<main")
            .unwrap()
            .1
            .matches(ESCAPED)
            .count();
        assert!(shown >= times, "{page}: {shown} of {times}");
    }
    let requests = shop
        .browser
        .read(&format!("/dashboard/tokens/{}", shop.token))
        .await;
    assert!(
        requests.contains(&ESCAPED.replace(' ', "/")),
        "an idempotency key"
    );
    assert!(requests.contains("%3Cscript%3E"), "a path");
    let account = shop.browser.read("/dashboard/account").await;
    assert!(account.contains("&lt;script&gt;alert(5)"));
    assert!(escaped > 100, "{escaped}");
    server.kill().await;
}

/// Holds that a page has no element, no handler and no address of the text's making.
#[track_caller]
fn assert_harmless(path: &str, page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>"), "{path}");
    for bad in ["<script", "<img", "href=\"javascript:", "src=\"javascript:"] {
        assert!(!page.to_lowercase().contains(bad), "{path} has {bad}");
    }
    // What is in a tag is in one of its attributes.
    for tag in page.split('<').skip(1) {
        let Some((tag, _)) = tag.split_once('>') else {
            panic!("{path} has an open tag: {tag}");
        };
        let outside: String = tag.split('"').step_by(2).collect();
        assert!(!outside.contains("onerror"), "{path}: {tag}");
    }
}
