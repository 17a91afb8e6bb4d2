//! The resources held by a server.

use std::sync::Arc;

use super::{Limits, budget::Budget, connection_registry::ConnectionRegistry};

/// The connections and bytes held by a server at the moment.
#[derive(Clone, Debug)]
pub struct Load {
    pub(super) registry: Arc<ConnectionRegistry>,
    pub(super) bodies: Arc<Budget>,
    pub(super) answers: Arc<Budget>,
}

impl Load {
    pub(super) fn new(limits: &Limits) -> Self {
        let answers = Budget::new(limits.answer_bytes);
        Self {
            registry: ConnectionRegistry::new(limits.connections_per_address, answers.clone()),
            bodies: Budget::new(limits.body_bytes),
            answers,
        }
    }

    /// Returns the number of open connections.
    pub fn connections(&self) -> usize {
        self.registry.connections()
    }

    /// Returns the bytes of the bodies of unanswered requests.
    pub fn body_bytes(&self) -> usize {
        self.bodies.used()
    }

    /// Cuts connections while they hold more than they may.
    pub(super) fn relieve(&self) {
        let excess = self.answers.excess();
        if excess > 0 {
            self.registry.cut_largest(excess);
        }
    }

    /// Returns the bytes of untaken answers, plus 6 KiB per request under way.
    pub fn answer_bytes(&self) -> usize {
        self.answers.used()
    }
}
