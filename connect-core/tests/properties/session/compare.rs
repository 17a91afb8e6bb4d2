//! Holding a shop against its model.

use std::collections::BTreeMap;

use connect_core::{
    Error, LocationHandle,
    wire::{
        Date, Id, Product, Timestamp, Totals, Transaction, ZReport,
        query::{DailySummaryQuery, Moment, Period, TransactionQuery},
    },
};
use serde_json::{Value, json};

use super::{Call, Session};
use crate::properties::{
    input::{BARCODES, CODES, Deed, Edge, Look},
    model::{Kind, time_text},
    shop::{Filters, Shop},
};

/// Longer than anything is remembered, and than the clocks of these tests go back.
const LONG: i64 = 800 * 24 * 3600;

impl Session {
    /// All lists, with the ids of new records learned.
    pub(crate) async fn compare(&mut self) {
        self.compare_in_pages(200).await;
    }

    /// The same, read in pages of so many.
    pub(crate) async fn compare_in_pages(&mut self, limit: usize) {
        let all = Filters {
            deleted: true,
            ..Filters::default()
        };
        for kind in Kind::SYNCED.into_iter().chain(Kind::APPENDED) {
            let shown = self.shop.list(kind, &all, limit).await;
            let expected = self.model.list(kind, true);
            self.names.learn(&expected.into(), &shown.into());
        }
    }

    /// Every filtered list, from its beginning and from the time of a change on, in pages of so many.
    pub(crate) async fn compare_filters(&mut self, limit: usize) {
        let whole = self.model.list(Kind::Product, true);
        let middle = whole.get(whole.len() / 2);
        let since = middle.map(|row| row["updatedAt"].as_str().unwrap().parse().unwrap());
        let text = |text: &&str| Some((*text).to_owned());
        let codes = CODES.iter().map(|code| (text(code), None));
        let barcodes = BARCODES.iter().map(|barcode| (None, text(barcode)));
        let both = CODES
            .iter()
            .zip(&BARCODES)
            .map(|(code, barcode)| (text(code), text(barcode)));
        let texts: Vec<_> = codes
            .chain(barcodes)
            .chain(both)
            .chain([(None, None)])
            .collect();
        let categories = self.model.rows(Kind::Category).iter();
        let categories = categories.map(|row| Some(row["id"].as_str().unwrap().to_owned()));
        for category in categories.chain([None]).collect::<Vec<_>>() {
            for (number, (external_id, barcode)) in texts.iter().cloned().enumerate() {
                // Each with two of the four, so that all come with all.
                let parts = [(None, false), (None, true), (since, true), (since, false)];
                for (since, deleted) in [parts[number % 4], parts[(number + 2) % 4]] {
                    let filters = Filters {
                        external_id: external_id.clone(),
                        barcode: barcode.clone(),
                        category: category.as_ref().map(|id| self.names.id(id)),
                        since,
                        deleted,
                    };
                    let mut expected = whole.clone();
                    expected.retain(|row| passes(row, &filters, category.as_deref()));
                    let found = self.shop.list(Kind::Product, &filters, limit).await;
                    self.names.learn(&expected.into(), &found.into());
                }
            }
        }
    }

    /// Holds every row against every index, also after 40 days of maintenance.
    pub(crate) async fn check(&mut self) {
        is_sound(&self.shop).await;
        self.processes[0].machine.advance(40 * 24 * 3600);
        self.maintain(0).await;
        is_sound(&self.shop).await;
    }

    /// Deletes every record and lets everything about it be forgotten. Returns how many rows are
    /// left: of index entries, image jobs and stored answers there is none.
    pub(crate) async fn empty(&mut self) -> usize {
        for kind in [Kind::Category, Kind::Group, Kind::Product] {
            for row in self.model.list(kind, false) {
                let of = vec![row["id"].as_str().unwrap().to_owned()];
                let call = Call {
                    of,
                    ..Call::new(Deed::Delete(kind), Value::Null)
                };
                assert_eq!(self.send(vec![call]).await[0].status, 204);
            }
        }
        self.processes[0].machine.advance(LONG);
        self.shop.connect.maintain().await.unwrap();
        self.shop.rows().await.len()
    }

