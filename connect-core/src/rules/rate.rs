//! Rate limits in fixed windows of a minute (contract: Rate limits).

use std::{collections::HashMap, hash::Hash, net::IpAddr, time::Duration};

use crate::wire::{Timestamp, limits::RATE_WINDOW_SECONDS};

/// The most requests answered in a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Per token, per screen, and per signed-in owner.
    pub token: u32,
    /// Per account, over all its tokens.
    pub account: u32,
    /// Invalid tokens per address.
    pub address: u32,
    /// Requests without need of a token, per address.
    pub anonymous: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        use crate::wire::limits::{
            DEFAULT_ACCOUNT_LIMIT, DEFAULT_ADDRESS_LIMIT, DEFAULT_ANONYMOUS_LIMIT,
            DEFAULT_TOKEN_LIMIT,
        };
        Self {
            token: DEFAULT_TOKEN_LIMIT,
            account: DEFAULT_ACCOUNT_LIMIT,
            address: DEFAULT_ADDRESS_LIMIT,
            anonymous: DEFAULT_ANONYMOUS_LIMIT,
        }
    }
}

/// The rate-limit status of a caller in the current window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateStatus {
    /// Requests allowed per window.
    pub limit: u32,
    /// Requests left in this window.
    pub remaining: u32,
    /// The end of the window, in Unix seconds.
    pub reset: i64,
}

impl RateStatus {
    /// The names of its headers.
    pub const HEADERS: [&'static str; 3] = [
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
    ];

    /// Returns the rate-limit headers, each name with its value.
    ///
    /// A server of your own puts them on every answer, including refusals.
    ///
    /// ```
    /// let rate = connect_core::RateStatus { limit: 120, remaining: 119, reset: 1_800_000_060 };
    /// assert_eq!(rate.headers()[1], ("x-ratelimit-remaining", 119));
    /// ```
    pub fn headers(&self) -> [(&'static str, i64); 3] {
        let [limit, remaining, reset] = Self::HEADERS;
        [
            (limit, self.limit.into()),
            (remaining, self.remaining.into()),
            (reset, self.reset),
        ]
    }
}

/// The time of a request, by two clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestTime {
    /// The time of day.
    pub(crate) now: Timestamp,
    /// The elapsed time, from [`Clock::elapsed`](crate::transaction::environment::Clock::elapsed).
    pub(crate) elapsed: Duration,
}

/// The length of a window.
const WINDOW: Duration = Duration::from_secs(RATE_WINDOW_SECONDS.unsigned_abs());

/// Returns the window of a time, counted from 1970.
pub(crate) fn window(now: Timestamp) -> i64 {
    now.seconds().div_euclid(RATE_WINDOW_SECONDS)
}

/// The requests of each caller in the current window.
/// Windows of all callers start together, so a new minute starts empty: there is no clean-up, and memory is
/// bounded by the callers of a minute.
///
/// Requests come in any order: one delayed after reading the clock counts in the current window, however
/// late it is. It is not mistaken for a clock set back, since its elapsed time is from before this window
/// too. If the clock was set back, the current window lasts until its minute has passed, and no longer.
///
/// This relies on `elapsed` never going back, and on `now` not jumping far ahead: each jump forwards opens
/// a window. [`MonotonicClock`](crate::transaction::environment::MonotonicClock) guarantees both.
#[derive(Debug)]
pub(crate) struct Windows<K> {
    /// The current window.
    window: i64,
    /// The elapsed time at its opening.
    opened: Duration,
    used: HashMap<K, Used>,
}

/// The requests of a caller in a window.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    /// The requests at this server.
    here: u32,
    /// The part of them known to other servers.
    told: u32,
    /// The requests at other servers, as far as known.
    elsewhere: u32,
}

/// A caller's requests in a window, to share with other servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Untold {
    /// The window, counted from 1970.
    pub(crate) window: i64,
    /// All requests at this server.
    pub(crate) here: u32,
}

