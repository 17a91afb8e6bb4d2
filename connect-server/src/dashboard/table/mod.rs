//! A table of records, sorted by links in its head and saved as a CSV file.

mod cell;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use bytes::Bytes;
use connect_core::{
    Error, Reason,
    wire::{Page, limits::MAX_PAGE_SIZE},
};
use maud::{Markup, html};
use url::form_urlencoded::Serializer;

use super::{Answer, PageRequest, components, page_request::CURSOR, period::UNIT};

pub(super) use cell::{Cell, Value};

/// The fields of the address for the order of rows and for a file of them.
pub(super) const SORT: &str = "sort";
const FORMAT: &str = "format";

/// The most rows of a file.
const MOST_ROWS: usize = 100_000;

/// A table in progress.
pub(super) struct Table {
    /// The path of its page.
    path: String,
    caption: Cow<'static, str>,
    columns: Vec<Column>,
    rows: Vec<TableRow>,
    is_part: bool,
}

/// A row of a table, with a cell for each column.
struct TableRow {
    /// Its id on the page, for links from other pages.
    id: Option<String>,
    cells: Vec<Cell>,
}

impl TableRow {
    /// The value of the cell in this place.
    fn value(&self, at: usize) -> &Value {
        let cell = self.cells.get(at);
        cell.map_or(&Value::Empty, |cell| &cell.value)
    }
}

/// A column of a table.
pub(super) struct Column {
    /// Its name in the address; "" if rows are not sorted by it.
    name: &'static str,
    heading: Cow<'static, str>,
    kind: ColumnKind,
    /// Set for a column without room on a narrow page.
    is_detail: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Text,
    Number,
    /// Links and buttons; not in a file.
    Action,
    /// In a file alone.
    File,
}

impl Column {
    /// A column of texts or times.
    pub(super) fn text(name: &'static str, heading: Cow<'static, str>) -> Self {
        Self {
            name,
            heading,
            kind: ColumnKind::Text,
            is_detail: false,
        }
    }

    /// A column of numbers, aligned to the right.
    pub(super) fn number(name: &'static str, heading: Cow<'static, str>) -> Self {
        Self {
            kind: ColumnKind::Number,
            ..Self::text(name, heading)
        }
    }

    /// A column of links and buttons, with a heading for screen readers.
    pub(super) fn action(heading: Cow<'static, str>) -> Self {
        Self {
            kind: ColumnKind::Action,
            ..Self::text("", heading)
        }
    }

    /// A column of the file alone.
    pub(super) fn file(heading: Cow<'static, str>) -> Self {
        Self {
            kind: ColumnKind::File,
            ..Self::text("", heading)
        }
    }

    /// The same column, left out on a narrow page.
    #[must_use]
    pub(super) fn detail(self) -> Self {
        Self {
            is_detail: true,
            ..self
        }
    }

    /// The classes of its cells.
    fn classes(&self) -> Option<&'static str> {
        match (self.kind, self.is_detail) {
            (ColumnKind::Number, true) => Some("number detail"),
            (ColumnKind::Number, false) => Some("number"),
            (_, true) => Some("detail"),
            (_, false) => None,
        }
    }

    fn is_shown(&self) -> bool {
        self.kind != ColumnKind::File
    }

    fn is_saved(&self) -> bool {
        self.kind != ColumnKind::Action
    }
}

impl Table {
    /// A table of the page with this path.
    pub(super) fn new(
        path: impl Into<String>,
        caption: Cow<'static, str>,
        columns: impl IntoIterator<Item = Column>,
    ) -> Self {
        Self {
            path: path.into(),
            caption,
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            is_part: false,
        }
    }

    /// Adds a row, with a cell for each column.
    pub(super) fn add(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(TableRow {
            id: None,
            cells: cells.into_iter().collect(),
        });
    }

    /// Adds a row under an id, for links to it.
    pub(super) fn add_as(&mut self, id: String, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(TableRow {
            id: Some(id),
            cells: cells.into_iter().collect(),
        });
    }

    /// Marks a page of a longer list, with only its own rows sorted.
    #[must_use]
    pub(super) fn part(mut self, is_part: bool) -> Self {
        self.is_part = is_part;
        self
    }

    /// Renders the table, with links to sort it and to save it.
    pub(super) fn render(mut self, to: &PageRequest) -> Markup {
        let order = self.sort(to);
        let head = html! {
            @for column in self.columns.iter().filter(|column| column.is_shown()) {
                @let is_down = order.filter(|(name, _)| *name == column.name).map(|(_, is_down)| is_down);
                th class=[column.classes()]
                    aria-sort=[is_down.map(|is_down| if is_down { "descending" } else { "ascending" })] {
                    @if column.kind == ColumnKind::Action { span.hidden { (column.heading) } }
                    @else if column.name.is_empty() { (column.heading) }
                    @else { (self.sort_link(to, column, is_down)) }
                }
            }
        };
        html! {
            (components::table(&self.caption, head, self.body()))
            p.hint.below {
                @if self.is_part && order.is_some() { (text!("table-part")) " " }
                a href=(self.address(to, None, true)) { (text!("table-save")) }
            }
        }
    }

