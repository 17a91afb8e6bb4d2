//! Fixed windows of a minute (contract: Rate limits).

use std::{collections::HashMap, hash::Hash, net::IpAddr};

use crate::wire::{Timestamp, limits::RATE_WINDOW_SECONDS};

/// How many requests a minute are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Per token.
    pub token: u32,
    /// Per account, all its tokens together.
    pub account: u32,
    /// Invalid tokens per address.
    pub address: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        use crate::wire::limits::{
            DEFAULT_ACCOUNT_LIMIT, DEFAULT_ADDRESS_LIMIT, DEFAULT_TOKEN_LIMIT,
        };
        Self {
            token: DEFAULT_TOKEN_LIMIT,
            account: DEFAULT_ACCOUNT_LIMIT,
            address: DEFAULT_ADDRESS_LIMIT,
        }
    }
}

/// Where a caller stands in the window under way: the figures of the `X-RateLimit-*` headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateStatus {
    /// Requests allowed per window.
    pub limit: u32,
    /// Requests left in this window.
    pub remaining: u32,
    /// When the window ends, in Unix seconds.
    pub reset: i64,
}

/// The window that a time falls into, counted from 1970.
fn window(now: Timestamp) -> i64 {
    now.seconds().div_euclid(RATE_WINDOW_SECONDS)
}

/// When the window under way ends, in Unix seconds.
pub(crate) fn window_end(now: Timestamp) -> i64 {
    (window(now) + 1) * RATE_WINDOW_SECONDS
}

/// What each caller has used of the window under way. Windows of all callers start together, so
/// a new minute starts with nothing: no clean-up, and memory bounded by the callers of a minute.
#[derive(Debug)]
pub(crate) struct Windows<K> {
    window: i64,
    used: HashMap<K, u32>,
}

impl<K> Default for Windows<K> {
    fn default() -> Self {
        Self {
            window: i64::MIN,
            used: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash> Windows<K> {
    /// What `caller` has used at `now`.
    pub(crate) fn used(&mut self, caller: &K, now: Timestamp) -> u32 {
        self.turn(now);
        self.used.get(caller).copied().unwrap_or(0)
    }

    /// Counts one request of `caller`.
    pub(crate) fn count(&mut self, caller: K, now: Timestamp) {
        self.turn(now);
        let used = self.used.entry(caller).or_insert(0);
        *used = used.saturating_add(1);
    }

    /// How many callers the window has seen.
    pub(crate) fn callers(&self) -> usize {
        self.used.len()
    }

    /// Opens the window of `now`. A request that looked at the clock just before the minute ended
    /// and comes late counts in the window under way; only a clock that was set back further opens
    /// an earlier window.
    fn turn(&mut self, now: Timestamp) {
        let window = window(now);
        let is_late = window.checked_add(1) == Some(self.window);
        if window != self.window && !is_late {
            self.window = window;
            self.used.clear();
        }
    }
}

/// The figures for a caller that has used `used` of `limit`.
pub(crate) fn status(limit: u32, used: u32, now: Timestamp) -> RateStatus {
    RateStatus {
        limit,
        remaining: limit.saturating_sub(used),
        reset: window_end(now),
    }
}

/// The status to tell of two that count together: the one with less left.
pub(crate) fn tighter(one: RateStatus, other: RateStatus) -> RateStatus {
    if other.remaining < one.remaining {
        other
    } else {
        one
    }
}

/// The address by which invalid tokens are counted: an IPv6 customer has a whole /64.
pub(crate) fn counted_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_aligned_to_the_minute() {
        let at = |seconds| Timestamp::EPOCH.plus_seconds(seconds);
        for (now, end) in [(0, 60), (59, 60), (60, 120), (61, 120), (-1, 0)] {
            assert_eq!(window_end(at(now)), end, "{now}");
        }
    }

    #[test]
    fn a_new_minute_starts_with_nothing() {
        let at = |seconds| Timestamp::EPOCH.plus_seconds(seconds);
        let mut windows = Windows::default();
        windows.count("a", at(58));
        windows.count("a", at(59));
        assert_eq!(
            (windows.used(&"a", at(59)), windows.used(&"b", at(59))),
            (2, 0)
        );
        assert_eq!(windows.used(&"a", at(60)), 0);
        windows.count("a", at(60));
        assert_eq!(windows.used(&"a", at(59)), 1, "late, but of this window");
        assert_eq!(windows.used(&"a", at(-1)), 0, "a clock that was set back");
    }

    #[test]
    fn addresses_count_by_network() {
        let counted = |text: &str| counted_address(text.parse().unwrap()).to_string();
        assert_eq!(counted("192.0.2.7"), "192.0.2.7");
        assert_eq!(counted("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(counted("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
