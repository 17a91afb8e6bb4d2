//! A table of records, sorted by links in its head and saved as a CSV file.

use std::{borrow::Cow, cmp::Ordering};

use bytes::Bytes;
use connect_core::{
    Error, Reason, local_time,
    wire::{Page, Timestamp},
};
use maud::{Markup, Render, html};
use url::form_urlencoded::Serializer;

use super::{Answer, PageRequest, components, page_request::CURSOR};

/// The fields of the address for the order of rows and for a file of them.
const SORT: &str = "sort";
const FORMAT: &str = "format";

/// The most rows of a file.
const MOST_ROWS: usize = 100_000;

/// A table in progress.
pub(super) struct Table {
    /// The path of its page.
    path: String,
    caption: Cow<'static, str>,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    is_part: bool,
}

/// A column of a table.
pub(super) struct Column {
    /// Its name in the address; "" if rows are not sorted by it.
    name: &'static str,
    heading: Cow<'static, str>,
    kind: ColumnKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Text,
    Number,
    /// Links and buttons; not in a file.
    Action,
}

impl Column {
    /// A column of texts or times.
    pub(super) fn text(name: &'static str, heading: Cow<'static, str>) -> Self {
        Self {
            name,
            heading,
            kind: ColumnKind::Text,
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
}

/// A cell of a table: as shown, and as sorted and saved.
pub(super) struct Cell {
    shown: Markup,
    value: Value,
}

/// The value of a cell.
pub(super) enum Value {
    /// Nothing. Comes last in every order.
    Empty,
    /// A text, in a file as it is.
    Text(String),
    /// A number with its decimals behind a point.
    Number(String),
    /// A time, in a file in the time zone of the locations.
    Time(Timestamp),
}

impl Cell {
    /// A cell with this value, shown in another way.
    pub(super) fn of(shown: Markup, value: Value) -> Self {
        Self { shown, value }
    }

    /// A text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        let shown = html! { (text) };
        match text.is_empty() {
            true => Self::empty(),
            false => Self::of(shown, Value::Text(text)),
        }
    }

    /// An identifier, in the type of code.
    pub(super) fn code(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::of(html! { code { (text) } }, Value::Text(text))
    }

    /// A link with a text.
    pub(super) fn link(address: &str, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::of(html! { a href=(address) { (text) } }, Value::Text(text))
    }

    /// A number, shown in another way.
    pub(super) fn number(number: impl ToString, shown: impl Render) -> Self {
        Self::of(shown.render(), Value::Number(number.to_string()))
    }

    /// An amount of cents, shown in its currency.
    pub(super) fn amount(cents: i64, shown: impl Render) -> Self {
        let sign = if cents < 0 { "-" } else { "" };
        let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
        Self::number(format!("{sign}{whole}.{rest:02}"), shown)
    }

    /// A time.
    pub(super) fn time(time: Timestamp) -> Self {
        Self::of(components::time(time), Value::Time(time))
    }

    /// A time, or another text without one.
    pub(super) fn time_or(time: Option<Timestamp>, without: &str) -> Self {
        time.map_or_else(|| Self::of(html! { (without) }, Value::Empty), Self::time)
    }

    /// Links or buttons.
    pub(super) fn action(shown: Markup) -> Self {
        Self::of(shown, Value::Empty)
    }

    /// Nothing.
    pub(super) fn empty() -> Self {
        Self::action(html! {})
    }
}

impl Value {
    /// Compares two values; empty ones come last.
    fn compare(&self, other: &Self) -> Ordering {
        let number = |text: &str| text.parse::<f64>().unwrap_or_default();
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one
                .to_lowercase()
                .cmp(&other.to_lowercase())
                .then_with(|| one.cmp(other)),
            (Self::Number(one), Self::Number(other)) => number(one).total_cmp(&number(other)),
            (Self::Time(one), Self::Time(other)) => one.cmp(other),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Time(_) => 1,
            Self::Text(_) => 2,
            Self::Empty => 3,
        }
    }

    /// Writes the value for a file.
    fn written(&self) -> String {
        match self {
            Self::Empty => String::new(),
            // A spreadsheet would calculate such a text.
            Self::Text(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => {
                format!("'{text}")
            }
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.replace('.', &text!("number-decimal")),
            Self::Time(time) => local_time(*time).format("%Y-%m-%d %H:%M:%S").to_string(),
        }
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
        self.rows.push(cells.into_iter().collect());
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
            @for column in &self.columns {
                @let is_number = column.kind == ColumnKind::Number;
                @let sorted = order.filter(|(name, _)| *name == column.name && !name.is_empty());
                th.number[is_number] aria-sort=[sorted.map(|(_, down)| if down { "descending" } else { "ascending" })] {
                    @if column.kind == ColumnKind::Action { span.skip { (column.heading) } }
                    @else if column.name.is_empty() { (column.heading) }
                    @else { (self.sort_link(to, column, sorted.map(|(_, down)| down))) }
                }
            }
        };
        let rows = html! {
            @for row in &self.rows {
                tr {
                    @for (column, cell) in self.columns.iter().zip(row) {
                        td.number[column.kind == ColumnKind::Number] { (cell.shown) }
                    }
                }
            }
        };
        html! {
            (components::table(&self.caption, head, rows))
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
                th.number[column.kind == ColumnKind::Number] { (column.heading) }
            }
        };
        components::table(&self.caption, head, self.body())
    }

    fn body(&self) -> Markup {
        html! {
            @for row in &self.rows {
                tr {
                    @for (column, cell) in self.columns.iter().zip(row) {
                        td.number[column.kind == ColumnKind::Number] { (cell.shown) }
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
        let is_written = |column: &&Column| column.kind != ColumnKind::Action;
        let headings = self.columns.iter().filter(is_written);
        let mut lines = vec![
            headings
                .map(|column| column.heading.to_string())
                .collect::<Vec<_>>(),
        ];
        lines.extend(self.rows.iter().map(|row| {
            let cells = self.columns.iter().zip(row);
            let cells = cells.filter(|(column, _)| is_written(column));
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

    /// Sorts the rows as the address says. Returns the column and whether from high to low.
    fn sort(&mut self, to: &PageRequest) -> Option<(&'static str, bool)> {
        let wanted = to.query.get(SORT);
        let (name, is_down) = match wanted.strip_prefix('-') {
            Some(name) => (name, true),
            None => (wanted, false),
        };
        let is_it = |column: &Column| column.name == name && !name.is_empty();
        let at = self.columns.iter().position(is_it)?;
        self.rows.sort_by(|one, other| {
            let [one, other] =
                [one, other].map(|row| row.get(at).map_or(&Value::Empty, |cell| &cell.value));
            match (one, other) {
                (Value::Empty, _) | (_, Value::Empty) => one.compare(other),
                _ if is_down => other.compare(one),
                _ => one.compare(other),
            }
        });
        Some((self.columns[at].name, is_down))
    }

    fn sort_link(&self, to: &PageRequest, column: &Column, sorted: Option<bool>) -> Markup {
        let name = match sorted {
            Some(false) => format!("-{}", column.name),
            _ => column.name.to_owned(),
        };
        html! {
            a.sort href=(self.address(to, Some(&name), false)) {
                (column.heading)
                @match sorted {
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
                FORMAT | "done" => true,
                _ => false,
            };
            !is_changed && !value.is_empty()
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

/// Reads the page of a list named by the address, or the whole list for a file.
/// `page` reads the rows from a cursor on.
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
