//! A naive model: the trail, replayed from its values before and after, is the state of the shop.

use std::collections::BTreeMap;

use connect_core::{
    Connect, Error, NewScreen, NewWebhook, ScreenType, TrailEntry, TrailFilter, WaitingEvents,
    wire::{
        CategoryInput, EventType, OptionGroupInput, OptionInput, ProductBatch, ProductInput,
        Quantity, StockCount,
    },
};
use proptest::collection::vec;
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use super::{entries, noor, token, verify};
use crate::properties::{
    check::{Threads, holds},
    shop::{Backend, Shop},
};

/// The fields of each object, without those that are null.
type State = BTreeMap<(String, Uuid), Map<String, Json>>;

/// What is done, on which of the objects, with which number.
type Op = (u8, usize, u8);

/// The fields of records that tokens change without an entry.
const DETAILS: [&str; 14] = [
    "position",
    "externalId",
    "description",
    "vatRate",
    "barcode",
    "categoryId",
    "isActive",
    "availableFrom",
    "availableUntil",
    "imageUrl",
    "optionGroupIds",
    "minSelect",
    "maxSelect",
    "isAvailable",
];

/// Applies the changes of entries, oldest first.
fn replay(entries: &[TrailEntry]) -> State {
    let mut state = State::new();
    for change in entries.iter().rev().flat_map(|entry| &entry.changes) {
        let at = (change.object.clone(), change.id);
        let fields = state.remove(&at);
        assert_eq!(fields.is_none(), change.action == "create", "{change:?}");
        let mut fields = fields.unwrap_or_default();
        let told = change
            .before
            .iter()
            .filter(|(name, _)| !DETAILS.contains(&&***name));
        for (name, before) in told {
            assert_eq!(
                fields.get(name).unwrap_or(&Json::Null),
                before,
                "{change:?}"
            );
        }
        fields.extend(change.after.clone());
        let is_record = ["product", "category", "option group", "option"].contains(&&*at.0);
        let is_detail = |name: &str| DETAILS.contains(&name);
        fields.retain(|name, value| !(value.is_null() || is_record && is_detail(name)));
        if change.action != "delete" {
            state.insert(at, fields);
        }
    }
    state
}

/// The state of the shop.
async fn state(shop: &Shop) -> State {
    let mut state = State::new();
    let mut add = |object: &str, id: Uuid, fields: Json| {
        let Json::Object(mut fields) = fields else {
            panic!("{fields}")
        };
        fields.retain(|_, value| !value.is_null());
        state.insert((object.to_owned(), id), fields);
    };
    let (connect, account) = (&shop.connect, shop.at.account().id);
    let stored = connect.account(account).await.unwrap();
    add(
        "account",
        account.uuid(),
        json!({ "name": stored.name, "sandbox": stored.sandbox }),
    );
    for at in &stored.locations {
        let mut fields = json!(at);
        let id = fields.as_object_mut().unwrap().remove("id").unwrap();
        add("location", id.as_str().unwrap().parse().unwrap(), fields);
    }
    for user in &stored.users {
        let fields = json!({ "language": user.language, "roles": user.roles });
        add("user", user.id.uuid(), fields);
    }
    for (screen, key) in connect.screens(account).await.unwrap() {
        let mut fields = json!(screen);
        fields.as_object_mut().unwrap().remove("id");
        add("screen", screen.id.uuid(), fields);
        if let Some(key) = key {
            add(
                "screen key",
                screen.id.uuid(),
                json!({ "prefix": key.prefix }),
            );
        }
    }
    for (token, _) in connect.tokens(account).await.unwrap() {
        let fields = json!({
            "name": token.name, "grants": token.grants,
            "expiresAt": token.expires_at, "revokedAt": token.revoked_at,
        });
        add("token", token.id.uuid(), fields);
    }
    for (webhook, _) in connect.webhooks(account).await.unwrap() {
        let fields = json!({
            "url": webhook.url.split('?').next(), "events": webhook.events,
            "locationIds": webhook.location_ids, "enabledAt": webhook.enabled_at,
            "switchedOff": webhook.switched_off.map(|off| off.reason),
        });
        add("webhook", webhook.id.uuid(), fields);
    }
    let here = connect.location(&shop.at);
    for product in here
        .products()
        .list(&Default::default())
        .await
        .unwrap()
        .data
    {
        let fields = json!({
            "name": product.name, "priceCents": product.price_cents,
            "stockQuantity": product.stock_quantity,
        });
        add("product", product.id.uuid(), fields);
        let minimums = here.stock().minimums(&[product.id]).await.unwrap();
        for minimum in minimums {
            let fields = json!({ "minimum": minimum.minimum });
            add("stock minimum", product.id.uuid(), fields);
        }
    }
    for category in here
        .categories()
        .list(&Default::default())
        .await
        .unwrap()
        .data
    {
        add(
            "category",
            category.id.uuid(),
            json!({ "name": category.name }),
        );
    }
    for group in here
        .option_groups()
        .list(&Default::default())
        .await
        .unwrap()
        .data
    {
        add(
            "option group",
            group.id.uuid(),
            json!({ "name": group.name }),
        );
        for option in group.options {
            let fields = json!({ "name": option.name, "priceCents": option.price_cents });
            add("option", option.id.uuid(), fields);
        }
    }
    state
}

