//! What is queued for webhooks, held against the feeds: a delivery of each event that a webhook
//! takes, also while it is off, and of `stock.changed` the latest of each product.

use std::collections::HashMap;

use connect_core::{
    Access, Account, Connect, Delivery, NewWebhook, WaitingEvents, Webhook,
    storage::Storage,
    wire::{AnyEvent, EventType, Id, Location},
};

/// The bytes of families in keys.
const QUEUE: u8 = 0xB3;
const WAITING_STOCK: u8 = 0xB4;

/// A webhook, and the events that it takes.
struct Hook {
    id: Id<Webhook>,
    events: Vec<EventType>,
    /// The number of the one location whose events it gets; `None` for all.
    place: Option<usize>,
    /// The numbers of the events that it takes, for each location.
    takes: Vec<Vec<usize>>,
}

/// The webhooks of an account, to which nothing is delivered.
pub(super) struct Hooks {
    account: Id<Account>,
    /// The number of events of each location so far.
    events: Vec<usize>,
    /// One for everything; one for some events of the second location; one that is off.
    hooks: Vec<Hook>,
}

impl Hooks {
    pub(super) async fn open(connect: &Connect, places: [&Access; 2]) -> Self {
        let account = places[0].account().id;
        let there: Id<Location> = places[1].location().id;
        let some = [
            EventType::ProductsChanged,
            EventType::StockChanged,
            EventType::OrderStatusChanged,
        ];
        let all = EventType::KNOWN;
        let mut hooks = Vec::new();
        for (events, place) in [(all, None), (&some, Some(1)), (all, None)] {
            let new = NewWebhook {
                url: "https://hooks.example/in".to_owned(),
                events: events.to_vec(),
                location_ids: place.map(|_| there).into_iter().collect(),
            };
            let made = connect.create_webhook(account, new).await.unwrap();
            hooks.push(Hook {
                id: made.webhook.id,
                events: events.to_vec(),
                place,
                takes: vec![Vec::new(); 2],
            });
        }
        let off = connect.disable_webhook(account, hooks[2].id);
        off.await.unwrap();
        Self {
            account,
            events: vec![0; 2],
            hooks,
        }
    }

    /// Switches the second webhook off, or on.
    pub(super) async fn switch(&self, connect: &Connect, is_on: bool) {
        let hook = &self.hooks[1];
        let switched = match is_on {
            true => {
                let waiting = WaitingEvents::Send;
                connect.enable_webhook(self.account, hook.id, waiting).await
            }
            false => connect.disable_webhook(self.account, hook.id).await,
        };
        switched.unwrap();
    }

    /// A commit at a location had so many events.
    pub(super) fn commit(&mut self, place: usize, events: usize) {
        let first = self.events[place];
        self.events[place] += events;
        for hook in &mut self.hooks {
            if hook.place.is_none_or(|only| only == place) {
                hook.takes[place].extend(first..self.events[place]);
            }
        }
    }

    /// Holds the queues against the feeds of the locations.
    pub(super) async fn compare(&self, storage: &dyn Storage, feeds: &[Vec<AnyEvent>]) {
        let rows = crate::faulty::rows(storage).await;
        for hook in &self.hooks {
            let mut expected: Vec<&AnyEvent> = Vec::new();
            let mut latest = HashMap::new();
            for (feed, taken) in feeds.iter().zip(&hook.takes) {
                let taken = taken.iter().map(|number| &feed[*number]);
                for event in taken.filter(|event| hook.events.contains(&event.kind)) {
                    match event.kind {
                        EventType::StockChanged => {
                            latest.insert(event.data["productId"].to_string(), event);
                        }
                        _ => expected.push(event),
                    }
                }
            }
            let queued = |family: u8| {
                let is_of = |key: &[u8]| key.starts_with(hook.id.uuid().as_bytes());
                let rows = rows.iter();
                let rows = rows.filter(move |(key, _)| is_of(key) && key[16] == family);
                rows.map(|(_, row)| serde_json::from_slice(row).unwrap())
                    .collect::<Vec<Delivery>>()
            };
            same(queued(QUEUE), expected);
            same(queued(WAITING_STOCK), latest.into_values().collect());
        }
    }
}

/// There is one delivery of each event, and no other.
fn same(mut queued: Vec<Delivery>, mut expected: Vec<&AnyEvent>) {
    queued.sort_by_key(|delivery| delivery.event_id.uuid());
    expected.sort_by_key(|event| event.id.uuid());
    assert_eq!(queued.len(), expected.len(), "{queued:#?}\n{expected:#?}");
    for (delivery, event) in queued.iter().zip(expected) {
        assert_eq!(delivery.event_id, event.id);
        assert_eq!(delivery.event_type, event.kind);
        assert_eq!(delivery.location_id, event.location_id);
        assert!(delivery.attempts.is_empty());
    }
}
