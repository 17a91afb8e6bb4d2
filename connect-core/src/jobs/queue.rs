//! The choice of work from a queue with a row per item, in the order of due times.
//!
//! The queue is one for all groups, such as locations. A group with many items must not make the
//! other groups wait, so groups take turns: a group without a turn comes first, however far behind
//! its items are in the queue. An account with many groups must not make other accounts wait either,
//! so a worker is at only a few of its groups at a time.
//!
//! A key of the queue has the due time, the id of the group and the id of the item. A group is a
//! location or a webhook: their links lead to the account.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::worker::Scheduler;
use crate::{
    storage::Key,
    transaction::{
        Fault, LenientReader, Lookup, ReadKey, Store, Webhooks,
        keys::{Family, GLOBAL, KeyPart, key},
    },
};

/// The most items leased by one commit, as one turn.
const LEASED: usize = 16;

/// The entries of the queue read at a time.
const PIECE: usize = 2000;

/// The most pieces to read for one round of turns.
const PIECES: usize = 8;

/// The most groups with a remembered account.
const REMEMBERED: usize = 100_000;

/// Returns whether an account may take another place.
/// It may take its first one, or one within its half of the free ones.
pub(super) fn may_take(own: usize, free: usize) -> bool {
    free > 0 && (own == 0 || own + 2 <= free)
}

/// An item in the queue.
#[derive(Clone, Debug)]
pub(super) struct QueuedItem {
    /// The key of the entry.
    pub(super) entry: Key,
    pub(super) id: Uuid,
}

/// The due items of a group.
#[derive(Debug)]
pub(super) struct DueGroup {
    pub(super) group: Uuid,
    pub(super) account: Uuid,
    pub(super) items: Vec<QueuedItem>,
}

/// Gives groups their turns.
///
/// A round reads the head of the queue with the oldest due items, and goes on from the end of the
/// last round. So each round is bounded, and no part of the queue is left out for long.
#[derive(Debug)]
pub(super) struct FairQueue {
    family: Family,
    /// The entries read at a time.
    piece: usize,
    /// The most groups with a remembered account.
    remembered: usize,
    /// The groups with a turn in this cycle.
    /// A new cycle begins when a round reaches the end of the queue without finding another one.
    had: HashSet<Uuid>,
    /// The next round's place behind the head; `None` after the end.
    go_on: Option<Key>,
    /// The accounts of known groups. They never change.
    accounts: HashMap<Uuid, Uuid>,
}

impl Scheduler for FairQueue {
    type Due = DueGroup;

    fn group(due: &DueGroup) -> Uuid {
        due.group
    }

    /// Returns the items of at most `most` groups.
    /// Groups without a turn so far come first, then the rest, the longest waiting first. No account
    /// gets more than its part of `most` and the groups `at_work` together.
    async fn next(
        &mut self,
        store: &Store,
        most: usize,
        resting: &HashSet<Uuid>,
        at_work: &HashSet<Uuid>,
    ) -> Result<Vec<DueGroup>, Fault> {
        if most == 0 {
            return Ok(Vec::new());
        }
        let mut parts: HashMap<Uuid, usize> = HashMap::new();
        for group in at_work {
            *parts.entry(self.account(*group)).or_default() += 1;
        }
        let mut due = self.look(store, &(resting | at_work), most, &parts).await?;
        due.sort_by_key(|due| self.had.contains(&due.group));
        let chosen = share(due.iter(), most, parts);
        due.retain(|due| chosen.contains(&due.group));
        let first = due.first();
        let has_fresh = first.is_some_and(|first| !self.had.contains(&first.group));
        if !has_fresh && self.is_at_end() {
            self.had.clear();
        }
        self.had.extend(due.iter().map(|due| due.group));
        Ok(due)
    }

    /// Returns whether the last round reached the end of the queue.
    fn is_at_end(&self) -> bool {
        self.go_on.is_none()
    }
}

impl FairQueue {
    /// The queue of a family, before its first round.
    pub(super) fn of(family: Family) -> Self {
        Self {
            family,
            piece: PIECE,
            remembered: REMEMBERED,
            had: HashSet::new(),
            go_on: None,
            accounts: HashMap::new(),
        }
    }

    /// The account of a known group, or the group itself if unknown.
    fn account(&self, group: Uuid) -> Uuid {
        self.accounts.get(&group).copied().unwrap_or(group)
    }

