//! Several accounts on one server: whatever one of them asks for, it learns nothing of another and changes
//! nothing there.

use connect_core::ScreenType;
use connect_tests::{
    document::Document,
    http::{Answer, Request},
    shop::{Shop, device_path},
};
use http::Method;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};
use serde_json::{Value, json};

/// The word in every text of the account that is asked about. No request has it.
const MARK: &str = "Quillwort";
/// An idempotency key that this account has used.
const KEY: &str = "monday-morning";
/// Requests of the other account, for each seed.
const REQUESTS: usize = 700;

/// The lists of a location.
const LISTS: [&str; 9] = [
    "categories",
    "products",
    "option-groups",
    "orders",
    "stock",
    "stock/movements",
    "transactions",
    "z-reports",
    "events",
];

/// Makes a record of every kind, with the mark in its texts. Returns the ids.
async fn fill(shop: &Shop) -> Vec<String> {
    let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
    let category = json!({ "name": format!("{MARK} bread") });
    let category = shop.make("categories", &category).await;
    let product = json!({
        "name": format!("{MARK} rye"), "externalId": "P1", "categoryId": category["id"],
        "priceCents": 425,
    });
    let request = Request::post(shop.at("products"), &product).key(KEY);
    let product = shop.send(request).await.expect(201).data();
    let group = json!({
        "name": format!("{MARK} cut"), "externalId": "G1",
        "options": [{ "name": format!("{MARK} slices"), "priceCents": 10 }],
    });
    let group = shop.make("option-groups", &group).await;
    let counted = json!({ "quantity": 7, "note": format!("{MARK} count") });
    let path = shop.at(&format!("stock/{}", id(&product)));
    let count = Request::new(Method::PUT, path).json(&counted);
    shop.send(count).await.expect(200);

    let (till, kiosk) = (shop.register(MARK).await, shop.kiosk(MARK).await);
    let line = json!({
        "productId": product["id"], "name": format!("{MARK} rye"), "quantity": 1,
        "unitPriceCents": 425, "totalCents": 425, "vatRate": 9, "options": [],
    });
    let sale = json!({
        "type": "sale", "totalCents": 425, "lines": [line], "employee": MARK,
        "payments": [{ "method": "card", "amountCents": 425 }],
    });
    let sale = till.make("transactions", &sale).await;
    let report = till.make("z-reports", &json!({ "countedCents": 0 })).await;
    let order = json!({ "fulfilment": "takeaway", "lines": [line], "customerName": MARK });
    let order = kiosk.make("orders", &order).await;
    [&category, &product, &group, &sale, &report, &order]
        .map(id)
        .into_iter()
        .chain([group["options"][0]["id"].as_str().unwrap().to_owned()])
        .chain([shop.here, shop.there].map(|location| location.to_string()))
        .collect()
}

/// All that an account has at its first location, as it reads it itself.
async fn all(shop: &Shop) -> Vec<Vec<Value>> {
    let mut lists = Vec::new();
    for list in LISTS {
        lists.push(shop.all(list, "limit=100").await);
    }
    lists
}

/// Makes requests of the holder of a token, out of ids of its own account and of another.
struct Stranger {
    random: StdRng,
    /// The location of its own.
    own: String,
    /// Ids of both accounts.
    ids: Vec<String>,
    /// Cursors of the other account.
    cursors: Vec<String>,
}

impl Stranger {
    fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        of.choose(&mut self.random).unwrap()
    }

    fn id(&mut self) -> String {
        let at = self.random.random_range(0..self.ids.len());
        self.ids[at].clone()
    }

    /// A request to an operation of the document. Its ids are of either account.
    fn next(&mut self) -> Request {
        let paths: Vec<_> = Document::v1().paths().collect();
        let path = *self.one_of(&paths);
        let methods = path.methods();
        let method = self.one_of(&methods).clone();
        let mut target = String::from("/v1");
        for part in path.template.split('/').skip(1) {
            target.push('/');
            match part {
                // Most requests are for the stranger's own location: others are refused early.
                "{locationId}" if self.random.random_bool(0.7) => target.push_str(&self.own),
                part if part.starts_with('{') => target.push_str(&self.id()),
                part => target.push_str(part),
            }
        }
        if matches!(&*method, "GET" | "HEAD") {
            target = format!("{target}?{}", self.query());
        }
        let request = Request::new(method.parse().unwrap(), target);
        match &*method {
            "GET" | "HEAD" | "DELETE" => request,
            _ if self.random.random_bool(0.2) => request.json(&self.body()).key(KEY),
            _ => request.json(&self.body()),
        }
    }

    fn query(&mut self) -> String {
        match self.random.random_range(0..14) {
            0 => format!("cursor={}", self.cursors.choose(&mut self.random).unwrap()),
            1 => format!("categoryId={}", self.id()),
            2 => format!("productId={}", self.id()),
            3 => "externalId=P1".to_owned(),
            4 => "search=rye".to_owned(),
            5 => "updatedSince=2026-11-20T09:00:00Z".to_owned(),
            6 => format!("after={}", self.id()),
            _ => "limit=100".to_owned(),
        }
    }

    fn body(&mut self) -> Value {
        let record = json!({ "name": "Bun", "externalId": "P1", "categoryId": self.id() });
        match self.random.random_range(0..7) {
            0 => record,
            6 => json!({ "name": "Bun" }),
            1 => json!({ "items": [record] }),
            2 => json!({
                "productIds": [self.id()], "productExternalIds": ["P1"], "add": [{ "id": self.id() }],
            }),
            3 => json!({ "quantity": 3 }),
            4 => json!({ "items": [{ "productId": self.id(), "quantity": 3 }] }),
            _ => json!({ "productId": self.id(), "type": "waste", "quantityChange": -1 }),
        }
    }
}

