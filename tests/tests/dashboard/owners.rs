//! Several owners on one server, and several locations of one owner: each sees the own ones and nothing else.

use std::collections::BTreeSet;

use connect_tests::{
    data::DataFolder,
    http::{Request, send},
    process::Process,
};
use http::StatusCode;
use serde_json::json;

use super::{
    PROGRAM,
    attacks::{
        forms::{NOT_AT_ONCE, acts},
        routes,
    },
    browser::{Browser, text},
    filled::{Filled, command, fill, id, serve},
    lists::next_page,
};

/// The pages of one account, as they are now.
pub(super) async fn look(owner: &mut Filled) -> Vec<String> {
    let mut pages = Vec::new();
    for path in owner.pages() {
        pages.push(owner.browser.read_stable(&path).await);
    }
    pages
}

/// Returns whether a page has a name, or an e-mail address that is made of it.
fn has(page: &str, name: &str) -> bool {
    page.to_lowercase().contains(&name.to_lowercase())
}

/// The own things of somebody who tries: put in the places of those of another.
struct Own {
    location: String,
    product: String,
    webhook: String,
}

/// A text with the ids of another, and with some of them replaced by own ones: each mixture of both.
fn mixtures(text: &str, own: &Own, on: &Filled) -> BTreeSet<String> {
    let mut mixed = BTreeSet::from([text.to_owned()]);
    for (theirs, own) in [
        (&on.location, &own.location),
        (&on.product, &own.product),
        (&on.webhook, &own.webhook),
    ] {
        let more: Vec<_> = mixed.iter().map(|text| text.replace(theirs, own)).collect();
        mixed.extend(more);
    }
    let is_about = |text: &String| on.ids().iter().any(|id| text.contains(id));
    mixed.into_iter().filter(is_about).collect()
}

/// The pages that are there with an id of another in their address, as if it were not there.
fn may_be_shown(path: &str, on: &Filled) -> bool {
    let filters = [
        "edit=",
        "category=",
        "object=",
        "of=chosen&delivery=",
        "requests?token=",
    ];
    let is_filtered = filters.iter().any(|filter| path.contains(filter));
    // At the own location a product of another is one that was deleted.
    is_filtered || path.contains(&format!("/stock/{}", on.product))
}

/// The forms that do nothing and say so, with an id of another in them.
fn may_pass(path: &str) -> bool {
    let ends = [
        "/bulk",
        "/preview",
        "/resend",
        "/resend-failed",
        "/blank",
        "/end",
    ];
    ends.iter().any(|end| path.ends_with(end))
}

/// Tries all pages and forms of another, with their ids and with own ones between them. Each is refused, and
/// has neither the `word` of the other nor an id that was not sent. Returns how many were tried.
async fn try_all(
    by: &mut Browser,
    own: &Own,
    on: &Filled,
    word: &str,
    is_colleague: bool,
) -> (usize, usize) {
    let mut pages = 0;
    for path in on.pages() {
        for path in mixtures(&path, own, on) {
            let refused = by.open(&path).await;
            let (status, page) = (refused.status, text(&refused));
            // Links of a colleague keep the location of the page before.
            let is_place = path.contains(&on.location);
            let is_shown = match is_place {
                true => is_colleague,
                false => may_be_shown(&path, on),
            };
            // A role without a page is refused, or led on to another page.
            let is_refused = status == 404 || is_colleague && (status == 403 || status == 303);
            assert!(is_refused || is_shown && status == 200, "{path}: {status}");
            assert!(!has(&page, word), "{path}: {page}");
            for id in on.ids().into_iter().filter(|id| !path.contains(id)) {
                assert!(!page.contains(id), "{path} has {id}");
            }
            pages += 1;
        }
    }
    let mut forms = 0;
    by.read("/dashboard/account").await;
    for (path, fields) in acts(on) {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(&fields);
        for mixed in mixtures(&format!("{path}?{}", form.finish()), own, on) {
            let (path, fields) = mixed.split_once('?').unwrap();
            let fields: Vec<_> = form_urlencoded::parse(fields.as_bytes())
                .into_owned()
                .collect();
            let fields = fields.iter().map(|(name, value)| (&**name, &**value));
            let fields: Vec<_> = fields.collect();
            let path = format!("/dashboard/{path}");
            let refused = by.submit(&path, &fields).await;
            let status = refused.status;
            assert!(
                status.is_client_error() || may_pass(&path) && !status.is_server_error(),
                "{mixed}: {status}"
            );
            assert!(!has(&text(&refused), word), "{mixed}");
            forms += 1;
        }
    }
    (pages, forms)
}

