//! Daily summaries (specification: Daily summary).

use serde::{Deserialize, Serialize};

use super::{Date, Totals};

/// The sales and refunds of one day. It exists for every day, with zeros for one without rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DailySummary {
    /// The day, in the location's time zone.
    pub date: Date,
    /// The time zone: always `Europe/Amsterdam`.
    pub time_zone: String,
    /// The ISO code of the location's currency.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z]{3}$")))]
    pub currency: String,
    /// The sums of the rows that happened on this day.
    #[serde(flatten)]
    pub totals: Totals,
    /// The highest receipt number of the day's rows so far: whoever has the journal up to there can
    /// compute the same. `null` for a day without rows.
    pub last_receipt_number: Option<u64>,
}
