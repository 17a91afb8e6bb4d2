//! Query strings.

use std::fmt::Debug;

use connect_core::wire::query::{
    CategoryQuery, DailySummaryQuery, EventQuery, ImageJobQuery, NoQuery, OptionGroupQuery,
    OrderQuery, Period, ProductQuery, Query, StockLevelQuery, StockMovementQuery, TransactionQuery,
    ZReportQuery,
};

use super::oracle::check_refusal;
use crate::{Target, Verdict};

/// Returns a target for each query.
pub(super) fn targets() -> Vec<Target> {
    vec![
        target::<NoQuery>("query-none", &[""]),
        target::<Period>(
            "query-period",
            &["from=2026-11-20&to=2026-11-20T09%3A15%3A30Z"],
        ),
        target::<ProductQuery>(
            "query-products",
            &[
                "limit=7&cursor=01ab&updatedSince=2026-11-20T09:15:30%2B01:00&includeDeleted=true&barcode=871+2&categoryId=01234567-89ab-7def-8123-456789abcdef&externalId=R%C3%A9",
            ],
        ),
        target::<CategoryQuery>("query-categories", &["limit=200&includeDeleted=false"]),
        target::<OptionGroupQuery>("query-groups", &["externalId=SAUCES"]),
        target::<StockLevelQuery>("query-stock", &["updatedSince=2026-11-20T09:15:30Z"]),
        target::<OrderQuery>("query-orders", &["status=new&source=kiosk&from=2026-11-20"]),
        target::<ImageJobQuery>("query-images", &["status=failed"]),
        target::<EventQuery>(
            "query-events",
            &["type=order.created&after=01234567-89ab-7def-8123-456789abcdef"],
        ),
        target::<TransactionQuery>(
            "query-journal",
            &["type=sale&sinceReceipt=0017&from=2026-11-20"],
        ),
        target::<ZReportQuery>("query-z-reports", &["from=2026-11-20&to=2026-11-20"]),
        target::<StockMovementQuery>(
            "query-movements",
            &["productId=01234567-89ab-7def-8123-456789abcdef&type=count"],
        ),
        target::<DailySummaryQuery>("query-summary", &["date=2026-11-20"]),
    ]
}

fn target<Q: Query + PartialEq + Debug>(name: &str, seeds: &[&str]) -> Target {
    let words: Vec<_> = Q::PARAMETERS.iter().map(|known| known.name).collect();
    Target::new(name, seeds, &words, read::<Q>)
}

fn read<Q: Query + PartialEq + Debug>(query: &[u8]) -> Verdict {
    // A URI is ASCII, but embedders may pass any bytes.
    let Ok(query) = std::str::from_utf8(query) else {
        return Verdict::Refused;
    };
    match Q::parse(query) {
        Ok(parsed) => {
            let written = parsed.to_query();
            assert_eq!(
                Q::parse(&written).as_ref(),
                Ok(&parsed),
                "written as {written}"
            );
            Verdict::Taken
        }
        Err(refused) => {
            check_refusal(&refused);
            Verdict::Refused
        }
    }
}
