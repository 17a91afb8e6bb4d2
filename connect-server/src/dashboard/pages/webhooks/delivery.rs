//! The page of one delivery: its request, and attempts with answers.

use connect_core::{Delivery, DeliveryAttempt, Error, Webhook, wire::Id};
use maud::{Markup, html};
use serde_json::Value;

use super::{PATH, deliveries};
use crate::dashboard::{Answer, components, layout, messages::problems, page_request::SignedIn};

/// Shows the page.
pub(crate) async fn show(to: &SignedIn<'_>, id: &str, delivery: &str) -> Result<Answer, Error> {
    let (id, delivery): (Id<Webhook>, Id<Delivery>) =
        (components::id(id)?, components::id(delivery)?);
    let account = to.account().id;
    let webhook = to.connect.webhook(account, id).await?;
    let found = to.connect.delivery_with_body(account, id, delivery);
    let (delivery, body) = found.await?;
    let content = html! {
        dl.facts {
            dt { (text!("word-result")) } dd { (deliveries::status(&delivery)) (replacement(&delivery)) }
            dt { (text!("webhooks-event")) }
            dd { code { (delivery.event_id) } (deliveries::test_tag(&delivery)) }
            @if let Some(location) = location(to, &delivery) {
                dt { (text!("word-location")) } dd { (location) }
            }
            dt { (text!("webhooks-made")) } dd { (components::time(delivery.created_at)) }
            dt { (text!("webhooks-webhook")) } dd { a href={ (PATH) "/" (webhook.id) } { (webhook.url) } }
        }
        @if delivery.is_test { p.hint { (text!("webhooks-test-about")) } }
        div.actions { (deliveries::resend(to, &webhook, &delivery)) }
        h2 { (text!("webhooks-attempts")) }
        @for attempt in delivery.attempts.iter().rev() { (attempted(attempt)) }
        h2 { (text!("tokens-request")) }
        p.hint { (text!("webhooks-request-about")) }
        (request(&webhook.url, &delivery, body.as_deref()))
    };
    let title = text!("webhooks-delivery-of", event = delivery.event_type.as_str());
    Ok(layout::page(to, PATH, &title, content))
}

/// The link to the delivery in place of this one.
fn replacement(delivery: &Delivery) -> Markup {
    html! {
        @if let Some(by) = delivery.replaced_by {
            " " a href={ (PATH) "/" (delivery.webhook_id) "/deliveries/" (by) } {
                (text!("webhooks-see-replacement"))
            }
        }
    }
}

/// The name of the location of the event.
fn location<'t>(to: &'t SignedIn<'_>, delivery: &Delivery) -> Option<&'t str> {
    let mut locations = to.account().locations.iter();
    let found = locations.find(|location| Some(location.id) == delivery.location_id);
    found.map(|location| &*location.name)
}

fn attempted(attempt: &DeliveryAttempt) -> Markup {
    let time = |_: &str| components::time(attempt.at);
    let ms = attempt.duration_ms.to_string();
    let outcome = match attempt.status_code {
        Some(code) => {
            let code = code.to_string();
            marked!("webhooks-answered", [status = code, ms = ms], time = time)
        }
        None => marked!("webhooks-unanswered", [ms = ms], time = time),
    };
    html! {
        section.attempt {
            p { (outcome) }
            @if let Some(reason) = &attempt.reason {
                p { (components::sentence(&problems::translated(reason))) }
            }
            @if let Some(response) = &attempt.response { pre tabindex="0" { code { (response) } } }
        }
    }
}

/// The request as sent by each attempt.
/// Its signature depends on the time, so it is not shown.
fn request(url: &str, delivery: &Delivery, body: Option<&[u8]>) -> Markup {
    let head = format!(
        "POST {url}\nContent-Type: application/json\nUser-Agent: Connect-Webhooks/1\nService-Event-Id: {}\nService-Delivery-Id: {}\n\
         Service-Signature: t=...,v1=...{}",
        delivery.event_id,
        delivery.id,
        if delivery.is_test {
            "\nService-Test: true"
        } else {
            ""
        },
    );
    let body = match body {
        Some(body) => serde_json::from_slice(body).map_or_else(
            |_| String::from_utf8_lossy(body).into_owned(),
            |json: Value| format!("{json:#}"),
        ),
        None if delivery.location_id.is_some() => text!("webhooks-event-removed").into_owned(),
        None => String::new(),
    };
    html! { pre tabindex="0" { code { (head) "\n\n" (body) } } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_became_of_an_event_is_told() {
        let id = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
        for (event, location, is_removed, outcome) in [
            ("ping", Value::Null, false, "sent again"),
            ("order.created", id.into(), true, "sent again"),
            (
                "stock.changed",
                id.into(),
                true,
                "a newer one took its place",
            ),
        ] {
            let delivery = json!({
                "id": id, "webhookId": id, "eventId": id, "eventType": event,
                "locationId": location, "status": "given_up", "attempts": [], "nextAttemptAt": null,
                "createdAt": "2026-11-20T09:15:30Z", "replacedBy": id,
            });
            let delivery = serde_json::from_value(delivery).unwrap();
            let shown = request("https://hooks.example/in", &delivery, None).into_string();
            assert_eq!(shown.contains("older than 30 days"), is_removed, "{shown}");
            let shown = deliveries::status(&delivery).into_string();
            assert!(shown.contains(outcome), "{shown}");
        }
    }
}
