//! Texts that a shop, an integrator or an endpoint has written stand on the pages as texts.

use std::collections::BTreeSet;

use connect_tests::data::DataFolder;
use http::StatusCode;

use super::{
    PROGRAM,
    attacks::forms::acts,
    browser::text,
    filled::{Filled, fill, serve},
};

/// A text that is code wherever it is not escaped: as an element, in an attribute, as an address, in a template.
pub(super) const EVIL: &str =
    "javascript:alert(1)//\"><script>alert(2)</script><img src=x onerror='alert(3)'>{{7*7}}${7*7}";

/// The same where there is little room.
pub(super) const SHORT: &str = "\"><img src=x onerror='alert(4)'>";

const ESCAPED: &str = "&quot;&gt;&lt;script&gt;alert(2)&lt;/script&gt;&lt;img src=x onerror='alert(3)'&gt;{{7*7}}${7*7}";

/// The fields of addresses, each of some page.
const QUERIES: [&str; 26] = [
    "", "done", "q", "code", "cursor", "date", "status", "category", "before", "sort", "text",
    "token", "outcome", "edit", "at", "kind", "author", "object", "event", "result", "preset",
    "from", "since", "level", "product", "format",
];

/// The forms whose page shows what they were about.
const SHOWING: [&str; 6] = ["/preview", "/invite", "/roll", "/key", "/resend", "/test"];

/// The pages of the dashboard to which a page leads, without queries.
fn links(page: &str) -> impl Iterator<Item = String> {
    let links = page.split("<a ").skip(1);
    let links =
        links.filter_map(|link| link.split("href=\"").nth(1)?.split(['"', '?', '#']).next());
    let links = links.filter(|link| link.starts_with("/dashboard"));
    links.map(str::to_owned)
}

/// Has the pages in a language. The owner's own name is evil as well.
async fn speak(shop: &mut Filled, language: &str) {
    shop.browser.read("/dashboard/account").await;
    let fields = [("name", EVIL), ("language", language)];
    let saved = shop.browser.submit("/dashboard/account/profile", &fields);
    assert_eq!(saved.await.status, StatusCode::SEE_OTHER);
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
    let evil: String = form_urlencoded::byte_serialize(EVIL.as_bytes()).collect();
    for (language, queries) in [("nl", &QUERIES[..3]), ("en", &QUERIES)] {
        speak(&mut shop, language).await;
        for path in &pages {
            for query in queries {
                let mark = if path.contains('?') { '&' } else { '?' };
                let address = match *query {
                    "" => path.to_owned(),
                    query => format!("{path}{mark}{query}={evil}"),
                };
                let page = text(&shop.browser.open(&address).await);
                assert_harmless(&address, &page);
                assert!(page.contains(&format!("<html lang=\"{language}\"")));
                linked.extend(links(&page));
                escaped += page.matches(ESCAPED).count();
            }
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
        ("/tokens", 3),
        ("/requests", 3),
        (&pages[pages.len() - 1]["/dashboard".len()..], 6),
        ("/screens", 5),
        ("/products", 3),
        ("/stock", 1),
        ("/orders", 2),
        ("/journal", 2),
        (&*format!("/journal/{}", shop.receipt), 5),
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

/// What was typed comes back with the problem of a form, and what a form is about stands on the page about it.
#[tokio::test]
async fn the_texts_of_forms_are_escaped_in_their_answers() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let mut shop = fill(&data, &server, EVIL, SHORT, "evil@shops.example").await;
    let mut shown = 0;
    for language in ["nl", "en"] {
        speak(&mut shop, language).await;
        for (step, fields) in imports(&shop) {
            shop.browser.read("/dashboard/account").await;
            let fields: Vec<_> = fields.iter().map(|(name, text)| (*name, &**text)).collect();
            let path = format!("/dashboard/products/import{step}");
            let page = text(&shop.browser.submit(&path, &fields).await);
            assert_harmless(&path, &page);
            assert!(page.contains("&lt;script&gt;alert(2)"), "{path}: {page}");
        }
    }
    for (path, fields) in acts(&shop) {
        if path == "sign-out" {
            continue;
        }
        let is_shown = SHOWING.iter().any(|end| path.ends_with(end));
        let path = format!("/dashboard/{path}");
        let as_is = is_shown.then_some(usize::MAX).into_iter();
        for evil in as_is.chain(0..fields.len()) {
            shop.browser.read("/dashboard/account").await;
            let fields: Vec<_> = fields
                .iter()
                .enumerate()
                .map(|(at, (name, value))| (*name, if at == evil { EVIL } else { value }))
                .collect();
            let answer = shop.browser.submit(&path, &fields).await;
            let is_page = answer.header("content-type") == Some("text/html; charset=utf-8");
            if is_page && answer.status != StatusCode::SEE_OTHER {
                let page = text(&answer);
                assert_harmless(&format!("{path} {fields:?}"), &page);
                shown += page
                    .split_once("<main")
                    .map_or(0, |(_, page)| page.matches(ESCAPED).count());
            }
        }
    }
    assert!(shown > 100, "{shown}");
    server.kill().await;
}

/// The steps of an import of evil cells: a sample of each line, the faulty ones, and those that were left out.
fn imports(shop: &Filled) -> [(&'static str, Vec<(&'static str, String)>); 3] {
    let cell = format!("\"{}\"", EVIL.replace('"', "\"\""));
    let file = format!("code;{cell};price\nE-1;{cell};{cell}\n{cell};{cell};1,00\n");
    let fields = [
        ("text", &*file),
        ("column-code", "0"),
        ("column-name", "1"),
        ("column-price", "2"),
        ("skip-faulty", "yes"),
        ("at", &shop.location),
    ];
    let fields = fields
        .map(|(name, value)| (name, value.to_owned()))
        .to_vec();
    ["", "/check", "/apply"].map(|step| (step, fields.clone()))
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
