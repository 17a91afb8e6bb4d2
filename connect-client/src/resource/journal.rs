//! The journal of a location, and its daily totals.

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
    /// Lists the journal rows after a receipt number, in order.
    /// 0 starts at the beginning.
    ///
    /// To follow the journal, store the receipt number of each row together with the result of handling
    /// it, and start there the next time. Rows never change and their numbers have no gaps, so no row
    /// is missed and none comes twice, even from a register after an offline period.
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

    /// Lists the journal rows of one day, by receipt number.
    /// The day is in the location's time zone.
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
    /// Returns the totals of one day's sales and refunds.
    /// `None` means today.
    ///
    /// The rows of the day up to the summary's `last_receipt_number` give the same totals:
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
