//! Those who write: two members of staff, each with one process after another, which may die at any
//! commit, before it is made or before it is answered. The write is sent again then, under the same
//! idempotency key, by the next process, until there is an answer.

use std::{pin::pin, sync::Arc};

use connect_core::{
    Access, Connect, Error,
    wire::{
        Product,
        query::{CategoryQuery, OptionGroupQuery, OrderQuery, ProductQuery},
    },
};
use futures_util::future::{Either, select};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};
use serde_json::{Value as Json, json};

use super::{
    World,
    clock::Skewed,
    mortal::{Death, Mortal},
};
use crate::calls::{Call, Verb};

/// By how many seconds the clocks of these processes are wrong, at most.
const SKEW: i64 = 300;

/// A write with its answer.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) call: Call,
    pub(super) is_done: bool,
    /// The processes that died of it.
    pub(super) deaths: usize,
}

struct Process {
    connect: Connect,
    storage: Arc<Mortal>,
}

impl Process {
    fn start(world: &World, rng: &mut StdRng) -> Self {
        let death = (!world.is_over()).then(|| Death {
            commits: rng.random_range(0..20),
            is_applied: rng.random(),
        });
        let storage = Mortal::new(world.history.clone(), rng.random(), death);
        let clock = Skewed::new(world.clock.clone(), rng.random_range(-SKEW..=SKEW));
        Self {
            connect: Connect::builder(storage.clone()).clock(clock).build(),
            storage,
        }
    }
}

/// The time for which one is without a process.
const RESTART: u64 = 600;

/// Writes at both locations.
pub(super) async fn staff(world: Arc<World>, number: usize, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut process = Process::start(&world, &mut rng);
    let mut writes = 0;
    while !world.is_over() {
        world.pause(&mut rng, 4 * 3600).await;
        let place = rng.random_range(0..2);
        let key = format!("{number}-{writes}");
        let chosen = choose(&world, &process.connect, place, &key, &mut rng).await;
        for (at, verb, body) in chosen {
            let key = Some(format!("{number}-{writes}"));
            let call = Call { verb, body, key };
            writes += 1;
            let mut deaths = 0;
            let answer = loop {
                let sent = call.clone().send(process.connect.clone(), at.clone());
                match select(pin!(sent), pin!(process.storage.died())).await {
                    Either::Left((answer, _)) => break answer,
                    Either::Right(_) => {}
                }
                deaths += 1;
                world.pause(&mut rng, RESTART).await;
                process = Process::start(&world, &mut rng);
            };
            // Refusals are part of the day, faults of the store are not.
            assert!(!matches!(answer, Err(Error::Internal(_))), "{answer:?}");
            let is_done = answer.is_ok();
            world.written.lock().unwrap().push(Written {
                call,
                is_done,
                deaths,
            });
        }
    }
}

/// Chooses what to write, and as whom. A product is named after the key, and so is the note of an
/// adjustment, so that they can be told from others.
async fn choose(
    world: &World,
    connect: &Connect,
    place: usize,
    key: &str,
    rng: &mut StdRng,
) -> Vec<(Access, Verb, Json)> {
    let (owner, register) = (&world.at[place], &world.registers[place]);
    let here = connect.location(owner);
    let products = here.products().list(&ProductQuery::default()).await;
    let products: Vec<Product> = products.unwrap().data;
    let some = products.choose(rng);
    let some = some.map_or(uuid::Uuid::nil(), |product| product.id.uuid());
    let price: i64 = rng.random_range(0..5);
    let code = format!("P-{}", rng.random_range(0..6));
    let category = ["Bread", "Cake", "Soup"][rng.random_range(0..3)];
    let quantity: i64 = rng.random_range(0..20);
    let one = |verb, body| vec![(owner.clone(), verb, body)];
    match rng.random_range(0..24) {
        0..4 => {
            let new = json!({ "name": key, "priceCents": price, "categoryName": category });
            one(Verb::CreateProduct, new)
        }
        4..6 => {
            let change = json!({ "priceCents": price, "categoryName": category });
            one(Verb::UpdateProduct(some), change)
        }
        6 => one(Verb::DeleteProduct(some), Json::Null),
        7..9 => {
            let item = json!({ "externalId": code, "name": "Item" });
            let other = json!({ "externalId": "P-9", "priceCents": price });
            let is_dry = rng.random_range(0..4) == 0;
            let batch = json!({ "items": [item, other], "dryRun": is_dry });
            one(Verb::WriteProducts, batch)
        }
        9 => {
            let all = here.categories().list(&CategoryQuery::default()).await;
            match all.unwrap().data.choose(rng) {
                None => Vec::new(),
                Some(it) if rng.random() => one(Verb::DeleteCategory(it.id.uuid()), Json::Null),
                Some(it) => {
                    let verb = Verb::UpdateCategory(it.id.uuid());
                    one(verb, json!({ "position": price }))
                }
            }
        }
        10..14 => {
            // A burst, of which mostly the last one counts.
            let times = rng.random_range(1..4);
            let count = |_| {
                let body = json!({ "quantity": rng.random_range(0..20) });
                (owner.clone(), Verb::Count(some), body)
            };
            (0..times).map(count).collect()
        }
        14 => {
            let change = json!({
                "productId": some, "quantityChange": quantity - 21, "note": key,
            });
            one(Verb::Adjust, change)
        }
        15 => {
            let item = |product: &Product| json!({ "productId": product.id, "quantity": quantity });
            let items: Vec<Json> = products.iter().take(3).map(item).collect();
            one(Verb::CountMany, json!({ "items": items }))
        }
        16 => {
            let options = json!([{ "name": "Large", "priceCents": price }]);
            let group = json!({ "name": "Size", "externalId": code, "options": options });
            one(Verb::CreateGroup, group)
        }
        17 => {
            let all = here
                .option_groups()
                .list(&OptionGroupQuery::default())
                .await;
            match all.unwrap().data.choose(rng) {
                None => Vec::new(),
                Some(it) => one(Verb::DeleteGroup(it.id.uuid()), Json::Null),
            }
        }
        18 => {
            let links = json!({ "productIds": [some], "add": [{ "externalId": code }] });
            let links = with_empty(links, "remove");
            one(Verb::LinkGroups, links)
        }
        19..21 => {
            let sale = json!({
                "type": "sale", "totalCents": 100, "lines": lines(some),
                "payments": [{ "method": "card", "amountCents": 100 }],
            });
            vec![(register.clone(), Verb::WriteRow, sale)]
        }
        21 => vec![(
            register.clone(),
            Verb::CloseRegister,
            json!({ "countedCents": null }),
        )],
        22 => {
            let order = json!({ "fulfilment": "takeaway", "lines": lines(some) });
            vec![(world.kiosks[place].clone(), Verb::MakeOrder, order)]
        }
        _ => {
            let orders = here.orders().list(&OrderQuery::default()).await;
            let status = ["accepted", "ready", "completed", "cancelled"][rng.random_range(0..4)];
            match orders.unwrap().data.choose(rng) {
                None => Vec::new(),
                Some(order) => {
                    let verb = Verb::MoveOrder(order.id.uuid());
                    vec![(register.clone(), verb, json!({ "status": status }))]
                }
            }
        }
    }
}

/// One piece for a euro.
fn lines(product: uuid::Uuid) -> Json {
    json!([{
        "productId": product, "name": "Goods", "quantity": 1, "unitPriceCents": 100,
        "totalCents": 100, "vatRate": 9,
    }])
}

fn with_empty(mut object: Json, list: &str) -> Json {
    object[list] = json!([]);
    object
}
