//! A shop and the model side by side: each write goes to both, and the feed is held against what the
//! model tells.

use std::sync::Arc;

use async_trait::async_trait;
use connect_core::{
    Access, Actor, Connect, Error, ImageWorker, ScreenType,
    environment::{Clock as _, ImageFailure, Images, ManualClock},
    wire::{
        AnyEvent, ImageErrorCode,
        query::{CategoryQuery, EventQuery, OptionGroupQuery},
    },
};
use serde_json::{Value, json};

use super::{
    deliveries::Hooks,
    input::{PLACES, REGISTERS, Step, Write},
    model::{Place, Told},
};
use crate::{properties::shop::Shop, shop};

/// By how many seconds the clock of the second process is behind.
const BEHIND: i64 = 100;

/// A location with those who write there, and what it should be.
pub(super) struct Here {
    pub(super) owner: Access,
    pub(super) registers: Vec<(Access, Value)>,
    /// A kiosk, and Scan & Order.
    pub(super) kiosks: [(Access, Value); 2],
    pub(super) model: Place,
    /// The events by the commits that they were in.
    commits: Vec<Vec<Told>>,
}

/// A shop, and what it should be.
pub(super) struct Play {
    shop: Shop,
    /// Two processes on one store.
    processes: [Connect; 2],
    clocks: [Arc<ManualClock>; 2],
    places: Vec<Here>,
    images: ImageWorker,
    hooks: Hooks,
}

impl Play {
    pub(super) async fn begin(shop: Shop) -> Self {
        let behind = shop.clock.now().plus_seconds(-BEHIND);
        let clocks = [shop.clock.clone(), ManualClock::at(behind)];
        let processes = [shop.connect.clone(), shop.beside(clocks[1].clone())];
        // Another location that the shop has is of no use here: it has events already.
        let account = shop.at.account().id;
        let elsewhere = shop::location(&shop.connect, account, "Elsewhere").await;
        let mut places = Vec::new();
        for owner in [shop.at.clone(), elsewhere] {
            places.push(Here::open(&shop.connect, owner).await);
        }
        Self {
            hooks: Hooks::open(&shop.connect, [&places[0].owner, &places[1].owner]).await,
            images: shop.connect.image_worker(Arc::new(Downloads)),
            shop,
            processes,
            clocks,
            places,
        }
    }

    /// Does a step in both, and compares.
    pub(super) async fn step(&mut self, step: Step) {
        match step {
            Step::Burst(process, writes) => self.burst(process, writes).await,
            Step::Images => {
                self.images.tick().await.unwrap();
                for place in 0..PLACES {
                    let told = self.places[place].model.download();
                    self.commit(place, told);
                }
            }
            Step::Switch(is_on) => self.hooks.switch(&self.shop.connect, is_on).await,
            Step::Wait => self.clocks.iter().for_each(|clock| clock.advance(70)),
        }
    }

    /// Sends writes at once. A process does those of a location in the order in which they come.
    async fn burst(&mut self, process: usize, writes: Vec<(usize, Write)>) {
        let mut sent = Vec::new();
        for (place, write) in writes {
            let (at, actor, call) = self.places[place].resolve(write);
            let answer = tokio::spawn(call.clone().send(self.processes[process].clone(), at));
            sent.push((place, actor, call, answer));
        }
        for (place, actor, call, answer) in sent {
            let answer = answer.await.unwrap();
            assert!(!matches!(answer, Err(Error::Internal(_))), "{answer:?}");
            let data = answer.as_ref().unwrap_or(&Value::Null);
            let model = &mut self.places[place].model;
            let told = model.write(call.verb, &call.body, &actor, data);
            assert_eq!(
                told.is_ok(),
                answer.is_ok(),
                "{call:?}\n{answer:?}\n{told:?}"
            );
            self.commit(place, told.unwrap_or_default());
        }
        for place in &mut self.places {
            place.learn(&self.shop.connect).await;
        }
    }

    fn commit(&mut self, place: usize, told: Vec<Told>) {
        if !told.is_empty() {
            self.hooks.commit(place, told.len());
            self.places[place].commits.push(told);
        }
    }

