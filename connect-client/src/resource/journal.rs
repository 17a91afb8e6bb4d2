//! Following the journal of a location, and the sums of its days.

use super::{Listing, Records};
use crate::{
    Call, LocationHandle,
    call::request::Request,
    wire::{
        DailySummary, Date, Transaction,
        query::{DailySummaryQuery, Moment, Period, TransactionQuery},
    },
};

impl Records<Transaction> {
    /// The journal rows after the one with this receipt number, in their order; from the beginning
    /// when it is 0.
    ///
    /// To follow the journal, store the receipt number of each row together with what came of it,
    /// and begin there the next time. Rows never change and their numbers have no gaps, so nothing
    /// is missed and nothing comes twice, also of a register that was offline.
    ///
    /// ```no_run
    /// # use connect_client::{Client, Error, Uuid};
    /// # async fn example(client: Client, location: Uuid, last: &mut u64) -> Result<(), Error> {
    /// let mut rows = client.location(location).transactions().after(*last);
    /// while let Some(row) = rows.next().await {
    ///     let row = row?;
    ///     println!("{}: {} cents", row.receipt_number, row.total_cents);
    ///     *last = row.receipt_number;
    /// }
    /// # Ok(()) }
    /// ```
    pub fn after(&self, receipt_number: u64) -> Listing<Transaction> {
        self.stream(&TransactionQuery {
            since_receipt: Some(receipt_number),
            ..TransactionQuery::default()
        })
    }

    /// The journal rows that happened on one day in the location's time zone, by receipt number.
    pub fn of_day(&self, day: Date) -> Listing<Transaction> {
        self.stream(&TransactionQuery {
            period: Period {
                from: Some(Moment::Day(day)),
                to: Some(Moment::Day(day)),
            },
            ..TransactionQuery::default()
        })
    }
}

impl LocationHandle {
    /// The sales and refunds of one day, summed up; of today when `day` is `None`.
    ///
    /// Whoever has the rows of the day up to the summary's `last_receipt_number` computes the same:
    ///
    /// ```no_run
    /// # use connect_client::{Client, Error, Uuid, wire::{Date, Totals}};
    /// # async fn example(client: Client, location: Uuid, day: Date) -> Result<(), Error> {
    /// let location = client.location(location);
    /// let summary = location.daily_summary(Some(day)).await?;
    ///
    /// let mut rows = location.transactions().of_day(day).all().await?;
    /// // Some may have arrived since the summary was read.
    /// rows.retain(|row| Some(row.receipt_number) <= summary.last_receipt_number);
    ///
    /// let mut totals = Totals::default();
    /// totals.extend(&rows);
    /// assert_eq!(totals, summary.totals);
    /// # Ok(()) }
    /// ```
    pub fn daily_summary(&self, day: Option<Date>) -> Call<DailySummary> {
        let path = format!("/locations/{}/daily-summary", self.id());
        let query = DailySummaryQuery { date: day };
        Call::record(self.client(), Ok(Request::list(path, &query)))
    }
}
