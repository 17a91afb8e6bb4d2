//! The steps of scripts. One about a webhook names it as `@name`; without a name it is `@in`.

use std::{collections::HashMap, sync::Arc, time::Duration};

use connect_core::{
    Access, Connect, Delivery, DeliveryWork, Error, WaitingEvents, Webhook, WebhookChange,
    WebhookWorker,
    environment::{Clock as _, WebhookRequest},
    wire::{EventType, Field, Id, Product, ProductInput, StockCount},
};
use tokio::task::JoinHandle;

use super::told::{name_of, some};
use crate::{
    mails::Mails,
    shop::{self, START, Shop},
    stored::{self, family},
    webhooks::{Scene, endpoints::Answers},
};

/// A shop in the middle of a script.
pub(super) struct Play {
    pub(super) scene: Scene,
    /// The process at work.
    pub(super) connect: Connect,
    worker: Arc<WebhookWorker>,
    pub(super) mails: Option<Arc<Mails>>,
    /// The webhooks, each with its secrets so far.
    pub(super) hooks: HashMap<String, (Id<Webhook>, Vec<String>)>,
    places: HashMap<String, Access>,
    pub(super) products: HashMap<String, Id<Product>>,
    /// The sent bodies, by delivery.
    pub(super) bodies: HashMap<String, Vec<u8>>,
    pub(super) last: Option<WebhookRequest>,
    begun: Option<JoinHandle<DeliveryWork>>,
    next: Option<Id<Delivery>>,
    is_damaged: bool,
    pub(super) trips: u64,
}

/// The result of a step, as a script has it.
pub(super) type Told = Result<String, Error>;

impl Play {
    pub(super) fn new(shop: Shop) -> Self {
        let places = HashMap::from([("Here".to_owned(), shop.at.clone())]);
        let connect = shop.connect.clone();
        let scene = Scene::over(shop);
        let worker = Arc::new(scene.worker_of(&connect));
        Self {
            scene,
            connect,
            worker,
            mails: None,
            hooks: HashMap::new(),
            places,
            products: HashMap::new(),
            bodies: HashMap::new(),
            last: None,
            begun: None,
            next: None,
            is_damaged: false,
            trips: 0,
        }
    }

    pub(super) async fn end(&self) {
        if !self.is_damaged {
            self.scene.shop.check().await;
        }
    }

    /// Takes a step. Returns its problem.
    pub(super) async fn line(&mut self, line: &str) -> Option<String> {
        let (step, expected) = line.split_once(" => ").unwrap_or((line, ""));
        let (hooks, words): (Vec<&str>, Vec<&str>) =
            step.split(' ').partition(|word| word.starts_with('@'));
        let hook = hooks.first().map_or("in", |hook| &hook[1..]);
        let before = self.scene.shop.storage.trips();
        let told = match self.step(hook, &words).await {
            Ok(told) => told,
            Err(error) => name_of(&error),
        };
        if words[0] != "trips" {
            self.trips = self.scene.shop.storage.trips() - before;
        }
        // A question mark stands for anything within a word.
        let is_word = |(told, expected): (&str, &str)| match expected.split_once('?') {
            None => told == expected,
            Some((start, end)) => told.starts_with(start) && told.ends_with(end),
        };
        let is_expected = told.split(' ').count() == expected.split(' ').count()
            && told.split(' ').zip(expected.split(' ')).all(is_word);
        (!is_expected).then(|| format!("{step} => {told}"))
    }

    async fn step(&mut self, hook: &str, words: &[&str]) -> Told {
        match words[0] {
            "tick" | "begin" | "die" | "finish" => {
                let work = self.work(words).await?;
                Ok(self.told(work))
            }
            "log" | "reasons" | "health" | "signed" | "waiting" | "backlog" | "counted"
            | "mails" | "rows" | "most" | "trips" => self.ask(hook, words).await,
            "resend" | "maintain" => self.service(hook, words).await,
            _ => self.write(hook, words).await.map(|()| String::new()),
        }
    }