/// Makes lists of more than a page: of products, and of requests. Returns their paths, and the cursors of their
/// second pages.
async fn grow(server: &Process, shop: &mut Filled, word: &str) -> Vec<(&'static str, String)> {
    let path = format!("/v1/locations/{}/products", shop.location);
    let names = (1..=51).map(|number| json!({ "name": format!("{word} {number}") }));
    let items = json!({ "items": names.collect::<Vec<_>>() });
    let call = async |request: Request| {
        let answer = send(server.address, request.bearer(&shop.secret)).await;
        answer.unwrap().expect(200)
    };
    call(Request::post(format!("{path}/batch"), &items)).await;
    for _ in 0..51 {
        call(Request::get(format!("{path}?limit=1"))).await;
    }
    let mut cursors = Vec::new();
    for path in ["/dashboard/products", "/dashboard/requests"] {
        let page = shop.browser.read(path).await;
        let next = next_page(&page).unwrap_or_else(|| panic!("{path} has one page"));
        let (_, cursor) = next.split_once("cursor=").unwrap();
        cursors.push((path, cursor.split('&').next().unwrap().to_owned()));
    }
    cursors
}

#[tokio::test]
async fn what_is_of_another_owner_is_not_there() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let (own, other) = ("Ryestone", "Oatfield");
    let mut rye = fill(&data, &server, own, own, "ryestone@shops.example").await;
    let mut oat = fill(&data, &server, other, other, "oatfield@shops.example").await;
    let pages = oat.pages();
    let forms: Vec<_> = acts(&oat).into_iter().map(|(path, _)| path).collect();
    routes::assert_complete(&pages, &forms);

    // There is something of the other on each page, so that something could leak.
    let cursors = grow(&server, &mut oat, other).await;
    let theirs = look(&mut oat).await;
    for (path, page) in pages.iter().zip(&theirs) {
        // These have sums alone, and a form without values.
        let has_none = path.ends_with("/single-sign-on");
        let content = page.split_once("<h1").unwrap().1;
        assert!(has(content, other) || has_none, "{path}");
    }
    for path in rye.pages() {
        let page = rye.browser.read(&path).await;
        assert!(has(&page, own) && !has(&page, other), "{path}");
        for their_id in oat.ids() {
            assert!(!page.contains(their_id), "{path} has {their_id}");
        }
    }
    // A page of a list of the other is none of the own list, and neither is a request by its id or key.
    for (path, cursor) in &cursors {
        let refused = rye.browser.open(&format!("{path}?cursor={cursor}")).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{path}");
        assert!(!has(&text(&refused), other), "{path}");
    }
    for sought in [format!("{other}-pro"), format!("{other}/pro")] {
        let path = format!("/dashboard/requests?text={sought}");
        let found = oat.browser.read(&path).await;
        assert_eq!(found.matches("<code>POST ").count(), 1, "{sought}: {found}");
        let page = rye.browser.read(&path).await;
        assert!(!page.contains("<code>POST "), "{sought}: {page}");
    }
    let mine = Own {
        location: rye.location.clone(),
        product: rye.product.clone(),
        webhook: rye.webhook.clone(),
    };
    let (pages, forms) = try_all(&mut rye.browser, &mine, &oat, other, false).await;
    assert!(pages >= 30 && forms >= 60, "{pages} pages, {forms} forms");
    // Nothing of the other has changed by any of this, and its sessions go on.
    assert_eq!(look(&mut oat).await, theirs);
    oat.second.read("/dashboard").await;

    // The same forms work for the owner, so none was refused for another reason.
    let mut done = 0;
    let edited = format!("products/{}", oat.product);
    for (path, fields) in acts(&oat) {
        if path == edited || NOT_AT_ONCE.iter().any(|part| path.contains(part)) {
            continue;
        }
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        oat.browser.read("/dashboard/account").await;
        let path = format!("/dashboard/{path}");
        let status = oat.browser.submit(&path, &fields).await.status;
        assert!(!status.is_client_error(), "{path}: {status}");
        done += 1;
    }
    assert!(done >= 30, "{done} forms worked");
    server.kill().await;
}

