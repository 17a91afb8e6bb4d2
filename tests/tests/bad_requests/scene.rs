//! The shop of the wrong requests.

use bytes::Bytes;
use connect_core::{
    ScreenType,
    wire::{Scope, TransactionInput, ZReportInput},
};
use connect_server::routes::lists;
use connect_tests::{
    check::Checker,
    http::{Answer, Payload, Request},
    shop::{Shop, everything},
};
use http::{HeaderValue, Method};
use serde_json::{Value, json};

use super::{screens, table::Bad};

/// A shop with a few records, tokens of all kinds, and their names in the tables.
pub(super) struct Scene {
    shop: Shop,
    names: Vec<(String, String)>,
}

impl Scene {
    pub(super) async fn set() -> Self {
        let shop = Shop::open().await;
        let mut scene = Self {
            shop,
            names: Vec::new(),
        };
        scene.add_records().await;
        scene.add_option_groups().await;
        scene.add_journal().await;
        scene.add_stock().await;
        scene.add_screens().await;
        scene.add_cursors().await;
        scene.add_tokens().await;
        scene
    }

    fn name(&mut self, name: &str, value: impl Into<String>) {
        self.names.push((format!("{{{name}}}"), value.into()));
    }

    async fn add_records(&mut self) {
        let shop = &self.shop;
        let category = shop.make("categories", &json!({ "name": "Bread" })).await;
        shop.make("categories", &json!({ "name": "Crème" })).await;
        let first = json!({
            "name": "First", "externalId": "SCENE-1", "barcode": "SHARED",
            "availableFrom": "2026-01-01", "availableUntil": "2026-12-31",
        });
        let product = shop.make("products", &first).await;
        let second = json!({
            "name": "Second", "externalId": "SCENE-2", "barcode": "SHARED",
            "imageUrl": "https://img.example/second.png",
        });
        shop.make("products", &second).await;
        let used = json!({ "name": "Used", "imageUrl": "https://img.example/used.png" });
        let used = Request::post(shop.at("products"), &used).key("used");
        shop.send(used).await.expect(201);

        let there = |path: &str| format!("/v1/locations/{}/{path}", shop.there);
        let bread = json!({ "name": "Bread" });
        let theirs = shop
            .send(Request::post(there("categories"), &bread))
            .await
            .expect(201);
        let elsewhere = shop
            .send(Request::post(there("products"), &bread))
            .await
            .expect(201);
        shop.send(Request::post(there("products"), &bread))
            .await
            .expect(201);
        let (away, stranger) = shop.stranger(true).await;
        let strange = Request::post(format!("/v1/locations/{away}/categories"), &bread);
        let strange = shop.send_as(&stranger, strange).await.expect(201);

        let id = |record: &Value| record["id"].as_str().expect("an id").to_owned();
        let (here, there) = (shop.here.to_string(), shop.there.to_string());
        self.name("here", here);
        self.name("there", there);
        self.name("category", id(&category));
        self.name("product", id(&product));
        self.name("theirs", theirs.id());
        self.name("elsewhere", elsewhere.id());
        self.name("strange-category", strange.id());
        self.name("stranger", stranger);
    }

    async fn add_option_groups(&mut self) {
        let shop = &self.shop;
        let sizes = json!({
            "name": "Sizes", "externalId": "SCENE-G1", "minSelect": 2, "maxSelect": 2,
            "options": [{ "name": "Small", "externalId": "S" }, { "name": "Large" }, { "name": "Huge" }],
        });
        let group = shop.make("option-groups", &sizes).await;
        let sauces = json!({
            "name": "Sauces", "externalId": "SCENE-G2", "options": [{ "name": "Ketchup" }],
        });
        let other = shop.make("option-groups", &sauces).await;
        let there = format!("/v1/locations/{}/option-groups", shop.there);
        let theirs = shop.send(Request::post(there, &sauces)).await.expect(201);
        let id = |record: &Value| record["id"].as_str().expect("an id").to_owned();
        self.name("group", id(&group));
        self.name("option", id(&group["options"][0]));
        self.name("other-option", id(&group["options"][1]));
        self.name("strange-option", id(&other["options"][0]));
        self.name("their-group", theirs.id());
    }