    /// Lets workers do their due work.
    async fn work(&mut self, words: &[&str]) -> Result<Option<DeliveryWork>, Error> {
        match words {
            ["tick"] => self.worker.tick().await.map(Some),
            ["tick", "both"] => {
                let other = self.scene.worker_of(&self.connect);
                let (one, two) = tokio::join!(self.worker.tick(), other.tick());
                let mut work = one?;
                work += two?;
                Ok(Some(work))
            }
            ["finish"] => Ok(Some(self.begun.take().unwrap().await.unwrap())),
            // A worker whose attempt has begun, and which dies or goes on beside another one.
            _ => {
                let worker = self.worker.clone();
                let begun = tokio::spawn(async move { worker.tick().await.unwrap() });
                tokio::time::sleep(Duration::from_secs(1)).await;
                match words {
                    ["die"] => begun.abort(),
                    _ => self.begun = Some(begun),
                }
                self.start(self.connect.clone());
                Ok(None)
            }
        }
    }

    /// Acts as owners, staff and time.
    async fn write(&mut self, hook: &str, words: &[&str]) -> Result<(), Error> {
        let shop = &self.scene.shop;
        let (connect, account, clock) = (self.connect.clone(), shop.account, shop.clock.clone());
        let here = connect.location(&shop.at);
        match words {
            ["webhook", events, at @ ..] => {
                let at = at.iter().filter_map(|place| self.places.get(*place));
                let at: Vec<_> = at.map(|place| place.location().id).collect();
                let issued = self.scene.webhook_at(&url(hook), &kinds(events), &at).await;
                let (id, secret) = (issued.webhook.id, issued.secret.expose().to_owned());
                self.hooks.insert(hook.to_owned(), (id, vec![secret]));
            }
            ["change", events, "to", host] => {
                let change = WebhookChange {
                    events: Some(kinds(events)),
                    url: Some(url(host)),
                    ..WebhookChange::default()
                };
                connect
                    .change_webhook(account, self.id(hook), change)
                    .await?;
                let moved = self.hooks.remove(hook).unwrap();
                self.hooks.insert((*host).to_owned(), moved);
            }
            ["delete"] => connect.delete_webhook(account, self.id(hook)).await?,
            ["roll"] => {
                let rolled = connect.roll_webhook_secret(account, self.id(hook)).await?;
                let secret = rolled.secret;
                let (_, secrets) = self.hooks.get_mut(hook).unwrap();
                secrets.push(secret.expose().to_owned());
            }
            ["off"] => drop(connect.disable_webhook(account, self.id(hook)).await?),
            ["on", waiting] => {
                let waiting = match *waiting {
                    "send" => WaitingEvents::Send,
                    _ => WaitingEvents::Drop,
                };
                let on = connect.enable_webhook(account, self.id(hook), waiting);
                on.await?;
            }
            ["ping"] => drop(connect.test_webhook(account, self.id(hook)).await?),
            ["answer", answer @ ..] => self.scene.endpoints.answer(&url(hook), answers(answer)),
            ["product", names @ .., "at", place] => self.make(place, names).await?,
            ["product", names @ ..] => self.make("Here", names).await?,
            ["products", count] => {
                let names: Vec<String> = (0..number(count)).map(|n| format!("{n:04}")).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.make("Here", &names).await?;
            }
            ["remove", name] => here.products().delete(self.products[*name]).await?,
            ["renumber", name] => {
                let change = ProductInput {
                    external_id: Field::Value("R-1".into()),
                    ..ProductInput::default()
                };
                here.products().update(self.products[*name], change).await?;
            }
            ["count", name, quantity] => {
                if !self.products.contains_key(*name) {
                    self.make("Here", &[name]).await?;
                }
                let count = format!("{{\"quantity\": {quantity}}}");
                let count: StockCount = serde_json::from_str(&count).unwrap();
                here.stock().count(self.products[*name], count).await?;
            }
            ["location", name] => {
                let place = shop.location(name).await;
                self.places.insert((*name).to_owned(), place);
            }
            ["wait", time] => clock.advance(seconds(time)),
            ["back", time] => {
                clock.set(clock.now().plus_seconds(-seconds(time)));
                self.start(shop.beside());
            }
            ["process"] => self.start(shop.beside()),
            ["ahead", time] => self.start(shop.ahead(seconds(time))),
            ["mail", state] => {
                let mails = self.mails.get_or_insert_default();
                *mails.is_down.lock().unwrap() = *state == "down";
                self.start(connect);
            }
            ["scribble" | "unreadable", family, number] => {
                let storage = &shop.storage;
                let mut all = stored::of_family(&**storage, family_of(family)).await;
                let webhook = self.id(hook).uuid();
                all.retain(|(key, _)| *family == "Event" || key.starts_with(webhook.as_bytes()));
                let key = &all[self::number(number)].0;
                match words[0] {
                    "scribble" => stored::write(&**storage, key, stored::garbage()).await,
                    _ => storage.damage(key),
                }
            }
            ["heal"] => shop.storage.heal(),
            ["stays", "damaged"] => self.is_damaged = true,
            _ => panic!("no step: {words:?}"),
        }
        Ok(())
    }