/// The users of one location, in each role: the other location of the account is as little there as another
/// account, in pages, files and forms.
#[tokio::test]
async fn what_is_of_another_location_is_not_there_for_the_users_of_one() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let word = "Ryestone";
    let mut rye = fill(&data, &server, word, word, "ryestone@shops.example").await;
    grow(&server, &mut rye, word).await;
    let account = rye.account.clone();
    let of_account = ["--account", &account, "--name"];
    let create = [&["location", "create"][..], &of_account, &["Hilltop"]].concat();
    let hilltop = id(&command(&data, &create).await);
    // The name of the business is for all of its people.
    rye.browser.read("/dashboard/account").await;
    let renamed = rye
        .browser
        .submit("/dashboard/account", &[("name", "Mill")]);
    assert_eq!(renamed.await.status, StatusCode::SEE_OTHER);
    // Each page of those who have the location says so.
    let erase = format!("/dashboard/privacy/locations/{}/erase", rye.location);
    let planned = rye.browser.submit(&erase, &[("name", word)]).await;
    assert_eq!(planned.status, StatusCode::SEE_OTHER);
    let theirs = look(&mut rye).await;
    for role in ["manager", "accountant", "developer"] {
        let email = format!("{role}@hilltop.example");
        let of_place = format!("{role}@{hilltop}");
        let create = [&["user", "create"][..], &of_account, &[role]].concat();
        let create = [&create[..], &["--role", &of_place, "--email", &email]].concat();
        let made = id(&command(&data, &create).await[0]);
        let invited = command(&data, &["user", "invite", &made]).await;
        let link = invited["link"].as_str().unwrap();
        let mut user = Browser::of_owner(&server, link).await;
        let own = own_at(&mut user, &hilltop, role).await;
        for path in rye.pages() {
            // The user has asked for the word.
            if path.contains("/search?") {
                continue;
            }
            let (bare, _) = path.split_once("at=").unwrap_or((&path, ""));
            let bare = bare.trim_end_matches(['?', '&']);
            let mark = if bare.contains('?') { '&' } else { '?' };
            for path in [bare.to_owned(), format!("{bare}{mark}format=csv")] {
                let page = text(&user.open(&path).await);
                assert!(!has(&page, word), "{role}: {path}: {page}");
            }
        }
        let (pages, forms) = try_all(&mut user, &own, &rye, word, true).await;
        assert!(pages >= 30 && forms >= 60, "{pages} pages, {forms} forms");
        for id in rye.ids() {
            let found = user.read(&format!("/dashboard/search?q={id}")).await;
            assert!(found.contains("Nothing was found"), "{role}: {id}: {found}");
        }
        let found = user.read(&format!("/dashboard/search?q={word}")).await;
        assert!(found.contains("Nothing was found"), "{role}: {found}");
    }
    // The people of the other location, and what they have made, are on these pages alone.
    let changed = [
        "/dashboard/users",
        "/dashboard/activity",
        "/dashboard/usage",
        "/dashboard/requests",
    ];
    let is_kept = |path: &String| {
        path != "/dashboard/webhooks" && !changed.iter().any(|start| path.starts_with(start))
    };
    let now = look(&mut rye).await;
    for ((path, before), now) in rye.pages().iter().zip(theirs).zip(now) {
        assert!(before == now || !is_kept(path), "{path}");
    }
    server.kill().await;
}

/// What a user of one location has there. A manager makes it first.
async fn own_at(user: &mut Browser, location: &str, role: &str) -> Own {
    let mut own = Own {
        location: location.to_owned(),
        product: "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02".to_owned(),
        webhook: "019a8c52-8e20-7c42-8a1f-4c2d6e8fab03".to_owned(),
    };
    if role != "manager" {
        return own;
    }
    user.read("/dashboard/webhooks/new").await;
    let url = ("url", "http://127.0.0.1:9/hilltop");
    let fields = [url, ("event", "stock.changed"), ("location", location)];
    let made = user.submit("/dashboard/webhooks", &fields).await;
    let page = text(&made.expect(200));
    own.webhook = super::filled::between(&page, "href=\"/dashboard/webhooks/", "\"").to_owned();
    user.read("/dashboard/products?edit=new").await;
    let fields = [("name", "Loaf"), ("priceCents", "1"), ("vatRate", "9")];
    let made = user.submit("/dashboard/products/new", &fields).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER);
    let page = user.read("/dashboard/products").await;
    let is_id = |rest: &&str| rest.starts_with(|first: char| first.is_ascii_digit());
    let edit = page.split("edit=").find(is_id).unwrap();
    own.product = edit[..36].to_owned();
    own
}
