//! Shared limits of all servers on a store.
//!
//! A server counts its own requests. Once a step of a caller's requests is unknown to the other servers, it
//! makes an exchange: it stores its count and reads theirs, while all requests of this caller wait. So slow
//! callers cost the store nothing.
//!
//! All servers together admit at most `(servers - 1) * step` requests over the limit. Consider the last
//! server whose exchange found the limit not yet reached: it goes on to the limit and no further. Each
//! other server makes its next exchange within a step, and stops.
//!
//! No scheme has a lower excess with as few exchanges. After its exchange a server may be idle while
//! another one admits all remaining requests, rightly: they are within the limit. Then the idle server
//! admits up to a step without an exchange. To reserve this step, the other server would have had to refuse
//! requests within the limit.

use std::sync::Arc;

use parking_lot::Mutex;
use uuid::Uuid;

use super::limit::{Limit, RateLimitKey};
use crate::{
    rules::rate::{RequestTime, Untold, Windows},
    storage::{Commit, Range, Read, Value, Write, in_process::GuardLocks},
    transaction::{
        Fault, Store,
        keys::{Family, GLOBAL, KeyPart, after_prefix, key},
    },
};

/// The most servers with counts to read.
const MOST_SERVERS: usize = 1000;

/// The counts of all servers.
pub(super) struct Sharing {
    store: Arc<Store>,
    /// The id of this server.
    server: Uuid,
    /// One exchange at a time for each caller, by its name.
    turns: GuardLocks,
}

impl Sharing {
    pub(super) fn new(store: Arc<Store>) -> Self {
        let mut server = [0; 16];
        store.environment().randomness.fill(&mut server);
        Self {
            store,
            server: Uuid::from_bytes(server),
            turns: GuardLocks::default(),
        }
    }

    /// Makes an exchange if a step of requests is still unshared.
    /// Records the counts of the other servers.
    pub(super) async fn tell(
        &self,
        windows: &Mutex<Windows<RateLimitKey>>,
        limit: Limit,
        at: RequestTime,
    ) -> Result<(), Fault> {
        let Limit { caller, .. } = limit;
        let name = caller.to_string();
        let _turn = self.turns.lock(name.as_bytes()).await;
        // Another request may have made the exchange meanwhile.
        let untold = windows.lock().untold(&caller, limit.step(), at);
        let Some(untold) = untold else {
            return Ok(());
        };
        let elsewhere = self.exchange(&name, untold).await?;
        windows.lock().note_told(&caller, untold, elsewhere);
        Ok(())
    }

    /// Stores a caller's count at this server, and returns the count elsewhere.
    async fn exchange(&self, name: &str, untold: Untold) -> Result<u32, Fault> {
        let window = KeyPart::Number(untold.window.try_into().unwrap_or(0));
        let all = key(GLOBAL, Family::RequestCount, &[window, KeyPart::Text(name)]);
        let own = [&all, self.server.as_bytes().as_slice()].concat();
        let count = Value::from(untold.here.to_string().into_bytes());
        let commit = Commit {
            writes: vec![(own.clone().into(), Write::Put(count))],
            ..Commit::default()
        };
        match self.store.commit(commit).await {
            // Stored or not, the request is not counted yet.
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
}
