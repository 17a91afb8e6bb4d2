//! The owner's actions on a webhook.

use connect_core::{Delivery, Error, WaitingEvents, Webhook, wire::Id};
use maud::html;

use super::{PATH, resend_failed::ResendRequest, show};
use crate::dashboard::{
    Answer, components, layout,
    notices::{self, Notice},
    page_request::SignedIn,
};

/// Sends a ping.
pub(crate) async fn test(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    to.connect.test_webhook(to.owner.account().id, id).await?;
    Ok(back(id, Notice::PingQueued))
}

/// Switches a webhook on.
/// Waiting events are sent, unless the form asks to drop them.
pub(crate) async fn enable(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let (waiting, notice) = match to.form.get("waiting") {
        "drop" => (WaitingEvents::Drop, Notice::WebhookOnWithout),
        _ => (WaitingEvents::Send, Notice::WebhookOn),
    };
    let account = to.owner.account().id;
    to.connect.enable_webhook(account, id, waiting).await?;
    Ok(back(id, notice))
}

/// Switches a webhook off.
pub(crate) async fn disable(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    to.connect
        .disable_webhook(to.owner.account().id, id)
        .await?;
    Ok(back(id, Notice::WebhookOff))
}

/// Gives a webhook a new secret, and shows it once.
pub(crate) async fn roll(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Webhook> = components::id(id)?;
    let account = to.owner.account().id;
    let secret = to.connect.roll_webhook_secret(account, id).await?;
    let content = html! {
        p {
            "For 24 hours deliveries are signed with the new secret and with the one before, so that \
             the receiver can be given the new one in the meantime."
        }
        (components::shown_once("The new secret", secret.expose()))
        p { a href={ (PATH) "/" (id) } { "Back to the webhook" } }
    };
    Ok(layout::page(to, PATH, "New secret of a webhook", content))
}

/// Removes a webhook.
pub(crate) async fn delete(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    to.connect.delete_webhook(to.owner.account().id, id).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::WebhookDeleted)))
}

/// Sends a delivery again.
pub(crate) async fn resend(to: &SignedIn<'_>, id: &str, delivery: &str) -> Result<Answer, Error> {
    let (id, delivery): (Id<Webhook>, Id<Delivery>) =
        (components::id(id)?, components::id(delivery)?);
    let account = to.owner.account().id;
    to.connect.resend(account, id, delivery).await?;
    Ok(back(id, Notice::Resent))
}

/// Sends again all deliveries given up since a time.
pub(crate) async fn resend_failed(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let account = to.owner.account().id;
    let resent = match ResendRequest::read(&to.form) {
        Ok(request) => {
            let resent = to
                .connect
                .resend_given_up(account, id, request.since, request.before);
            resent.await.map(|resent| request.answer(id, &resent))
        }
        Err(error) => Err(error),
    };
    match resent {
        Ok(answer) => Ok(answer),
        Err(error) => {
            components::again(error, async |reason| show::page(to, id, Some(reason)).await).await
        }
    }
}

fn back(id: Id<Webhook>, notice: Notice) -> Answer {
    Answer::redirect(&notices::at(&format!("{PATH}/{id}"), notice))
}
