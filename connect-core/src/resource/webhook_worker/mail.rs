//! Switching a webhook off after too many failures, and telling its owner once.

use std::time::Duration;

use tokio::time::timeout;

use super::parts::Parts;
use crate::{
    environment::Mail,
    error::Error,
    record::{OwnerMail, SwitchOffReason, SwitchedOff, Webhook, Webhooks},
    rules::webhook::MAX_FAILURES,
    wire::Timestamp,
};

/// The seconds after which a message that the mail server did not take is sent again.
const MAIL_PAUSE: i64 = 300;

/// The time that the mail server may take.
const MAIL_LIMIT: Duration = Duration::from_secs(30);

/// Switches a webhook off. Returns whether it was on.
pub(super) async fn switch_off(parts: &Parts, webhook: &Webhook) -> Result<bool, Error> {
    let (account, id) = (webhook.account_id, webhook.id);
    let enabled_at = webhook.enabled_at;
    let is_done = parts.connect.set_up_webhooks(account, |setup| {
        let at = setup.unit.now();
        let own = setup.webhooks.0.iter_mut().find(|own| own.webhook.id == id);
        let webhook = own.map(|own| &mut own.webhook);
        // The owner may have switched it off and on, or deleted it.
        let Some(webhook) =
            webhook.filter(|webhook| webhook.is_enabled() && webhook.enabled_at == enabled_at)
        else {
            return Ok(false);
        };
        webhook.switched_off = Some(SwitchedOff {
            at,
            reason: SwitchOffReason::Failures,
            owner_mail: Some(OwnerMail::Due),
        });
        Ok(true)
    });
    is_done.await
}

/// Tells the owner that a webhook was switched off, unless that is done. Returns when to try again,
/// if the mail server did not take the message.
///
/// The message is marked as sent after it was. A process that ends in between sends it twice.
pub(super) async fn tell_owner(
    parts: &Parts,
    webhook: &Webhook,
) -> Result<Option<Timestamp>, Error> {
    // The owner may have switched it on, or deleted it, since it was read.
    let webhooks = Webhooks::of_account(parts.store(), webhook.account_id.uuid()).await?;
    let Some(webhook) = webhooks.find(webhook.id).map(|own| &own.webhook) else {
        return Ok(None);
    };
    let off = webhook.switched_off.as_ref();
    if off.and_then(|off| off.owner_mail) != Some(OwnerMail::Due) {
        return Ok(None);
    }
    let outcome = match &parts.mailer {
        None => {
            let (account, webhook) = (webhook.account_id, webhook.id);
            tracing::warn!(
                %account, %webhook,
                "a webhook was switched off after {MAX_FAILURES} failed attempts in a row; its \
                 owner is not e-mailed, since no mail server is configured"
            );
            OwnerMail::NotConfigured
        }
        Some(mailer) => {
            let account = parts.connect.account(webhook.account_id).await?;
            let mail = message(webhook, account.owner_email);
            let sent = timeout(MAIL_LIMIT, mailer.send(&mail)).await;
            let sent = sent.unwrap_or_else(|_| Err("the mail server took too long".to_owned()));
            if let Err(reason) = sent {
                tracing::error!(%reason, webhook = %webhook.id, "an owner could not be e-mailed");
                return Ok(Some(parts.store().now().plus_seconds(MAIL_PAUSE)));
            }
            OwnerMail::Sent
        }
    };
    let id = webhook.id;
    let marked = parts.connect.set_up_webhooks(webhook.account_id, |setup| {
        let own = setup.webhooks.0.iter_mut().find(|own| own.webhook.id == id);
        if let Some(off) = own.and_then(|own| own.webhook.switched_off.as_mut())
            && off.owner_mail == Some(OwnerMail::Due)
        {
            off.owner_mail = Some(outcome);
        }
        Ok(())
    });
    marked.await?;
    Ok(None)
}

fn message(webhook: &Webhook, to: String) -> Mail {
    let Webhook { id, url, .. } = webhook;
    // A query may hold a key.
    let address = url.split(['?', '#']).next().unwrap_or_default();
    Mail {
        to,
        subject: "A webhook was switched off".to_owned(),
        text: format!(
            "The webhook {id} to {address} was switched off, because {MAX_FAILURES} deliveries in \
             a row have failed.\n\n\
             No events are sent to it any more. Nothing is lost: events can be read from the event \
             feed for 30 days.\n\n\
             Look at its recent deliveries to see what the endpoint answered. Once it works again, \
             switch the webhook on.\n"
        ),
    }
}
