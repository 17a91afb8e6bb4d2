//! Daily summaries (specification: Daily summary).

use serde::{Deserialize, Serialize};

use super::{Date, Totals};

/// The sales and refunds of one day.
/// It exists for every day; a day without rows has zeros.
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
    /// The sums of this day's rows.
    #[serde(flatten)]
    pub totals: Totals,
    /// The highest receipt number of the day's rows so far.
    /// A copy of the journal up to this number gives the same sums. `null` for a day without rows.
    pub last_receipt_number: Option<u64>,
}