    /// Renders the table alone, in the order of its rows.
    pub(super) fn render_plain(self) -> Markup {
        let head = html! {
            @for column in &self.columns {
                th class=[column.classes()] { (column.heading) }
            }
        };
        components::table(&self.caption, head, self.body())
    }

    fn body(&self) -> Markup {
        html! {
            @for row in &self.rows {
                tr id=[row.id.as_deref()] {
                    @for (column, cell) in self.columns.iter().zip(&row.cells) {
                        @if column.is_shown() {
                            td class=[column.classes()] { (cell.shown) }
                        }
                    }
                }
            }
        }
    }

    /// Answers with a file of all rows, named without its ending.
    pub(super) fn file(mut self, to: &PageRequest, name: &str) -> Answer {
        self.sort(to);
        let separator = text!("file-separator").bytes().next().unwrap_or(b',');
        // Spreadsheets take a file without this mark for one in an older encoding.
        let mut file = csv::WriterBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .from_writer("\u{FEFF}".as_bytes().to_vec());
        let headings = self.columns.iter().filter(|column| column.is_saved());
        let mut lines: Vec<Vec<String>> =
            vec![headings.map(|column| column.heading.to_string()).collect()];
        lines.extend(self.rows.iter().map(|row| {
            let cells = self.columns.iter().zip(&row.cells);
            let cells = cells.filter(|(column, _)| column.is_saved());
            cells.map(|(_, cell)| cell.value.written()).collect()
        }));
        for line in lines {
            // Memory takes every line.
            let _ = file.write_record(line);
        }
        let bytes = file.into_inner().unwrap_or_default();
        Answer::file(
            format!("{name}.csv"),
            "text/csv; charset=utf-8",
            Bytes::from(bytes),
        )
    }

    /// Sorts the rows as the address says.
    /// Returns the column, and whether from high to low.
    fn sort(&mut self, to: &PageRequest) -> Option<(&'static str, bool)> {
        let wanted = to.query.get(SORT);
        let (wanted, is_down) = match wanted.strip_prefix('-') {
            Some(name) => (name, true),
            None => (wanted, false),
        };
        let mut names = self.columns.iter().map(|column| column.name).enumerate();
        let (at, name) = names.find(|(_, name)| *name == wanted && !name.is_empty())?;
        self.rows
            .sort_by(|one, other| one.value(at).compare(other.value(at), is_down));
        Some((name, is_down))
    }

    fn sort_link(&self, to: &PageRequest, column: &Column, is_down: Option<bool>) -> Markup {
        let name = match is_down {
            Some(false) => format!("-{}", column.name),
            _ => column.name.to_owned(),
        };
        html! {
            a.sort href=(self.address(to, Some(&name), false)) {
                (column.heading)
                @match is_down {
                    Some(true) => span aria-hidden="true" { " ↓" },
                    Some(false) => span aria-hidden="true" { " ↑" },
                    None => {},
                }
            }
        }
    }

    /// The address of this page in an order, or of its file.
    fn address(&self, to: &PageRequest, sort: Option<&str>, is_file: bool) -> String {
        let is_kept = |(name, value): &(&str, &str)| {
            let is_changed = match *name {
                SORT => sort.is_some(),
                CURSOR => is_file,
                // A notice and an edit end with the next page.
                FORMAT | "done" | "edit" => true,
                _ => false,
            };
            // An empty length of the period is all time.
            !is_changed && (!value.is_empty() || *name == UNIT)
        };
        let mut query = Serializer::new(String::new());
        query.extend_pairs(to.query.pairs().filter(is_kept));
        query.extend_pairs(sort.map(|name| (SORT, name)));
        query.extend_pairs(is_file.then_some((FORMAT, "csv")));
        format!("{}?{}", self.path, query.finish())
    }
}

/// Returns whether the address asks for a file.
pub(super) fn is_file(to: &PageRequest) -> bool {
    to.query.get(FORMAT) == "csv"
}

/// The order in the address, as a field of links.
pub(super) fn order(to: &PageRequest) -> (&'static str, &str) {
    (SORT, to.query.get(SORT))
}

/// The rows to read at once; the most for a file.
pub(super) fn limit(to: &PageRequest) -> Option<usize> {
    is_file(to).then_some(MAX_PAGE_SIZE)
}

/// Returns whether a page has only a part of its list.
pub(super) fn is_part<T>(to: &PageRequest, page: &Page<T>) -> bool {
    page.next_cursor.is_some() || !to.query.get(CURSOR).is_empty()
}

/// Reads a page of a list, or the whole list for a file.
/// `page` reads the rows from a cursor on. The address names the first cursor.
///
/// # Errors
/// A page cannot be read, or a file would have more than 100 000 rows.
pub(super) async fn rows<T, F>(
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
    let mut all = page(None).await?;
    while let Some(cursor) = all.next_cursor.take() {
        let more = page(Some(cursor)).await?;
        all.data.extend(more.data);
        all.next_cursor = more.next_cursor;
        if all.data.len() > MOST_ROWS {
            return Err(Error::Invalid(Reason::new(text!(
                "table-too-long",
                most = MOST_ROWS
            ))));
        }
    }
    Ok(all)
}