    async fn add_journal(&mut self) {
        for (location, name) in [(self.shop.here, ""), (self.shop.there, "their-")] {
            let till = self.shop.screen_at(location, ScreenType::Pos, "Till").await;
            let till = self.shop.connect.location(&till);
            for _ in 0..2 {
                let float = br#"{ "type": "opening_float", "totalCents": 15000,
                                  "payments": [{ "method": "cash", "amountCents": 15000 }] }"#;
                let float = TransactionInput::from_json(float).expect("a row");
                let row = till.transactions().write(float).await.expect("a row");
                let closing = till.z_reports().close(ZReportInput::default());
                let report = closing.await.expect("a Z report");
                self.name(&format!("{name}transaction"), row.id.to_string());
                self.name(&format!("{name}Z-report"), report.id.to_string());
            }
        }
    }

    /// Stock of two products, and none of the first.
    async fn add_stock(&mut self) {
        let products = self.shop.get("products").await.expect(200).list();
        let id = |name: &str| -> String {
            let product = products.iter().find(|product| product["name"] == name);
            product.expect("it was made")["id"]
                .as_str()
                .expect("an id")
                .to_owned()
        };
        for name in ["Second", "Used"] {
            let adjustment = json!({ "productId": id(name), "quantityChange": 5 });
            self.shop.make("stock/adjustments", &adjustment).await;
        }
        self.name("tracked", id("Second"));
    }

    async fn add_screens(&mut self) {
        for (name, value) in screens::add_to(&self.shop).await {
            self.name(name, value);
        }
    }

    async fn add_cursors(&mut self) {
        let page = self.shop.get("products?limit=1").await;
        let cursor = page.next_cursor().expect("there are two products");
        let there = format!("/v1/locations/{}/products?limit=1", self.shop.there);
        let page = self.shop.send(Request::get(there)).await;
        self.name(
            "foreign-cursor",
            page.next_cursor().expect("there are two products"),
        );
        self.name("cut-cursor", &cursor[..cursor.len() - 1]);
        self.name("loud-cursor", cursor.to_uppercase());
        for part in 0..8 {
            let mut changed = cursor.clone().into_bytes();
            let at = part * (changed.len() - 1) / 7;
            changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
            self.name(
                &format!("changed-{part}"),
                String::from_utf8_lossy(&changed),
            );
        }
        self.name("cursor", cursor);
        let jobs = self.shop.get("image-jobs?limit=1").await;
        let cursor = jobs.next_cursor().expect("there are two image jobs");
        self.name("job-cursor", cursor);
        let rows = self.shop.get("transactions?limit=1").await;
        let cursor = rows.next_cursor().expect("there are two rows");
        self.name("transaction-cursor", cursor);
        let reports = self.shop.get("z-reports?limit=1").await;
        let cursor = reports.next_cursor().expect("there are two Z reports");
        self.name("Z-cursor", cursor);
        let orders = self.shop.get("orders?limit=1").await;
        let cursor = orders.next_cursor().expect("there are two orders");
        self.name("order-cursor", cursor);
        for (name, list) in [
            ("level-cursor", "stock"),
            ("movement-cursor", "stock/movements"),
        ] {
            let page = self.shop.get(&format!("{list}?limit=1")).await;
            self.name(name, page.next_cursor().expect("there are two"));
        }
        let events = self.shop.get("events?limit=1").await;
        let cursor = events.next_cursor().expect("there are some events");
        self.name("event-cursor", cursor);
        let id = |event: &Value| event["id"].as_str().expect("an id").to_owned();
        let first = id(&events.list()[0]);
        self.name("event", first);
        let there = format!("/v1/locations/{}/events", self.shop.there);
        let there = self.shop.send(Request::get(there)).await.expect(200);
        self.name("event-elsewhere", id(&there.list()[0]));
    }

    async fn add_tokens(&mut self) {
        let shop = &self.shop;
        let (here, there) = (shop.here, shop.there);
        let token = shop.token.clone();
        let expiry = "2026-11-20T10:00:00.000001Z".parse().expect("a time");
        let expired = shop.token_until(expiry).await;
        // A token is refused from its expiry on.
        shop.clock.set(expiry);
        let (revoked, id) = shop.revocable_token().await;
        shop.revoke(id).await;
        let tokens = [
            ("cut-token", token[..token.len() - 1].to_owned()),
            ("token", token),
            ("expired", expired),
            ("revoked", revoked),
            ("closed", shop.stranger(false).await.1),
            ("reader", shop.token_for(here, &[Scope::CatalogRead]).await),
            ("writer", shop.token_for(here, &[Scope::CatalogWrite]).await),
            (
                "till",
                shop.token_for(here, &[Scope::PosRead, Scope::StockWrite])
                    .await,
            ),
            (
                "stock-reader",
                shop.token_for(here, &[Scope::StockRead]).await,
            ),
            (
                "elsewhere-token",
                shop.token_for(there, &everything()).await,
            ),
            (
                "elsewhere-reader",
                shop.token_for(there, &[Scope::CatalogRead]).await,
            ),
        ];
        for (name, token) in tokens {
            self.name(name, token);
        }
    }

    /// Every record of both locations. Wrong requests change none.
    pub(super) async fn everything(&self) -> Vec<Value> {
        let mut all = Vec::new();
        for location in [self.shop.here, self.shop.there] {
            for list in lists() {
                let deleted = match list.ends_with("categories") || list.ends_with("products") {
                    true => "&includeDeleted=true",
                    false => "",
                };
                let list = list.replace("{location}", &location.to_string());
                let target = format!("{list}?limit=200{deleted}");
                all.push(
                    self.shop
                        .send(Request::get(target))
                        .await
                        .expect(200)
                        .data(),
                );
            }
        }
        all
    }

    /// Sends a wrong request, and returns the differences from its expected answer.
    pub(super) async fn try_out(&self, bad: &Bad) -> Option<String> {
        let mut request = self.fill_in(bad.request.clone());
        if !bad.is_anonymous {
            request = request.bearer(&self.shop.token);
        }
        let answer = match self.shop.send_unjudged(request).await {
            Ok(answer) => answer,
            Err(problem) => return Some(format!("{}: {problem}", bad.name)),
        };
        let mut faults = Checker::of(&answer.request.target).faults(&answer);
        faults.extend(difference(bad, &answer));
        let summary = answer.summary().chars().take(400).collect::<String>();
        (!faults.is_empty()).then(|| format!("{}: {}\n    {summary}", bad.name, faults.join("; ")))
    }

    fn fill_in(&self, mut request: Request) -> Request {
        request.target = self.replace(&request.target);
        for value in request.headers.values_mut() {
            if let Ok(text) = std::str::from_utf8(value.as_bytes()) {
                let filled = self.replace(text);
                *value = HeaderValue::from_bytes(filled.as_bytes()).expect("a header value");
            }
        }
        if let Payload::Whole(body) = &request.body
            && body.len() < 10_000
            && let Ok(text) = std::str::from_utf8(body)
        {
            request.body = Payload::Whole(Bytes::from(self.replace(text)));
        }
        request
    }

    fn replace(&self, text: &str) -> String {
        self.names
            .iter()
            .fold(text.to_owned(), |text, (name, value)| {
                text.replace(name, value)
            })
    }
}

fn difference(bad: &Bad, answer: &Answer) -> Option<String> {
    let status = answer.status.as_u16();
    if status != bad.status {
        return Some(format!("{status} and not {}", bad.status));
    }
    if answer.request.method == Method::HEAD {
        return None;
    }
    let body = answer.json();
    let error = match bad.status {
        200 => &body["data"]["results"][0]["error"],
        _ => &body["error"],
    };
    if error["code"] != bad.code {
        return Some(format!("{} and not {}", error["code"], bad.code));
    }
    if bad.code == "validation_failed" && !error["field"].is_string() {
        return Some("no field is named".to_owned());
    }
    let message = error["message"].as_str().unwrap_or_default();
    (!message.contains(&bad.names)).then(|| format!("the message does not name {}", bad.names))
}
