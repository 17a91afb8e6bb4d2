//! A table of records, sorted by links in its head and saved as a CSV file.

mod cell;
mod file;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use maud::{Markup, html};
use url::form_urlencoded::Serializer;

use super::{PageRequest, components, page_request::CURSOR, period::UNIT};

pub(super) use cell::{Cell, Value};
pub(super) use file::{is_file, is_part, limit, rows, turn};

/// The fields of the address for the order of rows and for a file of them.
pub(super) const SORT: &str = "sort";
const FORMAT: &str = "format";

/// A table in progress.
pub(super) struct Table {
    /// The path of its page.
    path: String,
    caption: Cow<'static, str>,
    columns: Vec<Column>,
    rows: Vec<TableRow>,
    is_part: bool,
    /// Set for a file: its cells are not shown.
    is_file: bool,
}

/// A row of a table, with a cell for each column.
struct TableRow {
    /// Its id on the page, for links from other pages.
    id: Option<String>,
    values: Vec<Value>,
    /// The cells as shown; none for a file.
    shown: Vec<Markup>,
}

impl TableRow {
    /// The value of the cell in this place.
    fn value(&self, at: usize) -> &Value {
        self.values.get(at).unwrap_or(&Value::Empty)
    }
}

/// A column of a table.
pub(super) struct Column {
    /// Its name in the address; "" if not to sort by.
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
            (ColumnKind::Action, _) => Some("act"),
            (_, true) => Some("detail"),
            (_, false) => None,
        }
    }

    /// The heading, for screen readers alone above links and buttons.
    fn head(&self) -> Markup {
        html! {
            @if self.kind == ColumnKind::Action { span.hidden { (self.heading) } }
            @else { (self.heading) }
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
            is_file: false,
        }
    }

    /// Keeps only the values of its rows, for a file.
    #[must_use]
    pub(super) fn for_file(mut self, is_file: bool) -> Self {
        self.is_file = is_file;
        self
    }

    /// Adds a row, with a cell for each column.
    pub(super) fn add(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.push(None, cells);
    }

    /// Adds a row under an id, for links to it.
    pub(super) fn add_as(&mut self, id: String, cells: impl IntoIterator<Item = Cell>) {
        self.push(Some(id), cells);
    }

    fn push(&mut self, id: Option<String>, cells: impl IntoIterator<Item = Cell>) {
        let (mut values, mut shown) = (Vec::with_capacity(self.columns.len()), Vec::new());
        for cell in cells {
            values.push(cell.value);
            if !self.is_file {
                shown.push(cell.shown);
            }
        }
        self.rows.push(TableRow { id, values, shown });
    }

    /// Marks a page of a longer list, with its own rows sorted.
    #[must_use]
    pub(super) fn part(mut self, is_part: bool) -> Self {
        self.is_part = is_part;
        self
    }

    /// Renders the table, with links to sort it and to save it.
    pub(super) fn render(mut self, to: &PageRequest) -> Markup {
        let order = self.sort(to.query.get(SORT));
        let head = html! {
            @for column in self.columns.iter().filter(|column| column.is_shown()) {
                @let is_down = order.filter(|(name, _)| *name == column.name).map(|(_, is_down)| is_down);
                th class=[column.classes()]
                    aria-sort=[is_down.map(|is_down| if is_down { "descending" } else { "ascending" })] {
                    @if column.name.is_empty() { (column.head()) }
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
            @for column in self.columns.iter().filter(|column| column.is_shown()) {
                th class=[column.classes()] { (column.head()) }
            }
        };
        components::table(&self.caption, head, self.body())
    }

    fn body(&self) -> Markup {
        html! {
            @for row in &self.rows {
                tr id=[row.id.as_deref()] {
                    @for (column, shown) in self.columns.iter().zip(&row.shown) {
                        @if column.is_shown() { td class=[column.classes()] { (shown) } }
                    }
                }
            }
        }
    }

    /// Sorts the rows as wanted by the address.
    /// Returns the column, and whether from high to low.
    fn sort(&mut self, wanted: &str) -> Option<(&'static str, bool)> {
        let (wanted, is_down) = match wanted.strip_prefix('-') {
            Some(name) => (name, true),
            None => (wanted, false),
        };
        let mut names = self.columns.iter().map(|column| column.name).enumerate();
        let (at, name) = names.find(|(_, name)| *name == wanted && !name.is_empty())?;
        let rows = self.rows.drain(..);
        let mut keyed: Vec<_> = rows.map(|row| (row.value(at).sort_key(), row)).collect();
        keyed.sort_by(|(one, _), (other, _)| one.compare(other, is_down));
        self.rows = keyed.into_iter().map(|(_, row)| row).collect();
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

/// The order in the address, as a field of links.
pub(super) fn order(to: &PageRequest) -> (&'static str, &str) {
    (SORT, to.query.get(SORT))
}
