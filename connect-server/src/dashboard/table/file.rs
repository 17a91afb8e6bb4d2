//! The file of a table: its rows, read page by page, and written on a thread of its own.

use bytes::Bytes;
use connect_core::{
    Error, Reason,
    wire::{Page, limits::MAX_PAGE_SIZE},
};
use http::Method;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    task::spawn_blocking,
};

use super::{FORMAT, SORT, Table};
use crate::{
    dashboard::{Answer, PageRequest, messages, page_request::CURSOR},
    net::completion::joined,
};

/// The most rows of a file.
const MOST_ROWS: usize = 100_000;

/// The most pages read for a file: twice the longest one's.
/// With a rare match among many rows, pages are short or empty.
const MOST_PAGES: usize = 2 * MOST_ROWS / MAX_PAGE_SIZE;

/// The files made at once. Each holds all its rows.
static FILES: Semaphore = Semaphore::const_new(2);

impl Table {
    /// Answers with a file of all rows, named without its ending.
    pub(in crate::dashboard) async fn file(self, to: &PageRequest, name: &str) -> Answer {
        let (order, language) = (to.query.get(SORT).to_owned(), messages::language());
        // The language of the reader stays with the task, so it is taken along.
        let written = move || messages::made_in_language(language, || self.written(&order));
        let bytes = joined(spawn_blocking(written)).await;
        Answer::file(format!("{name}.csv"), "text/csv; charset=utf-8", bytes)
    }

    /// Writes the file with the rows in an order.
    pub(super) fn written(mut self, order: &str) -> Bytes {
        self.sort(order);
        let separator = text!("file-separator").bytes().next().unwrap_or(b',');
        // Spreadsheets take a file without this mark for one in an older encoding.
        let mut file = csv::WriterBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .from_writer("\u{FEFF}".as_bytes().to_vec());
        let headings = self.columns.iter().filter(|column| column.is_saved());
        // Memory takes every line.
        let _ = file.write_record(headings.map(|column| &*column.heading));
        for row in &self.rows {
            let values = self.columns.iter().zip(&row.values);
            let values = values.filter(|(column, _)| column.is_saved());
            let _ = file.write_record(values.map(|(_, value)| value.written()));
        }
        Bytes::from(file.into_inner().unwrap_or_default())
    }
}

/// Waits for the turn of a file asked for.
/// It lasts until the result is dropped.
pub(in crate::dashboard) async fn turn(to: &PageRequest) -> Option<SemaphorePermit<'static>> {
    match is_file(to) {
        true => FILES.acquire().await.ok(),
        false => None,
    }
}

/// Returns whether the address asks for a file. A form is answered with a page.
pub(in crate::dashboard) fn is_file(to: &PageRequest) -> bool {
    to.method == Method::GET && to.query.get(FORMAT) == "csv"
}

/// The rows to read at once; the most for a file.
pub(in crate::dashboard) fn limit(to: &PageRequest) -> Option<usize> {
    is_file(to).then_some(MAX_PAGE_SIZE)
}

/// Returns whether a page has only a part of its list.
pub(in crate::dashboard) fn is_part(to: &PageRequest, next_cursor: Option<&str>) -> bool {
    next_cursor.is_some() || !to.query.get(CURSOR).is_empty()
}

/// Reads a page of a list, or all for a file.
/// `page` reads the rows from a cursor on. The address names the first cursor.
///
/// # Errors
/// A page cannot be read, or a file would have more than 100 000 rows or come from more than 1000 pages.
pub(in crate::dashboard) async fn rows<T, F>(
    to: &PageRequest,
    mut page: impl FnMut(Option<String>) -> F,
) -> Result<Page<T>, Error>
where
    F: Future<Output = Result<Page<T>, Error>>,
{
    if !is_file(to) {
        let cursor = to.query.get(CURSOR);
        return page((!cursor.is_empty()).then(|| cursor.to_owned())).await;
    }
    let refused = |problem| Err(Error::Invalid(Reason::new(problem)));
    let mut all = page(None).await?;
    let mut pages = 1;
    while let Some(cursor) = all.next_cursor.take() {
        if pages == MOST_PAGES {
            return refused(text!("table-too-far"));
        }
        let more = page(Some(cursor)).await?;
        pages += 1;
        all.data.extend(more.data);
        all.next_cursor = more.next_cursor;
        if all.data.len() > MOST_ROWS {
            return refused(text!("table-too-long", most = MOST_ROWS));
        }
    }
    Ok(all)
}