    /// Reads and remembers the accounts of groups.
    async fn learn(
        &mut self,
        reader: &LenientReader<'_>,
        groups: &HashSet<Uuid>,
    ) -> Result<(), Fault> {
        if self.accounts.len() + groups.len() > self.remembered {
            self.accounts.clear();
        }
        let links: Vec<Key> = groups.iter().copied().map(Webhooks::link_key).collect();
        let accounts = reader.values(&links).await?;
        for (group, link) in groups.iter().zip(accounts) {
            let account = match &link {
                Lookup::Found(Some(link)) => ReadKey::of(link).map(|at| at.partition),
                // A group without an account has its part for itself.
                Lookup::Found(None) | Lookup::Damaged => None,
            };
            let account = account.unwrap_or(*group);
            self.accounts.insert(*group, account);
        }
        Ok(())
    }

    /// Reads due items until `most` groups without a turn are found.
    /// The groups are in the order of their discovery.
    async fn look(
        &mut self,
        store: &Store,
        passed_over: &HashSet<Uuid>,
        most: usize,
        parts: &HashMap<Uuid, usize>,
    ) -> Result<Vec<DueGroup>, Fault> {
        let mut due: Vec<DueGroup> = Vec::new();
        let mut places = HashMap::new();
        let end = KeyPart::Time(store.now().plus_micros(1));
        let end = key(GLOBAL, self.family, &[end]);
        let mut from = key(GLOBAL, self.family, &[]);
        let reader = LenientReader::new(store);
        for number in 0..PIECES {
            // Rows behind an unreadable row are still handled.
            let piece = reader.piece(&from, Some(&end), self.piece).await?;
            let queued = piece.entries.into_iter().filter_map(|(entry, _)| {
                let (group, id) = ReadKey::of(&entry)?.two_ids()?;
                let is_free = !passed_over.contains(&group);
                is_free.then_some((group, QueuedItem { entry, id }))
            });
            let queued: Vec<_> = queued.collect();
            let unknown = queued.iter().map(|(group, _)| *group);
            let unknown = unknown.filter(|group| !self.accounts.contains_key(group));
            let unknown: HashSet<_> = unknown.collect();
            self.learn(&reader, &unknown).await?;
            for (group, queued) in queued {
                let place = *places.entry(group).or_insert(due.len());
                if place == due.len() {
                    due.push(DueGroup {
                        group,
                        account: self.account(group),
                        items: Vec::new(),
                    });
                }
                if due[place].items.len() < LEASED {
                    due[place].items.push(queued);
                }
            }
            let fresh = due.iter().filter(|due| !self.had.contains(&due.group));
            if share(fresh, most, parts.clone()).len() == most {
                // This piece may have more of them. The head is read by every round.
                if number > 0 {
                    self.go_on = Some(from);
                }
                return Ok(due);
            }
            from = match (piece.next, self.go_on.take()) {
                (None, _) => return Ok(due),
                (Some(next), Some(go_on)) => next.max(go_on),
                (Some(next), None) => next,
            };
        }
        self.go_on = Some(from);
        Ok(due)
    }
}

