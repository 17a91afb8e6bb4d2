//! A shop and the model side by side: each step goes to both, and all that can be seen of the one is
//! held against the other.

use std::net::IpAddr;

use connect_core::{
    Access, Answer, Error, Fingerprint, Idempotency, NewScreen, Refusal, Request, ScreenType,
    wire::{
        Id, IdempotencyKey, Timestamp, Transaction, ZReport,
        query::{DailySummaryQuery, EventQuery, TransactionQuery, ZReportQuery},
    },
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{
    input::{Edge, Look, NOW, REGISTERS, Step},
    model::{Model, day_of},
};
use crate::properties::shop::{START, Shop};

/// A request of a register, which it may send again.
#[derive(Clone, Debug)]
struct Sent {
    register: usize,
    is_closing: bool,
    key: String,
    body: Value,
    /// The answer, once it is there.
    answer: Option<Result<Value, String>>,
}

/// A shop with registers, and what it should be.
pub(super) struct Play {
    shop: Shop,
    registers: Vec<Access>,
    model: Model,
    sent: Vec<Sent>,
    /// The data of all events.
    events: Vec<Value>,
}

impl Play {
    /// A shop whose registers have written nothing.
    pub(super) async fn begin(shop: Shop) -> Self {
        shop.clock.advance(NOW - START.seconds());
        let (account, location) = (shop.at.account().id, shop.at.location().id);
        let mut registers = Vec::new();
        let mut model = Model::default();
        for number in 0..REGISTERS {
            let name = format!("Till {number}");
            let screen = NewScreen {
                location_id: location,
                kind: ScreenType::Pos,
                name: name.clone(),
            };
            let screen = shop.connect.create_screen(account, screen).await.unwrap();
            let key = shop.connect.roll_screen_key(account, screen.id).await;
            let here = IpAddr::from([127, 0, 0, 1]);
            let key = key.unwrap();
            let access = shop.connect.authenticate_screen(here, Some(key.expose()));
            registers.push(access.await.unwrap());
            model
                .registers
                .push(json!({ "id": screen.id, "name": name }));
        }
        Self {
            shop,
            registers,
            model,
            sent: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Sends the requests of some steps at once, and compares the answers.
    pub(super) async fn burst(&mut self, steps: Vec<Step>) {
        self.shop.clock.advance(1);
        let now = Timestamp::from_micros(self.now() * 1_000_000).to_string();
        let mut calls = Vec::new();
        for step in steps {
            let Some((place, is_wrong)) = self.resolve(step) else {
                continue;
            };
            calls.push((place, is_wrong, tokio::spawn(self.send(&self.sent[place]))));
        }
        for (place, is_wrong, call) in calls {
            let answer = call.await.unwrap();
            let is_repeated = self.sent[place].answer.is_some();
            assert_eq!(
                is_repeated,
                answer.as_ref().is_ok_and(|a| a.replayed)
                    || answer.as_ref().is_err_and(|a| a.replayed)
            );
            let answer = shown(answer);
            assert_eq!(answer.is_err(), is_wrong, "{answer:?}");
            if let Some(before) = &self.sent[place].answer {
                assert_eq!(*before, answer);
                continue;
            }
            if let Ok(data) = &answer {
                let expected = self.apply(place, data, &now);
                assert_eq!(*data, expected);
                self.events.push(expected);
            }
            self.sent[place].answer = Some(answer);
        }
    }

    fn now(&self) -> i64 {
        use connect_core::environment::Clock as _;
        self.shop.clock.now().seconds()
    }

    /// The request of a step: its place, and whether it has to be refused.
    fn resolve(&mut self, step: Step) -> Option<(usize, bool)> {
        let (register, is_closing, body, is_wrong) = match step {
            Step::Repeat(which) => {
                let places: Vec<usize> = (0..self.sent.len())
                    .filter(|place| self.sent[*place].answer.is_some())
                    .collect();
                let place = *places.get(which.index(places.len().max(1)))?;
                let was_refused = matches!(self.sent[place].answer, Some(Err(_)));
                return Some((place, was_refused));
            }
            Step::Close { register, counted } => {
                (register, true, json!({ "countedCents": counted }), false)
            }
            Step::Write(row) => (row.register, false, self.body(&row), false),
            Step::Wrong(row) => {
                let mut body = self.body(&row);
                body["totalCents"] = json!(body["totalCents"].as_i64().unwrap() + 1);
                (row.register, false, body, true)
            }
        };
        self.sent.push(Sent {
            register,
            is_closing,
            key: format!("key-{}", self.sent.len()),
            body,
            answer: None,
        });
        Some((self.sent.len() - 1, is_wrong))
    }

    fn body(&self, row: &super::input::Row) -> Value {
        let time = |second: i64| Timestamp::from_micros(second * 1_000_000).to_string();
        self.model.body(row, row.at.map(time))
    }

    fn send(&self, sent: &Sent) -> BoxFuture<'static, Result<Answer, Refusal>> {
        let body = sent.body.to_string().into_bytes();
        let idempotency = Some(Idempotency {
            key: IdempotencyKey::new(&sent.key).unwrap(),
            fingerprint: Fingerprint::of("POST", &sent.is_closing.to_string(), &body),
        });
        let location = (self.shop.connect).location(&self.registers[sent.register]);
        let is_closing = sent.is_closing;
        Box::pin(async move {
            if is_closing {
                let request = Request::json(body).with_idempotency(idempotency);
                location.z_reports().close_json(request).await
            } else {
                let request = Request::json(body).with_idempotency(idempotency);
                location.transactions().write_json(request).await
            }
        })
    }

    /// Does in the model what a request did, and returns what it has to be.
    fn apply(&mut self, place: usize, data: &Value, now: &str) -> Value {
        let Sent {
            register,
            is_closing,
            body,
            ..
        } = &self.sent[place];
        if *is_closing {
            let counted = body["countedCents"].as_i64();
            self.model.close(*register, counted, data)
        } else {
            self.model.write(*register, body, &data["id"], now)
        }
    }

    /// Compares all that can be seen.
    pub(super) async fn compare(&self, looks: &[Look]) {
        for look in looks {
            self.compare_look(look).await;
        }
        self.compare_days().await;
        let here = self.shop.connect.location(&self.shop.at);
        let mut query = ZReportQuery::default();
        query.paging.limit = Some(200);
        let reports = here.z_reports().list(&query).await.unwrap().data;
        assert_eq!(json!(reports), json!(self.model.reports()));
        for report in self.model.reports() {
            let id: Id<ZReport> = serde_json::from_value(report["id"].clone()).unwrap();
            assert_eq!(json!(here.z_reports().get(id).await.unwrap()), report);
        }
        for row in &self.model.rows {
            let id: Id<Transaction> = serde_json::from_value(row["id"].clone()).unwrap();
            assert_eq!(json!(here.transactions().get(id).await.unwrap()), *row);
        }
        self.compare_events().await;
        let report = self.shop.connect.check(&mut |_| {}).await.unwrap();
        assert!(report.is_clean(), "{:?}", report.problems);
    }

    async fn compare_look(&self, look: &Look) {
        let date = |day: i64| {
            let time = Timestamp::from_micros(day * 1_000_000).to_string();
            time[..10].to_owned()
        };
        let edge = |edge: Edge| match edge {
            Edge::Day(day) => date(day).parse().unwrap(),
            Edge::At(second) => Timestamp::from_micros(second * 1_000_000)
                .to_string()
                .parse()
                .unwrap(),
        };
        let mut query = TransactionQuery {
            kind: look.kind.map(Into::into),
            since_receipt: self.model.since(look),
            ..TransactionQuery::default()
        };
        query.paging.limit = Some(look.limit);
        query.period.from = look.from.map(edge);
        query.period.to = look.to.map(edge);
        let rows = self.shop.connect.location(&self.shop.at).transactions();
        let expected = self.model.look(look);
        let mut found: Vec<Value> = Vec::new();
        loop {
            let page = match rows.list(&query).await {
                Err(Error::Malformed(_)) if expected.is_none() => return,
                page => page.unwrap(),
            };
            found.extend(page.data.iter().map(|row| json!(row)));
            query.paging.cursor = page.next_cursor;
            if query.paging.cursor.is_none() {
                break;
            }
        }
        assert_eq!(Some(found), expected, "{look:?}");
    }

    /// Every day that has rows, and those around it.
    async fn compare_days(&self) {
        let times = self.model.rows.iter().map(|row| {
            let time: Timestamp = row["createdAt"].as_str().unwrap().parse().unwrap();
            day_of(time.seconds())
        });
        let days: std::collections::BTreeSet<i64> =
            times.flat_map(|day| [day - 1, day, day + 1]).collect();
        let here = self.shop.connect.location(&self.shop.at);
        for day in days {
            let noon = Timestamp::from_micros((day * 86_400 + 43_200) * 1_000_000);
            let date = noon.to_string()[..10].to_owned();
            let query = DailySummaryQuery {
                date: Some(date.parse().unwrap()),
            };
            let summary = here.daily_summary(&query).await.unwrap();
            assert_eq!(json!(summary), self.model.summary(day, &date));
        }
    }

    /// Each row and each report has one event, in their order.
    async fn compare_events(&self) {
        let here = self.shop.connect.location(&self.shop.at);
        let mut query = EventQuery::default();
        query.paging.limit = Some(200);
        let mut found = Vec::new();
        loop {
            let page = here.events().list(&query).await.unwrap();
            found.extend(page.data.into_iter().map(|event| event.data));
            query.paging.cursor = page.next_cursor;
            if query.paging.cursor.is_none() {
                break;
            }
        }
        assert_eq!(found, self.events);
    }

    /// The same after the service was stopped and started again.
    pub(super) async fn reopen(self) -> Self {
        Self {
            shop: self.shop.reopen().await,
            ..self
        }
    }
}

/// An answer as its data, a refusal as its message.
fn shown(answer: Result<Answer, Refusal>) -> Result<Value, String> {
    match answer {
        Ok(answer) => Ok(answer.decode().unwrap()),
        Err(refusal) => match refusal.error {
            Error::Invalid(_) => Err(refusal.error.to_string()),
            error => panic!("{error}"),
        },
    }
}
