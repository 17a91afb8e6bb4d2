//! The endpoint of the journal besides lists and rows.

use connect_core::{
    Refusal,
    wire::{Scope, query::DailySummaryQuery},
};
use http::Method;

use super::crud::below_location;
use crate::api::endpoint::{AtLocation, Call, Needs, Operation, Reply, Route};

/// The scope to read the journal.
pub(super) static JOURNAL: Needs = Needs::Scope(Scope::PosRead);

/// Read the sums of a day.
pub(super) fn daily_summary(segment: &str) -> Vec<Route> {
    let operation = Operation::new(
        "getDailySummary",
        "DailySummaries",
        "Get the daily summary",
        "DailySummarySingle",
    );
    vec![Route::new(
        Method::GET,
        below_location(segment),
        JOURNAL.clone(),
        operation.with_query::<DailySummaryQuery>(),
        read,
    )]
}

async fn read(call: Call<AtLocation>) -> Result<Reply, Refusal> {
    let query = call.query()?;
    let summary = call.location().daily_summary_json(&query).await?;
    Ok(summary.into())
}
