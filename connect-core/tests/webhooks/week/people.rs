//! The owner, and fate, which has no plan at all.

use std::sync::Arc;

use connect_core::{DeliveryFilter, Error, WaitingEvents, WebhookChange, wire::EventType};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};

use super::{World, endpoints, endpoints::Mood};

/// Refusals are part of the day, faults of the store are not.
fn may_fail(outcome: Result<(), Error>) {
    if let Err(error) = outcome {
        assert!(!matches!(error, Error::Internal(_)), "{error}");
    }
}

/// Makes, changes, tests, rolls, switches and deletes webhooks. The first three are left alone,
/// but for one thing: the second and the third are switched on when they were switched off.
pub(super) async fn owner(world: Arc<World>, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    while !world.is_over() {
        world.pause(&mut rng, 8 * 3600).await;
        may_fail(set_up(&world, &mut rng).await);
    }
}

/// Switches all webhooks on that are off, so that what waits beside them is sent.
pub(super) async fn switch_all_on(world: &World) {
    let (connect, account) = (&world.connect, world.account);
    for (webhook, _) in connect.webhooks(account).await.unwrap() {
        let on = connect.enable_webhook(account, webhook.id, WaitingEvents::Send);
        on.await.unwrap();
    }
}

async fn set_up(world: &World, rng: &mut StdRng) -> Result<(), Error> {
    let (connect, account) = (&world.connect, world.account);
    let all = world.webhooks.lock().unwrap().clone();
    for left_alone in &all[1..3] {
        connect
            .enable_webhook(account, *left_alone, WaitingEvents::Send)
            .await?;
    }
    let mut events: Vec<_> = EventType::KNOWN.to_vec();
    events.retain(|_| rng.random());
    let locations = &world.at[..rng.random_range(0..2)];
    let number = rng.random_range(3..9);
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
        4..8 => {
            let waiting = [WaitingEvents::Send, WaitingEvents::Drop][rng.random_range(0..2)];
            let on = connect.enable_webhook(account, id, waiting);
            on.await.map(drop)
        }
        8 => connect.roll_webhook_secret(account, id).await.map(drop),
        9 if number > 6 => connect.delete_webhook(account, id).await,
        9 | 10 => connect.test_webhook(account, id).await.map(drop),
        _ => {
            let all = DeliveryFilter::default();
            let log = connect.deliveries(account, id, &all, None, 10).await?;
            let Some(sent) = log.deliveries.choose(rng) else {
                return Ok(());
            };
            connect.resend(account, id, sent.id).await.map(drop)
        }
    }
}

/// Changes the moods of endpoints, and sets the clock. The third endpoint is broken all the time.
pub(super) async fn fate(world: Arc<World>, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    world.endpoints.set_mood(2, Mood::Answers(500));
    while !world.is_over() {
        world.pause(&mut rng, 6 * 3600).await;
        let mood = match rng.random_range(0..7) {
            0 => Mood::Answers([302, 404, 410, 429, 500][rng.random_range(0..5)]),
            1 => Mood::Hangs,
            2 => Mood::Refuses,
            3 | 4 => Mood::Well,
            _ => Mood::Flaky,
        };
        let endpoint = [1, 3, 4, 5, 6, 7, 8][rng.random_range(0..7)];
        world.endpoints.set_mood(endpoint, mood);
        if rng.random_range(0..4) == 0 {
            world.clock.set(rng.random_range(-900..900));
        }
    }
}
