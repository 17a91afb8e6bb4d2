//! Pages of the log by filters: no delivery is lost, and none comes twice.

use connect_core::{Delivery, DeliveryFilter, DeliveryStatus};
use serde_json::json;

use super::Scene;
use crate::shop::START;

const STATUSES: [(&str, DeliveryStatus); 3] = [
    ("delivered", DeliveryStatus::Delivered),
    ("given_up", DeliveryStatus::GivenUp),
    ("pending", DeliveryStatus::Pending),
];

/// What a filter says, without the order and the pages of a log.
fn takes(filter: &DeliveryFilter, of: &Delivery) -> bool {
    filter.status.is_none_or(|status| status == of.status)
        && (filter.event.as_ref()).is_none_or(|event| *event == of.event_type)
        && filter.since.is_none_or(|since| since <= of.created_at)
        && filter.until.is_none_or(|until| of.created_at < until)
}

#[tokio::test]
async fn pages_of_each_filter_have_each_delivery_once() {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    let rows: Vec<_> = (0..300_u64)
        .map(|number| {
            let (status, _) = STATUSES[[0, 0, 1, 0, 0, 2, 0][number as usize % 7]];
            let event = ["order.created", "stock.changed", "ping"][number as usize % 11 % 3];
            // Two clocks, one of them behind by a second.
            let second = number as i64 * 60 - number as i64 % 2 * 61;
            let fields = json!({
                "status": status, "eventType": event, "createdAt": START.plus_seconds(second),
            });
            (number, fields)
        })
        .collect();
    let mut all = scene.write_log(&webhook, &rows).await;
    all.reverse();

    let (connect, account) = (scene.connect(), scene.shop.account);
    let statuses = STATUSES.map(|(_, status)| Some(status));
    let times = |second: i64| Some(START.plus_seconds(second));
    let mut pages = 0;
    for status in statuses.into_iter().chain([None]) {
        for event in [None, Some("stock.changed"), Some("ping"), Some("never")] {
            for (since, until) in [
                (None, None),
                (times(6000), None),
                (None, times(6000)),
                (times(6000), times(6060)),
                (times(3001), times(12_001)),
                (times(90_000), None),
                (None, times(-61)),
            ] {
                let event = event.map(Into::into);
                let filter = DeliveryFilter {
                    status,
                    event,
                    since,
                    until,
                };
                let expected = all.iter().filter(|of| takes(&filter, of));
                let expected: Vec<_> = expected.cloned().collect();
                for limit in [1, 3, 25, 500] {
                    let (mut seen, mut before) = (Vec::new(), None);
                    loop {
                        let page = connect.deliveries(account, webhook.id, &filter, before, limit);
                        let page = page.await.unwrap();
                        assert!(page.deliveries.len() <= limit.min(200));
                        // No page is empty: all of the log is within the bound of a call.
                        assert!(before.is_none() || !page.deliveries.is_empty());
                        seen.extend(page.deliveries);
                        pages += 1;
                        before = page.next;
                        if before.is_none() {
                            break;
                        }
                    }
                    assert_eq!(seen, expected, "{filter:?}, {limit}");
                }
            }
        }
    }
    assert!(pages > 1000, "{pages}");
}

/// One call looks at a part of a long log, and tells where to go on.
#[tokio::test]
async fn a_rare_result_in_a_long_log_is_reached_by_pages() {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    let rows: Vec<_> = (0..20_900_u64)
        .map(|number| match number {
            0 | 20_800 => (number, json!({ "status": "given_up" })),
            _ => (number, json!({})),
        })
        .collect();
    scene.write_log(&webhook, &rows).await;
    let (connect, account) = (scene.connect(), scene.shop.account);
    let filter = DeliveryFilter {
        status: Some(DeliveryStatus::GivenUp),
        ..DeliveryFilter::default()
    };
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let page = connect.deliveries(account, webhook.id, &filter, before, 25);
        let page = page.await.unwrap();
        found.push(page.deliveries.len());
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(found, [1, 1]);
    let all = DeliveryFilter::default();
    let page = connect.deliveries(account, webhook.id, &all, None, 25);
    assert_eq!(page.await.unwrap().deliveries.len(), 25);
}
