//! The owner's actions on a webhook.

use connect_core::{Error, Webhook, wire::Id};
use maud::html;

use super::{PATH, show, test_event};
use crate::{
    commands::webhooks::WebhookCommand,
    dashboard::{
        Answer, components, layout,
        notices::{self, Notice},
        page_request::SignedIn,
    },
};

/// Sends a ping, or a test event of the chosen type.
pub(crate) async fn test(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let event = test_event::chosen(&to.form);
    match to.execute(WebhookCommand::Test { id, event }).await {
        Ok(_) => Ok(back(id, Notice::PingQueued)),
        Err(error) => {
            components::again(error, async |reason| show::page(to, id, Some(reason)).await).await
        }
    }
}

/// Switches a webhook on.
/// Waiting events are sent, unless the form asks to drop them.
pub(crate) async fn enable(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let drop_waiting = to.form.get("waiting") == "drop";
    to.execute(WebhookCommand::Enable { id, drop_waiting })
        .await?;
    let notice = if drop_waiting {
        Notice::WebhookOnWithout
    } else {
        Notice::WebhookOn
    };
    Ok(back(id, notice))
}

/// Switches a webhook off.
pub(crate) async fn disable(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    to.execute(WebhookCommand::Disable { id }).await?;
    Ok(back(id, Notice::WebhookOff))
}

/// Gives a webhook a new secret, and shows it once.
pub(crate) async fn roll(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Webhook> = components::id(id)?;
    let done = to.execute(WebhookCommand::Roll { id }).await?;
    let content = html! {
        p {
            @if done.is_former_lost { (text!("webhooks-rolled-lost")) }
            @else { (text!("webhooks-rolled")) }
        }
        (components::shown_once(&text!("webhooks-new-secret"), done.secret.as_ref()))
        p { a href={ (PATH) "/" (id) } { (text!("webhooks-back")) } }
    };
    Ok(layout::page(
        to,
        PATH,
        &text!("webhooks-roll-title"),
        content,
    ))
}

/// Removes a webhook.
pub(crate) async fn delete(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    to.execute(WebhookCommand::Delete { id }).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::WebhookDeleted)))
}

/// Sends a delivery again.
pub(crate) async fn resend(to: &SignedIn<'_>, id: &str, delivery: &str) -> Result<Answer, Error> {
    let (id, delivery) = (components::id(id)?, components::id(delivery)?);
    to.execute(WebhookCommand::Resend { id, delivery }).await?;
    Ok(back(id, Notice::Resent))
}

fn back(id: Id<Webhook>, notice: Notice) -> Answer {
    Answer::redirect(&notices::at(&format!("{PATH}/{id}"), notice))
}
