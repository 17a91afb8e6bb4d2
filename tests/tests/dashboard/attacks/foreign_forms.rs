//! Forms that no page of the dashboard has made for their sender (CSRF), and links in place of forms.

use connect_tests::data::DataFolder;
use http::StatusCode;

use super::{
    super::{
        PROGRAM,
        browser::{Browser, PASSWORD, form, text},
        filled::{account, fill, invite, serve},
        owners::look,
    },
    forms::acts,
    routes,
};

/// What a browser says of a form of another site, or of another server of this machine.
const FOREIGN: [(&str, &str); 5] = [
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "same-site"),
    ("origin", "https://evil.example"),
    ("origin", "http://127.0.0.1:1"),
    ("origin", "http://127.0.0.1"),
];

/// The fields of a form, with a token if there is one.
fn with_token<'f>(
    token: Option<&'f str>,
    fields: &'f [(&'static str, String)],
) -> Vec<(&'f str, &'f str)> {
    let token = token.map(|token| ("csrf", token)).into_iter();
    let fields = fields.iter().map(|(name, value)| (*name, &**value));
    token.chain(fields).collect()
}

/// Sends a form with each wrong token, and with the right one as if from elsewhere. Each is refused, and sets no
/// session.
async fn try_form(
    by: &mut Browser,
    path: &str,
    fields: &[(&'static str, String)],
    wrong: &[Option<&str>],
) {
    let right = by.csrf().to_owned();
    let session = by.cookie("connect-session").to_owned();
    let wrong = wrong.iter().map(|token| (*token, None));
    let foreign = FOREIGN.map(|header| (Some(&*right), Some(header)));
    for (token, header) in wrong.chain(foreign) {
        let mut request = form(path, &with_token(token, fields));
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        let refused = by.send(request).await;
        let what = format!("{path} with {token:?} {header:?}");
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{what}");
        // Without a mail server nobody is asked for an address, and so there is no form to be too old.
        let is_told = text(&refused).contains("This form is too old");
        assert!(is_told || path.ends_with("/forgotten"), "{what}");
        assert_eq!(by.cookie("connect-session"), session, "{what}");
    }
}

#[tokio::test]
async fn no_form_of_a_user_is_taken_from_elsewhere_and_no_link_is_a_form() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let word = "Ryestone";
    let mut shop = fill(&data, &server, word, word, "ryestone@shops.example").await;
    let acts = acts(&shop);
    let forms: Vec<_> = acts.iter().map(|(path, _)| path.clone()).collect();
    routes::assert_complete(&shop.pages(), &forms);
    let before = look(&mut shop).await;

    let mut visitor = Browser::at(&server);
    visitor.read("/dashboard/sign-in").await;
    // The same owner in another session has tokens of that session.
    shop.second.read("/dashboard/account").await;
    shop.browser.read("/dashboard/account").await;
    let (session, other) = (
        shop.browser.cookie("connect-session").to_owned(),
        shop.second.csrf().to_owned(),
    );
    let half = shop.browser.csrf()[..64].to_owned();
    let wrong = [
        None,
        Some(""),
        Some("00"),
        Some(&*other),
        Some(visitor.csrf()),
        Some(&*session),
        Some(&*half),
    ];
    // A cookie that somebody planted makes no difference.
    let planted = visitor.cookie("connect-visitor").to_owned();
    shop.browser.set_cookie("connect-visitor", &planted);
    for (path, fields) in &acts {
        let path = format!("/dashboard/{path}");
        try_form(&mut shop.browser, &path, fields, &wrong).await;
        // The same as a link, with the right token.
        let right = shop.browser.csrf().to_owned();
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(with_token(Some(&right), fields));
        let link = format!("{path}?{}", query.finish());
        let shown = shop.browser.open(&link).await.status;
        assert!(!shown.is_server_error(), "{link}: {shown}");
    }
    // None of it has changed anything.
    let after = look(&mut shop).await;
    for ((path, before), after) in shop.pages().iter().zip(before).zip(after) {
        assert_eq!(after, before, "{path}");
    }
    shop.second.read("/dashboard").await;

    // With the right token each is taken, whatever it does then.
    let own = format!("http://{}", server.owner_address);
    for (path, fields) in &acts {
        shop.browser.read("/dashboard/account").await;
        let right = shop.browser.csrf().to_owned();
        let request = form(
            &format!("/dashboard/{path}"),
            &with_token(Some(&right), fields),
        );
        let taken = shop.browser.send(request.header("origin", &own)).await;
        assert_ne!(taken.status, StatusCode::FORBIDDEN, "{path}");
    }
    server.kill().await;
}

/// A site that signs a browser in to an account of its own would read what its user then writes there.
#[tokio::test]
async fn no_form_of_a_visitor_is_taken_from_elsewhere() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let email = "ryestone@shops.example";
    let account = account(&data, "Ryestone", email).await;
    let mut owner = Browser::of_owner(&server, &invite(&data, &account).await).await;
    owner.read("/dashboard/account").await;
    let provider = [
        ("issuer", "http://127.0.0.1:9"),
        ("clientId", "x"),
        ("clientSecret", "x"),
    ];
    let set = owner.submit("/dashboard/account/single-sign-on", &provider);
    set.await.expect(303);
    let link = invite(&data, &account).await;
    let invitation = link[link.find("/dashboard/").unwrap()..].to_owned();

    let mut other = Browser::at(&server);
    other.read("/dashboard/sign-in").await;
    let mut visitor = Browser::at(&server);
    visitor.read("/dashboard/sign-in").await;
    let cookie = visitor.cookie("connect-visitor").to_owned();
    let wrong = [
        None,
        Some(""),
        Some("00"),
        Some(other.csrf()),
        Some(owner.csrf()),
        Some(&*cookie),
    ];
    let field = |name, value: &str| (name, value.to_owned());
    let rows = [
        (
            "sign-in".to_owned(),
            vec![field("email", email), field("password", PASSWORD)],
        ),
        ("sign-in/code".to_owned(), vec![field("code", "000000")]),
        (
            "sign-in/passkey".to_owned(),
            vec![field("answer", "{}"), field("challenge", "x")],
        ),
        (format!("sign-in/with/{account}"), Vec::new()),
        ("forgotten".to_owned(), vec![field("email", email)]),
        (
            invitation["/dashboard/".len()..].to_owned(),
            vec![
                field("password", "oats and millet"),
                field("repeated", "oats and millet"),
            ],
        ),
    ];
    let tried: Vec<_> = rows.iter().map(|(path, _)| &**path).collect();
    assert_eq!(routes::open_forms_but(&tried), Vec::<&str>::new());
    for (path, fields) in &rows {
        let path = format!("/dashboard/{path}");
        try_form(&mut visitor, &path, fields, &wrong).await;
    }
    // The password, the session and the invitation are as they were.
    owner.read("/dashboard/account").await;
    assert!(other.read(&invitation).await.contains("You are invited"));
    visitor.sign_in(email).await.expect(303);
    visitor.read("/dashboard/account").await;
    server.kill().await;
}
