//! The three ways of staying in step: asking for what changed, reading the event feed, and being
//! told by a webhook.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use connect_core::{
    Connect,
    wire::{
        AnyEvent, Id, Timestamp,
        query::{
            CategoryQuery, EventQuery, OptionGroupQuery, OrderQuery, Paging, ProductQuery,
            StockLevelQuery, SyncQuery, TransactionQuery, ZReportQuery,
        },
    },
};
use rand::{SeedableRng as _, rngs::StdRng};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;

use super::World;

const KINDS: [&str; 7] = [
    "product",
    "category",
    "optiongroup",
    "stock",
    "transaction",
    "zreport",
    "order",
];

/// Records by kind and id.
type Copy = BTreeMap<(&'static str, Uuid), Json>;

/// A page of the changes of one kind at one location.
async fn page(
    connect: &Connect,
    at: &connect_core::Access,
    kind: &str,
    sync: SyncQuery,
) -> (Vec<Json>, Option<String>) {
    let here = connect.location(at);
    macro_rules! listed {
        ($records:expr, $query:ident) => {
            listed!(list_with_deleted, $records, $query, sync)
        };
        ($list:ident, $records:expr, $query:ident, $sync:expr) => {{
            let query = $query {
                sync: $sync,
                ..Default::default()
            };
            let page = $records.$list(&query).await.unwrap();
            let data = page.data.iter().map(|entry| json!(entry)).collect();
            (data, page.next_cursor)
        }};
    }
    macro_rules! listed_by {
        ($rows:expr, $query:ident) => {{
            let mut query = $query::default();
            query.paging.limit = sync.limit;
            query.paging.cursor = sync.cursor;
            let page = $rows.list(&query).await.unwrap();
            let data = page.data.iter().map(|row| json!(row)).collect();
            (data, page.next_cursor)
        }};
    }
    #[allow(clippy::needless_update)]
    match kind {
        "product" => listed!(here.products(), ProductQuery),
        "category" => listed!(here.categories(), CategoryQuery),
        "optiongroup" => listed!(here.option_groups(), OptionGroupQuery),
        "stock" => listed!(here.stock(), StockLevelQuery),
        "order" => {
            // Without a time they come in another order.
            let long_ago = || Some(Timestamp::from_micros(0));
            let updated_since = sync.updated_since.or_else(long_ago);
            let sync = SyncQuery {
                include_deleted: false,
                updated_since,
                ..sync
            };
            listed!(list, here.orders(), OrderQuery, sync)
        }
        // These never change: what comes again is the same.
        "transaction" => listed_by!(here.transactions(), TransactionQuery),
        _ => listed_by!(here.z_reports(), ZReportQuery),
    }
}

fn id_of(record: &Json) -> Uuid {
    let id = record["productId"].as_str().or(record["id"].as_str());
    id.unwrap().parse().unwrap()
}

/// Asks for what changed since the latest change that it knows of.
#[derive(Default)]
struct Poller {
    copy: Copy,
    since: BTreeMap<(usize, &'static str), Timestamp>,
}

impl Poller {
    async fn poll(&mut self, world: &World) {
        for (number, at) in world.at.iter().enumerate() {
            for kind in KINDS {
                let since = &mut self.since;
                let mut sync = SyncQuery {
                    updated_since: since.get(&(number, kind)).copied(),
                    include_deleted: true,
                    limit: Some(7),
                    cursor: None,
                };
                loop {
                    let (records, next) = page(&world.connect, at, kind, sync.clone()).await;
                    for record in records {
                        if let Some(time) = record["updatedAt"].as_str() {
                            since.insert((number, kind), time.parse().unwrap());
                        }
                        let place = (kind, id_of(&record));
                        if record["deleted"] == true {
                            self.copy.remove(&place);
                        } else {
                            self.copy.insert(place, record);
                        }
                    }
                    sync.cursor = next;
                    if sync.cursor.is_none() {
                        break;
                    }
                }
            }
        }
    }
}

pub(super) async fn poller(world: Arc<World>, seed: u64) -> Copy {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut poller = Poller::default();
    loop {
        let is_last = *world.is_closed.borrow();
        poller.poll(&world).await;
        if is_last {
            return poller.copy;
        }
        world.pause(&mut rng, 8 * 3600).await;
    }
}

/// A copy that follows events in whatever order they come.
#[derive(Default)]
pub(super) struct Follower {
    /// Each record as it was at a time; `None` for one that is gone.
    records: BTreeMap<(&'static str, Uuid), (Timestamp, Option<Json>)>,
    seen: HashSet<Id<AnyEvent>>,
    /// It takes nothing from events but that something has happened.
    asks: bool,
}

impl Follower {
    async fn hear(&mut self, world: &World, event: &AnyEvent) {
        if !self.seen.insert(event.id) {
            return;
        }
        let mut kinds = KINDS.into_iter();
        let kind = kinds.find(|kind| event.kind.as_str().contains(kind));
        let Some(kind) = kind else { return };
        let items = match &event.data {
            data if data["ids"].is_array() => {
                let ids = data["ids"].as_array().unwrap();
                for id in ids {
                    self.ask(world, event, kind, id.as_str().unwrap().parse().unwrap())
                        .await;
                }
                return;
            }
            data if data["items"].is_array() => data["items"].as_array().unwrap().clone(),
            data => vec![data.clone()],
        };
        for record in items {
            let id = id_of(&record);
            if self.asks {
                self.ask(world, event, kind, id).await;
                continue;
            }
            let is_gone = record["deleted"] == true;
            self.learn(kind, id, event.created_at, (!is_gone).then_some(record));
        }
    }

    /// Reads a record as it is now.
    async fn ask(&mut self, world: &World, event: &AnyEvent, kind: &'static str, id: Uuid) {
        let at = world.at.iter();
        let at = at
            .clone()
            .find(|at| Some(at.location().id) == event.location_id);
        let here = world.connect.location(at.unwrap());
        let found = match kind {
            "product" => here.products().get(id).await.map(|record| json!(record)),
            "category" => here.categories().get(id).await.map(|record| json!(record)),
            "optiongroup" => here
                .option_groups()
                .get(id)
                .await
                .map(|record| json!(record)),
            "stock" => here.stock().get(id).await.map(|record| json!(record)),
            "order" => here.orders().get(id).await.map(|record| json!(record)),
            "transaction" => here.transactions().get(id).await.map(|row| json!(row)),
            _ => here.z_reports().get(id).await.map(|row| json!(row)),
        };
        let time = found
            .as_ref()
            .ok()
            .and_then(|record| record["updatedAt"].as_str());
        let time = time.map_or(event.created_at, |time| time.parse().unwrap());
        self.learn(kind, id, time, found.ok());
    }

    /// Believes what is not older than what it has.
    fn learn(&mut self, kind: &'static str, id: Uuid, time: Timestamp, record: Option<Json>) {
        if kind == "product" && record.is_none() {
            self.learn("stock", id, time, None);
        }
        let known = self.records.get(&(kind, id));
        if known.is_none_or(|(known, _)| *known <= time) {
            self.records.insert((kind, id), (time, record));
        }
    }

    fn copy(&self) -> Copy {
        let records = self.records.iter();
        let live = records.filter_map(|(place, (_, record))| Some((*place, record.clone()?)));
        live.collect()
    }
}

/// Reads the feed from where it left off, after pauses of hours.
pub(super) async fn reader(world: Arc<World>, seed: u64) -> Copy {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut follower = Follower::default();
    let mut last = [None; 2];
    loop {
        let is_last = *world.is_closed.borrow();
        for (at, last) in world.at.iter().zip(&mut last) {
            loop {
                let query = EventQuery {
                    after: *last,
                    paging: Paging {
                        limit: Some(9),
                        cursor: None,
                    },
                    ..EventQuery::default()
                };
                let events = world.connect.location(at).events();
                let page = events.list(&query).await.unwrap().data;
                let Some(newest) = page.last() else { break };
                *last = Some(newest.id);
                for event in &page {
                    follower.hear(&world, event).await;
                }
            }
        }
        if is_last {
            return follower.copy();
        }
        world.pause(&mut rng, 8 * 3600).await;
    }
}

/// Takes what arrives at the first endpoint, until that is closed: by the data of the events, and
/// by asking for the records that they name.
pub(super) async fn receiver(
    world: Arc<World>,
    mut arrivals: UnboundedReceiver<AnyEvent>,
) -> [Copy; 2] {
    let (mut by_data, mut by_asking) = (Follower::default(), Follower::default());
    by_asking.asks = true;
    while let Some(event) = arrivals.recv().await {
        by_data.hear(&world, &event).await;
        by_asking.hear(&world, &event).await;
    }
    [by_data.copy(), by_asking.copy()]
}

/// Holds the copies against what is there.
pub(super) async fn compare(world: &World, poller: Copy, followers: Vec<Copy>) {
    let mut server = Poller::default();
    server.poll(world).await;
    let mut server = server.copy;
    assert!(server.len() > 10, "{}", server.len());
    assert_eq!(poller, server, "who polls");
    strip(&mut server);
    for (number, mut copy) in followers.into_iter().enumerate() {
        strip(&mut copy);
        assert_eq!(copy, server, "who follows events: {number}");
    }
}

/// Leaves out what moves without an event of its own: that of a product when its stock changes, and
/// that of a level when its product is renamed.
fn strip(copy: &mut Copy) {
    for ((kind, _), record) in copy {
        let record = record.as_object_mut().unwrap();
        record.remove("deleted");
        let moving: &[&str] = match *kind {
            "product" => &["stockQuantity", "updatedAt"],
            "stock" => &["externalId", "updatedAt"],
            "order" => &["paymentStatus", "transactionId", "updatedAt"],
            _ => &[],
        };
        for field in moving {
            record.remove(*field);
        }
    }
}
