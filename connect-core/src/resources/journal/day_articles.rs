//! The sold articles of each day, summed when first asked for.
//!
//! The row of a day names the last receipt in it. Receipt numbers only grow, so a day without a later receipt
//! has the same rows, and a day with one is summed again.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    articles::{ArticleTotals, Articles},
    breakdown::breakdown,
    days::{day_key, day_number},
};
use crate::{
    auth::Access,
    engine::{Connect, Rows},
    rules::zone,
    storage::{Key, Read, Value},
    transaction::{
        End, Error, Fault,
        keys::{Family, KeyPart, key},
    },
    wire::{
        DailySummary, Date, Transaction,
        query::{Moment, Period},
    },
};

/// The days stored by one commit.
const DAYS_STORED: usize = 31;

/// The most receipts summed for one answer.
const MOST_RECEIPTS: u64 = 20_000;

/// The most articles of a stored day. Receipts with free texts have any number.
const MOST_ARTICLES: usize = 2_000;

/// The sums of the articles of several days.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoldArticles {
    /// The articles, the highest amount first.
    pub articles: Vec<ArticleTotals>,
    /// The days left out, as too many receipts were to be summed at once.
    /// The next call has more of them.
    pub missing_days: usize,
}

/// The articles of a day, as stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DayArticles {
    /// The last receipt number of the summed rows.
    pub(crate) last_receipt_number: u64,
    pub(crate) articles: Vec<ArticleTotals>,
}

/// The key of the articles of a day.
fn articles_key(location: Uuid, day: Date) -> Key {
    let day = KeyPart::Number(day_number(day));
    key(location, Family::DayArticles, &[day])
}

/// Returns the articles of these days together.
pub(in crate::resources) async fn articles(
    connect: &Connect,
    access: &Access,
    rows: &Rows<Transaction>,
    days: &[Date],
) -> Result<SoldArticles, Error> {
    let location = access.partition();
    let keys: Vec<_> = days
        .iter()
        .flat_map(|day| [day_key(location, *day), articles_key(location, *day)])
        .collect();
    let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
    let mut state = connect.store().read(&reads).await?;
    let today = zone::day_of(connect.now());
    let (mut sums, mut missing_days, mut summed) = (Articles::default(), 0, 0);
    let mut new = Vec::new();
    for (day, keys) in days.iter().zip(keys.chunks(2)) {
        let (summary, held) = (state.value()?, state.value()?);
        let Some(summary) = summary else { continue };
        let summary: DailySummary = parsed(&keys[0], &summary)?;
        let Some(last_receipt_number) = summary.last_receipt_number else {
            continue;
        };
        let held: Option<DayArticles> = match held {
            Some(held) => Some(parsed(&keys[1], &held)?),
            None => None,
        };
        let held = held.filter(|held| held.last_receipt_number == last_receipt_number);
        let articles = match held {
            Some(held) => held.articles,
            None if summed >= MOST_RECEIPTS => {
                missing_days += 1;
                continue;
            }
            None => {
                let period = Period {
                    from: Some(Moment::Day(*day)),
                    to: Some(Moment::Day(*day)),
                };
                let articles = breakdown(rows, period).await?.articles;
                summed += summary.totals.sales.count + summary.totals.refunds.count;
                // Today has more receipts in a moment.
                if *day < today && articles.len() <= MOST_ARTICLES {
                    let of_day = DayArticles {
                        last_receipt_number,
                        articles: articles.clone(),
                    };
                    new.push((*day, of_day));
                }
                articles
            }
        };
        articles.into_iter().for_each(|of| sums.add(of));
        if new.len() == DAYS_STORED {
            store(connect, location, &std::mem::take(&mut new)).await;
        }
    }
    if !new.is_empty() {
        store(connect, location, &new).await;
    }
    Ok(SoldArticles {
        articles: sums.sorted(),
        missing_days,
    })
}

/// Stores the articles of days, unless receipts were added meanwhile.
/// A failure is no harm: the next caller sums them again.
async fn store(connect: &Connect, location: Uuid, new: &[(Date, DayArticles)]) {
    let stored = connect.store().transact(location, |mut unit| async move {
        // No client follows these rows.
        unit.be_quiet();
        for (day, articles) in new {
            let key = day_key(location, *day);
            let Some(summary) = unit.get(&key).await? else {
                continue;
            };
            let summary: DailySummary = parsed(&key, &summary)?;
            if summary.last_receipt_number == Some(articles.last_receipt_number) {
                let row = unit.json(articles);
                unit.put(articles_key(location, *day), row);
            }
        }
        Ok::<_, Fault>(End::commit(unit, ()))
    });
    if let Err(fault) = stored.await {
        tracing::warn!(
            cause = Error::from(fault).cause(),
            "sums of sold articles were not stored"
        );
    }
}

fn parsed<T: for<'de> Deserialize<'de>>(key: &Key, row: &Value) -> Result<T, Fault> {
    serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))
}
