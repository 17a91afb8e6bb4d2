//! Construction and settings of the worker.

use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

use super::{
    hosts::{HostLimits, Hosts},
    unsigned::UnsignedWebhooks,
};
use crate::{
    engine::Connect,
    transaction::{
        Store,
        environment::{Mailer, WebhookSender},
    },
};

/// The attempts of a worker at a time, over all webhooks.
const PLACES: usize = 512;

/// Delivers events to webhooks. Made by [`Connect::webhook_worker`].
///
/// Dropping its futures is safe at any point: another worker goes on within a minute, and attempts
/// without a recorded outcome are made again.
pub struct WebhookWorker {
    pub(super) connect: Connect,
    pub(super) sender: Arc<dyn WebhookSender>,
    pub(super) mailer: Option<Arc<dyn Mailer>>,
    /// The address of webhook pages, without the id.
    pub(super) pages: Option<String>,
    /// The places for attempts.
    pub(super) places: Semaphore,
    /// The places at each host.
    pub(super) hosts: Hosts,
    /// The webhooks without a secret that opens.
    pub(super) unsigned: UnsignedWebhooks,
    /// Set to stop new attempts.
    pub(super) stop: watch::Sender<bool>,
}

impl Connect {
    /// A worker delivering the events of all accounts through `sender`.
    /// It sends mail to owners through `mailer`. Without one, the log has the messages instead.
    pub fn webhook_worker(
        &self,
        sender: Arc<dyn WebhookSender>,
        mailer: Option<Arc<dyn Mailer>>,
    ) -> WebhookWorker {
        WebhookWorker {
            connect: self.clone(),
            sender,
            mailer,
            pages: None,
            places: Semaphore::new(PLACES),
            hosts: Hosts::default(),
            unsigned: UnsignedWebhooks::default(),
            stop: watch::Sender::new(false),
        }
    }
}

impl WebhookWorker {
    /// Links the page of the webhook in messages to owners.
    /// The link is `pages`, a slash, and the id. Without it, the message describes the way to the
    /// page.
    #[must_use]
    pub fn with_pages(mut self, pages: impl Into<String>) -> Self {
        self.pages = Some(pages.into());
        self
    }

    /// Limits the requests to one host, over all accounts.
    /// The default is no such limit.
    #[must_use]
    pub fn with_host_limits(mut self, limits: HostLimits) -> Self {
        self.hosts = Hosts::limited(limits);
        self
    }

    pub(super) fn store(&self) -> &Store {
        self.connect.store()
    }
}

impl std::fmt::Debug for WebhookWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookWorker").finish_non_exhaustive()
    }
}
