//! A shop and its model, side by side: the same writes go to both, and all that can be seen of
//! the one is held against the other.

mod batch;
mod compare;
mod filters;
mod memory;
mod resolve;

use self::memory::{Memory, Remembered};
use super::{
    input::Burst,
    model::{Expected, Model},
    shop::{Backend, Call, Reply, Shop},
};
use connect_core::environment::{Clock as _, MonotonicClock};

/// A shop and what it should be.
pub(crate) struct Session {
    pub(crate) shop: Shop,
    pub(crate) model: Model,
    memory: Memory,
    page: usize,
    /// The time as the core counts it: a step of the machine's clock does not move it.
    clock: MonotonicClock,
}

impl Session {
    /// An empty shop, whose lists will be read in pages of `page`.
    pub(crate) fn new(shop: Shop, page: usize) -> Self {
        let model = Model::new(shop.foreign_category.uuid());
        Self {
            clock: MonotonicClock::new(shop.clock.clone()),
            shop,
            model,
            memory: Memory::default(),
            page,
        }
    }

    /// Sends the writes of each burst together, and compares after each.
    pub(crate) async fn play(&mut self, bursts: &[Burst]) {
        for burst in bursts {
            self.shop.clock.advance(burst.clock);
            let calls: Vec<Call> = burst
                .writes
                .iter()
                .map(|write| self.resolve(write))
                .collect();
            for calls in self.in_known_order(calls) {
                self.send(calls).await;
            }
        }
    }

    /// Splits calls where two have the same key and either may be first: each looks for an earlier
    /// answer in the store, which may answer the second before the first.
    fn in_known_order(&self, calls: Vec<Call>) -> Vec<Vec<Call>> {
        if self.shop.on.answers_in_order() {
            return vec![calls];
        }
        let mut parts = vec![Vec::<Call>::new()];
        for call in calls {
            let part = parts.last().expect("there is one");
            let is_repeated = part.iter().any(|before| before.key == call.key);
            if call.key.is_some() && is_repeated {
                parts.push(Vec::new());
            }
            parts.last_mut().expect("there is one").push(call);
        }
        parts
    }

    /// Sends writes together and compares.
    pub(crate) async fn send(&mut self, calls: Vec<Call>) -> Vec<Reply> {
        let sent: Vec<_> = calls
            .iter()
            .map(|call| {
                let (connect, at) = (self.shop.connect.clone(), self.shop.at.clone());
                tokio::spawn(call.clone().send(connect, at))
            })
            .collect();
        let mut replies = Vec::new();
        let mut promised = Vec::new();
        for (call, sent) in calls.iter().zip(sent) {
            let reply = sent.await.unwrap();
            promised.extend(
                self.hear(call, &reply)
                    .map(|expected| (expected, reply.clone())),
            );
            replies.push(reply);
        }
        self.compare().await;
        for (expected, reply) in promised {
            self.compare_data(&expected, &reply);
        }
        replies
    }

    /// Holds a reply against what the model does with the call; returns what its data should be,
    /// once everything in it is known by name. `None` for an answer that was given before.
    fn hear(&mut self, call: &Call, reply: &Reply) -> Option<Expected> {
        let now = self.clock.now().seconds();
        match self.memory.recall(call, now) {
            Remembered::Before(first) => {
                assert_eq!(
                    *reply,
                    Reply {
                        replayed: true,
                        ..first.clone()
                    },
                    "not a replay"
                );
                return None;
            }
            Remembered::Otherwise => {
                assert_eq!(
                    (reply.status, reply.replayed),
                    (409, false),
                    "no conflict: {reply:?}"
                );
                return None;
            }
            Remembered::Never => assert!(!reply.replayed, "a replay of nothing: {reply:?}"),
        }
        let expected = self.model.apply(call);
        self.compare_reply(&expected, reply);
        if !matches!(expected, Expected::Batch { dry_run: true, .. }) {
            self.memory.keep(call, now, reply);
        }
        Some(expected)
    }

    /// Compares with what the model did with a call that others have sent.
    pub(crate) async fn hear_late(&mut self, expected: &Expected, reply: &Reply) {
        self.compare_reply(expected, reply);
        self.compare().await;
        self.compare_data(expected, reply);
    }

    /// The same after the service was stopped and started again.
    pub(crate) async fn reopen(self) -> Self {
        let shop = self.shop.reopen().await;
        Self {
            // A service that starts believes what the machine's clock shows.
            clock: MonotonicClock::new(shop.clock.clone()),
            shop,
            ..self
        }
    }

    /// The same after the store was carried to another backend.
    #[cfg(all(feature = "redb", feature = "sled"))]
    pub(crate) async fn move_to(self, on: Backend) -> Self {
        let shop = self.shop.move_to(on).await;
        Self {
            clock: MonotonicClock::new(shop.clock.clone()),
            shop,
            ..self
        }
    }
}