impl<K> Default for Windows<K> {
    fn default() -> Self {
        Self {
            window: i64::MIN,
            opened: Duration::ZERO,
            used: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash> Windows<K> {
    /// Returns the rate-limit status of `caller` in the current window.
    pub(crate) fn status(&mut self, caller: &K, limit: u32, at: RequestTime) -> RateStatus {
        self.turn(at);
        let used = self.used.get(caller).copied().unwrap_or_default();
        RateStatus {
            limit,
            remaining: limit.saturating_sub(used.here.saturating_add(used.elsewhere)),
            reset: (self.window + 1) * RATE_WINDOW_SECONDS,
        }
    }

    /// Counts one request of `caller`.
    pub(crate) fn count(&mut self, caller: K, at: RequestTime) {
        self.turn(at);
        let used = self.used.entry(caller).or_default();
        used.here = used.here.saturating_add(1);
    }

    /// Removes one counted request of `caller`, unless its window is over.
    pub(crate) fn take_back(&mut self, caller: &K, at: RequestTime) {
        self.turn(at);
        if let Some(used) = self.used.get_mut(caller) {
            used.here = used.here.saturating_sub(1);
        }
    }

    /// Returns the requests of `caller`, if at least `step` are unshared.
    pub(crate) fn untold(&mut self, caller: &K, step: u32, at: RequestTime) -> Option<Untold> {
        self.turn(at);
        let used = self.used.get(caller)?;
        (used.here.saturating_sub(used.told) >= step).then_some(Untold {
            window: self.window,
            here: used.here,
        })
    }

    /// Records an exchange: the shared requests of `caller`, and the number elsewhere.
    /// Does nothing once their window is over.
    pub(crate) fn note_told(&mut self, caller: &K, told: Untold, elsewhere: u32) {
        if let Some(used) = self.used.get_mut(caller)
            && self.window == told.window
        {
            used.told = told.here;
            used.elsewhere = elsewhere;
        }
    }

    /// Returns true if `caller` is new in the window, and `most` callers are counted already.
    pub(crate) fn is_beyond(&mut self, caller: &K, most: usize, at: RequestTime) -> bool {
        self.turn(at);
        self.used.len() >= most && !self.used.contains_key(caller)
    }

    /// Returns the number of callers in the window.
    #[cfg(test)]
    pub(crate) fn callers(&self) -> usize {
        self.used.len()
    }

    /// Opens the window of this moment, unless the current one continues.
    fn turn(&mut self, at: RequestTime) {
        let window = window(at.now);
        let is_over = at.elapsed.saturating_sub(self.opened) >= WINDOW;
        if window > self.window || is_over {
            self.window = window;
            self.opened = at.elapsed;
            self.used = HashMap::new();
        }
    }
}

/// Returns the seconds to wait for a window ending at `reset`.
/// They are 1 to 60, whatever the clock shows.
pub(crate) fn retry_after(reset: i64, now: Timestamp) -> i64 {
    (reset - now.seconds()).clamp(1, RATE_WINDOW_SECONDS)
}

/// The address for counting invalid tokens.
/// An IPv6 customer has a whole /64.
pub(crate) fn counted_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

/// The wide network of an address: a /16 of IPv4, a /48 of IPv6.
/// A /48 is usually one site.
pub(crate) fn wide_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4((v4.to_bits() & (u32::MAX << 16)).into()),
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & (u128::MAX << 80)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moment `now` seconds after 1970, with `elapsed` seconds passed.
    fn at(now: i64, elapsed: u64) -> RequestTime {
        RequestTime {
            now: Timestamp::EPOCH.plus_seconds(now),
            elapsed: Duration::from_secs(elapsed),
        }
    }

    /// Returns the number of requests of "a", and the end of its window.
    fn standing(windows: &mut Windows<&str>, at: RequestTime) -> (u32, i64) {
        let status = windows.status(&"a", 100, at);
        (100 - status.remaining, status.reset)
    }

    #[test]
    fn windows_are_aligned_to_the_minute() {
        for (now, end) in [(0, 60), (59, 60), (60, 120), (61, 120), (-1, 0)] {
            let mut windows = Windows::default();
            assert_eq!(standing(&mut windows, at(now, 7)), (0, end), "{now}");
        }
    }

    #[test]
    fn a_new_minute_starts_with_nothing() {
        let mut windows = Windows::default();
        windows.count("a", at(58, 58));
        windows.count("a", at(59, 59));
        assert_eq!(standing(&mut windows, at(59, 59)), (2, 60));
        assert_eq!(windows.status(&"b", 100, at(59, 59)).remaining, 100);
        assert_eq!(standing(&mut windows, at(60, 60)), (0, 120));
        assert_eq!(windows.callers(), 0);
    }

    #[test]
    fn what_is_taken_back_does_not_count() {
        let mut windows = Windows::default();
        windows.count("a", at(58, 58));
        windows.count("a", at(58, 58));
        windows.take_back(&"a", at(59, 59));
        windows.take_back(&"b", at(59, 59));
        assert_eq!(standing(&mut windows, at(59, 59)), (1, 60));
        assert_eq!(windows.callers(), 1);
        windows.take_back(&"a", at(60, 60));
        assert_eq!(standing(&mut windows, at(60, 60)), (0, 120));
    }

    #[test]
    fn what_came_to_other_servers_counts_too() {
        let now = at(58, 58);
        let mut windows = Windows::default();
        assert_eq!(windows.untold(&"a", 1, now), None);
        windows.count("a", now);
        windows.count("a", now);
        assert_eq!(windows.untold(&"a", 3, now), None);
        let untold = windows.untold(&"a", 2, now);
        let expected = Untold { window: 0, here: 2 };
        assert_eq!(untold, Some(expected));
        // One more came during the exchange.
        windows.count("a", now);
        windows.note_told(&"a", expected, 40);
        assert_eq!(standing(&mut windows, now).0, 43);
        assert_eq!(windows.untold(&"a", 2, now), None);
        assert_eq!(windows.untold(&"a", 1, now).unwrap().here, 3);
        // Each exchange shares the whole count.
        windows.note_told(&"a", Untold { window: 0, here: 3 }, 90);
        assert_eq!(windows.status(&"a", 100, now).remaining, 7);
        windows.note_told(&"a", Untold { window: 0, here: 3 }, u32::MAX);
        assert_eq!(windows.status(&"a", 100, now).remaining, 0);
    }

    #[test]
    fn what_was_told_of_a_window_that_is_over_is_forgotten() {
        let mut windows = Windows::default();
        windows.count("a", at(58, 58));
        let untold = windows.untold(&"a", 1, at(58, 58)).unwrap();
        windows.count("a", at(61, 61));
        windows.note_told(&"a", untold, 40);
        assert_eq!(standing(&mut windows, at(61, 61)).0, 1);
        assert!(windows.untold(&"a", 1, at(61, 61)).is_some());
    }

    #[test]
    fn a_request_that_was_held_up_counts_in_the_window_under_way() {
        for held_up in [1, 2, 120, 3000] {
            let mut windows = Windows::default();
            windows.count("a", at(6000, 4000));
            windows.count("a", at(6001, 4001));
            let late = at(6000 - held_up, 4000 - held_up.unsigned_abs());
            assert_eq!(standing(&mut windows, late), (2, 6060), "{held_up}");
            windows.count("a", late);
            assert_eq!(standing(&mut windows, at(6059, 4059)), (3, 6060));
            assert_eq!(standing(&mut windows, at(6060, 4060)), (0, 6120));
        }
    }

    #[test]
    fn a_clock_that_is_set_back_keeps_its_window_for_a_minute() {
        for back in [60, 3600, 86_400] {
            let mut windows = Windows::default();
            windows.count("a", at(86_430, 30));
            assert_eq!(standing(&mut windows, at(86_431 - back, 31)).0, 1);
            assert_eq!(standing(&mut windows, at(86_489 - back, 89)).0, 1);
            let (used, end) = standing(&mut windows, at(86_490 - back, 90));
            assert_eq!((used, end), (0, 86_520 - back), "{back}");
        }
    }

    #[test]
    fn nobody_is_told_to_wait_longer_than_a_window() {
        let now = Timestamp::EPOCH.plus_seconds(100);
        for (reset, wait) in [
            (120, 20),
            (101, 1),
            (100, 1),
            (40, 1),
            (160, 60),
            (9000, 60),
        ] {
            assert_eq!(retry_after(reset, now), wait, "{reset}");
        }
    }

    #[test]
    fn addresses_count_by_network() {
        let counted = |text: &str| counted_address(text.parse().unwrap()).to_string();
        assert_eq!(counted("192.0.2.7"), "192.0.2.7");
        assert_eq!(counted("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(counted("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }

    #[test]
    fn the_figures_are_told_in_three_headers() {
        let rate = RateStatus {
            limit: 120,
            remaining: 7,
            reset: 1_800_000_060,
        };
        let expected = [
            ("x-ratelimit-limit", 120),
            ("x-ratelimit-remaining", 7),
            ("x-ratelimit-reset", 1_800_000_060),
        ];
        assert_eq!(rate.headers(), expected);
    }
}
