//! The counts of a worker's results.

use std::ops::AddAssign;

/// The number of delivery attempts, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryWork {
    /// Deliveries accepted by the endpoint.
    pub delivered: usize,
    /// Failed attempts with a retry to come.
    pub postponed: usize,
    /// Deliveries given up after their last attempt.
    /// Also waiting deliveries dropped by the owner at a switch-on.
    pub given_up: usize,
    /// Webhooks switched off after fifty failed attempts in a row.
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