/// Checks that an answer tells nothing of the account with these ids beyond what was asked with.
fn tells_nothing(answer: &Answer, ids: &[String]) {
    let text = String::from_utf8_lossy(&answer.body);
    let request = &answer.request;
    let sent = String::from_utf8_lossy(&request.body.bytes()).into_owned();
    assert!(!text.contains(MARK), "{request:?}: {text}");
    for id in ids {
        let is_known = request.target.contains(id) || sent.contains(id);
        assert!(is_known || !text.contains(id), "{request:?}: {text}");
    }
}

#[tokio::test]
async fn whatever_a_stranger_asks_it_learns_and_changes_nothing() {
    for seed in 0..2 {
        let shop = Shop::open().await;
        let ids = fill(&shop).await;
        let before = all(&shop).await;
        let mut cursors = Vec::new();
        for list in ["products", "events", "categories"] {
            let page = shop.get(&format!("{list}?limit=1")).await.expect(200);
            cursors.extend(page.next_cursor());
        }
        let remaining = |answer: &Answer| answer.number("x-ratelimit-remaining");
        let last = remaining(&shop.get("products").await);

        let (elsewhere, token) = shop.stranger(true).await;
        let own = format!("/v1/locations/{elsewhere}/products");
        let bun = Request::post(&own, &json!({ "name": "Bun" }));
        let bun = shop.send_as(&token, bun).await.expect(201);
        let of_both = [ids.clone(), vec![elsewhere.to_string(), bun.id()]].concat();
        let mut stranger = Stranger {
            random: StdRng::seed_from_u64(seed),
            own: elsewhere.to_string(),
            ids: of_both,
            cursors,
        };
        let mut served = 0;
        for _ in 0..REQUESTS {
            let request = stranger.next();
            let answer = shop.send_as(&token, request).await;
            tells_nothing(&answer, &ids);
            assert!(answer.status.as_u16() < 500, "{answer:?}");
            served += usize::from(answer.status.is_success());
        }
        assert!(served > REQUESTS / 10, "{served} requests were served");

        let now = remaining(&shop.get("products").await);
        assert_eq!(now, last - 1, "the limits are the account's own");
        assert_eq!(all(&shop).await, before, "seed {seed}");
    }
}

/// The key of a screen is for the records of its own account.
#[tokio::test]
async fn the_key_of_a_screen_changes_nothing_elsewhere() {
    let shop = Shop::open().await;
    let ids = fill(&shop).await;
    let before = all(&shop).await;
    let (elsewhere, _) = shop.stranger(false).await;
    let key = shop.screen_key(elsewhere, ScreenType::Pos).await;
    for id in &ids {
        let line = json!({
            "productId": id, "name": "Bun", "quantity": 1, "unitPriceCents": 100,
            "totalCents": 100, "vatRate": 9, "options": [],
        });
        let paid = json!([{ "method": "card", "amountCents": 100 }]);
        let sale = json!({
            "type": "sale", "totalCents": 100, "lines": [line], "payments": paid, "orderId": id,
        });
        let refund = json!({
            "type": "refund", "totalCents": -100, "lines": [line], "payments": paid, "refundOf": id,
        });
        for body in [&sale, &refund] {
            let request = Request::post(device_path("transactions"), body);
            tells_nothing(&shop.send_as(&key, request).await, &ids);
        }
        let path = device_path(&format!("orders/{id}"));
        let change = Request::patch(path, &json!({ "status": "cancelled" }));
        let answer = shop.send_as(&key, change).await;
        tells_nothing(&answer, &ids);
        assert!(answer.status.is_client_error(), "{answer:?}");
    }
    assert_eq!(all(&shop).await, before);
}