    /// Holds the feeds and the queues of webhooks against what was told. Returns all events.
    pub(super) async fn compare(&self) -> Vec<AnyEvent> {
        let mut feeds = Vec::new();
        for place in &self.places {
            let feed = feed(&self.shop.connect, &place.owner).await;
            place.compare(&feed);
            feeds.push(feed);
        }
        self.hooks.compare(&*self.shop.storage, &feeds).await;
        let report = self.shop.connect.check(&mut |_| {}).await.unwrap();
        assert_eq!(report.problems, []);
        feeds.concat()
    }
}

impl Here {
    async fn open(connect: &Connect, owner: Access) -> Self {
        let mut registers = Vec::new();
        for number in 0..REGISTERS {
            let name = format!("Till {number}");
            registers.push(register(connect, &owner, &name).await);
        }
        let kiosk = shop::screen(connect, &owner, ScreenType::OrderKiosk, "Kiosk").await;
        let tables = shop::screen(connect, &owner, ScreenType::ScanAndOrder, "Tables").await;
        Self {
            owner,
            registers,
            kiosks: [(kiosk, json!("kiosk")), (tables, json!("scan_and_order"))],
            model: Place::default(),
            commits: Vec::new(),
        }
    }

    /// Every event that was told is in the feed, in the order of the commits, and no other is. Those
    /// of one commit have one time, later than any before.
    fn compare(&self, feed: &[AnyEvent]) {
        let mut events = feed.iter();
        let mut last = None;
        for commit in &self.commits {
            let mut time = None;
            for told in commit {
                let event = events.next();
                let event = event.unwrap_or_else(|| panic!("lost: {told:?}"));
                let is_it = event.kind.as_str() == told.kind && told.is_told_by(&event.data);
                assert!(is_it, "{event:?}\n{told:?}");
                assert!(Some(event.created_at) > last, "{event:?}");
                assert_eq!(*time.get_or_insert(event.created_at), event.created_at);
            }
            last = time;
        }
        assert_eq!(events.next(), None, "of nothing that was done");
        for (index, event) in feed.iter().enumerate() {
            assert_eq!(event.sequence, Some(index as u64 + 1));
            assert_eq!(event.location_id, Some(self.owner.location().id));
        }
    }

    /// Learns the ids that answers do not say.
    async fn learn(&mut self, connect: &Connect) {
        let here = connect.location(&self.owner);
        let categories = here.categories().list(&CategoryQuery::default()).await;
        for category in &mut self.model.categories {
            let mut found = categories.as_ref().unwrap().data.iter();
            let found = found.find(|other| other.name == category.name).unwrap();
            category.id = found.id.uuid();
        }
        let query: OptionGroupQuery = OptionGroupQuery {
            sync: connect_core::wire::query::SyncQuery {
                limit: Some(200),
                ..Default::default()
            },
            ..Default::default()
        };
        let groups = here.option_groups().list(&query).await.unwrap().data;
        for group in &mut self.model.groups {
            let found = groups.iter().find(|other| other.id.uuid() == group.id);
            group.option = found.unwrap().options[0].id.uuid();
        }
    }
}

/// The access of a new register, and how its rows name it.
async fn register(connect: &Connect, owner: &Access, name: &str) -> (Access, Value) {
    let access = shop::screen(connect, owner, ScreenType::Pos, name).await;
    let Actor::Screen { id, .. } = access.actor() else {
        panic!("no screen");
    };
    let shown = json!({ "id": id, "name": name });
    (access, shown)
}

/// The feed of a location, page by page.
async fn feed(connect: &Connect, owner: &Access) -> Vec<AnyEvent> {
    let mut feed = Vec::new();
    let mut query = EventQuery::default();
    query.paging.limit = Some(7);
    loop {
        let page = connect.location(owner).events().list(&query).await.unwrap();
        feed.extend(page.data);
        query.paging.cursor = page.next_cursor;
        if query.paging.cursor.is_none() {
            return feed;
        }
    }
}

/// Takes over any image that is not damaged.
struct Downloads;

#[async_trait]
impl Images for Downloads {
    async fn take_over(&self, link: &str) -> Result<String, ImageFailure> {
        match link.strip_prefix("https://images.example/").unwrap() {
            "damaged" => Err(ImageFailure::lasting(ImageErrorCode::Corrupt, "Damaged.")),
            name => Ok(format!("https://copies.example/{name}")),
        }
    }
}
