//! Webhooks: made, listed, changed, tested and operated.

mod command;
mod text;
mod view;

use connect_core::{
    Account, Connect, DeliveryFilter, Error, NewWebhook, WaitingEvents, Webhook, WebhookChange,
    wire::Id,
};
use serde_json::Value;

pub use self::{
    command::{WebhookChanges, WebhookCommand},
    view::{DeletedWebhook, NewSecret, WebhookView},
};
use super::execution::{Execution, OfAccount, Shown, known, missing, shown};
use crate::telemetry::audit::Action;

impl OfAccount for Webhook {
    const NAME: &'static str = "webhook";

    async fn is_of(id: Id<Self>, account: Id<Account>, connect: &Connect) -> Result<bool, Error> {
        match connect.webhook(account, id).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Executes a command.
///
/// # Errors
/// There is no such account, location, webhook or delivery, a value is not allowed, or the webhook
/// is switched off.
pub(super) async fn execute<'a>(
    command: &WebhookCommand,
    to: &mut Execution<'a>,
) -> Result<Shown<'a>, Error> {
    use WebhookCommand as Command;
    let connect = to.connect;
    Ok(match command {
        Command::Create {
            url,
            events,
            locations,
            account,
        } => {
            let account = to
                .new_in(Action::CreateWebhook, *account, locations)
                .await?;
            let new = NewWebhook {
                url: url.clone(),
                events: events.clone(),
                location_ids: locations.clone(),
            };
            let issued = connect.create_webhook(account, new).await?;
            to.subject.is(issued.webhook.id);
            known(NewSecret {
                id: issued.webhook.id,
                secret: to.show_once(&issued.secret),
                former_lost: false,
            })
        }
        Command::List => {
            let mut all = Vec::new();
            for account in to.accounts().await? {
                all.extend(views(connect, account).await?);
            }
            known(all)
        }
        Command::Change { id, changes } => {
            let account = to.on(Action::ChangeWebhook, *id).await?;
            let all_locations = changes.all_locations.then(Vec::new);
            let change = WebhookChange {
                url: changes.url.clone(),
                events: changes.events.clone(),
                location_ids: changes.locations.clone().or(all_locations),
            };
            connect.change_webhook(account, *id, change).await?;
            shown(view(connect, account, *id))
        }
        Command::Test { id, event } => {
            let account = to.on(Action::TestWebhook, *id).await?;
            let delivery = match event {
                Some(event) => connect.test_webhook_event(account, *id, event).await?,
                None => connect.test_webhook(account, *id).await?,
            };
            known(delivery)
        }
        Command::Roll { id } => {
            let account = to.on(Action::RollWebhookSecret, *id).await?;
            let rolled = connect.roll_webhook_secret(account, *id).await?;
            to.is_former_lost = rolled.is_former_lost;
            known(NewSecret {
                id: *id,
                secret: to.show_once(&rolled.secret),
                former_lost: rolled.is_former_lost,
            })
        }
        Command::Enable { id, drop_waiting } => {
            let account = to.on(Action::EnableWebhook, *id).await?;
            let waiting = if *drop_waiting {
                WaitingEvents::Drop
            } else {
                WaitingEvents::Send
            };
            connect.enable_webhook(account, *id, waiting).await?;
            shown(view(connect, account, *id))
        }
        Command::Disable { id } => {
            let account = to.on(Action::DisableWebhook, *id).await?;
            connect.disable_webhook(account, *id).await?;
            shown(view(connect, account, *id))
        }
        Command::Delete { id } => {
            let account = to.on(Action::DeleteWebhook, *id).await?;
            connect.delete_webhook(account, *id).await?;
            known(DeletedWebhook {
                id: *id,
                deleted: true,
            })
        }
        Command::Deliveries { id, limit, before } => {
            let account = to.find(*id).await?;
            let (all, limit) = (DeliveryFilter::default(), usize::from(*limit));
            let page = connect.deliveries(account, *id, &all, *before, limit);
            known(page.await?.deliveries)
        }
        Command::Resend { id, delivery } => {
            let account = to.on(Action::ResendDeliveries, *id).await?;
            known(connect.resend(account, *id, *delivery).await?)
        }
    })
}

/// Returns the current state of the webhook.
async fn view(
    connect: &Connect,
    account: Id<Account>,
    id: Id<Webhook>,
) -> Result<WebhookView, Error> {
    let mut views = views(connect, account).await?.into_iter();
    let found = views.find(|view| view.webhook.id == id);
    found.ok_or_else(|| missing(id))
}

/// Returns the current state of all webhooks of an account.
async fn views(connect: &Connect, account: Id<Account>) -> Result<Vec<WebhookView>, Error> {
    let webhooks = connect.webhooks(account).await?.into_iter();
    let unsigned = connect.unsigned_webhooks(account).await?;
    let view = |(webhook, health): (Webhook, _)| {
        let is_unsigned = unsigned.contains(&webhook.id);
        WebhookView::new(webhook, health, is_unsigned)
    };
    Ok(webhooks.map(view).collect())
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
