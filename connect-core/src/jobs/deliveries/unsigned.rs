//! The webhooks whose deliveries wait, as their secret does not open.

use std::collections::HashSet;

use parking_lot::Mutex;
use uuid::Uuid;

use crate::transaction::{OwnWebhook, Store};

/// The most webhooks named in the log. A lost key concerns all of them at once.
const MOST_LOGGED: usize = 100;

/// The webhooks found without a secret that opens.
/// Each is logged once, until its secret opens again.
#[derive(Default)]
pub(super) struct UnsignedWebhooks(Mutex<HashSet<Uuid>>);

impl UnsignedWebhooks {
    /// Returns whether deliveries of a webhook can be signed now.
    /// Otherwise they wait: this is no failure of the endpoint.
    pub(super) fn can_sign(&self, store: &Store, own: &OwnWebhook) -> bool {
        let webhook = own.webhook.id.uuid();
        let mut unsigned = self.0.lock();
        match own.signing_secrets(&store.sealer(), store.now()) {
            Ok(_) => {
                if unsigned.remove(&webhook) {
                    tracing::info!(%webhook, "the secret of a webhook opens again: its deliveries go out");
                }
                true
            }
            Err(reason) => {
                if unsigned.len() < MOST_LOGGED && unsigned.insert(webhook) {
                    tracing::error!(
                        %reason, %webhook,
                        "deliveries to a webhook wait, as its secret does not open"
                    );
                }
                false
            }
        }
    }
}
