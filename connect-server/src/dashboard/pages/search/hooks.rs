//! Hits among webhooks and their deliveries.

use connect_core::{Error, wire::Id};

use super::{
    hits::{Hit, HitGroup},
    sought::Sought,
};
use crate::dashboard::{messages::dates, page_request::SignedIn};

const PATH: &str = "/dashboard/webhooks";

/// Finds webhooks by a part of their address, or by id.
pub(super) async fn webhooks(to: &SignedIn<'_>, sought: &Sought<'_>) -> Result<HitGroup, Error> {
    let all = to.connect.webhooks(to.account().id).await?;
    let all = all.iter().map(|(webhook, _)| webhook);
    let found = all.filter(|it| sought.is_id(it.id) || sought.is_in(&it.url));
    let hits = found.map(|webhook| {
        let address = format!("{PATH}/{}", webhook.id);
        let is_exact = sought.is_id(webhook.id) || sought.is(&webhook.url);
        Hit::new(&*webhook.url, address).exact(is_exact)
    });
    let title = text!("section-webhooks");
    Ok(HitGroup::of(title, hits.collect(), Some(PATH)))
}

/// Finds a delivery by its id.
pub(super) async fn deliveries(to: &SignedIn<'_>, sought: &Sought<'_>) -> Result<HitGroup, Error> {
    let found = match sought.id {
        Some(id) => {
            to.connect
                .find_delivery(to.account().id, Id::new(id))
                .await?
        }
        None => None,
    };
    let hits = found.iter().map(|delivery| {
        let event = delivery.event_type.as_str();
        let title = text!("webhooks-delivery-of", event = event);
        let address = format!("{PATH}/{}/deliveries/{}", delivery.webhook_id, delivery.id);
        let time = dates::date_time(delivery.created_at);
        Hit::new(title, address).with([&*time]).exact(true)
    });
    let title = text!("word-deliveries");
    Ok(HitGroup::of(title, hits.collect(), None))
}
