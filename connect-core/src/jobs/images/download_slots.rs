//! The download slots of a worker, and an account's part of them.
//!
//! An account has at most half of the slots not taken by other accounts. So accounts with many slow images
//! leave some: of eight slots the first takes four, the next two and the third one. One is left for an
//! account without any.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::jobs::queue::may_take;

/// The slots for downloads, over all accounts.
#[derive(Debug)]
pub(super) struct DownloadSlots {
    count: usize,
    /// The slots of each account with any.
    taken: Mutex<HashMap<Uuid, usize>>,
    freed: Notify,
}

/// A slot. Dropping it frees it.
pub(super) struct DownloadSlot<'p> {
    slots: &'p DownloadSlots,
    account: Uuid,
}

impl DownloadSlots {
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            taken: Mutex::default(),
            freed: Notify::new(),
        }
    }

    /// Takes a slot for an account, as soon as the account may have one.
    pub(super) async fn take(&self, account: Uuid) -> DownloadSlot<'_> {
        loop {
            // It is notified of each slot freed from here on.
            let freed = self.freed.notified();
            if let Some(place) = self.take_now(account) {
                return place;
            }
            freed.await;
        }
    }

    fn take_now(&self, account: Uuid) -> Option<DownloadSlot<'_>> {
        let mut taken = self.taken.lock();
        let free = self.count.saturating_sub(taken.values().sum());
        let own = taken.get(&account).copied().unwrap_or(0);
        may_take(own, free).then(|| {
            taken.insert(account, own + 1);
            DownloadSlot {
                slots: self,
                account,
            }
        })
    }
}

impl Drop for DownloadSlot<'_> {
    fn drop(&mut self) {
        let mut taken = self.slots.taken.lock();
        let left = taken.get(&self.account).map_or(0, |own| own - 1);
        match left {
            0 => taken.remove(&self.account),
            left => taken.insert(self.account, left),
        };
        drop(taken);
        self.slots.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn an_account_has_half_of_what_others_leave_and_the_last_place_is_for_a_new_one() {
        let slots = DownloadSlots::new(8);
        let take = |account: u128| slots.take(Uuid::from_u128(account)).now_or_never();
        let all = |account| std::iter::from_fn(|| take(account)).collect::<Vec<_>>();
        let mut held = [1, 2, 3, 4].map(all);
        assert_eq!(held.each_ref().map(Vec::len), [4, 2, 1, 1]);
        assert!(take(5).is_none());
        // A freed slot goes to an account with fewer.
        held[0].pop();
        assert!(take(1).is_none() && take(2).is_none());
        assert!(take(5).is_some());
        drop(held);
        assert_eq!(all(1).len(), 4);
        assert_eq!(slots.taken.lock().len(), 0);
    }

    #[tokio::test]
    async fn who_waits_gets_the_place_that_is_freed() {
        let slots = DownloadSlots::new(1);
        let held = slots.take(Uuid::from_u128(1)).await;
        let next = slots.take(Uuid::from_u128(2));
        let (_place, ()) = tokio::join!(next, async { drop(held) });
    }
}
