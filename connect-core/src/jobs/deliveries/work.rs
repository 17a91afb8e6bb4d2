//! The account of what a worker did.

use std::ops::AddAssign;

/// The number of attempts at deliveries by what has become of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryWork {
    /// Deliveries that the endpoint took.
    pub delivered: usize,
    /// Attempts that failed and are made again later.
    pub postponed: usize,
    /// Deliveries that were given up, after their last attempt or because the owner dropped what had
    /// waited.
    pub given_up: usize,
    /// Webhooks that were switched off after fifty failed attempts in a row.
    pub switched_off: usize,
}

impl AddAssign for DeliveryWork {
    fn add_assign(&mut self, other: Self) {
        self.delivered += other.delivered;
        self.postponed += other.postponed;
        self.given_up += other.given_up;
        self.switched_off += other.switched_off;
    }
}