/// Picks one of the objects of a kind, if there are any.
fn pick(state: &State, kind: &str, which: usize) -> Option<Uuid> {
    let ids = state.keys().filter(|(object, _)| object == kind);
    let ids: Vec<Uuid> = ids.map(|(_, id)| *id).collect();
    ids.get(which % ids.len().max(1)).copied()
}

/// Does an operation. Refusals are as good as anything else.
async fn act(
    shop: &Shop,
    connect: &Connect,
    at: &connect_core::Access,
    before: &State,
    (op, which, value): Op,
) -> Result<(), Error> {
    let account = shop.at.account().id;
    let here = connect.location(at);
    let any = |kind| pick(before, kind, which).unwrap_or(Uuid::from_u128(0xDEAD));
    let name = format!("N{value}");
    let products = here.products();
    match op {
        0 => products.create(ProductInput::named(name)).await.map(drop),
        1 => {
            let change = ProductInput::default().price_cents(i64::from(value));
            products.update(any("product"), change).await.map(drop)
        }
        2 => products
            .update(any("product"), ProductInput::named(name))
            .await
            .map(drop),
        3 => {
            let count = format!(r#"{{"quantity":{value}}}"#);
            let count: StockCount = serde_json::from_str(&count).unwrap();
            here.stock().count(any("product"), count).await.map(drop)
        }
        4 => products.delete(any("product")).await,
        5 => {
            let item = |number: u8| {
                let item = ProductInput::named(format!("B{number}"));
                item.external_id(number.to_string())
                    .price_cents(i64::from(value))
            };
            let items = (0..value % 3 + 1).map(item).collect();
            let batch = ProductBatch::new(items);
            products.batch(batch).await.map(drop)
        }
        6 => here
            .categories()
            .create(CategoryInput::named(name))
            .await
            .map(drop),
        7 => here.categories().delete(any("category")).await,
        8 => {
            let options = vec![OptionInput::named("A"), OptionInput::named(name.clone())];
            let group = OptionGroupInput::named(name, options);
            match value % 2 {
                0 => here.option_groups().create(group).await.map(drop),
                _ => here
                    .option_groups()
                    .update(any("option group"), group)
                    .await
                    .map(drop),
            }
        }
        9 => {
            let new = NewScreen {
                location_id: shop.at.location().id,
                kind: ScreenType::Pos,
                name,
            };
            connect.create_screen(account, new).await.map(drop)
        }
        10 => connect
            .rename_screen(account, any("screen").into(), &name)
            .await
            .map(drop),
        11 => connect
            .roll_screen_key(account, any("screen").into())
            .await
            .map(drop),
        12 => {
            connect
                .revoke_screen_key(account, any("screen key").into())
                .await
        }
        13 => connect.create_full_token(account, &name).await.map(drop),
        14 => {
            let new = NewWebhook {
                url: format!("https://hooks.example/{value}?key=hunter2"),
                events: vec![EventType::ProductChanged],
                location_ids: Vec::new(),
            };
            connect.create_webhook(account, new).await.map(drop)
        }
        15 => connect
            .disable_webhook(account, any("webhook").into())
            .await
            .map(drop),
        16 => {
            let waiting = WaitingEvents::Send;
            connect
                .enable_webhook(account, any("webhook").into(), waiting)
                .await
                .map(drop)
        }
        17 => connect.delete_webhook(account, any("webhook").into()).await,
        18 => {
            let minimum = Quantity::from_thousandths(1000 * i64::from(value));
            let minimum = minimum.filter(|_| value > 1);
            here.stock().set_minimum(any("product"), minimum).await
        }
        _ => {
            let change = connect_core::LocationChange {
                name: Some(name),
                ..Default::default()
            };
            let id = shop.at.location().id;
            connect.change_location(account, id, change).await.map(drop)
        }
    }
}

async fn the_trail_is_the_state(shop: Shop, ops: Vec<Op>) {
    let (at, _) = token(&shop).await;
    let mut before = state(&shop).await;
    let all = TrailFilter::default();
    let mut count = entries(&shop, &all).await.len();
    for op in ops {
        let by_person = noor(&shop).await;
        let (connect, at) = match op.2 % 3 {
            0 => (&shop.connect, &at),
            1 => (&by_person, &shop.at),
            _ => (&shop.connect, &shop.at),
        };
        let _ = act(&shop, connect, at, &before, op).await;
        let after = state(&shop).await;
        let found = entries(&shop, &all).await;
        assert_eq!(found.len() - count, usize::from(after != before), "{op:?}");
        assert_eq!(replay(&found), after, "{op:?}");
        (before, count) = (after, found.len());
    }
    verify(&shop.connect).await;
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

fn on(backend: Backend, cases: u64, most: usize) {
    let ops = vec((0..20_u8, 0..9_usize, 0..6_u8), 1..most);
    holds(backend, Threads::One, cases, ops, the_trail_is_the_state);
}

#[test]
fn memory() {
    on(Backend::Memory, 64, 24);
}

#[cfg(feature = "redb")]
#[test]
fn redb() {
    on(Backend::Redb, 4, 24);
}

#[cfg(feature = "sled")]
#[test]
fn sled() {
    on(Backend::Sled, 4, 24);
}

#[cfg(all(unix, feature = "postgres"))]
#[test]
fn postgres() {
    if connect_core::storage::postgres::testing::is_here() {
        on(Backend::Postgres, 4, 24);
    }
}
