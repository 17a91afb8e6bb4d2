//! Every form of a user, filled in.

use super::super::filled::Filled;

/// A form: its path below the dashboard, with the fields that go with it.
pub(in super::super) type Act = (String, Vec<(&'static str, String)>);

/// Every form of a user, about something of this account. A row of `ROUTES` without one fails a test.
pub(in super::super) fn acts(on: &Filled) -> Vec<Act> {
    let Filled {
        session,
        location,
        token,
        screen,
        user,
        category,
        product,
        receipt,
        webhook,
        delivery,
        ..
    } = on;
    let at = ("at", location.clone());
    let fields = |fields: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        let owned = fields.iter().map(|(name, value)| (*name, (*value).into()));
        owned.collect()
    };
    let bulk = |action: &str, value: &str| {
        let of = if action == "category" {
            "category"
        } else {
            "price"
        };
        let fields = fields(&[
            ("do", action),
            (of, value),
            ("id", product),
            ("at", location),
        ]);
        ("products/bulk".to_owned(), fields)
    };
    let prices = |path: &str| {
        let change = [("how", "amount-up"), ("by", "1"), ("rounding", "5")];
        let seen = format!("{product} 250");
        let of = [("id", &**product), ("seen", &*seen), ("at", location)];
        (path.to_owned(), fields(&[&change[..], &of].concat()))
    };
    let import = |step: &str| {
        let fields = fields(&[
            ("text", "code;name\nX-1;x"),
            ("column-code", "0"),
            ("column-name", "1"),
            ("at", location),
        ]);
        (format!("products/import{step}"), fields)
    };
    let edited = |path: &str| {
        let fields = fields(&[
            ("name", "x"),
            ("priceCents", "1"),
            ("vatRate", "9"),
            ("updatedAt", "2026-11-20T09:15:30Z"),
            ("categoryId", category),
            ("at", location),
        ]);
        (format!("products/{path}"), fields)
    };
    let hook = |action: &str| (format!("webhooks/{webhook}{action}"), Vec::new());
    let hooked = |path: &str| {
        let fields = fields(&[
            ("url", "http://127.0.0.1:9/elsewhere"),
            ("event", "stock.changed"),
            ("location", location),
        ]);
        (format!("webhooks{path}"), fields)
    };
    let person = |path: &str, email: &str| {
        let fields = fields(&[
            ("name", "x"),
            ("email", email),
            ("language", "en"),
            ("role", "manager"),
        ]);
        (format!("users{path}"), fields)
    };
    // None of these is right, and so none takes the account away from its owner.
    let secrets = |path: &str| {
        let fields = fields(&[
            ("currentPassword", "not the password"),
            ("email", "new@y.example"),
            ("password", "oats and millet"),
            ("repeated", "oats and millet"),
            ("name", "x"),
            ("code", "000000"),
            ("answer", "{}"),
        ]);
        (format!("account/{path}"), fields)
    };
    let plain = |path: &str| (path.to_owned(), Vec::new());
    let grant = format!("{location} catalog:read");
    vec![
        person("", "other@y.example"),
        person(&format!("/{user}"), "x@y.example"),
        (format!("users/{user}/invite"), Vec::new()),
        (format!("users/{user}/reset-second-factor"), Vec::new()),
        (format!("users/{user}/remove"), Vec::new()),
        (
            "tokens".to_owned(),
            fields(&[("name", "x"), ("grant", &grant)]),
        ),
        (format!("tokens/{token}/revoke"), Vec::new()),
        (
            "screens".to_owned(),
            fields(&[("name", "x"), ("type", "pos"), ("locationId", location)]),
        ),
        (
            "screens/names".to_owned(),
            fields(&[("kind", "screen"), ("id", screen), ("name", "x")]),
        ),
        (
            "screens/names".to_owned(),
            fields(&[("kind", "location"), ("id", location), ("name", "x")]),
        ),
        (format!("screens/{screen}/key"), Vec::new()),
        (format!("screens/{screen}/revoke"), Vec::new()),
        (format!("screens/{screen}/delete"), Vec::new()),
        hooked(""),
        hooked(&format!("/{webhook}")),
        (
            format!("webhooks/{webhook}/test"),
            fields(&[("event", "stock.changed")]),
        ),
        hook("/disable"),
        hook("/enable"),
        hook("/roll"),
        hook("/delete"),
        (
            format!("webhooks/{webhook}/resend-failed"),
            fields(&[("since", "2026-01-01T00:00"), ("go-on", delivery)]),
        ),
        (
            format!("webhooks/{webhook}/resend"),
            fields(&[("delivery", delivery)]),
        ),
        hook(&format!("/deliveries/{delivery}/resend")),
        (
            format!("privacy/locations/{location}/erase"),
            fields(&[("name", "x")]),
        ),
        (format!("privacy/locations/{location}/keep"), Vec::new()),
        ("privacy/erase".to_owned(), fields(&[("name", "x")])),
        plain("privacy/keep"),
        ("privacy/retention".to_owned(), fields(&[("orderDays", "")])),
        plain("privacy/export"),
        (
            "privacy/blank".to_owned(),
            fields(&[("person", receipt), ("locationId", location)]),
        ),
        (
            format!("stock/{product}"),
            fields(&[("kind", "delivery"), ("quantity", "2"), ("at", location)]),
        ),
        (
            format!("stock/{product}/count"),
            fields(&[("quantity", "9"), ("at", location)]),
        ),
        (
            format!("stock/{product}/minimum"),
            fields(&[("minimum", "9"), ("at", location)]),
        ),
        edited(product),
        edited("new"),
        import(""),
        import("/check"),
        import("/apply"),
        prices("products/prices/preview"),
        prices("products/prices"),
        (
            "products/undo".to_owned(),
            vec![("time", "2026-11-20T09:15:30Z".to_owned()), at.clone()],
        ),
        bulk("category", category),
        bulk("price", "9.99"),
        bulk("off", ""),
        bulk("delete", ""),
        ("sandbox".to_owned(), vec![("do", "sale".to_owned()), at]),
        ("account".to_owned(), fields(&[("name", "x")])),
        (
            "account/profile".to_owned(),
            fields(&[("name", "x"), ("language", "en")]),
        ),
        secrets("email"),
        secrets("password"),
        secrets("second-factor"),
        secrets("second-factor/add"),
        secrets("second-factor/codes"),
        secrets("second-factor/remove"),
        secrets("passkeys"),
        secrets("passkeys/add"),
        secrets("passkeys/019a8c52-8e20-7c42-8a1f-4c2d6e8fab02/remove"),
        (
            "account/single-sign-on".to_owned(),
            fields(&[
                ("issuer", "http://127.0.0.1:9"),
                ("clientId", "x"),
                ("clientSecret", "x"),
            ]),
        ),
        plain("account/single-sign-on/remove"),
        (format!("account/sessions/{session}/end"), Vec::new()),
        plain("account/sessions/end-others"),
        // After the others: it ends the session.
        plain("sign-out"),
    ]
}

/// The forms that ask for more than [`acts`] fills in, or for what another of them has taken away.
pub(in super::super) const NOT_AT_ONCE: [&str; 13] = [
    "account/email",
    "account/password",
    "account/second-factor",
    "account/passkeys",
    "/reset-second-factor",
    "/delete",
    "/enable",
    "/erase",
    "/keep",
    "/resend",
    "products/undo",
    "sandbox",
    "sign-out",
];
