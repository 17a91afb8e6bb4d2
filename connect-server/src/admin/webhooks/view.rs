//! The results of commands about webhooks, as programs get them.

use connect_core::{Delivery, Webhook, WebhookHealth, wire::Id};
use serde::{Deserialize, Serialize};

use crate::admin::shown_once::ShownOnce;

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(in crate::admin) enum WebhookResult {
    Secret(NewSecret),
    Webhook(WebhookView),
    Webhooks(Vec<WebhookView>),
    Deleted(DeletedWebhook),
    Delivery(Delivery),
    Deliveries(Vec<Delivery>),
}

/// A webhook with the secret that was made for it just now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSecret {
    /// The webhook.
    pub id: Id<Webhook>,
    /// The secret.
    pub secret: ShownOnce,
}

/// A webhook as commands show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookView {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// The health of its endpoint.
    #[serde(flatten)]
    pub health: WebhookHealth,
}

/// A webhook that was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedWebhook {
    /// The id that it had.
    pub id: Id<Webhook>,
    /// Always `true`.
    pub deleted: bool,
}
