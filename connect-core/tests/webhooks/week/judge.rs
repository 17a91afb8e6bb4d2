//! The rules to hold at the end.

mod mail;
mod stock;
mod writes;

use std::{
    collections::{HashMap, HashSet},
    str::FromStr as _,
};

use connect_core::{
    Connect, Delivery, DeliveryFilter, DeliveryStatus, Webhook,
    wire::{
        AnyEvent, EventType, Id,
        query::{EventQuery, Paging},
    },
};
use connect_webhook_verify::{Secret, Verifier};
use serde_json::Value as Json;
use uuid::Uuid;

use super::{World, endpoints::Sent, history::Deed};

/// The seconds after a failed attempt until the next one.
const RETRIES: [i64; 6] = [60, 300, 1_800, 7_200, 21_600, 86_400];

/// An event as it was committed.
struct Committed {
    event: AnyEvent,
    body: Vec<u8>,
    /// Its place among all deeds.
    place: usize,
    /// The webhooks that it matched then.
    takers: HashSet<Uuid>,
}

/// The history that the commits tell.
#[derive(Default)]
struct Truth {
    events: Vec<Committed>,
    by_id: HashMap<Uuid, usize>,
    /// The places of deeds at which the owner had dropped what waited for a webhook.
    dropped: HashMap<Uuid, Vec<usize>>,
    /// The places of deeds by which a webhook was switched on.
    switched_on: HashMap<Uuid, Vec<usize>>,
    secrets: HashMap<Uuid, HashSet<String>>,
}

impl Truth {
    fn of(deeds: &[Deed]) -> Self {
        let mut truth = Self::default();
        let mut webhooks: &[Json] = &[];
        for (place, deed) in deeds.iter().enumerate() {
            match deed {
                Deed::Webhooks(new) => {
                    for own in new {
                        let id = id_of(&own["webhook"]);
                        let is_of = |other: &&Json| id_of(&other["webhook"]) == id;
                        let before = webhooks.iter().find(is_of);
                        let dropped_at = |own: &Json| own["droppedAt"].clone();
                        if before.map(dropped_at).unwrap_or_default() != dropped_at(own) {
                            truth.dropped.entry(id).or_default().push(place);
                        }
                        let enabled_at = |own: &Json| own["webhook"]["enabledAt"].clone();
                        if before.is_some_and(|before| enabled_at(before) != enabled_at(own)) {
                            truth.switched_on.entry(id).or_default().push(place);
                        }
                        let secret = own["secret"].as_str().unwrap().to_owned();
                        truth.secrets.entry(id).or_default().insert(secret);
                    }
                    webhooks = new;
                }
                Deed::Event(body) => {
                    let event: AnyEvent = serde_json::from_slice(body).unwrap();
                    let webhooks = webhooks.iter().map(|own| &own["webhook"]);
                    let takers = webhooks.filter(|webhook| takes(webhook, &event));
                    let takers = takers.map(id_of).collect();
                    let number = truth.events.len();
                    truth.by_id.insert(event.id.uuid(), number);
                    truth.events.push(Committed {
                        event,
                        body: body.clone(),
                        place,
                        takers,
                    });
                }
                Deed::Release(_) => {}
            }
        }
        truth
    }

    fn event(&self, id: Uuid) -> &Committed {
        &self.events[self.by_id[&id]]
    }

    /// Returns whether a webhook was switched on after the event of a delivery. What waited is sent
    /// then, whatever its schedule was.
    fn has_waited(&self, delivery: &Delivery) -> bool {
        let event = self.by_id.get(&delivery.event_id.uuid());
        let place = event.map_or(0, |event| self.events[*event].place);
        let on = self.switched_on.get(&delivery.webhook_id.uuid());
        on.is_some_and(|on| on.iter().any(|at| *at > place))
    }

    /// Returns whether a later `stock.changed` of the same product went to the webhook.
    fn is_superseded(&self, event: &Committed, webhook: Uuid) -> bool {
        let is_later = |other: &&Committed| {
            other.place > event.place
                && other.event.kind == EventType::StockChanged
                && other.event.data["productId"] == event.event.data["productId"]
                && other.takers.contains(&webhook)
        };
        event.event.kind == EventType::StockChanged && self.events.iter().any(|e| is_later(&e))
    }
}

