//! Z reports: the cash that was counted, and the list by days.

use connect_core::{
    ScreenType,
    wire::{TransactionInput, ZReportInput, query::ZReportQuery},
};

use crate::shop::Shop;

#[tokio::test]
async fn a_report_tells_what_is_missing_in_the_till() {
    let shop = Shop::open().await;
    let till = shop.screen(ScreenType::Pos, "Till").await;
    let here = shop.connect.location(&till);
    let mut made = Vec::new();
    for (counted, difference) in [(Some(480), Some(-20)), (Some(530), Some(30)), (None, None)] {
        let row = br#"{ "type": "cash_in", "totalCents": 500,
                        "payments": [{ "method": "cash", "amountCents": 500 }] }"#;
        let row = TransactionInput::from_json(row).unwrap();
        here.transactions().write(row).await.unwrap();
        let input = match counted {
            Some(cents) => format!(r#"{{ "countedCents": {cents} }}"#),
            None => "{}".to_owned(),
        };
        let input: ZReportInput = serde_json::from_str(&input).unwrap();
        let report = here.z_reports().close(input).await.unwrap();
        let cash = &report.cash;
        assert_eq!(cash.expected_cents, 500);
        assert_eq!(
            (cash.counted_cents, cash.difference_cents),
            (counted, difference)
        );
        made.push(report);
        shop.clock.advance(86_400);
    }
    let day = |place: usize| made[place].closed_at.to_string().parse().ok();
    let listed = async |from: Option<usize>, to: Option<usize>| {
        let mut query = ZReportQuery::default();
        query.period.from = from.and_then(day);
        query.period.to = to.and_then(day);
        let page = here.z_reports().list(&query).await.unwrap();
        page.data
            .into_iter()
            .map(|report| report.number)
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(None, None).await, [1, 2, 3]);
    assert_eq!(listed(Some(1), None).await, [2, 3]);
    assert_eq!(listed(Some(1), Some(2)).await, [2]);
    assert_eq!(listed(None, Some(1)).await, [1]);
    // Without a row since, the period began with the last report.
    let idle = here.z_reports().close(ZReportInput::default());
    assert_eq!(idle.await.unwrap().opened_at, made[2].closed_at);
}
