//! Webhooks: made, listed, changed, tested and operated by the operator.

mod command;
mod text;
mod view;

use connect_core::{
    Account, Connect, Error, NewWebhook, WaitingEvents, Webhook, WebhookChange, wire::Id,
};
use serde_json::Value;

pub use self::{
    command::{WebhookChanges, WebhookCommand},
    view::{DeletedWebhook, NewSecret, WebhookView},
};
use super::{
    owners::{account_for, not_found},
    shown_once::ShownOnce,
};
use crate::telemetry::audit::Subject;
use view::WebhookResult;

/// Executes a command.
///
/// # Errors
/// There is no such account, location, webhook or delivery, a value is not allowed, or the webhook
/// is switched off.
pub(super) async fn execute(
    connect: &Connect,
    command: &WebhookCommand,
    subject: &mut Subject,
) -> Result<WebhookResult, Error> {
    use WebhookCommand as Command;
    Ok(match command {
        Command::Create {
            url,
            events,
            locations,
            account,
        } => {
            let account = account_for(connect, *account, locations).await?;
            subject.is_of(account);
            let new = NewWebhook {
                url: url.clone(),
                events: events.clone(),
                location_ids: locations.clone(),
            };
            let issued = connect.create_webhook(account, new).await?;
            subject.is(issued.webhook.id);
            WebhookResult::Secret(NewSecret {
                id: issued.webhook.id,
                secret: ShownOnce::new(issued.secret.expose()),
            })
        }
        Command::List => {
            let mut all = Vec::new();
            for account in connect.account_ids().await? {
                let webhooks = connect.webhooks(account).await?.into_iter();
                all.extend(webhooks.map(WebhookView::new));
            }
            WebhookResult::Webhooks(all)
        }
        Command::Change { id, changes } => {
            subject.is(*id);
            let account = account_of(connect, *id).await?;
            subject.is_of(account);
            let all_locations = changes.all_locations.then(Vec::new);
            let change = WebhookChange {
                url: changes.url.clone(),
                events: changes.events.clone(),
                location_ids: changes.locations.clone().or(all_locations),
            };
            connect.change_webhook(account, *id, change).await?;
            shown(connect, account, *id).await?
        }
        Command::Test { id } => {
            subject.is(*id);
            let account = account_of(connect, *id).await?;
            subject.is_of(account);
            WebhookResult::Delivery(connect.test_webhook(account, *id).await?)
        }
        Command::Roll { id } => {
            subject.is(*id);
            let account = account_of(connect, *id).await?;
            subject.is_of(account);
            let secret = connect.roll_webhook_secret(account, *id).await?;
            WebhookResult::Secret(NewSecret {
                id: *id,
                secret: ShownOnce::new(secret.expose()),
            })
        }
        Command::Enable { id, drop_waiting } => {
            subject.is(*id);
            let account = account_of(connect, *id).await?;
            subject.is_of(account);
            let waiting = if *drop_waiting {
                WaitingEvents::Drop
            } else {
                WaitingEvents::Send
            };
            connect.enable_webhook(account, *id, waiting).await?;
            shown(connect, account, *id).await?
        }
        Command::Disable { id } => {
            subject.is(*id);
            let account = account_of(connect, *id).await?;
            subject.is_of(account);
            connect.disable_webhook(account, *id).await?;
            shown(connect, account, *id).await?
        }
        Command::Delete { id } => {
            subject.is(*id);
            let account = account_of(connect, *id).await?;
            subject.is_of(account);
            connect.delete_webhook(account, *id).await?;
            WebhookResult::Deleted(DeletedWebhook {
                id: *id,
                deleted: true,
            })
        }
        Command::Deliveries { id, limit, before } => {
            subject.is(*id);
            let account = account_of(connect, *id).await?;
            subject.is_of(account);
            let limit = usize::from(*limit);
            WebhookResult::Deliveries(connect.deliveries(account, *id, *before, limit).await?)
        }
        Command::Resend { id, delivery } => {
            subject.is(*id);
            let account = account_of(connect, *id).await?;
            subject.is_of(account);
            WebhookResult::Delivery(connect.resend(account, *id, *delivery).await?)
        }
    })
}

/// Returns the current state of the webhook.
async fn shown(
    connect: &Connect,
    account: Id<Account>,
    id: Id<Webhook>,
) -> Result<WebhookResult, Error> {
    let webhooks = connect.webhooks(account).await?;
    let found = webhooks.into_iter().find(|(webhook, _)| webhook.id == id);
    let found = found.ok_or_else(|| no_webhook(id))?;
    Ok(WebhookResult::Webhook(WebhookView::new(found)))
}

/// Returns the account of a webhook.
async fn account_of(connect: &Connect, id: Id<Webhook>) -> Result<Id<Account>, Error> {
    for account in connect.account_ids().await? {
        match connect.webhook(account, id).await {
            Ok(_) => return Ok(account),
            Err(Error::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Err(no_webhook(id))
}

fn no_webhook(id: Id<Webhook>) -> Error {
    not_found(format!("there is no webhook {id}"))
}

/// Returns the result of a command as text.
///
/// # Errors
/// It is not a result of this command.
pub(super) fn text(command: &WebhookCommand, result: Value) -> serde_json::Result<String> {
    use WebhookCommand as Command;
    use serde_json::from_value;
    Ok(match command {
        Command::Create { .. } => text::created(&from_value(result)?),
        Command::List => text::webhooks(&from_value::<Vec<_>>(result)?),
        Command::Change { .. } | Command::Disable { .. } => text::webhook(&from_value(result)?),
        Command::Test { .. } | Command::Resend { .. } => text::queued(&from_value(result)?),
        Command::Roll { .. } => text::rolled(&from_value(result)?),
        Command::Enable { .. } => text::enabled(&from_value(result)?),
        Command::Delete { .. } => text::deleted(&from_value(result)?),
        Command::Deliveries { .. } => text::deliveries(&from_value::<Vec<_>>(result)?),
    })
}

/// Returns the note for a command executed without a running server.
pub(super) fn without_server(command: &WebhookCommand) -> Option<&'static str> {
    match command {
        WebhookCommand::Test { .. } | WebhookCommand::Resend { .. } => {
            Some("No server runs on this store: the delivery is made when one does.")
        }
        _ => None,
    }
}