fn id_of(webhook: &Json) -> Uuid {
    Uuid::from_str(webhook["id"].as_str().unwrap()).unwrap()
}

fn takes(webhook: &Json, event: &AnyEvent) -> bool {
    let list = |name: &str| webhook[name].as_array().unwrap();
    let location = event.location_id.unwrap().to_string();
    let locations = list("locationIds");
    list("events")
        .iter()
        .any(|kind| kind == event.kind.as_str())
        && (locations.is_empty() || locations.iter().any(|one| *one == *location))
}

pub(super) async fn judge(world: &World) {
    assert_eq!(world.endpoints.wrongs(), [""; 0]);
    let deeds = world.history.deeds();
    let truth = Truth::of(&deeds);
    let book = world.endpoints.book();
    let webhooks = world.webhooks.lock().unwrap().clone();
    // The days were some.
    assert!(truth.events.len() > 100, "{}", truth.events.len());
    assert!(book.len() > 300, "{}", book.len());
    feed_is_complete(world, &truth).await;
    writes::judge(world, &truth).await;
    stock::judge(&deeds, &truth);
    mail::judge(world, &deeds);
    for sent in &book {
        only_what_was_asked_for(sent, webhooks[sent.endpoint], &truth);
    }
    let there = world.connect.webhooks(world.account).await.unwrap();
    let there: HashSet<_> = there.into_iter().map(|(webhook, _)| webhook.id).collect();
    for (number, id) in webhooks.iter().enumerate() {
        if there.contains(id) {
            let log = log(&world.connect, world, *id).await;
            let sent: Vec<_> = book.iter().filter(|sent| sent.endpoint == number).collect();
            the_log_is_right(world, &log, &sent, &truth);
            everything_arrived(number, *id, &truth, &log);
        }
    }
    nothing_is_left(world, &webhooks, &there).await;
}

async fn log(connect: &Connect, world: &World, webhook: Id<Webhook>) -> Vec<Delivery> {
    let mut all: Vec<Delivery> = Vec::new();
    let (filter, mut before) = (DeliveryFilter::default(), None);
    loop {
        let page = connect.deliveries(world.account, webhook, &filter, before, 200);
        let page = page.await.unwrap();
        all.extend(page.deliveries);
        before = page.next;
        if before.is_none() {
            return all;
        }
    }
}

/// The feed has what was committed, in this order and without a gap.
async fn feed_is_complete(world: &World, truth: &Truth) {
    for at in &world.at {
        let mut query = EventQuery::default();
        let mut feed = Vec::new();
        loop {
            let events = world.connect.location(at).events();
            let page = events.list(&query).await.unwrap();
            feed.extend(page.data);
            query.paging = Paging {
                limit: Some(200),
                cursor: page.next_cursor,
            };
            if query.paging.cursor.is_none() {
                break;
            }
        }
        let here = Some(at.location().id);
        let events = truth.events.iter().map(|committed| &committed.event);
        let events = events.filter(|event| event.location_id == here);
        assert!(feed.iter().eq(events));
        for (index, event) in feed.iter().enumerate() {
            assert_eq!(event.sequence, Some(index as u64 + 1));
        }
    }
}

/// A request carries an event as it was committed, to a webhook that it matched then, signed.
fn only_what_was_asked_for(sent: &Sent, webhook: Id<Webhook>, truth: &Truth) {
    let body = &sent.request.body;
    let secrets = truth.secrets[&webhook.uuid()].iter();
    let is_signed = secrets.clone().any(|secret| {
        let verifier = Verifier::new(Secret::new(secret).unwrap());
        let signature = sent.header("service-signature");
        let now = sent.at.seconds() as u64;
        verifier.verify(signature, body, now).is_ok()
    });
    assert!(is_signed, "{sent:?}");
    let event: AnyEvent = serde_json::from_slice(body).unwrap();
    assert_eq!(sent.header("service-event-id"), event.id.to_string());
    if event.kind.as_str() == "ping" {
        assert_eq!(event.data["webhookId"], webhook.to_string());
        return;
    }
    let committed = truth.event(event.id.uuid());
    assert_eq!(*body, committed.body, "not as it was committed");
    assert!(committed.takers.contains(&webhook.uuid()), "not asked for");
}

