//! An account with a record of every kind, which all have the same text wherever a text may stand.

use std::net::SocketAddr;

use connect_tests::{
    data::DataFolder,
    http::{Request, send},
    process::{PLENTY, Process, run},
};
use http::Method;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::{PROGRAM, browser::Browser};

/// The account, with an id of each kind.
pub(super) struct Filled {
    pub(super) browser: Browser,
    /// Another browser of the owner.
    pub(super) second: Browser,
    /// The text of each record.
    text: String,
    pub(super) account: String,
    /// The session of the other browser.
    pub(super) session: String,
    pub(super) location: String,
    pub(super) token: String,
    /// The value of the token.
    pub(super) secret: String,
    pub(super) screen: String,
    pub(super) owner: String,
    pub(super) user: String,
    pub(super) category: String,
    pub(super) product: String,
    pub(super) receipt: String,
    pub(super) order: String,
    pub(super) webhook: String,
    pub(super) delivery: String,
}

impl Filled {
    /// All ids of the account, and the ids of what it has.
    pub(super) fn ids(&self) -> [&str; 13] {
        [
            &self.account,
            &self.session,
            &self.location,
            &self.token,
            &self.screen,
            &self.owner,
            &self.user,
            &self.category,
            &self.product,
            &self.receipt,
            &self.order,
            &self.webhook,
            &self.delivery,
        ]
    }

    /// The paths of all pages that have something of the account.
    pub(super) fn pages(&self) -> Vec<String> {
        let Self {
            location,
            token,
            category,
            product,
            ..
        } = self;
        let (webhook, delivery) = (&self.webhook, &self.delivery);
        let everywhere = ["", "/tokens", "/tokens/new", "/webhooks", "/webhooks/new"];
        let more = [
            "/usage",
            "/requests",
            "/screens",
            "/screens/names",
            "/users",
            "/activity",
            "/account",
            "/account/email",
            "/account/password",
            "/account/second-factor",
            "/account/passkeys",
            "/account/single-sign-on",
            "/privacy",
            "/privacy/export",
        ];
        let of_shop = [
            String::new(),
            "/journal".to_owned(),
            "/journal/z-reports".to_owned(),
            format!("/journal/{}", self.receipt),
            "/orders".to_owned(),
            "/products".to_owned(),
            "/products?edit=new".to_owned(),
            format!("/products?edit={product}"),
            format!("/products?category={category}"),
            "/products/import".to_owned(),
            "/stock".to_owned(),
            "/stock?level=low".to_owned(),
            "/stock/count".to_owned(),
            "/stock/count?level=low".to_owned(),
            format!("/stock/count?product={product}"),
            format!("/stock/{product}"),
        ];
        let of_shop = of_shop.map(|path| {
            let mark = if path.contains('?') { '&' } else { '?' };
            format!("{path}{mark}at={location}")
        });
        let of_webhook = [
            format!("/users/{}", self.owner),
            format!("/users/{}", self.user),
            format!("/tokens/{token}"),
            format!("/requests?token={token}"),
            format!("/activity?object={product}"),
            format!("/webhooks/{webhook}"),
            format!("/webhooks/{webhook}/edit"),
            format!("/webhooks/{webhook}/resend"),
            format!("/webhooks/{webhook}/resend?of=chosen&delivery={delivery}"),
            format!("/webhooks/{webhook}/deliveries/{delivery}"),
        ];
        let sought: String = form_urlencoded::byte_serialize(self.text.as_bytes()).collect();
        let plain = everywhere.into_iter().chain(more).map(str::to_owned);
        let all = plain.chain(of_shop).chain(of_webhook);
        let all = all.chain([format!("/search?q={sought}")]);
        all.map(|path| format!("/dashboard{path}")).collect()
    }
}

/// A server that sends webhooks to this machine, at once.
pub(super) async fn serve(data: &DataFolder) -> Process {
    serve_with(data, &[]).await
}