/// Chooses at most `most` groups, in their order.
/// No account gets more than its part, including the `parts` it has already.
fn share<'d>(
    due: impl Iterator<Item = &'d DueGroup>,
    most: usize,
    mut parts: HashMap<Uuid, usize>,
) -> HashSet<Uuid> {
    let mut chosen = HashSet::new();
    for due in due {
        let part = parts.entry(due.account).or_default();
        if may_take(*part, most - chosen.len()) {
            *part += 1;
            chosen.insert(due.group);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        storage::{Commit, Storage as _, Value, Write, memory::MemoryStorage},
        transaction::environment::Environment,
        wire::Timestamp,
    };

    /// A queue with a due job for each location, in this order.
    async fn queue(locations: impl IntoIterator<Item = u128>) -> Store {
        let entry = |(place, location): (usize, u128)| {
            let due = KeyPart::Time(Timestamp::EPOCH.plus_seconds(place as i64));
            let [location, job] = [location, place as u128].map(Uuid::from_u128);
            let parts = [due, KeyPart::Id(location), KeyPart::Id(job)];
            let entry = key(GLOBAL, Family::ImageJobByDue, &parts);
            (entry, Write::Put(Value::default()))
        };
        let writes = locations.into_iter().enumerate().map(entry).collect();
        let storage = Arc::new(MemoryStorage::new());
        let commit = Commit {
            writes,
            ..Commit::default()
        };
        storage.commit(commit).await.unwrap();
        Store::new(storage, Environment::default())
    }

    /// The locations of a round, and the number of their jobs.
    async fn round(
        scheduler: &mut FairQueue,
        store: &Store,
        most: usize,
        without: &[u128],
    ) -> Vec<(u128, usize)> {
        let passed_over = without.iter().copied().map(Uuid::from_u128).collect();
        let nowhere = HashSet::new();
        let due = scheduler.next(store, most, &passed_over, &nowhere).await;
        let due = due.unwrap();
        let counted = due.iter();
        counted
            .map(|due| (due.group.as_u128(), due.items.len()))
            .collect()
    }

    fn by_two() -> FairQueue {
        FairQueue {
            piece: 2,
            ..FairQueue::of(Family::ImageJobByDue)
        }
    }

    #[tokio::test]
    async fn locations_take_turns() {
        let store = queue([1, 1, 1, 1, 1, 2, 2, 1, 3]).await;
        let mut scheduler = by_two();
        for expected in [1, 2, 3, 1, 2, 3] {
            let [(location, _)] = round(&mut scheduler, &store, 1, &[]).await[..] else {
                panic!("one turn at a time");
            };
            assert_eq!(location, expected);
        }
        // All that fit, each with its jobs.
        let all = round(&mut by_two(), &store, 4, &[]).await;
        assert_eq!(all, [(1, 6), (2, 2), (3, 1)]);
        let others = round(&mut by_two(), &store, 4, &[1, 3]).await;
        assert_eq!(others, [(2, 2)]);
        assert_eq!(round(&mut by_two(), &store, 0, &[]).await, []);
    }

    #[tokio::test]
    async fn a_turn_is_bounded() {
        let store = queue([1; 40]).await;
        let turn = round(&mut FairQueue::of(Family::ImageJobByDue), &store, 8, &[]).await;
        assert_eq!(turn, [(1, LEASED)]);
    }

    /// Each round reads a part of a long queue, and the next goes on.
    #[tokio::test]
    async fn the_end_of_a_long_queue_is_reached() {
        let store = queue([1; 60].into_iter().chain([2, 3])).await;
        for without in [&[][..], &[1]] {
            let mut scheduler = by_two();
            let mut seen = Vec::new();
            // A look at 16 entries, none of which is wanted, does not come to the end.
            round(&mut scheduler, &store, 1, &[1]).await;
            assert!(!scheduler.is_at_end());
            let mut rounds = 0;
            while seen.len() < 2 {
                rounds += 1;
                assert!(rounds < 10, "{seen:?}");
                let found = round(&mut scheduler, &store, 1, without).await;
                assert!(!found.is_empty() || without == [1]);
                let locations = found.into_iter().map(|(location, _)| location);
                seen.extend(locations.filter(|location| *location != 1));
            }
            assert_eq!(seen, [2, 3]);
            // No round reads all of it.
            assert!(rounds > 4, "{rounds}");
        }
    }

    #[tokio::test]
    async fn a_round_at_the_head_keeps_the_place_behind_it() {
        let store = queue([1; 60]).await;
        let mut scheduler = by_two();
        round(&mut scheduler, &store, 1, &[1]).await;
        let place = scheduler.go_on.clone();
        assert_eq!(round(&mut scheduler, &store, 1, &[]).await.len(), 1);
        assert_eq!(scheduler.go_on, place);
    }

    #[tokio::test]
    async fn the_remembered_accounts_have_a_bound() {
        for (groups, remembered) in [(6, 6), (8, 2)] {
            let mut scheduler = by_two();
            scheduler.remembered = 6;
            round(&mut scheduler, &queue(1..=groups).await, 8, &[]).await;
            assert_eq!(scheduler.accounts.len(), remembered, "{groups}");
        }
    }

    /// Locations 1 to 9 share an account; the rest have one each.
    #[tokio::test]
    async fn an_account_has_its_part_and_no_more() {
        let account = Uuid::from_u128(100);
        let store = queue((1..=9).chain([20, 21])).await;
        let link = |location: u128| {
            let link = Webhooks::link_key(Uuid::from_u128(location));
            (link, Write::Put(Value::from(&*Webhooks::key(account))))
        };
        let commit = Commit {
            writes: (1..=9).map(link).collect(),
            ..Commit::default()
        };
        store.storage().commit(commit).await.unwrap();
        let mut scheduler = by_two();
        let ids = |ids: &[u128]| ids.iter().copied().map(Uuid::from_u128).collect();
        let (none, two): (HashSet<_>, HashSet<_>) = (HashSet::new(), ids(&[1, 2]));
        let at =
            |due: Vec<DueGroup>| -> Vec<_> { due.iter().map(|due| due.group.as_u128()).collect() };
        let all = scheduler.next(&store, 8, &none, &none).await.unwrap();
        assert_eq!(at(all), [1, 2, 3, 4, 20, 21]);
        // The next have had no turn yet, and the former ones get what is left of the part: nothing.
        let all = scheduler.next(&store, 8, &none, &none).await.unwrap();
        assert_eq!(at(all), [5, 6, 7, 8, 20, 21]);
        let beside = scheduler.next(&store, 6, &two, &two).await.unwrap();
        assert_eq!(at(beside), [9, 3, 20, 21]);
    }
}
