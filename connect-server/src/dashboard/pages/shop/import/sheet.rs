//! Reading a CSV file as spreadsheets and registers save it.

use std::borrow::Cow;

use csv::{ReaderBuilder, StringRecord};

use crate::dashboard::messages::numbers;

/// The most bytes of a file, with both characters of each line's end: 2 MB.
const MOST_BYTES: usize = 2_000_000;

/// The most lines below the headings.
const MOST_LINES: usize = 10_000;

/// The most columns.
const MOST_COLUMNS: usize = 100;

/// The beginning of Excel's first line with the separator.
const NAMED_SEPARATOR: &str = "sep=";

/// A file with its headings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ImportSheet {
    pub(super) headings: Vec<String>,
    pub(super) lines: Vec<SheetLine>,
}

/// A line below the headings, with at least one text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SheetLine {
    /// Its number in the file, counted from 1.
    pub(super) number: u64,
    cells: Vec<String>,
}

/// The reason why a file is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SheetProblem {
    TooLarge,
    NotCsv,
    NoLines,
    TooManyLines(usize),
    TooManyColumns(usize),
}

impl SheetProblem {
    /// Describes the problem, after the name of the field.
    pub(super) fn text(&self) -> Cow<'static, str> {
        let number = |count: &usize| numbers::number(i64::try_from(*count).unwrap_or(i64::MAX));
        match self {
            Self::TooLarge => text!("import-too-large"),
            Self::NotCsv => text!("import-not-csv"),
            Self::NoLines => text!("import-no-lines"),
            Self::TooManyLines(lines) => text!(
                "import-too-many-lines",
                lines = number(lines),
                most = number(&MOST_LINES),
            ),
            Self::TooManyColumns(columns) => text!(
                "import-too-many-columns",
                columns = number(columns),
                most = number(&MOST_COLUMNS),
            ),
        }
    }
}

impl SheetLine {
    /// Returns the text of a column, or "" beyond the last.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |cell| cell)
    }
}

impl ImportSheet {
    /// Reads a text with line feeds alone between its lines.
    ///
    /// # Errors
    /// The text is no CSV file, or too large.
    pub(super) fn parse(text: &str) -> Result<Self, SheetProblem> {
        if text.len() + text.matches('\n').count() > MOST_BYTES {
            return Err(SheetProblem::TooLarge);
        }
        let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\n');
        if !text.chars().all(is_text) {
            return Err(SheetProblem::NotCsv);
        }
        let first = text.lines().find(|line| !line.trim().is_empty());
        let first = first.ok_or(SheetProblem::NoLines)?;
        let separator = separator(first).ok_or(SheetProblem::NotCsv)?;
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut before = usize::from(first.starts_with(NAMED_SEPARATOR));
        let mut head = None;
        // A file of many small cells would take many times its own size: those beyond the limits are not kept.
        let (mut lines, mut count) = (Vec::new(), 0);
        for record in reader.records() {
            let record = record.map_err(|_| SheetProblem::NotCsv)?;
            if record.iter().all(|cell| cleaned(cell).is_empty()) {
                continue;
            }
            if before > 0 {
                before -= 1;
            } else if head.is_none() {
                head = Some((record.len(), kept(&record)));
            } else {
                count += 1;
                if count <= MOST_LINES {
                    let number = line_number(text, &record);
                    let cells = kept(&record);
                    lines.push(SheetLine { number, cells });
                }
            }
        }
        let (columns, headings) = head.ok_or(SheetProblem::NoLines)?;
        match (columns, count) {
            (..2, _) => Err(SheetProblem::NotCsv),
            (columns, _) if columns > MOST_COLUMNS => Err(SheetProblem::TooManyColumns(columns)),
            (_, 0) => Err(SheetProblem::NoLines),
            (_, lines) if lines > MOST_LINES => Err(SheetProblem::TooManyLines(lines)),
            _ => Ok(Self { headings, lines }),
        }
    }
}

/// A text with line feeds alone between its lines.
/// Forms of browsers have both characters, however the file was.
pub(super) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Finds the separator of a file in its first line.
/// The most frequent one outside of quotes counts, and of several the first of these.
fn separator(line: &str) -> Option<u8> {
    if let Some(named) = line.strip_prefix(NAMED_SEPARATOR) {
        return named.bytes().next().filter(u8::is_ascii);
    }
    let mut counts = [(b'\t', 0_usize), (b';', 0), (b',', 0)];
    let mut is_quoted = false;
    for byte in line.bytes() {
        is_quoted ^= byte == b'"';
        for (separator, count) in &mut counts {
            *count += usize::from(!is_quoted && byte == *separator);
        }
    }
    let found = counts.into_iter().filter(|(_, count)| *count > 0).rev();
    found.max_by_key(|(_, count)| *count).map(|(byte, _)| byte)
}

