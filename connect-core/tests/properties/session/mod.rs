//! A shop and its model, side by side: the same writes go to both, and all that can be seen of
//! the one is held against the other.

mod call;
mod compare;
mod memory;

use std::{collections::BTreeMap, sync::Arc};

use connect_core::{
    Access, Connect, ScreenType,
    environment::{Clock as _, ManualClock, MonotonicClock},
    wire::Timestamp,
};
use serde_json::{Value, json};

use self::memory::{Memory, Remembered};
use super::{
    input::{Burst, Deed, NOW, REGISTERS},
    model::{Kind, Model, Names},
    shop::{Backend, START, Shop},
};
use crate::calls::{self, Reply, Verb};
pub(crate) use call::{Call, UNKNOWN, resolved};
pub(crate) use compare::is_sound;

/// A process serving the shop.
struct Process {
    connect: Connect,
    machine: Arc<ManualClock>,
    /// The time as the core counts it: a step of the machine's clock does not move it.
    clock: MonotonicClock,
}

impl Process {
    fn new(connect: Connect, machine: Arc<ManualClock>) -> Self {
        let clock = MonotonicClock::new(machine.clone());
        Self {
            connect,
            machine,
            clock,
        }
    }
}

/// A shop and what it should be.
pub(crate) struct Session {
    pub(crate) shop: Shop,
    pub(crate) model: Model,
    pub(crate) names: Names,
    memory: Memory,
    processes: Vec<Process>,
    /// The writers: the owner, and the registers.
    callers: Vec<Access>,
    /// How many writes of each kind were done, and how many refused.
    pub(crate) outcomes: BTreeMap<String, [usize; 2]>,
}

impl Session {
    /// An empty shop. Another location has records with the same codes.
    pub(crate) async fn new(shop: Shop) -> Self {
        shop.clock.advance(NOW - START.seconds());
        let mut model = Model::default();
        for (kind, verb) in [
            (Kind::Category, Verb::CreateCategory),
            (Kind::Group, Verb::CreateGroup),
            (Kind::Product, Verb::CreateProduct),
        ] {
            let mut body = json!({ "name": "Food" });
            if kind != Kind::Category {
                body["externalId"] = json!("A");
            }
            if kind == Kind::Group {
                body["options"] = json!([{ "name": "P" }]);
            }
            let call = calls::Call {
                verb,
                body,
                key: None,
            };
            let made = call
                .send(shop.connect.clone(), shop.there.clone())
                .await
                .unwrap();
            model
                .foreign
                .insert(kind, made["id"].as_str().unwrap().to_owned());
        }
        let mut callers = vec![shop.at.clone()];
        for number in 1..=REGISTERS {
            let name = format!("Till {number}");
            let till = crate::shop::screen(&shop.connect, &shop.at, ScreenType::Pos, &name).await;
            model
                .registers
                .push(json!({ "id": till.actor().id(), "name": name }));
            callers.push(till);
        }
        let processes = vec![Process::new(shop.connect.clone(), shop.clock.clone())];
        let (names, memory) = (Names::default(), Memory::default());
        let outcomes = BTreeMap::new();
        Self {
            shop,
            model,
            names,
            memory,
            processes,
            callers,
            outcomes,
        }
    }

    /// Lets another process serve the shop too.
    pub(crate) fn serve_by(&mut self, connect: Connect, machine: Arc<ManualClock>) {
        self.processes.push(Process::new(connect, machine));
    }

    /// Sends the writes of each burst together, and compares after each.
    pub(crate) async fn play(mut self, bursts: &[Burst]) -> Self {
        for burst in bursts {
            if burst.is_reopened && self.processes.len() == 1 {
                self.restart(None).await;
            }
            let process = burst.process % self.processes.len();
            let machine = &self.processes[process].machine;
            match burst.micros % 1_000_000 {
                0 => machine.advance(burst.micros / 1_000_000),
                _ => machine.set(machine.now().plus_micros(burst.micros)),
            }
            if burst.is_maintained {
                self.maintain(process).await;
            }
            let writes = burst.writes.iter();
            let calls: Vec<Call> = writes.filter_map(|write| self.resolve(write)).collect();
            for calls in self.in_known_order(calls) {
                self.send_by(process, calls).await;
            }
        }
        self
    }

    /// Splits calls behind each that has a key: it looks for an earlier answer in the store first,
    /// and those after it may get ahead of it meanwhile.
    fn in_known_order(&self, calls: Vec<Call>) -> Vec<Vec<Call>> {
        if self.shop.on.answers_in_order() {
            return vec![calls];
        }
        let parts = calls.split_inclusive(|call| call.key.is_some());
        parts.map(<[Call]>::to_vec).collect()
    }