/// The same with more flags.
pub(super) async fn serve_with(data: &DataFolder, flags: &[&str]) -> Process {
    let storage = format!("redb:{}", data.store().display());
    let more = [
        "--allow-networks",
        "127.0.0.0/8",
        "--delivery-interval",
        "1",
    ];
    let more = [&more[..], &PLENTY, flags].concat();
    Process::start_as(PROGRAM, "serve", &storage, &more)
        .await
        .unwrap()
}

/// Runs a command; the JSON that it prints.
pub(super) async fn command(data: &DataFolder, words: &[&str]) -> Value {
    let more = ["--json", "--data", data.path().to_str().unwrap()];
    let done = run(PROGRAM, &[words, &more].concat()).await;
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    serde_json::from_str(&done.output).unwrap()
}

/// Makes an account; its id.
pub(super) async fn account(data: &DataFolder, name: &str, email: &str) -> String {
    let create = ["account", "create", "--name", name, "--email", email];
    id(&command(data, &create).await)
}

/// Invites the owner of an account; the link.
pub(super) async fn invite(data: &DataFolder, account: &str) -> String {
    let invitation = command(data, &["account", "invite", account]).await;
    invitation["link"].as_str().unwrap().to_owned()
}

/// The id of a record.
pub(super) fn id(of: &Value) -> String {
    of["id"].as_str().unwrap().to_owned()
}

/// Answers every request with this text, in a header as well.
async fn endpoint(text: &str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answer = format!(
        "HTTP/1.1 200 {text}\r\nx-note: {text}\r\ncontent-type: text/html\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{text}",
        text.len()
    );
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut read = vec![0; 64 * 1024];
                let _ = socket.read(&mut read).await;
                let _ = socket.write_all(answer.as_bytes()).await;
                // The rest of the request, so that the answer is not cut off.
                while matches!(socket.read(&mut read).await, Ok(1..)) {}
            });
        }
    });
    address
}

