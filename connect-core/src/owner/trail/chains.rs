//! The chains of a scope, and the place of a time in each.

use super::{Chain, TrailFilter, TrailScope};
use crate::{
    engine::Connect,
    rules::role::{Reach, UserRight},
    storage::{Key, Read},
    transaction::{
        ChangeClock, Error, Fault, TrailEntry, TrailHead, clock_key, keys::GLOBAL,
        trail_anchor_key, trail_key,
    },
    wire::Timestamp,
};

/// A part of a chain to read: the numbers `from..to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChainPart {
    pub(super) chain: Chain,
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Connect {
    /// The chains of a scope, of the location of the filter if there is one.
    pub(super) async fn chains(
        &self,
        scope: TrailScope,
        filter: &TrailFilter,
    ) -> Result<Vec<Chain>, Error> {
        let mut chains = Vec::new();
        let accounts = match scope {
            TrailScope::Account(id) => vec![id],
            TrailScope::Store | TrailScope::Everything => {
                self.check_service()?;
                chains.push(GLOBAL);
                match scope {
                    TrailScope::Everything => self.account_ids().await?,
                    _ => Vec::new(),
                }
            }
        };
        for id in accounts {
            let (account, reach) = self.account_with(id, UserRight::ReadTrail).await?;
            chains.extend((reach == Reach::Account).then_some(id.uuid()));
            let locations = account.locations.iter().filter(|at| reach.includes(at.id));
            chains.extend(locations.map(|at| at.id.uuid()));
        }
        if let Some(location) = filter.location {
            chains.retain(|chain| *chain == location.uuid());
        }
        Ok(chains)
    }

    /// The whole chains, with the numbers that they have.
    pub(super) async fn whole(&self, chains: &[Chain]) -> Result<Vec<ChainPart>, Fault> {
        let keys = chains
            .iter()
            .map(|id| (clock_key(*id), trail_anchor_key(*id)));
        let keys: Vec<(Key, Key)> = keys.collect();
        let reads = keys
            .iter()
            .flat_map(|(clock, anchor)| [Read::Get(clock), Read::Get(anchor)]);
        let reads: Vec<_> = reads.collect();
        let mut state = self.store().read(&reads).await?;
        let mut parts = Vec::with_capacity(chains.len());
        for (chain, (clock, anchor)) in chains.iter().zip(&keys) {
            let head = ChangeClock::read(clock, state.value()?.as_ref())?.trail;
            let removed = TrailHead::read_anchor(anchor, state.value()?.as_ref())?;
            parts.push(ChainPart {
                chain: *chain,
                from: removed.number + 1,
                to: head.map_or(0, |head| head.number) + 1,
            });
        }
        Ok(parts)
    }

    /// Finds the first number of each part with an entry at or after its time.
    /// A time of `None` leaves the number at the end of the part.
    pub(super) async fn first_since(
        &self,
        parts: &[ChainPart],
        times: &[Option<Timestamp>],
    ) -> Result<Vec<u64>, Fault> {
        let bounds = parts.iter().zip(times);
        let bounds = bounds.map(|(part, time)| match time {
            Some(_) => (part.from, part.to),
            None => (part.to, part.to),
        });
        let mut bounds: Vec<(u64, u64)> = bounds.collect();
        loop {
            let open = bounds
                .iter()
                .enumerate()
                .filter(|(_, (from, to))| from < to);
            let open: Vec<(usize, u64)> = open
                .map(|(at, (from, to))| (at, from + (to - from) / 2))
                .collect();
            if open.is_empty() {
                return Ok(bounds.into_iter().map(|(from, _)| from).collect());
            }
            let keys = open
                .iter()
                .map(|(at, middle)| trail_key(parts[*at].chain, *middle));
            let keys: Vec<Key> = keys.collect();
            let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
            let mut state = self.store().read(&reads).await?;
            for (at, middle) in open {
                let entry = state.value()?;
                let entry = entry.and_then(|row| serde_json::from_slice::<TrailEntry>(&row).ok());
                // A lost or damaged one is taken for an older one.
                let is_since =
                    entry.is_some_and(|entry| times[at].is_some_and(|time| entry.at >= time));
                match is_since {
                    true => bounds[at].1 = middle,
                    false => bounds[at].0 = middle + 1,
                }
            }
        }
    }
}