    /// The journal, as registers and owners look at it: parts of the list, days, single rows.
    pub(crate) async fn compare_journal(&mut self, looks: &[Look]) {
        for look in looks {
            let found = self.shop.receipts(&self.query(look)).await;
            let expected = self.model.look(look);
            match found {
                Err(Error::Malformed(_)) => assert!(expected.is_none(), "{look:?}"),
                found => self
                    .names
                    .learn(&expected.unwrap().into(), &found.unwrap().into()),
            }
        }
        let here = self.shop.connect.location(&self.shop.at);
        let mut days = Vec::new();
        for day in self.model.days() {
            let date = date_of(day * 86_400);
            let query = DailySummaryQuery {
                date: Some(date.parse().unwrap()),
            };
            let summary = here.daily_summary(&query).await.unwrap();
            assert_eq!(json!(summary), self.model.summary(day, &date));
            let day = Some(Moment::Day(summary.date));
            let of_day = Period { from: day, to: day };
            let breakdown = here.journal_breakdown(of_day).await.unwrap();
            let mut hours = Totals::default();
            breakdown.hours.iter().for_each(|hour| hours.merge(hour));
            assert_eq!(breakdown.totals, summary.totals, "{date}");
            assert_eq!(hours, summary.totals, "{date}");
            days.push(summary.date);
        }
        self.compare_articles(&here, &days).await;
        let id = |row: &Value| self.names.fill(&row["id"]);
        for row in self.model.rows(Kind::Receipt) {
            let id: Id<Transaction> = serde_json::from_value(id(row)).unwrap();
            let found = json!(here.transactions().get(id).await.unwrap());
            assert_eq!(found, self.names.fill(row));
        }
        for row in self.model.rows(Kind::Report) {
            let id: Id<ZReport> = serde_json::from_value(id(row)).unwrap();
            assert_eq!(
                json!(here.z_reports().get(id).await.unwrap()),
                self.names.fill(row)
            );
        }
    }

    /// Compares the articles of all days with the lines of all rows.
    async fn compare_articles(&self, here: &LocationHandle, days: &[Date]) {
        let mut expected: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        let key = |product: Option<Id<Product>>, code: &Option<String>, name: &str| {
            let product = product.map(|id| format!("product {id}"));
            let code = || code.as_ref().map(|code| format!("code {code}"));
            product
                .or_else(code)
                .unwrap_or_else(|| format!("name {name}"))
        };
        for row in self.model.rows(Kind::Receipt) {
            let row: Transaction = serde_json::from_value(self.names.fill(row)).unwrap();
            if !["sale", "refund"].contains(&row.kind.as_str()) {
                continue;
            }
            for line in row.lines {
                let article = key(line.product_id, &line.external_id, &line.name);
                let sums = expected.entry(article).or_default();
                sums.0 += line.quantity.thousandths();
                sums.1 += line.total_cents;
            }
        }
        let found = here.articles(days).await.unwrap().articles;
        assert!(found.is_sorted_by(|one, next| one.total_cents >= next.total_cents));
        let found = found.iter().map(|of| {
            let sums = (of.quantity.thousandths(), of.total_cents);
            (key(of.product_id, &of.external_id, &of.name), sums)
        });
        assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
    }

    fn query(&self, look: &Look) -> TransactionQuery {
        let edge = |edge: Edge| match edge {
            Edge::Day(day) => date_of(day).parse().unwrap(),
            Edge::At(second) => time_text(second * 1_000_000).parse().unwrap(),
        };
        let mut query = TransactionQuery {
            kind: look.kind.map(Into::into),
            since_receipt: self.model.since(look),
            ..TransactionQuery::default()
        };
        query.paging.limit = Some(look.limit);
        query.period.from = look.from.map(edge);
        query.period.to = look.to.map(edge);
        query
    }

    /// The levels and movements of single products.
    pub(crate) async fn compare_stock(&mut self) {
        for product in self.model.list(Kind::Product, false) {
            let id = self.names.fill(&product["id"]);
            let level = self.model.rows(Kind::Level).iter();
            let level = level.clone().find(|row| row["productId"] == product["id"]);
            let found = self.shop.level(&id).await;
            assert_eq!(found, level.map(|level| self.names.fill(level)));
            let mut movements = self.model.list(Kind::Movement, false);
            movements.retain(|row| row["productId"] == product["id"]);
            let found = self.shop.movements(&id).await;
            self.names.learn(&movements.into(), &found.into());
        }
    }
}

/// A check of the store finds nothing wrong.
pub(crate) async fn is_sound(shop: &Shop) {
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    assert_eq!(report.rows as usize, shop.rows().await.len());
    assert_eq!(report.families.values().sum::<u64>(), report.rows);
}

fn date_of(second: i64) -> String {
    Timestamp::from_micros(second * 1_000_000).to_string()[..10].to_owned()
}

/// Returns whether an entry belongs to a list. What a deleted product was is not known, so every
/// deletion is listed.
fn passes(record: &Value, filters: &Filters, category: Option<&str>) -> bool {
    let time: Timestamp = record["updatedAt"].as_str().unwrap().parse().unwrap();
    if filters.since.is_some_and(|since| time < since) {
        return false;
    }
    if record["deleted"] == true {
        return filters.deleted;
    }
    let is = |field: &str, sought: Option<&str>| sought.is_none_or(|text| record[field] == text);
    is("externalId", filters.external_id.as_deref())
        && is("barcode", filters.barcode.as_deref())
        && is("categoryId", category)
}
