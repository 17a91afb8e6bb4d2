//! The results of webhook commands as JSON.

use connect_core::{
    Webhook, WebhookHealth,
    wire::{Id, Timestamp},
};
use serde::{Deserialize, Serialize};

use crate::commands::ShownOnce;

/// A webhook with its new secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewSecret {
    /// The webhook.
    pub id: Id<Webhook>,
    /// The secret.
    pub secret: ShownOnce,
    /// Set if the former secret signs no more, as its key is lost.
    #[serde(default, skip_serializing_if = "is_false")]
    pub former_lost: bool,
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
    /// Set while deliveries wait, as the key of the secret is missing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub waits_for_key: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl WebhookView {
    /// Shows a webhook. A disabled one is not probed.
    pub(super) fn new(webhook: Webhook, health: WebhookHealth, waits_for_key: bool) -> Self {
        Self {
            waits_for_key,
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
