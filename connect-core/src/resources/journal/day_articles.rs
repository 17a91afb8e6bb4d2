//! The articles sold on each day, summed from the rows when first asked for, and kept.
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

/// The most days written by one commit.
const MOST_WRITTEN: usize = 31;

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

/// Returns the articles of these days together, the highest amount first.
pub(in crate::resources) async fn articles(
    connect: &Connect,
    access: &Access,
    rows: &Rows<Transaction>,
    days: &[Date],
) -> Result<Vec<ArticleTotals>, Error> {
    let location = access.partition();
    let keys: Vec<_> = days
        .iter()
        .flat_map(|day| [day_key(location, *day), articles_key(location, *day)])
        .collect();
    let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
    let mut state = connect.store().read(&reads).await?;
    let mut sums = Articles::default();
    let mut new = Vec::new();
    for (day, keys) in days.iter().zip(keys.chunks(2)) {
        let (summary, held) = (state.value()?, state.value()?);
        let Some(last) = last_receipt(&keys[0], summary.as_ref())? else {
            continue;
        };
        let held: Option<DayArticles> = match held {
            Some(held) => Some(parsed(&keys[1], &held)?),
            None => None,
        };
        let of_day = match held.filter(|held| held.last_receipt_number == last) {
            Some(held) => held,
            None => {
                let period = Period {
                    from: Some(Moment::Day(*day)),
                    to: Some(Moment::Day(*day)),
                };
                let articles = breakdown(rows, period).await?.articles;
                let of_day = DayArticles {
                    last_receipt_number: last,
                    articles,
                };
                new.push((*day, of_day.clone()));
                of_day
            }
        };
        of_day.articles.into_iter().for_each(|of| sums.add(of));
    }
    for new in new.chunks(MOST_WRITTEN) {
        keep(connect, location, new).await?;
    }
    Ok(sums.sorted())
}

/// Stores the articles of days to which nothing was added meanwhile.
async fn keep(connect: &Connect, location: Uuid, new: &[(Date, DayArticles)]) -> Result<(), Fault> {
    let kept = connect.store().transact(location, |mut unit| async move {
        for (day, articles) in new {
            let key = day_key(location, *day);
            let summary = unit.get(&key).await?;
            if last_receipt(&key, summary.as_ref())? == Some(articles.last_receipt_number) {
                let row = unit.json(articles);
                unit.put(articles_key(location, *day), row);
            }
        }
        Ok(End::commit(unit, ()))
    });
    match kept.await {
        // The next reader keeps them.
        Err(Fault::Busy) => Ok(()),
        kept => kept,
    }
}

fn last_receipt(key: &Key, summary: Option<&Value>) -> Result<Option<u64>, Fault> {
    let Some(summary) = summary else {
        return Ok(None);
    };
    let summary: DailySummary = parsed(key, summary)?;
    Ok(summary.last_receipt_number)
}

fn parsed<T: for<'de> Deserialize<'de>>(key: &Key, row: &Value) -> Result<T, Fault> {
    serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))
}