/// Makes an account with a record of every kind. `text` has at most 100 characters, and `short` 50.
pub(super) async fn fill(
    data: &DataFolder,
    server: &Process,
    text: &str,
    short: &str,
    email: &str,
) -> Filled {
    let account = account(data, text, email).await;
    let of_account = ["--account", &account, "--name", text];
    let location = command(data, &[&["location", "create"][..], &of_account].concat()).await;
    let location = id(&location);
    let mut keys = Vec::new();
    let mut screen = String::new();
    for kind in ["order_kiosk", "pos"] {
        let create = ["screen", "create", "--location", &location, "--type", kind];
        let made = command(data, &[&create[..], &["--name", text]].concat()).await;
        keys.push(made[0]["key"].as_str().unwrap().to_owned());
        screen = id(&made[0]);
    }
    let users = command(data, &["user", "list"]).await;
    let mut users = users.as_array().unwrap().iter();
    let owner = users.find(|user| user["accountId"] == *account).map(id);
    let of_manager = format!("m{email}");
    let create = [
        &[
            "user",
            "create",
            "--role",
            "manager",
            "--email",
            &of_manager,
        ][..],
        &of_account,
    ];
    let user = id(&command(data, &create.concat()).await[0]);
    let create = [&["token", "create", "--all-scopes"][..], &of_account].concat();
    let token = command(data, &create).await;
    let mut browser = Browser::of_owner(server, &invite(data, &account).await).await;

    let value = token["token"].as_str().unwrap();
    let api = format!("/v1/locations/{location}");
    let call = async |method: Method, path: &str, body: Value| {
        // Each request has its own. The first characters of a path tell them apart.
        let path_start: String = path.chars().take(4).collect();
        let key = format!("{}{path_start}", key_of(text));
        let request = Request::new(method, format!("{api}{path}")).json(&body);
        // An id with letters that are not safe in a log is replaced.
        let request_id = format!("{text}-{}", path_start.trim_start_matches('/'));
        let request = request.bearer(value).key(&key).header("user-agent", text);
        let request = request.header("x-request-id", request_id);
        send(server.address, request).await.unwrap()
    };
    let group = json!({ "name": text, "options": [{ "name": text }] });
    let group = call(Method::POST, "/option-groups", group)
        .await
        .expect(201);
    let product = json!({
        "name": text, "categoryName": text, "barcode": text.chars().take(64).collect::<String>(),
        "description": text, "priceCents": 250, "optionGroupIds": [group.id()],
    });
    let product = call(Method::POST, "/products", product).await.expect(201);
    let category = product.data()["categoryId"].as_str().unwrap().to_owned();
    let product = product.id();
    let count = json!({ "quantity": 5, "note": text });
    call(Method::PUT, &format!("/stock/{product}"), count)
        .await
        .expect(200);

    let line = json!({
        "productId": product, "name": text, "quantity": 1, "unitPriceCents": 250,
        "totalCents": 250, "vatRate": 9, "options": [{ "name": text, "priceCents": 0 }],
    });
    let device = async |key: &str, path: &str, body: Value| {
        let request = Request::post(format!("/device/v1/{path}"), &body).bearer(key);
        send(server.owner_address, request)
            .await
            .unwrap()
            .expect(201)
    };
    let sale = json!({
        "type": "sale", "totalCents": 250, "lines": [line], "employee": text, "note": text,
        "payments": [{ "method": "cash", "amountCents": 250 }],
    });
    let receipt = device(&keys[1], "transactions", sale).await.id();
    device(&keys[1], "z-reports", json!({ "countedCents": 250 })).await;
    let order = json!({
        "fulfilment": "dine_in", "lines": [line], "tableLabel": short, "customerName": text,
        "note": text,
    });
    let order = device(&keys[0], "orders", order).await.id();

    let minimum = format!("/dashboard/stock/{product}/minimum");
    let fields = [("at", &*location), ("minimum", "7")];
    browser.submit(&minimum, &fields).await.expect(303);

    let mut second = Browser::at(server).named(text);
    second.sign_in(email).await.expect(303);
    let page = browser.read("/dashboard/account").await;
    let session = between(&page, "action=\"/dashboard/account/sessions/", "/end\"");

    let mut filled = Filled {
        browser,
        second,
        text: text.to_owned(),
        account,
        session: session.to_owned(),
        location,
        token: id(&token),
        secret: value.to_owned(),
        screen,
        owner: owner.unwrap(),
        user,
        category,
        product,
        receipt,
        order,
        webhook: String::new(),
        delivery: String::new(),
    };
    // A path that nobody has, and whose answer is among the last requests of the token.
    let path: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    call(Method::POST, &format!("/{path}"), json!({}))
        .await
        .expect(404);
    hook(&mut filled, &endpoint(text).await, &path).await;
    filled
}

/// Makes a webhook with a delivery that was answered.
async fn hook(filled: &mut Filled, endpoint: &SocketAddr, path: &str) {
    let browser = &mut filled.browser;
    browser.read("/dashboard/webhooks/new").await;
    let url = format!("http://{endpoint}/{path}");
    let fields = [("url", &*url), ("event", "stock.changed")];
    let made = browser.submit("/dashboard/webhooks", &fields).await;
    let page = super::browser::text(&made);
    filled.webhook = between(&page, "href=\"/dashboard/webhooks/", "\"").to_owned();
    let path = format!("/dashboard/webhooks/{}", filled.webhook);
    browser.submit(&format!("{path}/test"), &[]).await;
    for _ in 0..300 {
        let page = browser.read(&path).await;
        let rows = page.split_once("Recent deliveries").unwrap().1;
        if rows.contains("Delivered</span>") {
            filled.delivery = between(rows, "/deliveries/", "\"").to_owned();
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("no answer to the test of a webhook in 30 seconds");
}

/// The text between two others.
#[track_caller]
pub(super) fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap();
    rest.split_once(after).unwrap().0
}

/// The text as an idempotency key, which has no blanks.
fn key_of(text: &str) -> String {
    text.replace(' ', "/")
}
