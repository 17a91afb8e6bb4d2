//! The parts that a worker is made of, which its sessions share.

use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

use super::hosts::Hosts;
use crate::{
    engine::Connect,
    transaction::{
        Store,
        environment::{Mailer, WebhookSender},
    },
};

/// The attempts that a worker makes at a time, at all webhooks together.
const PLACES: usize = 512;

/// The parts of a worker.
pub(super) struct Parts {
    pub(super) connect: Connect,
    pub(super) sender: Arc<dyn WebhookSender>,
    pub(super) mailer: Option<Arc<dyn Mailer>>,
    /// The address of the page of a webhook, in front of its id.
    pub(super) pages: Option<String>,
    /// The attempts that may be under way.
    pub(super) places: Semaphore,
    /// The same at each host.
    pub(super) hosts: Hosts,
    /// Set once no new attempts are to be made.
    pub(super) stop: watch::Sender<bool>,
}

impl Parts {
    pub(super) fn new(
        connect: Connect,
        sender: Arc<dyn WebhookSender>,
        mailer: Option<Arc<dyn Mailer>>,
    ) -> Self {
        Self {
            connect,
            sender,
            mailer,
            pages: None,
            places: Semaphore::new(PLACES),
            hosts: Hosts::default(),
            stop: watch::Sender::new(false),
        }
    }

    pub(super) fn store(&self) -> &Store {
        self.connect.store()
    }
}
