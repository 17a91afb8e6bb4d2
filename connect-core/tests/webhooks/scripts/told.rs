//! The results of steps, in the words of scripts.

use std::fmt::Debug;

use connect_core::{
    Delivery, DeliveryFilter, DeliveryWork, Error, environment::WebhookRequest, wire::AnyEvent,
};
use connect_webhook_verify::{Secret, Verifier};

use super::play::{Play, Told};
use crate::webhooks::endpoints::{event, header};

impl Play {
    /// Answers a question.
    pub(super) async fn ask(&self, hook: &str, words: &[&str]) -> Told {
        let (connect, account) = (&self.connect, self.scene.shop.account);
        Ok(match words {
            ["log"] => return self.log(hook).await,
            ["health"] => return self.health(hook).await,
            ["signed"] => self.signed_by(hook, self.last.as_ref().unwrap()),
            ["reasons"] => {
                let log = self.deliveries(hook).await?;
                let reasons = log.iter().filter_map(|one| {
                    let last = one.attempts.last()?;
                    let time = match last.duration_ms / 1000 {
                        0 => String::new(),
                        seconds => format!(" ({seconds} s)"),
                    };
                    Some(last.reason.clone().unwrap_or_default() + &time)
                });
                reasons.collect::<Vec<_>>().join(" / ")
            }
            ["waiting"] => {
                let waiting = connect.waiting_events(account, self.id(hook)).await?;
                waiting.to_string()
            }
            ["backlog"] => {
                let found = connect.backlog().await?;
                let (queue, webhooks) = (found.deliveries, found.webhooks);
                format!(
                    "{} waiting, due for {} s, oldest {} s, {} held; on {}, failed {}, off {}",
                    queue.count,
                    queue.overdue.as_secs(),
                    found.oldest_delivery.as_secs(),
                    found.held,
                    webhooks.on,
                    webhooks.failed,
                    webhooks.off,
                )
            }
            ["counted"] => {
                let counts = &connect.metrics().deliveries;
                some([
                    ("succeeded", counts.succeeded.get() as usize),
                    ("failed", counts.failed.get() as usize),
                    ("given up", counts.given_up.get() as usize),
                    ("switched off", counts.switched_off.get() as usize),
                ])
            }
            ["mails"] => {
                let mails = self.mails.as_ref().unwrap();
                mails.sent.lock().unwrap().len().to_string()
            }
            ["rows", family] => {
                let report = connect.check(&mut |_| {}).await?;
                let count = report.families.get(family).copied();
                count.unwrap_or_default().to_string()
            }
            ["most", "rows"] => self.scene.shop.storage.take_most_gets().to_string(),
            ["trips"] => self.trips.to_string(),
            _ => panic!("no question: {words:?}"),
        })
    }

    /// The names of the arrivals in their order, and the work if it differs.
    pub(super) fn told(&mut self, work: Option<DeliveryWork>) -> String {
        let requests = self.scene.endpoints.take();
        let mut names: Vec<String> = requests.iter().map(|to| self.arrived(to)).collect();
        let arrived = names.len();
        self.last = requests.into_iter().next_back().or(self.last.take());
        if names.len() > 12 {
            names.sort();
            names.dedup();
            assert_eq!(names.len(), arrived, "twice the same");
            names = vec![format!("{arrived} events")];
        }
        let plain = DeliveryWork {
            delivered: arrived,
            ..DeliveryWork::default()
        };
        let work = work.filter(|work| *work != plain).map(|work| {
            some([
                ("delivered", work.delivered),
                ("postponed", work.postponed),
                ("given up", work.given_up),
                ("switched off", work.switched_off),
            ])
        });
        let names = names.join(" ");
        let parts = [Some(names).filter(|names| !names.is_empty()), work];
        let told: Vec<String> = parts.into_iter().flatten().collect();
        if told.is_empty() {
            "nothing".to_owned()
        } else {
            told.join("; ")
        }
    }

    /// The name of an arrived event, checked.
    fn arrived(&mut self, request: &WebhookRequest) -> String {
        let event = event(request);
        let host = request.url.trim_start_matches("https://");
        let host = host.trim_end_matches(".example/");
        assert_eq!(header(request, "content-type"), "application/json");
        assert_eq!(header(request, "user-agent"), "Connect-Webhooks/1");
        assert_eq!(header(request, "service-event-id"), event.id.to_string());
        let time = format!("t={},", self.connect.now().seconds());
        assert!(header(request, "service-signature").starts_with(&time));
        assert_ne!(self.signed_by(host, request), "", "{request:?}");
        let label = self.label(&event);
        let delivery = header(request, "service-delivery-id").to_owned();
        let before = self.bodies.insert(delivery, request.body.to_vec());
        assert!(before.is_none_or(|body| *body == *request.body));
        if host == "in" {
            label
        } else {
            format!("{label}@{host}")
        }
    }

