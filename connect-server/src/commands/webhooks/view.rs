//! The results of webhook commands as JSON.

use connect_core::{
    Webhook, WebhookHealth,
    wire::{Id, Timestamp},
};
use serde::{Deserialize, Serialize};

use crate::commands::ShownOnce;

/// A webhook with its new secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSecret {
    /// The webhook.
    pub id: Id<Webhook>,
    /// The secret.
    pub secret: ShownOnce,
}

/// A webhook as shown by commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookView {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// The health of its endpoint.
    #[serde(flatten)]
    pub health: WebhookHealth,
    /// The earliest time of the next attempt, while the endpoint is probed: one attempt a minute.
    pub next_probe_at: Option<Timestamp>,
}

impl WebhookView {
    /// Shows a webhook. A disabled one is not probed.
    pub(super) fn new((webhook, health): (Webhook, WebhookHealth)) -> Self {
        Self {
            next_probe_at: health.next_probe().filter(|_| webhook.is_enabled()),
            webhook,
            health,
        }
    }
}

/// A deleted webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedWebhook {
    /// Its former id.
    pub id: Id<Webhook>,
    /// Always `true`.
    pub deleted: bool,
}
