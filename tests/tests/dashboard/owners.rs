//! Several owners on one server: each sees the own account and nothing else.

use connect_tests::data::DataFolder;
use http::StatusCode;

use super::{
    PROGRAM,
    browser::text,
    filled::{Filled, fill, serve},
};

/// The pages of one account, as they are now.
async fn look(owner: &mut Filled) -> Vec<String> {
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

/// The forms that an owner may send about something with an id: paths, with the fields that go with them.
fn acts(on: &Filled) -> Vec<(String, Vec<(&'static str, String)>)> {
    let Filled {
        location,
        token,
        screen,
        user,
        product,
        webhook,
        delivery,
        ..
    } = on;
    let at = ("at", location.clone());
    let bulk = |action: &str| {
        let fields = [("do", action.to_owned()), ("price", "9.99".to_owned())];
        let mut fields = fields.to_vec();
        fields.extend([("id", product.clone()), at.clone()]);
        ("products/bulk".to_owned(), fields)
    };
    let prices = |path: &str| {
        let fields = [("how", "amount-up"), ("by", "1"), ("rounding", "5")];
        let mut fields = fields
            .map(|(name, value)| (name, value.to_owned()))
            .to_vec();
        fields.extend([("id", product.clone()), at.clone()]);
        (path.to_owned(), fields)
    };
    let hook = |action: &str| (format!("webhooks/{webhook}{action}"), Vec::new());
    let url = ("url", "http://127.0.0.1:9/elsewhere".to_owned());
    let event = ("event", "stock.changed".to_owned());
    let person = [
        ("name", "x"),
        ("email", "x@y.example"),
        ("language", "en"),
        ("role", "manager"),
    ];
    let person = person.map(|(name, value)| (name, value.to_owned()));
    vec![
        (format!("users/{user}"), person.to_vec()),
        (format!("users/{user}/invite"), Vec::new()),
        (format!("users/{user}/remove"), Vec::new()),
        (format!("tokens/{token}/revoke"), Vec::new()),
        (format!("screens/{screen}/key"), Vec::new()),
        (format!("screens/{screen}/revoke"), Vec::new()),
        (format!("screens/{screen}/delete"), Vec::new()),
        (format!("webhooks/{webhook}"), vec![url, event]),
        hook("/test"),
        hook("/disable"),
        hook("/enable"),
        hook("/roll"),
        hook("/delete"),
        (
            format!("webhooks/{webhook}/resend-failed"),
            vec![("since", "2026-01-01T00:00".to_owned())],
        ),
        (
            format!("webhooks/{webhook}/resend"),
            vec![("delivery", delivery.clone())],
        ),
        hook(&format!("/deliveries/{delivery}/resend")),
        (
            format!("privacy/locations/{location}/erase"),
            vec![("name", "x".to_owned())],
        ),
        (format!("privacy/locations/{location}/keep"), Vec::new()),
        (
            "privacy/blank".to_owned(),
            vec![("person", "x".to_owned()), ("locationId", location.clone())],
        ),
        (
            format!("stock/{product}"),
            vec![
                ("kind", "delivery".to_owned()),
                ("quantity", "2".to_owned()),
                at.clone(),
            ],
        ),
        (
            format!("stock/{product}/count"),
            vec![("quantity", "9".to_owned()), at.clone()],
        ),
        (
            format!("stock/{product}/minimum"),
            vec![("minimum", "9".to_owned()), at.clone()],
        ),
        (
            format!("products/{product}"),
            vec![
                ("name", "x".to_owned()),
                ("priceCents", "1".to_owned()),
                ("vatRate", "9".to_owned()),
                ("updatedAt", "2026-11-20T09:15:30Z".to_owned()),
                at.clone(),
            ],
        ),
        prices("products/prices/preview"),
        prices("products/prices"),
        (
            "products/undo".to_owned(),
            vec![("time", "2026-11-20T09:15:30Z".to_owned()), at.clone()],
        ),
        bulk("price"),
        bulk("off"),
        bulk("delete"),
    ]
}

#[tokio::test]
async fn what_is_of_another_owner_is_not_there() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let (own, other) = ("Ryestone", "Oatfield");
    let mut rye = fill(&data, &server, own, own, "ryestone@shops.example").await;
    let mut oat = fill(&data, &server, other, other, "oatfield@shops.example").await;

    // There is something of the other on each page, so that something could leak.
    let theirs = look(&mut oat).await;
    for (path, page) in oat.pages().iter().zip(&theirs) {
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
    // Each page of the other that has an id in its path or its query, also where the location is the own.
    let mut tried = 0;
    for path in oat.pages() {
        let own_place = path.replace(&oat.location, &rye.location);
        for path in [path, own_place] {
            if !oat.ids().iter().any(|id| path.contains(id)) {
                continue;
            }
            let refused = rye.browser.open(&path).await;
            // At the own location a product of another is one that was deleted.
            let is_gone = path.contains("/stock/") && path.contains(&rye.location);
            let status = refused.status;
            assert!(
                is_gone || status == StatusCode::NOT_FOUND,
                "{path}: {status}"
            );
            assert!(!has(&text(&refused), other), "{path}");
            tried += 1;
        }
    }
    assert!(tried >= 14, "{tried} pages of the other were tried");

    rye.browser.read("/dashboard/account").await;
    for (path, fields) in acts(&oat) {
        for own_place in [false, true] {
            let fields = fields.iter().map(|(name, value)| {
                let is_place = own_place && *name == "at";
                (*name, if is_place { &*rye.location } else { &**value })
            });
            let fields: Vec<_> = fields.collect();
            let path = format!("/dashboard/{path}");
            let refused = rye.browser.submit(&path, &fields).await;
            // A product of nobody is left out of what is changed in bulk.
            let is_bulk = own_place && (path.ends_with("/bulk") || path.ends_with("/preview"));
            assert!(
                refused.status.is_client_error() || is_bulk,
                "{path}: {}",
                refused.status
            );
            assert!(!has(&text(&refused), other), "{path}");
        }
    }
    // A token, a screen or a webhook for a location of another account.
    let grant = format!("{} catalog:read", oat.location);
    for (path, fields) in [
        ("tokens", vec![("name", "x"), ("grant", &*grant)]),
        (
            "screens",
            vec![
                ("name", "x"),
                ("type", "pos"),
                ("locationId", &*oat.location),
            ],
        ),
    ] {
        let refused = rye
            .browser
            .submit(&format!("/dashboard/{path}"), &fields)
            .await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
        assert!(!has(&text(&refused), other), "{path}");
    }
    // Nothing of the other has changed by any of this.
    assert_eq!(look(&mut oat).await, theirs);
    // The same forms work for the owner, so none was refused for another reason.
    for (path, fields) in acts(&oat) {
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        // What was switched off or deleted before is in the way of these, or they need a name or a time.
        let last = path.rsplit('/').next().unwrap_or_default();
        let is_edit = path == format!("products/{}", oat.product);
        if is_edit
            || [
                "delete",
                "resend",
                "resend-failed",
                "enable",
                "erase",
                "keep",
                "undo",
            ]
            .contains(&last)
        {
            continue;
        }
        oat.browser.read("/dashboard/account").await;
        let done = oat
            .browser
            .submit(&format!("/dashboard/{path}"), &fields)
            .await;
        assert!(!done.status.is_client_error(), "{path}: {}", done.status);
    }
    server.kill().await;
}
