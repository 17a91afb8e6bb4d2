//! The places of a worker, and an account's part of them.
//!
//! An account has at most half of the places not taken by other accounts. So accounts with many slow images
//! leave some: of eight places the first takes four, the next two and the third one. One is left for an
//! account without any.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio::sync::Notify;
use uuid::Uuid;

/// Returns whether an account may have another free place: its first, or one within its half.
pub(super) fn may_take(own: usize, free: usize) -> bool {
    free > 0 && (own == 0 || own + 2 <= free)
}

/// The places for downloads, over all accounts.
#[derive(Debug)]
pub(super) struct Places {
    count: usize,
    /// The places of each account with any.
    taken: Mutex<HashMap<Uuid, usize>>,
    freed: Notify,
}

/// A place. Dropping it frees it.
pub(super) struct Place<'p> {
    places: &'p Places,
    account: Uuid,
}

impl Places {
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            taken: Mutex::default(),
            freed: Notify::new(),
        }
    }

    /// Takes a place for an account, as soon as the account may have one.
    pub(super) async fn take(&self, account: Uuid) -> Place<'_> {
        loop {
            // It knows of each place that is freed from here on.
            let freed = self.freed.notified();
            if let Some(place) = self.take_now(account) {
                return place;
            }
            freed.await;
        }
    }

    fn take_now(&self, account: Uuid) -> Option<Place<'_>> {
        let mut taken = self.taken.lock();
        let free = self.count.saturating_sub(taken.values().sum());
        let own = taken.get(&account).copied().unwrap_or(0);
        may_take(own, free).then(|| {
            taken.insert(account, own + 1);
            Place {
                places: self,
                account,
            }
        })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock();
        let left = taken.get(&self.account).map_or(0, |own| own - 1);
        match left {
            0 => taken.remove(&self.account),
            left => taken.insert(self.account, left),
        };
        drop(taken);
        self.places.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn an_account_has_half_of_what_others_leave_and_the_last_place_is_for_a_new_one() {
        let places = Places::new(8);
        let take = |account: u128| places.take(Uuid::from_u128(account)).now_or_never();
        let all = |account| std::iter::from_fn(|| take(account)).collect::<Vec<_>>();
        let mut held = [1, 2, 3, 4].map(all);
        assert_eq!(held.each_ref().map(Vec::len), [4, 2, 1, 1]);
        assert!(take(5).is_none());
        // What is given back is for those that have less.
        held[0].pop();
        assert!(take(1).is_none() && take(2).is_none());
        assert!(take(5).is_some());
        drop(held);
        assert_eq!(all(1).len(), 4);
        assert_eq!(places.taken.lock().len(), 0);
    }

    #[tokio::test]
    async fn who_waits_gets_the_place_that_is_freed() {
        let places = Places::new(1);
        let held = places.take(Uuid::from_u128(1)).await;
        let next = places.take(Uuid::from_u128(2));
        let (_place, ()) = tokio::join!(next, async { drop(held) });
    }
}
