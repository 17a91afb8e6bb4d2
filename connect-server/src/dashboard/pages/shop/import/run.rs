//! Writing the products of a file, in batches of the core.

use std::collections::HashSet;

use connect_core::{
    Error, folded,
    wire::{
        ProductBatch,
        limits::{MAX_PAGE_SIZE, MAX_PRODUCTS_PER_BATCH},
        query::CategoryQuery,
    },
};

use super::{
    fields::ImportColumns,
    rows::{ImportRows, LineProblem},
};
use crate::dashboard::pages::shop::PageLocation;

/// The outcome of an import, or of its dry run.
#[derive(Default)]
pub(super) struct ImportOutcome {
    pub(super) created: usize,
    pub(super) changed: usize,
    pub(super) unchanged: usize,
    /// In the order of the lines.
    pub(super) problems: Vec<LineProblem>,
}

/// Writes the products, or only tries to. Refused ones stay.
///
/// # Errors
/// The storage failed. Earlier batches are then written; the import can be repeated.
pub(super) async fn run(
    shop: &PageLocation,
    columns: &ImportColumns,
    read: ImportRows<'_>,
    is_dry_run: bool,
) -> Result<ImportOutcome, Error> {
    let mut outcome = ImportOutcome {
        problems: read.problems,
        ..ImportOutcome::default()
    };
    let products = shop.records.products();
    for rows in read.rows.chunks(MAX_PRODUCTS_PER_BATCH) {
        let inputs = rows.iter().map(|row| row.input.clone());
        let mut batch = ProductBatch::new(inputs.collect());
        batch.dry_run = is_dry_run;
        let result = products.batch(batch).await?;
        outcome.created += result.created;
        outcome.changed += result.updated;
        outcome.unchanged += result.unchanged;
        for item in &result.results {
            if let (Some(row), Some(error)) = (rows.get(item.index), &item.error) {
                outcome.problems.extend(row.refused(columns, error));
            }
        }
    }
    outcome.problems.sort_by_key(|problem| problem.line);
    Ok(outcome)
}

/// Returns the folded names of all categories of a location.
///
/// # Errors
/// The storage failed.
pub(super) async fn known_categories(shop: &PageLocation) -> Result<HashSet<String>, Error> {
    let records = shop.records.categories();
    let mut query = CategoryQuery::default();
    query.sync.limit = Some(MAX_PAGE_SIZE);
    let mut names = HashSet::new();
    loop {
        let page = records.list(&query).await?;
        names.extend(page.data.iter().map(|category| folded(&category.name)));
        query.sync.cursor = page.next_cursor;
        if query.sync.cursor.is_none() {
            return Ok(names);
        }
    }
}
