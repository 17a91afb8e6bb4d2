//! Days of a shop in virtual time: registers and owners write, webhooks come, change and go,
//! endpoints fail in every way, the clock is set, the clocks of processes differ, and those who write
//! and those who deliver die at any moment, at their commits too. In the end every event has arrived,
//! or has been given up as the schedule says, and nothing else has.
//!
//! The days differ from run to run; `PROPTEST_RNG_SEED` repeats one.

mod clock;
mod endpoints;
mod history;
mod judge;
mod mail;
mod mortal;
mod people;
mod receivers;
mod staff;
mod workers;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use connect_core::{
    Access, Account, Connect, NewWebhook, ScreenType, Webhook,
    wire::{EventType, Id},
};
use proptest::prelude::{ProptestConfig, any, proptest};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::{sync::watch, time::sleep};

use self::{
    clock::SetClock, endpoints::Endpoints, history::History, mail::Post, mortal::Mortal,
    staff::Written,
};
use crate::shop;

/// The time for which people write and workers die, and their speed.
#[derive(Clone, Copy)]
struct Pace {
    time: Duration,
    /// By how much all pauses of people and processes are divided.
    haste: u64,
    /// The time between two looks of a worker.
    interval: Duration,
}

const DAYS: Pace = Pace {
    time: Duration::from_secs(4 * 86_400),
    haste: 1,
    interval: Duration::from_secs(60),
};

/// Everybody is in everybody's way.
const MINUTE: Pace = Pace {
    time: Duration::from_secs(60),
    haste: 10_000,
    interval: Duration::from_millis(50),
};

/// Afterwards all is well, for as long as retries take.
const REST: Duration = Duration::from_secs(36 * 3600);

/// A shop, and the world around it.
struct World {
    pace: Pace,
    clock: Arc<SetClock>,
    history: Arc<History>,
    endpoints: Arc<Endpoints>,
    post: Arc<Post>,
    account: Id<Account>,
    /// Two locations.
    at: Vec<Access>,
    /// A register and a kiosk of each.
    registers: Vec<Access>,
    kiosks: Vec<Access>,
    /// The core of the owner and of those who read, who do not die.
    connect: Connect,
    /// The webhooks that were ever made.
    webhooks: Mutex<Vec<Id<Webhook>>>,
    /// The writes of the staff.
    written: Mutex<Vec<Written>>,
    /// Becomes true at the end of these days.
    is_over: watch::Sender<bool>,
    /// Becomes true when workers have to end.
    is_closed: watch::Sender<bool>,
}

impl World {
    async fn open(pace: Pace, rng: &mut StdRng) -> Arc<Self> {
        let clock = SetClock::new(rng.random_range(0..3) == 0);
        let history = History::new(clock.clone());
        let storage = Mortal::new(history.clone(), rng.random(), None);
        let connect = Connect::builder(storage).clock(clock.clone()).build();
        let account = shop::account(&connect, "Shop").await;
        let mut at = Vec::new();
        let (mut registers, mut kiosks) = (Vec::new(), Vec::new());
        for name in ["Here", "There"] {
            let owner = shop::location(&connect, account, name).await;
            registers.push(shop::screen(&connect, &owner, ScreenType::Pos, "Till").await);
            kiosks.push(shop::screen(&connect, &owner, ScreenType::OrderKiosk, "Kiosk").await);
            at.push(owner);
        }
        Arc::new(Self {
            pace,
            endpoints: Endpoints::new(clock.clone(), rng.random()),
            post: Post::new(clock.clone(), history.clone(), rng.random()),
            clock,
            history,
            account,
            at,
            registers,
            kiosks,
            connect,
            webhooks: Mutex::default(),
            written: Mutex::default(),
            is_over: watch::Sender::new(false),
            is_closed: watch::Sender::new(false),
        })
    }

    /// Makes a webhook whose endpoint goes by its number.
    async fn webhook(
        &self,
        events: Vec<EventType>,
        locations: &[&Access],
    ) -> Result<Id<Webhook>, connect_core::Error> {
        let number = self.webhooks.lock().unwrap().len();
        let new = NewWebhook {
            url: endpoints::url(number, 0),
            events,
            location_ids: locations.iter().map(|at| at.location().id).collect(),
        };
        let webhook = self.connect.create_webhook(self.account, new).await?;
        self.webhooks.lock().unwrap().push(webhook.webhook.id);
        Ok(webhook.webhook.id)
    }

    /// Returns whether there is time for everything.
    fn is_unhurried(&self) -> bool {
        self.pace.haste == 1
    }

    fn is_over(&self) -> bool {
        *self.is_over.borrow()
    }

    /// Pauses for up to so many seconds, mostly for much less.
    async fn pause(&self, rng: &mut StdRng, most: u64) {
        let haste = if self.is_over() { 1 } else { self.pace.haste };
        let most = most * 1_000_000 / haste;
        let longest = [most, most / 10, most / 100, most / 10_000][rng.random_range(0..4)];
        sleep(Duration::from_micros(rng.random_range(0..=longest))).await;
    }
}

/// All types of events.
fn everything() -> Vec<EventType> {
    EventType::KNOWN.to_vec()
}

async fn live(pace: Pace, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let world = World::open(pace, &mut rng).await;
    // Its endpoint is well most of the time, and nobody touches it: the receivers rely on it.
    world.webhook(everything(), &[]).await.unwrap();
    // Nobody touches this one either, but its endpoint is as bad as any.
    world.webhook(everything(), &[]).await.unwrap();
    // The endpoint of this one does not work, so that its owner is written to again and again.
    world.webhook(everything(), &[]).await.unwrap();
    let mut tasks = Vec::new();
    for number in 0..2 {
        tasks.push(tokio::spawn(staff::staff(
            world.clone(),
            number,
            rng.random(),
        )));
    }
    tasks.push(tokio::spawn(people::owner(world.clone(), rng.random())));
    tasks.push(tokio::spawn(people::fate(world.clone(), rng.random())));
    let mut workers = Vec::new();
    for number in 0..2 {
        let life = workers::lives(world.clone(), number, rng.random());
        workers.push(tokio::spawn(life));
    }
    let poller = tokio::spawn(receivers::poller(world.clone(), rng.random()));
    let arrivals = world.endpoints.arrivals();
    let receiver = tokio::spawn(receivers::receiver(world.clone(), arrivals));
    let reader = tokio::spawn(receivers::reader(world.clone(), rng.random()));
    sleep(pace.time).await;
    world.is_over.send_replace(true);
    world.endpoints.heal();
    world.post.heal();
    for task in tasks {
        task.await.unwrap();
    }
    // Fate may have had the last word.
    world.endpoints.heal();
    people::switch_all_on(&world).await;
    sleep(REST).await;
    world.is_closed.send_replace(true);
    for worker in workers {
        worker.await.unwrap();
    }
    world.endpoints.close();
    judge::judge(&world).await;
    let mut followers = vec![reader.await.unwrap()];
    followers.extend(receiver.await.unwrap());
    receivers::compare(&world, poller.await.unwrap(), followers).await;
}

fn run(pace: Pace, seed: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(live(pace, seed));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1, failure_persistence: None, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn days_of_trouble_lose_nothing(seed in any::<u64>()) {
        run(DAYS, seed);
    }

    #[test]
    fn a_busy_minute_loses_nothing(seed in any::<u64>()) {
        run(MINUTE, seed);
    }
}
