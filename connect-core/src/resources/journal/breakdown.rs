//! The journal of a short period by hour and by article.

use chrono::Timelike as _;

use super::articles::{ArticleTotals, Articles};
use crate::{
    engine::Rows,
    rules::zone,
    transaction::Error,
    wire::{
        Totals, Transaction, TransactionType,
        limits::MAX_PAGE_SIZE,
        query::{Period, TransactionQuery},
    },
};

/// The sums of a journal's rows, by hour and by article.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalBreakdown {
    /// The sums of all rows.
    pub totals: Totals,
    /// The sums of each hour from 0 to 23, of all days together.
    pub hours: [Totals; 24],
    /// The articles sold or taken back, the highest amount first.
    pub articles: Vec<ArticleTotals>,
}

/// Sums the rows of a period, read a page at a time.
pub(in crate::resources) async fn breakdown(
    rows: &Rows<Transaction>,
    period: Period,
) -> Result<JournalBreakdown, Error> {
    let mut sums = JournalBreakdown::default();
    let mut articles = Articles::default();
    let mut query = TransactionQuery {
        period,
        ..TransactionQuery::default()
    };
    query.paging.limit = Some(MAX_PAGE_SIZE);
    loop {
        let page = rows.list(&query).await?;
        for row in &page.data {
            sums.totals.add(row);
            let hour = zone::local_time(row.created_at).hour();
            if let Some(of_hour) = sums.hours.get_mut(hour as usize) {
                of_hour.add(row);
            }
            if matches!(row.kind, TransactionType::Sale | TransactionType::Refund) {
                row.lines.iter().for_each(|line| articles.add_line(line));
            }
        }
        match page.next_cursor {
            Some(cursor) => query.paging.cursor = Some(cursor),
            None => break,
        }
    }
    sums.articles = articles.sorted();
    Ok(sums)
}
