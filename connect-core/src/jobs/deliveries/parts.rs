//! The parts of a worker, shared by its sessions.

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

/// The attempts of a worker at a time, over all webhooks.
const PLACES: usize = 512;

/// The parts of a worker.
pub(super) struct Parts {
    pub(super) connect: Connect,
    pub(super) sender: Arc<dyn WebhookSender>,
    pub(super) mailer: Option<Arc<dyn Mailer>>,
    /// The address of webhook pages, without the id.
    pub(super) pages: Option<String>,
    /// The places for attempts.
    pub(super) places: Semaphore,
    /// The places at each host.
    pub(super) hosts: Hosts,
    /// Set to stop new attempts.
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
