//! Request counts against limits, at this server or on all servers.

use std::{iter, net::IpAddr, sync::Arc};

use parking_lot::Mutex;

use super::{
    limit::{Limit, RateLimitKey},
    sharing::Sharing,
};
use crate::{
    rules::rate::{self, RateStatus, RequestTime, Windows},
    transaction::Fault,
};

/// A used-up limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsedUp {
    pub(super) caller: RateLimitKey,
    pub(super) rate: RateStatus,
}

/// The requests of callers in the current window.
#[derive(Default)]
pub(super) struct RequestCounts {
    windows: Mutex<Windows<RateLimitKey>>,
    /// The other servers, if limits hold for all of them together.
    sharing: Option<Arc<Sharing>>,
}

/// The most addresses counted separately in one minute.
/// Further ones share one count: memory stays bounded, and only callers without a valid token are affected.
const MOST_ADDRESSES: usize = 100_000;

impl RequestCounts {
    pub(super) fn new(sharing: Option<Arc<Sharing>>) -> Self {
        Self {
            windows: Mutex::default(),
            sharing,
        }
    }

    /// Counts a request against one or two limits.
    /// If one of them is used up, it counts against neither. Returns the status of the tighter one.
    ///
    /// # Errors
    /// The store failed during the exchange with other servers.
    pub(super) async fn count(
        &self,
        limit: Limit,
        also: Option<Limit>,
        at: RequestTime,
    ) -> Result<Result<RateStatus, UsedUp>, Fault> {
        let Some(sharing) = &self.sharing else {
            return Ok(self.count_here(limit, also, at));
        };
        loop {
            let untold = {
                let mut windows = self.windows.lock();
                let is_untold =
                    |limit: &Limit| windows.untold(&limit.caller, limit.step(), at).is_some();
                let untold = iter::once(limit).chain(also).find(is_untold);
                match untold {
                    None => return Ok(count(&mut windows, limit, also, at)),
                    Some(limit) => limit,
                }
            };
            sharing.tell(&self.windows, untold, at).await?;
        }
    }

    /// Counts a request as [`count`](Self::count) does, at this server only.
    pub(super) fn count_here(
        &self,
        limit: Limit,
        also: Option<Limit>,
        at: RequestTime,
    ) -> Result<RateStatus, UsedUp> {
        count(&mut self.windows.lock(), limit, also, at)
    }

    /// Returns the rate-limit status of an address.
    pub(super) fn status(&self, address: IpAddr, most: u32, at: RequestTime) -> RateStatus {
        let caller = RateLimitKey::Address(rate::counted_address(address));
        self.windows.lock().status(&caller, most, at)
    }

    /// Returns the limit for a request of an address.
    pub(super) fn of_address(&self, address: IpAddr, most: u32, at: RequestTime) -> Limit {
        let caller = RateLimitKey::Address(rate::counted_address(address));
        let is_beyond = self.windows.lock().is_beyond(&caller, MOST_ADDRESSES, at);
        let caller = if is_beyond {
            RateLimitKey::Address(IpAddr::from([0, 0, 0, 0]))
        } else {
            caller
        };
        Limit { caller, most }
    }
}

fn count(
    windows: &mut Windows<RateLimitKey>,
    limit: Limit,
    also: Option<Limit>,
    at: RequestTime,
) -> Result<RateStatus, UsedUp> {
    let mut status = |limit: Limit| UsedUp {
        caller: limit.caller,
        rate: windows.status(&limit.caller, limit.most, at),
    };
    let mut before = status(limit);
    if let Some(also) = also.map(status)
        && also.rate.remaining < before.rate.remaining
    {
        before = also;
    }
    if before.rate.remaining == 0 {
        return Err(before);
    }
    for limit in iter::once(limit).chain(also) {
        windows.count(limit.caller, at);
    }
    Ok(RateStatus {
        remaining: before.rate.remaining - 1,
        ..before.rate
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::wire::Timestamp;

    const NOW: RequestTime = RequestTime {
        now: Timestamp::EPOCH,
        elapsed: Duration::ZERO,
    };

    fn limit(number: u128, most: u32) -> Limit {
        Limit {
            caller: RateLimitKey::Token(uuid::Uuid::from_u128(number).into()),
            most,
        }
    }

    #[test]
    fn of_two_limits_the_one_with_less_left_is_told() {
        for (one, other, expected) in [
            ((120, 3), (600, 4), 120),
            ((120, 4), (600, 3), 600),
            // Of two equal ones, the first: the token's own.
            ((120, 3), (600, 3), 120),
        ] {
            let counts = RequestCounts::default();
            let limits = [limit(1, one.0), limit(2, other.0)];
            for (limit, left) in limits.into_iter().zip([one.1, other.1]) {
                for _ in left..limit.most {
                    counts.count_here(limit, None, NOW).unwrap();
                }
            }
            let told = counts.count_here(limits[0], Some(limits[1]), NOW).unwrap();
            let left = one.1.min(other.1);
            assert_eq!((told.limit, told.remaining), (expected, left - 1));
        }
    }

    #[test]
    fn a_refused_request_counts_against_neither_limit() {
        let counts = RequestCounts::default();
        let (one, other) = (limit(1, 5), limit(2, 1));
        counts.count_here(one, Some(other), NOW).unwrap();
        let used_up = counts.count_here(one, Some(other), NOW).unwrap_err();
        assert_eq!((used_up.caller, used_up.rate.remaining), (other.caller, 0));
        assert_eq!(counts.count_here(one, None, NOW).unwrap().remaining, 3);
    }
}
