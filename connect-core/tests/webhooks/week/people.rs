//! Those who write: two members of staff, an owner, and fate, which has no plan at all.

use std::sync::Arc;

use connect_core::{
    Connect, Error, WebhookChange,
    wire::{
        CategoryInput, EventType, Field, OptionGroupInput, OptionGroupLinks, Product, ProductBatch,
        ProductInput, StockAdjustment, StockCount, StockCountItem, StockCounts,
        query::{CategoryQuery, OptionGroupQuery, ProductQuery},
    },
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::{World, endpoints, endpoints::Mood, mortal::Mortal};

/// Writes at both locations, as a process of its own.
pub(super) async fn staff(world: Arc<World>, number: usize, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let storage = Mortal::new(world.history.clone(), rng.random(), None);
    let connect = Connect::builder(storage);
    let connect = connect.clock(world.clock.clone()).build();
    let connect = if number == 0 {
        world.connect.clone()
    } else {
        connect
    };
    while !world.is_over() {
        world.pause(&mut rng, 4 * 3600).await;
        may_fail(write(&world, &connect, &mut rng).await);
    }
}

/// Refusals are part of the day, faults of the store are not.
fn may_fail(outcome: Result<(), Error>) {
    if let Err(error) = outcome {
        assert!(!matches!(error, Error::Internal(_)), "{error}");
    }
}

fn input<T: DeserializeOwned>(json: Json) -> T {
    serde_json::from_str(&json.to_string()).unwrap()
}

async fn write(world: &World, connect: &Connect, rng: &mut StdRng) -> Result<(), Error> {
    let here = connect.location(&world.at[rng.random_range(0..2)]);
    let (products, stock) = (here.products(), here.stock());
    let all = products.list(&ProductQuery::default()).await?.data;
    let product = all.choose(rng).map(|product| product.id);
    let some = product.unwrap_or(uuid::Uuid::nil().into());
    let price: i64 = rng.random_range(0..5);
    let code = format!("P-{}", rng.random_range(0..6));
    let category = ["Bread", "Cake", "Soup"][rng.random_range(0..3)];
    let quantity = rng.random_range(0..20);
    match rng.random_range(0..19) {
        0..4 => {
            let new = json!({ "name": "New", "priceCents": price, "categoryName": category });
            products.create(input(new)).await.map(drop)
        }
        4..6 => {
            let change = json!({ "priceCents": price, "categoryName": category });
            products.update(some, input(change)).await.map(drop)
        }
        6 => products.delete(some).await,
        7..9 => {
            let item: ProductInput = input(json!({ "externalId": code, "name": "Item" }));
            let other: ProductInput = input(json!({ "externalId": "P-9", "priceCents": price }));
            let mut batch = ProductBatch::new(vec![item, other]);
            batch.dry_run = rng.random_range(0..4) == 0;
            products.batch(batch).await.map(drop)
        }
        9 => {
            let categories = here.categories();
            let all = categories.list(&CategoryQuery::default()).await?.data;
            let Some(one) = all.choose(rng) else {
                return Ok(());
            };
            if rng.random() {
                return categories.delete(one.id).await;
            }
            let change: CategoryInput = input(json!({ "position": price }));
            categories.update(one.id, change).await.map(drop)
        }
        10..14 => {
            // A burst, of which mostly the last one counts.
            for _ in 0..rng.random_range(1..4) {
                let quantity = rng.random_range(0..20);
                let count: StockCount = input(json!({ "quantity": quantity }));
                stock.count(some, count).await?;
            }
            Ok(())
        }
        14 => {
            let change = json!({ "productId": some, "quantityChange": quantity - 21 });
            let change: StockAdjustment = input(change);
            stock.adjust(change).await.map(drop)
        }
        15 => {
            let item = |product: &Product| StockCountItem {
                product_id: Field::Value(product.id),
                quantity: input(json!(quantity)),
                ..StockCountItem::default()
            };
            let counts = StockCounts {
                items: all.iter().take(3).map(item).collect(),
                ..StockCounts::default()
            };
            stock.count_many(counts).await.map(drop)
        }
        16 => {
            let options = [json!({ "name": "Large", "priceCents": price })];
            let group = json!({ "name": "Size", "externalId": code, "options": options });
            let group: OptionGroupInput = input(group);
            here.option_groups().create(group).await.map(drop)
        }
        17 => {
            let groups = here.option_groups();
            let all = groups.list(&OptionGroupQuery::default()).await?.data;
            let Some(one) = all.choose(rng) else {
                return Ok(());
            };
            groups.delete(one.id).await
        }
        _ => {
            let links = json!({ "productIds": [some], "add": [{ "externalId": code }] });
            let links: OptionGroupLinks = input(links);
            products.link_option_groups(links).await.map(drop)
        }
    }
}

/// Makes, changes, tests, rolls, switches and deletes webhooks. The first two are left alone, but
/// for one thing: the second is switched on when it was switched off.
pub(super) async fn owner(world: Arc<World>, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    while !world.is_over() {
        world.pause(&mut rng, 8 * 3600).await;
        may_fail(set_up(&world, &mut rng).await);
    }
}

async fn set_up(world: &World, rng: &mut StdRng) -> Result<(), Error> {
    let (connect, account) = (&world.connect, world.account);
    let all = world.webhooks.lock().unwrap().clone();
    connect.enable_webhook(account, all[1]).await?;
    let mut events: Vec<_> = EventType::KNOWN.to_vec();
    events.retain(|_| rng.random());
    let locations = &world.at[..rng.random_range(0..2)];
    let number = rng.random_range(2..8);
    let Some(&id) = all.get(number) else {
        let locations: Vec<_> = locations.iter().collect();
        return world.webhook(events, &locations).await.map(drop);
    };
    match rng.random_range(0..12) {
        0..3 => {
            let change = WebhookChange {
                url: Some(endpoints::url(number, rng.random_range(0..9))),
                events: Some(events),
                location_ids: Some(locations.iter().map(|at| at.location().id).collect()),
            };
            connect.change_webhook(account, id, change).await.map(drop)
        }
        3 => connect.disable_webhook(account, id).await.map(drop),
        4..8 => connect.enable_webhook(account, id).await.map(drop),
        8 => connect.roll_webhook_secret(account, id).await.map(drop),
        9 if number > 5 => connect.delete_webhook(account, id).await,
        9 | 10 => connect.test_webhook(account, id).await.map(drop),
        _ => {
            let log = connect.deliveries(account, id, None, 10).await?;
            let Some(sent) = log.choose(rng) else {
                return Ok(());
            };
            connect.resend(account, id, sent.id).await.map(drop)
        }
    }
}

/// Changes the moods of endpoints, and sets the clock.
pub(super) async fn fate(world: Arc<World>, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    while !world.is_over() {
        world.pause(&mut rng, 6 * 3600).await;
        let mood = match rng.random_range(0..7) {
            0 => Mood::Answers([302, 404, 410, 429, 500][rng.random_range(0..5)]),
            1 => Mood::Hangs,
            2 => Mood::Refuses,
            3 | 4 => Mood::Well,
            _ => Mood::Flaky,
        };
        world.endpoints.set_mood(rng.random_range(1..8), mood);
        if rng.random_range(0..4) == 0 {
            world.clock.set(rng.random_range(-900..900));
        }
    }
}
