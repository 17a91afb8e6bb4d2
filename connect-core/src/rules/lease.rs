//! Rules of leases: time limits and clock skew.

/// The largest difference, in seconds, between clocks of processes on one store.
///
/// A lease may be over by one clock and not yet by another. So a worker ends its work so many
/// seconds before its lease is over by its own clock. Where clocks differ by more, leases are taken over too
/// early: nothing is lost, but work is done twice.
pub(crate) const MAX_CLOCK_SKEW: i64 = 15;

/// The time for the commit after the work, in seconds.
const COMMIT: i64 = 5;

/// The seconds at the end of a lease without work under way.
pub(crate) const LEASE_MARGIN: i64 = COMMIT + MAX_CLOCK_SKEW;