    fn label(&self, event: &AnyEvent) -> String {
        let data = &event.data;
        if event.kind.as_str() == "ping" {
            assert_eq!((event.location_id, event.sequence), (None, None));
            assert!(data["webhookId"].is_string() && data["message"].is_string());
            return "ping".to_owned();
        }
        if let Some(name) = data["name"].as_str() {
            return name.to_owned();
        }
        let product = data["productId"].as_str().unwrap();
        let mut products = self.products.iter();
        let name = products.find(|(_, id)| id.to_string() == product);
        format!("{}={}", name.unwrap().0, data["quantity"])
    }

    /// The numbers of the secrets behind a request's signatures.
    fn signed_by(&self, hook: &str, request: &WebhookRequest) -> String {
        let signature = header(request, "service-signature");
        let now = self.connect.now().seconds() as u64;
        let secrets = self.hooks[hook].1.iter().enumerate();
        let signed = secrets.filter(|(_, secret)| {
            let verifier = Verifier::new(Secret::new(secret).unwrap());
            verifier.verify(signature, &request.body, now).is_ok()
        });
        let signed: Vec<String> = signed.map(|(number, _)| number.to_string()).collect();
        signed.join(" ")
    }

    pub(super) async fn deliveries(&self, hook: &str) -> Result<Vec<Delivery>, Error> {
        let account = self.scene.shop.account;
        let all = DeliveryFilter::default();
        let log = self
            .connect
            .deliveries(account, self.id(hook), &all, None, 200);
        let mut log = log.await?.deliveries;
        log.reverse();
        Ok(log)
    }

    /// The log, oldest first: neighbours in the same state are one entry.
    async fn log(&self, hook: &str) -> Told {
        let account = self.scene.shop.account;
        let log = self.deliveries(hook).await?;
        let feed = self.scene.feed().await;
        let place = |id| {
            let place = log.iter().position(|one| one.id == id);
            place.map_or("?".to_owned(), |place| place.to_string())
        };
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for one in &log {
            let found = self
                .connect
                .delivery_with_body(account, one.webhook_id, one.id);
            let (found, body) = found.await?;
            assert_eq!(found, *one);
            if let (Some(body), Some(sent)) = (body, self.bodies.get(&one.id.to_string())) {
                assert_eq!(body, *sent);
            }
            let by = one.replaced_by.map(|by| format!(" by {}", place(by)));
            let (tries, by) = (one.attempts.len(), by.unwrap_or_default());
            let state = format!("{:?} {tries}{by}", one.status);
            let event = feed.iter().find(|event| event.id == one.event_id);
            let label = event.map_or("ping".to_owned(), |event| self.label(event));
            match groups.last_mut() {
                Some((last, labels)) if *last == state => labels.push(label),
                _ => groups.push((state, vec![label])),
            }
        }
        let groups = groups
            .into_iter()
            .map(|(state, labels)| match labels.len() {
                13.. => format!("{} {state}", labels.len()),
                _ => format!("{} {state}", labels.join(" ")),
            });
        Ok(groups.collect::<Vec<_>>().join(", "))
    }

    async fn health(&self, hook: &str) -> Told {
        let all = self.connect.webhooks(self.scene.shop.account).await?;
        let id = self.id(hook);
        let (webhook, health) = all.iter().find(|(webhook, _)| webhook.id == id).unwrap();
        let off = webhook.switched_off.as_ref();
        let state = off.map_or("on".to_owned(), |off| {
            format!("{:?} {:?}", off.reason, off.owner_mail)
        });
        let probed = if health.is_probed() { ", probed" } else { "" };
        Ok(format!(
            "{state}, {} failures{probed}",
            health.failures_in_a_row
        ))
    }
}

/// The counts above zero.
pub(super) fn some<const N: usize>(counts: [(&str, usize); N]) -> String {
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let counts: Vec<_> = counts
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    if counts.is_empty() {
        "nothing".to_owned()
    } else {
        counts.join(", ")
    }
}

/// The name of a variant.
pub(super) fn name_of(error: &impl Debug) -> String {
    let text = format!("{error:?}");
    let end = text.find(|c: char| !c.is_alphanumeric());
    text[..end.unwrap_or(text.len())].to_owned()
}