/// The number of a record's first line. Empty lines before it are not its own.
fn line_number(text: &str, record: &StringRecord) -> u64 {
    let Some(position) = record.position() else {
        return 0;
    };
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let empty = rest.iter().take_while(|byte| **byte == b'\n');
    (position.line()..).nth(empty.count()).unwrap_or_default()
}

/// The cells of a record, up to the last possible column.
fn kept(record: &StringRecord) -> Vec<String> {
    let cells = record.iter().take(MOST_COLUMNS);
    cells.map(|cell| cleaned(cell).to_owned()).collect()
}

/// A cell without spaces around it, and without the mark of our own files.
/// There a quote stands before a text for spreadsheets not to calculate it.
fn cleaned(cell: &str) -> &str {
    let marked = cell.strip_prefix('\'');
    let marked = marked.filter(|text| text.starts_with(['=', '+', '-', '@', '\t', '\n', '\r']));
    marked.unwrap_or(cell).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The headings and the lines of a file, each with its number.
    fn read(text: &str) -> Result<(Vec<String>, Vec<String>), SheetProblem> {
        let sheet = ImportSheet::parse(&with_line_feeds(text))?;
        let line = |line: &SheetLine| format!("{}: {}", line.number, line.cells.join("|"));
        Ok((sheet.headings, sheet.lines.iter().map(line).collect()))
    }

    #[test]
    fn files_are_read_as_programs_write_them() {
        for (text, headings, lines) in [
            ("a,b\n1,2\n", &["a", "b"][..], &["2: 1|2"][..]),
            ("a;b\r\n1,50;2\r\n", &["a", "b"], &["2: 1,50|2"]),
            ("a\tb\r1\t2\r3\t4", &["a", "b"], &["2: 1|2", "3: 3|4"]),
            // Of two equally frequent separators.
            ("a;b, c\n1;2", &["a", "b, c"], &["2: 1|2"]),
            ("\"a;;;;\",b\n1,2", &["a;;;;", "b"], &["2: 1|2"]),
            ("sep=|\na|b\n1|2", &["a", "b"], &["3: 1|2"]),
            // Empty lines, lines of separators, and texts of several lines.
            (
                "\n\na;b\n\n1;\"x\ny\"\n;;;\n\n\n2; z ;\n",
                &["a", "b"],
                &["5: 1|x\ny", "10: 2|z|"],
            ),
            ("a;b\n\"x \"\"y\"\"\";2", &["a", "b"], &["2: x \"y\"|2"]),
            // The marks of our own files.
            (
                "a;b\n'=1+1;'-x\n'n;''",
                &["a", "b"],
                &["2: =1+1|-x", "3: 'n|''"],
            ),
        ] {
            let (found, rows) = read(text).unwrap();
            assert_eq!(found, headings, "{text:?}");
            assert_eq!(rows, lines, "{text:?}");
        }
        let sheet = ImportSheet::parse("a;b\n1").unwrap();
        assert_eq!(sheet.lines[0].cell(0), "1");
        assert_eq!(sheet.lines[0].cell(1), "");
    }

    #[test]
    fn what_is_no_file_of_products_is_refused() {
        let lines = |count: usize| format!("a;b\n{}", "1;2\n".repeat(count));
        for (text, problem) in [
            (String::new(), SheetProblem::NoLines),
            ("\n \n".to_owned(), SheetProblem::NoLines),
            ("a;b\n;\n".to_owned(), SheetProblem::NoLines),
            ("PK\u{3}\u{4};\0".to_owned(), SheetProblem::NotCsv),
            ("only one column\n1\n".to_owned(), SheetProblem::NotCsv),
            ("sep=;\na\n1\n".to_owned(), SheetProblem::NotCsv),
            (";".repeat(100) + "x\n1", SheetProblem::TooManyColumns(101)),
            (lines(10_001), SheetProblem::TooManyLines(10_001)),
            ("x".repeat(2_000_001), SheetProblem::TooLarge),
            // On its way through a form each of these has two characters.
            ("\n".repeat(1_000_001), SheetProblem::TooLarge),
        ] {
            let start: String = text.chars().take(20).collect();
            assert_eq!(ImportSheet::parse(&text), Err(problem), "{start:?}");
        }
        assert_eq!(
            ImportSheet::parse(&lines(10_000)).unwrap().lines.len(),
            10_000
        );
        // Cells without a column are not kept, and make no line fuller than another.
        let wide = ImportSheet::parse(&format!(
            "a;b\n{}x\n1{}\n",
            ";".repeat(500),
            ";".repeat(500)
        ));
        let wide = wide.unwrap();
        assert_eq!(wide.lines.len(), 2);
        assert!(
            wide.lines
                .iter()
                .all(|line| line.cells.len() == MOST_COLUMNS)
        );
        assert_eq!(
            SheetProblem::TooManyLines(12_000).text(),
            "has 12,000 lines; at most 10,000 can be imported at once"
        );
    }
}