/// The log has the attempts that were made, at their times. An attempt that it lacks was made by a
/// process that died; no other is made twice.
fn the_log_is_right(world: &World, log: &[Delivery], sent: &[&Sent], truth: &Truth) {
    let mut of: HashMap<&str, Vec<&Sent>> = HashMap::new();
    for one in sent {
        let delivery = one.header("service-delivery-id");
        of.entry(delivery).or_default().push(one);
    }
    for delivery in log {
        let id = delivery.id.to_string();
        let made = of.remove(&*id).unwrap_or_default();
        let attempts = &delivery.attempts;
        assert!(attempts.len() <= made.len(), "{delivery:?}");
        let is_sure = |sent: &&&Sent| world.endpoints.has_outlived(sent.life) && !sent.is_near_step;
        let sure = made.iter().filter(is_sure).count();
        assert!(
            sure <= attempts.len(),
            "made twice: {delivery:?}\n{made:#?}"
        );
        let is_dated_well = made.iter().all(|sent| !sent.is_near_step);
        for (pair, pause) in attempts.windows(2).zip(RETRIES).filter(|_| is_dated_well) {
            // What a clock set that was set back since is due at once.
            let was_set_back = world.clock.was_taken_back(pair[0].at);
            let is_paused = pair[1].at >= pair[0].at.plus_seconds(pause);
            let has_waited = truth.has_waited(delivery);
            assert!(was_set_back || is_paused || has_waited, "{delivery:?}");
        }
        assert!(attempts.len() <= 7);
        let last = attempts.last().and_then(|last| last.status_code);
        let is_taken = last.is_some_and(|status| (200..300).contains(&status));
        assert_eq!(is_taken, delivery.status == DeliveryStatus::Delivered);
        assert!(!is_taken || made.iter().any(|sent| sent.is_taken()));
        assert_ne!(delivery.status, DeliveryStatus::Pending, "{delivery:?}");
    }
    assert!(of.is_empty(), "sent, and not in the log: {of:?}");
}

/// Every event that matched was delivered, or was given up for a reason.
fn everything_arrived(number: usize, webhook: Id<Webhook>, truth: &Truth, log: &[Delivery]) {
    let id = webhook.uuid();
    let mut by_event: HashMap<Uuid, Vec<&Delivery>> = HashMap::new();
    for delivery in log {
        let event = delivery.event_id.uuid();
        by_event.entry(event).or_default().push(delivery);
    }
    for event in truth.events.iter().filter(|e| e.takers.contains(&id)) {
        let Some(made) = by_event.get(&event.event.id.uuid()) else {
            assert!(truth.is_superseded(event, id), "lost: {:?}", event.event);
            continue;
        };
        let is_delivered = |one: &Delivery| one.status == DeliveryStatus::Delivered;
        if made.iter().any(|one| is_delivered(one)) {
            continue;
        }
        let was_dropped = truth.dropped.get(&id).is_some_and(|dropped| {
            let is_later = |place: &usize| *place > event.place;
            dropped.iter().any(is_later)
        });
        if truth.is_superseded(event, id) {
            continue;
        }
        let is_tried = made.iter().any(|one| one.attempts.len() == 7);
        assert!(
            is_tried || was_dropped,
            "given up without a reason: {made:?}"
        );
        assert_ne!(number, 0, "its endpoint was well: {made:?}");
    }
}

/// The queues are empty, the rows agree, and nothing is left of deleted webhooks.
async fn nothing_is_left(world: &World, all: &[Id<Webhook>], there: &HashSet<Id<Webhook>>) {
    let report = world.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
    for family in [
        "DeliveryByDue",
        "WaitingStock",
        "WebhookWoken",
        "WebhookByDue",
    ] {
        assert_eq!(report.families.get(family), None, "{family}");
    }
    let rows = crate::faulty::rows(&*world.history).await;
    for id in all.iter().filter(|id| !there.contains(id)) {
        let is_of = |key: &&[u8]| key.starts_with(id.uuid().as_bytes());
        let left = rows
            .iter()
            .map(|(key, row)| (&**key, String::from_utf8_lossy(row)));
        let left: Vec<_> = left.filter(|(key, _)| is_of(key)).collect();
        assert!(left.is_empty(), "of a deleted webhook: {left:x?}");
    }
}
