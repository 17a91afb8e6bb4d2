//! Limits that hold for all servers on a store together.
//!
//! A server counts the requests that come to it. Once it has counted a step of a caller's requests of
//! which the others do not know, it tells them: it writes down its count and reads theirs, while all
//! requests of that caller wait. So slow callers cost the store nothing.
//!
//! All servers together count at most `(servers - 1) * step` requests more than the limit. Look at the
//! last server that told of its requests and found the limit not yet reached: it goes on to the limit
//! and no further, and each other server tells of its next step, and stops.
//!
//! Nothing does better with as few exchanges. A server that has told may stay silent while another uses the limit up,
//! which must not be refused what nobody has used; then the first lets in what it may without an exchange. To
//! have kept that back for it, the other would have refused requests within the limit.

use std::{
    array,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::sync::MutexGuard;
use uuid::Uuid;

use super::limit::{Caller, Limit};
use crate::{
    rules::rate::{Moment, Untold, Windows},
    storage::{Commit, Range, Read, Value, Write},
    transaction::{
        Fault, Store,
        keys::{Family, NOBODY, Part, after_prefix, key},
    },
};

/// Callers that wait for one another while one of them is told of: few enough that the memory is
/// nothing, and enough that hardly any meet.
const TURNS: usize = 256;

/// The most servers whose counts are read.
const MOST_SERVERS: usize = 1000;

/// The counts of all servers.
pub(super) struct Sharing {
    store: Arc<Store>,
    /// This server.
    server: Uuid,
    turns: Box<[tokio::sync::Mutex<()>; TURNS]>,
}

impl Sharing {
    pub(super) fn new(store: Arc<Store>) -> Self {
        let mut server = [0; 16];
        store.environment().randomness.fill(&mut server);
        Self {
            store,
            server: Uuid::from_bytes(server),
            turns: Box::new(array::from_fn(|_| tokio::sync::Mutex::default())),
        }
    }

    /// Tells the others of a caller's requests, unless fewer than a step are left to tell, and notes
    /// theirs.
    pub(super) async fn tell(
        &self,
        windows: &Mutex<Windows<Caller>>,
        limit: Limit,
        at: Moment,
    ) -> Result<(), Fault> {
        let Limit { caller, .. } = limit;
        let _turn = self.turn(caller).await;
        // Somebody else may have told meanwhile.
        let untold = windows.lock().untold(&caller, limit.step(), at);
        let Some(untold) = untold else {
            return Ok(());
        };
        let elsewhere = self.exchange(caller, untold).await?;
        windows.lock().note_told(&caller, untold, elsewhere);
        Ok(())
    }

    /// Writes down the requests of a caller that came here. Returns those that came to others.
    async fn exchange(&self, caller: Caller, untold: Untold) -> Result<u32, Fault> {
        let window = Part::Number(untold.window.try_into().unwrap_or(0));
        let name = caller.to_string();
        let all = key(NOBODY, Family::RequestCount, &[window, Part::Text(&name)]);
        let own = [&all, self.server.as_bytes().as_slice()].concat();
        let count = Value::from(untold.here.to_string().into_bytes());
        let commit = Commit {
            writes: vec![(own.clone().into(), Write::Put(count))],
            ..Commit::default()
        };
        match self.store.commit(commit).await {
            // Written or not, the request is not counted yet.
            Err(Fault::Unknown(error)) => return Err(Fault::NotApplied(error)),
            done => done?,
        };
        let range = Range {
            from: &all,
            to: Some(&after_prefix(&all)),
        };
        let all = Read::Scan {
            range,
            limit: MOST_SERVERS,
            newest_first: false,
        };
        let mut elsewhere: u32 = 0;
        for (key, count) in self.store.read(&[all]).await?.entries()? {
            if *key != *own {
                let count: u32 =
                    serde_json::from_slice(&count).map_err(|error| Fault::corrupt(&key, error))?;
                elsewhere = elsewhere.saturating_add(count);
            }
        }
        Ok(elsewhere)
    }

    async fn turn(&self, caller: Caller) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        caller.hash(&mut hasher);
        let turn = hasher.finish() as usize % TURNS;
        self.turns[turn].lock().await
    }
}
