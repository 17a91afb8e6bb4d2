//! Deliveries sent again, and the report about it.

use connect_core::{Delivery, Error, Reason, Resent, Webhook, wire::Id};
use maud::{Markup, html};

use super::{
    PATH,
    filters::DeliveryFilters,
    resend::{self, ResendRequest},
};
use crate::dashboard::{Answer, components, page_request::SignedIn};

/// Sends the chosen deliveries again.
pub(crate) async fn chosen(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Webhook> = components::id(id)?;
    let account = to.account().id;
    let webhook = to.connect.webhook(account, id).await?;
    let chosen = resend::chosen(&to.form);
    let resent = to.connect.resend_many(account, id, &chosen).await;
    match resent {
        Ok(resent) => Ok(report(to, &webhook, &resent, html! {})),
        Err(error) => {
            let again =
                async |reason: &Reason| Ok(resend::page(to, &webhook, Some(reason), html! {}));
            components::again(error, again).await
        }
    }
}

/// Sends again the deliveries that were given up in a period.
pub(crate) async fn failed(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Webhook> = components::id(id)?;
    let webhook = to.connect.webhook(to.account().id, id).await?;
    match send(to, id).await {
        Ok((request, resent)) => {
            let rest = html! {
                @if let Some(next) = resent.next { (rest(to, &webhook, &request, &resent, next)) }
            };
            Ok(report(to, &webhook, &resent, rest))
        }
        Err(error) => resend::refused(to, &webhook, &to.form, error).await,
    }
}

async fn send(to: &SignedIn<'_>, id: Id<Webhook>) -> Result<(ResendRequest, Resent), Error> {
    let request = ResendRequest::read(&to.form)?;
    let (account, since, until) = (to.account().id, request.since(), request.until());
    let resent = to
        .connect
        .resend_given_up(account, id, since, until, request.go_on);
    Ok((request, resent.await?))
}

/// Shows the number sent again. `rest` leads on to further ones.
fn report(to: &SignedIn<'_>, webhook: &Webhook, resent: &Resent, rest: Markup) -> Answer {
    let back = DeliveryFilters::of(to).here(webhook);
    let content = html! {
        p.notice role="status" { (text!("webhooks-resent", count = resent.sent)) }
        (resend::passed_over(resent))
        (rest)
        p { a href=(back) { (text!("webhooks-back")) } }
    };
    resend::page(to, webhook, None, content)
}

/// The form to go on with earlier deliveries.
fn rest(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    request: &ResendRequest,
    resent: &Resent,
    next: Id<Delivery>,
) -> Markup {
    let action = format!("{PATH}/{}/resend-failed", webhook.id);
    let action = DeliveryFilters::of(to).kept_by(&action);
    html! {
        p { (text!("webhooks-resend-rest", count = resent.left)) }
        (components::form(&action, &to.csrf, html! {
            (request.fields(Some(next)))
            button { (text!("webhooks-resend-next")) }
        }))
    }
}