    /// Sends again, and purges.
    async fn service(&mut self, hook: &str, words: &[&str]) -> Told {
        let (connect, account) = (self.connect.clone(), self.scene.shop.account);
        let id = || self.id(hook);
        let resend = |account, since, before| {
            connect.resend_given_up(account, id(), START.plus_seconds(since), None, before)
        };
        let resent = match words {
            ["maintain"] => {
                let done = connect.maintain().await?;
                return Ok(some([("purged", done.deliveries), ("failed", done.failed)]));
            }
            ["resend", "number", number] => {
                let log = self.deliveries(hook).await?;
                let former = &log[self::number(number)];
                let again = connect.resend(account, id(), former.id).await?;
                assert_eq!(again.event_id, former.event_id);
                assert_ne!(again.id, former.id);
                return Ok(String::new());
            }
            ["resend", "twice"] => {
                let (one, two) = tokio::join!(resend(account, 0, None), resend(account, 0, None));
                return Ok(some([("sent", one?.sent + two?.sent)]));
            }
            ["resend", "elsewhere"] => {
                resend(shop::account(&connect, "Other").await, 0, None).await?
            }
            ["resend", "on"] => resend(account, 0, self.next).await?,
            ["resend", since] => resend(account, seconds(since), None).await?,
            _ => resend(account, 0, None).await?,
        };
        let counts = [
            ("sent", resent.sent),
            ("passed over", resent.passed_over),
            ("left", resent.left),
        ];
        self.next = resent.next;
        Ok(some(counts))
    }

    /// Gives the turn to a process, with a worker of its own.
    fn start(&mut self, connect: Connect) {
        let endpoints = self.scene.endpoints.clone();
        let mails = self.mails.clone().map(|mails| mails as _);
        self.worker = Arc::new(connect.webhook_worker(endpoints, mails));
        self.connect = connect;
    }

    pub(super) fn id(&self, hook: &str) -> Id<Webhook> {
        self.hooks[hook].0
    }

    async fn make(&mut self, place: &str, names: &[&str]) -> Result<(), Error> {
        let products = self.connect.location(&self.places[place]).products();
        for name in names {
            let made = products.create(ProductInput::named(*name)).await?;
            self.products.insert((*name).to_owned(), made.id);
        }
        Ok(())
    }
}

fn url(host: &str) -> String {
    format!("https://{host}.example/")
}

fn kinds(events: &str) -> Vec<EventType> {
    let kind = |event| match event {
        "product" => EventType::ProductChanged,
        "category" => EventType::CategoryChanged,
        "stock" => EventType::StockChanged,
        _ => panic!("no event: {event}"),
    };
    events.split('+').map(kind).collect()
}

fn answers(words: &[&str]) -> Answers {
    match words {
        ["fails"] => Answers::Fails,
        ["hangs"] => Answers::Hangs,
        ["panics"] => Answers::Panics,
        ["not-tried"] => Answers::NotTried,
        ["fails", "after", count] => Answers::FailsAfter(number(count)),
        [status] => Answers::Status(status.parse().unwrap()),
        _ => panic!("no answer: {words:?}"),
    }
}

fn family_of(name: &str) -> u8 {
    match name {
        "DeliveryByDue" => family::DELIVERY_BY_DUE,
        "Event" => family::EVENT,
        "WaitingStock" => family::WAITING_STOCK,
        "WebhookState" => family::WEBHOOK_STATE,
        "WebhookLink" => family::WEBHOOKS_LINK,
        _ => panic!("no family: {name}"),
    }
}

fn number(word: &str) -> usize {
    word.parse().unwrap()
}

/// A time in seconds: `90`, `1h`, `30d`.
fn seconds(word: &str) -> i64 {
    let (digits, unit) = match word.strip_suffix('d') {
        Some(days) => (days, 86_400),
        None => match word.strip_suffix('h') {
            Some(hours) => (hours, 3_600),
            None => (word, 1),
        },
    };
    digits.parse::<i64>().unwrap() * unit
}