    /// Sends writes together and compares.
    pub(crate) async fn send(&mut self, calls: Vec<Call>) -> Vec<Reply> {
        self.send_by(0, calls).await
    }

    async fn send_by(&mut self, process: usize, calls: Vec<Call>) -> Vec<Reply> {
        let rows = self.shop.rows().await;
        let sent: Vec<_> = calls
            .iter()
            .map(|call| {
                let (connect, at) = (&self.processes[process].connect, &self.callers[call.by]);
                tokio::spawn(
                    call.to_send(&self.names)
                        .answer(connect.clone(), at.clone()),
                )
            })
            .collect();
        let now = self.processes[process].clock.now();
        let (mut replies, mut is_changed) = (Vec::new(), false);
        for (call, sent) in calls.iter().zip(sent) {
            let reply = Reply::from(sent.await.unwrap());
            is_changed |= self.hear(call, &reply, now);
            replies.push(reply);
        }
        self.compare().await;
        if !is_changed {
            assert_eq!(self.shop.rows().await, rows, "{replies:?} left something");
        }
        replies
    }

    /// Holds a reply against what the model does with the call. Returns whether anything may have
    /// changed.
    fn hear(&mut self, call: &Call, reply: &Reply, now: Timestamp) -> bool {
        match self.memory.recall(call, now) {
            Remembered::Before(first) => {
                let again = Reply {
                    replayed: true,
                    ..first.clone()
                };
                assert_eq!(*reply, again, "not a replay");
                return false;
            }
            Remembered::Otherwise => {
                let refused = (reply.status, reply.replayed);
                assert_eq!(refused, (409, false), "no conflict: {reply:?}");
                return false;
            }
            Remembered::Never => assert!(!reply.replayed, "a replay of nothing: {reply:?}"),
        }
        let before = self.model.last();
        self.learn(call, reply, now);
        let is_kept = call.key.is_some() && call.body["dryRun"] != true;
        if is_kept {
            self.memory.keep(call, now, reply);
        }
        is_kept || self.model.last() != before
    }

    /// Does a call in the model, and holds the reply against what it came to there.
    pub(crate) fn learn(&mut self, call: &Call, reply: &Reply, now: Timestamp) {
        let outcome = self.model.apply(call, now);
        let counts = self.outcomes.entry(format!("{:?}", call.deed)).or_default();
        counts[usize::from(outcome.is_err())] += 1;
        let data = match outcome {
            Ok(data) => data,
            Err(no) => {
                self.names.learn(&no.show(), &reply.body["error"]);
                let codes: &[u16] = match reply.body["error"]["code"].as_str().unwrap() {
                    "validation_failed" => &[400, 422],
                    "forbidden_location" => &[403],
                    "not_found" => &[404],
                    _ => &[409],
                };
                assert!(codes.contains(&reply.status), "{reply:?}");
                return;
            }
        };
        let status = match call.deed {
            Deed::Create(_) | Deed::Adjust | Deed::Row | Deed::Close => 201,
            Deed::Delete(_) => 204,
            _ => 200,
        };
        assert_eq!(reply.status, status, "{call:?}\n{reply:?}\n{data}");
        // What a dry run would have made stays unknown afterwards.
        let mut names = self.names.clone();
        names.learn(
            &data,
            if status == 204 {
                &Value::Null
            } else {
                reply.data()
            },
        );
        if call.body["dryRun"] != true {
            self.names = names;
        }
    }

    async fn maintain(&mut self, process: usize) {
        let Process { connect, clock, .. } = &self.processes[process];
        let (done, now) = (connect.maintain().await.unwrap(), clock.now());
        if !done.is_held_off {
            self.model.maintain(now);
            assert_eq!(done.answers, self.memory.purge(now), "{done:?}");
        }
        self.compare().await;
    }

    /// The access of the owner, or of a register.
    pub(crate) fn caller(&self, by: usize) -> Access {
        self.callers[by].clone()
    }

    /// The time as the first process counts it.
    pub(crate) fn now(&self) -> Timestamp {
        self.processes[0].clock.now()
    }

    /// Stops the service and starts it again, perhaps on another backend.
    pub(crate) async fn restart(&mut self, on: Option<Backend>) {
        let rows = self.shop.rows().await;
        self.processes.clear();
        match on {
            #[cfg(all(feature = "redb", feature = "sled"))]
            Some(on) => self.shop.move_to(on).await,
            _ => self.shop.reopen().await,
        }
        assert_eq!(self.shop.rows().await, rows);
        // A service that starts believes what the machine's clock shows.
        let process = Process::new(self.shop.connect.clone(), self.shop.clock.clone());
        self.processes.push(process);
    }
}
