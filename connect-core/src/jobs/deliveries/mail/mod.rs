//! Switches a webhook off after too many failures, and tells its owner.
//!
//! The mail is a step of a session, and not a payload of its own: its mark is in the account's row,
//! and its retry is the due time of the webhook. A queue of mails needs a family of rows.

use std::time::Duration;

use tokio::time::timeout;

use super::worker::WebhookWorker;
use crate::{
    jobs::mail::{MailText, to_the_minute},
    owner::{Failing, LEASE, WebhookState},
    rules::{lease::LEASE_MARGIN, webhook::MAX_FAILURES},
    transaction::{
        Account, Error, Language, OwnerMail, SwitchOffReason, SwitchedOff, Webhook,
        environment::Mail,
    },
    wire::Timestamp,
};

/// The seconds before a retry of a failed message.
const MAIL_PAUSE: i64 = 300;

/// The time limit of the mail server.
const MAIL_LIMIT: Duration = Duration::from_secs(30);

/// The language of the message. The reasons of failures in it are in English too.
const LANGUAGE: Language = Language::En;

// The message is sent right after a commit.
const _: () = assert!(MAIL_LIMIT.as_secs() as i64 + LEASE_MARGIN <= LEASE);

/// Switches a webhook off. Returns whether it was on.
pub(super) async fn switch_off(worker: &WebhookWorker, webhook: &Webhook) -> Result<bool, Error> {
    let (account, id) = (webhook.account_id, webhook.id);
    let enabled_at = webhook.enabled_at;
    let is_done = worker.connect.set_up_webhooks(account, |setup| {
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

/// Tells the owner about the switch-off, unless done.
/// Returns the time of the next try, if the mail server did not accept the message.
///
/// The message is marked as sent after it was sent. A process ending in between sends it twice.
pub(super) async fn tell_owner(
    worker: &WebhookWorker,
    webhook: &Webhook,
) -> Result<Option<Timestamp>, Error> {
    // The owner may have switched it on, or deleted it, since it was read.
    let webhooks = worker
        .store()
        .webhooks_of(webhook.account_id.uuid())
        .await?;
    let Some(webhook) = webhooks.find(webhook.id).map(|own| &own.webhook) else {
        return Ok(None);
    };
    let off = webhook.switched_off.as_ref();
    if off.and_then(|off| off.owner_mail) != Some(OwnerMail::Due) {
        return Ok(None);
    }
    let outcome = match &worker.mailer {
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
            let account = worker.connect.account(webhook.account_id).await?;
            let state = WebhookState::key(webhook.id);
            let row = worker.store().get(&state).await?;
            let failing = WebhookState::read(&state, row.as_ref()).failing;
            let pages = worker.pages.as_deref();
            let mail = message(LANGUAGE, &account, webhook, failing.as_ref(), pages);
            let sent = timeout(MAIL_LIMIT, mailer.send(&mail)).await;
            let sent = sent.unwrap_or_else(|_| Err("the mail server took too long".to_owned()));
            if let Err(reason) = sent {
                tracing::error!(%reason, webhook = %webhook.id, "an owner could not be e-mailed");
                return Ok(Some(worker.store().now().plus_seconds(MAIL_PAUSE)));
            }
            OwnerMail::Sent
        }
    };
    let id = webhook.id;
    let marked = worker.connect.set_up_webhooks(webhook.account_id, |setup| {
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

/// The message to the owner, without secrets.
/// It shows the address only up to its query, and only the reason of an attempt.
fn message(
    language: Language,
    account: &Account,
    webhook: &Webhook,
    failing: Option<&Failing>,
    pages: Option<&str>,
) -> Mail {
    let Webhook { id, url, .. } = webhook;
    let address = url.split(['?', '#']).next().unwrap_or_default();
    let line = |text: MailText<'_>| {
        let text = text
            .with("shop", &account.name)
            .with("address", address)
            .with("failures", MAX_FAILURES)
            .with("id", id.to_string());
        text.line(language)
    };
    let failed = match failing {
        None => MailText::of("webhook-off-failed"),
        Some(failing) => {
            MailText::of("webhook-off-failed-since").with("since", to_the_minute(failing.since))
        }
    };
    let reason = failing.and_then(|failing| failing.reason.as_ref());
    let reason = reason.map(|reason| MailText::of("webhook-off-reason").with("reason", reason));
    let kept = MailText::of("webhook-off-kept");
    let next = match pages {
        None => MailText::of("webhook-off-sign-in"),
        Some(pages) => MailText::of("webhook-off-page").with("page", format!("{pages}/{id}")),
    };
    let paragraphs = [Some(failed), reason, Some(kept), Some(next)].into_iter();
    let paragraphs: Vec<String> = paragraphs.flatten().map(line).collect();
    Mail {
        to: account.owner_email().to_owned(),
        subject: line(MailText::of("webhook-off")),
        text: format!("{}\n", paragraphs.join("\n\n")),
    }
}

#[cfg(test)]
mod tests;
