//! The cost of reading a day once rows of other days arrived late.

use connect_core::{
    Access, ScreenType,
    wire::{TransactionInput, query::TransactionQuery},
};

use crate::shop::Shop;

/// A shop with a register.
struct Scene {
    shop: Shop,
    till: Access,
}

impl Scene {
    async fn set() -> Self {
        let shop = Shop::open().await;
        let till = shop.screen(ScreenType::Pos, "Till").await;
        Self { shop, till }
    }

    async fn write(&self, day: &str) {
        let row = format!(
            r#"{{ "type": "cash_in", "totalCents": 100, "createdAt": "{day}T12:00:00Z",
                  "payments": [{{ "method": "cash", "amountCents": 100 }}] }}"#
        );
        let row = TransactionInput::from_json(row.as_bytes()).unwrap();
        let journal = self.shop.connect.location(&self.till).transactions();
        journal.write(row).await.unwrap();
    }

    /// The receipts of a time, and how many rows were read for them.
    async fn read(&self, from: &str, to: &str) -> (Vec<u64>, usize) {
        let mut query = TransactionQuery::default();
        (query.period.from, query.period.to) = (from.parse().ok(), to.parse().ok());
        query.paging.limit = Some(200);
        let before = self.shop.storage.scanned();
        let journal = self.shop.here().transactions();
        let page = journal.list(&query).await.unwrap();
        assert_eq!(page.next_cursor, None);
        let receipts = page.data.iter().map(|row| row.receipt_number).collect();
        let after = self.shop.storage.scanned();
        (receipts, (after - before) as usize)
    }
}

/// A row of a register whose clock had lost the time once made every day before it as long to read
/// as the whole journal.
#[tokio::test]
async fn a_row_of_1970_widens_no_other_day() {
    let scene = Scene::set().await;
    for (day, rows) in [("2026-12-01", 3), ("2026-12-02", 4), ("2026-12-03", 300)] {
        for _ in 0..rows {
            scene.write(day).await;
        }
    }
    let times = [
        ("2026-12-01", "2026-12-01", vec![1, 2, 3]),
        ("2026-12-02", "2026-12-02", vec![4, 5, 6, 7]),
        ("2026-12-01", "2026-12-02", vec![1, 2, 3, 4, 5, 6, 7]),
        ("2026-11-30", "2026-11-30", vec![]),
        // The longest time that is read by its days.
        ("2026-09-02", "2026-12-02", vec![1, 2, 3, 4, 5, 6, 7]),
    ];
    let mut before = Vec::new();
    for (from, to, receipts) in times.clone() {
        let (found, read) = scene.read(from, to).await;
        assert_eq!(found, receipts, "{from} to {to}");
        // Besides the rows: the entry of the first, and the summaries of two days.
        assert!(read <= found.len() + 3, "{from} to {to}: {read} rows read");
        before.push(read);
    }
    scene.write("1970-01-01").await;
    for ((from, to, receipts), before) in times.into_iter().zip(before) {
        let (found, read) = scene.read(from, to).await;
        assert_eq!(found, receipts, "{from} to {to}");
        assert_eq!(read, before, "{from} to {to}");
    }
    let (found, _) = scene.read("1970-01-01", "1970-01-01").await;
    assert_eq!(found, [308]);
    // A time without a beginning has the row of 1970.
    let (found, _) = scene.read("", "2026-12-01").await;
    assert_eq!(found, [1, 2, 3, 308]);
}

/// A row that comes late belongs to its day, and is found there.
#[tokio::test]
async fn late_rows_are_found_in_their_days() {
    let scene = Scene::set().await;
    for day in [
        "2026-12-02",
        "2026-12-04",
        "2026-12-01",
        "2026-12-04",
        "2026-12-02",
    ] {
        scene.write(day).await;
    }
    for (from, to, receipts) in [
        ("2026-12-01", "2026-12-01", vec![3]),
        ("2026-12-02", "2026-12-02", vec![1, 5]),
        ("2026-12-03", "2026-12-03", vec![]),
        ("2026-12-04", "2026-12-04", vec![2, 4]),
        ("2026-12-01", "2026-12-02", vec![1, 3, 5]),
        // Longer than the time that is read by its days.
        ("2026-01-01", "2026-12-02", vec![1, 3, 5]),
        ("2026-12-03", "", vec![2, 4]),
    ] {
        let (found, _) = scene.read(from, to).await;
        assert_eq!(found, receipts, "{from} to {to}");
    }
}

/// The summaries of a longer time would be more than a page of rows.
#[tokio::test]
async fn a_long_time_is_not_read_by_its_days() {
    let scene = Scene::set().await;
    for month in 1..=4 {
        for day in 1..=25 {
            scene.write(&format!("2026-{month:02}-{day:02}")).await;
        }
    }
    let (found, read) = scene.read("2026-01-01", "2026-04-30").await;
    assert_eq!(found.len(), 100);
    assert!(read <= found.len() + 3, "{read} rows read");
}
