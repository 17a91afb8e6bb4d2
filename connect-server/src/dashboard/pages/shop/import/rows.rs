//! The products of a file, line by line, and the problems of its lines.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap, HashSet},
};

use connect_core::{
    folded,
    wire::{ErrorDetail, Field, ProductInput, VatRate, limits::MAX_PRICE_CENTS},
};

use super::{
    fields::{ImportColumns, ImportField},
    sheet::{ImportSheet, SheetLine},
};
use crate::dashboard::messages::{numbers, problems};

/// The texts for yes and no, in lower case.
const YES: [&str; 10] = [
    "yes", "ja", "y", "j", "true", "waar", "1", "x", "active", "actief",
];
const NO: [&str; 8] = [
    "no", "nee", "n", "false", "onwaar", "0", "inactive", "inactief",
];

/// The most characters shown of a cell.
const MOST_SHOWN: usize = 80;

/// A product to write, with its line.
pub(super) struct ImportRow<'s> {
    line: &'s SheetLine,
    pub(super) input: ProductInput,
}

/// A problem of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineProblem {
    /// The number of the line in the file.
    pub(super) line: u64,
    /// The name of the field; "" for the whole line.
    pub(super) field: Cow<'static, str>,
    /// The beginning of its text in the file.
    pub(super) value: String,
    pub(super) problem: Cow<'static, str>,
}

/// The good products of a file, and the problems of others.
#[derive(Default)]
pub(super) struct ImportRows<'s> {
    pub(super) rows: Vec<ImportRow<'s>>,
    pub(super) problems: Vec<LineProblem>,
}

/// Reads the lines of a file.
/// `known` are the folded names of the categories; without them a missing category is no problem.
pub(super) fn read<'s>(
    sheet: &'s ImportSheet,
    columns: &ImportColumns,
    known: Option<&HashSet<String>>,
) -> ImportRows<'s> {
    let mut read = ImportRows::default();
    let mut codes: HashMap<&str, u64> = HashMap::new();
    for line in &sheet.lines {
        let mut input = ProductInput::default();
        let mut faults = Vec::new();
        for field in ImportField::ALL {
            let text = columns.of(field).map_or("", |column| line.cell(column));
            if let Err(problem) = fill(&mut input, field, text) {
                faults.push((field, problem));
            }
        }
        if let Some(code) = input.external_id.value()
            && let Some(column) = columns.of(ImportField::Code)
        {
            match codes.get(&**code) {
                Some(first) => {
                    faults.push((
                        ImportField::Code,
                        text!("import-repeated", line = first.to_string()),
                    ));
                }
                None => {
                    codes.insert(line.cell(column), line.number);
                }
            }
        }
        if let (Some(name), Some(known)) = (input.category_name.value(), known)
            && !known.contains(&folded(name))
        {
            faults.push((ImportField::Category, text!("import-no-category")));
        }
        if faults.is_empty() {
            read.rows.push(ImportRow { line, input });
            continue;
        }
        let of_line = |(field, problem)| LineProblem::of(line, columns, Some(field), problem);
        read.problems.extend(faults.into_iter().map(of_line));
    }
    read
}

/// Counts the lines of some problems.
pub(super) fn faulty_lines(problems: &[LineProblem]) -> usize {
    let lines: BTreeSet<u64> = problems.iter().map(|problem| problem.line).collect();
    lines.len()
}

impl ImportRow<'_> {
    /// Returns the problems of a row refused by the core.
    pub(super) fn refused(&self, columns: &ImportColumns, error: &ErrorDetail) -> Vec<LineProblem> {
        let all = problems::of_fields(error).into_iter();
        all.map(|(name, problem)| {
            let field = name.and_then(ImportField::of_core);
            LineProblem::of(self.line, columns, field, problem.into_owned().into())
        })
        .collect()
    }
}

impl LineProblem {
    fn of(
        line: &SheetLine,
        columns: &ImportColumns,
        field: Option<ImportField>,
        problem: Cow<'static, str>,
    ) -> Self {
        let column = field.and_then(|field| columns.of(field));
        Self {
            line: line.number,
            field: field.map(ImportField::label).unwrap_or_default(),
            value: clipped(column.map_or("", |column| line.cell(column))),
            problem,
        }
    }
}

/// Returns the beginning of a text for a table.
pub(super) fn clipped(text: &str) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(MOST_SHOWN).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Fills a field of a product with the text of a cell. Without a text it stays as it is.
fn fill(input: &mut ProductInput, field: ImportField, text: &str) -> Result<(), Cow<'static, str>> {
    if text.is_empty() {
        return match field {
            ImportField::Code => Err(text!("import-no-code")),
            _ => Ok(()),
        };
    }
    match field {
        ImportField::Code | ImportField::Barcode if is_shortened(text) => {
            return Err(text!("import-shortened"));
        }
        ImportField::Code => input.external_id = Field::Value(text.to_owned()),
        ImportField::Name => input.name = Field::Value(text.to_owned()),
        ImportField::Description => input.description = Field::Value(text.to_owned()),
        ImportField::Category => input.category_name = Field::Value(text.to_owned()),
        ImportField::Barcode => input.barcode = Field::Value(text.to_owned()),
        ImportField::Price => {
            let cents = cents(text).ok_or_else(|| text!("products-must-be-amount"))?;
            if cents > MAX_PRICE_CENTS {
                let most = numbers::number(MAX_PRICE_CENTS / 100);
                return Err(text!("import-price-too-high", most = most));
            }
            input.price_cents = Field::Value(cents);
        }
        ImportField::Vat => {
            let rate = rate(text).ok_or_else(|| text!("products-must-be-percentage"))?;
            input.vat_rate = Field::Value(rate);
        }
        ImportField::IsForSale => {
            let is_active = yes_or_no(text).ok_or_else(|| text!("import-yes-or-no"))?;
            input.is_active = Field::Value(is_active);
        }
    }
    Ok(())
}

/// Returns whether a spreadsheet has shortened a long number, as in `8,71E+12`.
fn is_shortened(text: &str) -> bool {
    let Some((number, power)) = text.split_once(['E', 'e']) else {
        return false;
    };
    let has_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts = number.split_once([',', '.']);
    parts.is_some_and(|(whole, rest)| has_digits(whole) && has_digits(rest))
        && power.strip_prefix('+').is_some_and(has_digits)
}

/// Reads a price in cents, with the sign of its currency before or after it.
fn cents(text: &str) -> Option<i64> {
    let text = text.strip_prefix("EUR").unwrap_or(text);
    let text = text.strip_suffix("EUR").unwrap_or(text);
    numbers::cents(text.trim_end().trim_end_matches(['€', '£', '$']))
}

/// Reads a VAT rate: `9`, `5,5` or `21 %`.
fn rate(text: &str) -> Option<VatRate> {
    let number = text.trim_end_matches('%').trim_end();
    number.replacen(',', ".", 1).parse().ok()
}

fn yes_or_no(text: &str) -> Option<bool> {
    let text = text.to_lowercase();
    let is_yes = YES.contains(&&*text);
    (is_yes || NO.contains(&&*text)).then_some(is_yes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The products and the problems of a file, in short.
    fn lines(text: &str, known: Option<&[&str]>) -> Vec<String> {
        let sheet = ImportSheet::parse(text).unwrap();
        let columns = ImportColumns::guessed(&sheet.headings);
        let known = known.map(|names| names.iter().copied().map(folded).collect());
        let read = read(&sheet, &columns, known.as_ref());
        let rows = read.rows.iter().map(|row| {
            let input = serde_json::to_string(&row.input).unwrap();
            format!("{} {input}", row.line.number)
        });
        let problems = read.problems.iter();
        let problems = problems.map(|it| {
            let LineProblem {
                line,
                field,
                value,
                problem,
            } = it;
            format!("{line} {field} {value:?} {problem}")
        });
        rows.chain(problems).collect()
    }

    #[test]
    fn a_line_becomes_a_product() {
        let file = "Code;Name;Price;VAT;Category;Barcode;For sale;Description\n\
                    A-1;Thé;€ 1,50;9%;Warm;87;ja;\"x\ny\"\n\
                    A-2;'=1+1;1.5 €;5,5;;;No;\n";
        assert_eq!(
            lines(file, Some(&["Warm"])),
            [
                "2 {\"externalId\":\"A-1\",\"name\":\"Thé\",\"description\":\"x\\ny\",\"priceCents\":150,\
                 \"vatRate\":9,\"barcode\":\"87\",\"categoryName\":\"Warm\",\"isActive\":true}",
                "4 {\"externalId\":\"A-2\",\"name\":\"=1+1\",\"priceCents\":150,\"vatRate\":5.5,\
                 \"isActive\":false}",
            ]
        );
    }

    #[test]
    fn a_faulty_line_has_all_its_problems() {
        let head = "Code;Name;Price;VAT;Category;Barcode;For sale\n";
        for (line, expected) in [
            (
                ";Soup;;;;;",
                &["2 Code \"\" is missing; give each product a code of its own"][..],
            ),
            (
                "A;Soup;1.234,50;x;;;perhaps",
                &[
                    "2 Price \"1.234,50\" must be an amount such as 3.50",
                    "2 VAT \"x\" must be a percentage such as 9 or 5.5",
                    "2 For sale \"perhaps\" must be yes or no",
                ],
            ),
            (
                "A;Soup;9999999;;;8,71E+12;",
                &[
                    "2 Price \"9999999\" must be at most 1,000,000",
                    "2 Barcode \"8,71E+12\" was shortened by a spreadsheet; format the column as \
                     text there, and fill it in again",
                ],
            ),
            (
                "A;Soup;;;cold;;",
                &[
                    "2 Category \"cold\" does not exist; add it first, or have missing categories created",
                ],
            ),
            (
                "A;Soup;;;WARM;;",
                &["2 {\"externalId\":\"A\",\"name\":\"Soup\",\"categoryName\":\"WARM\"}"],
            ),
            (
                "A;Soup;;;;;\nB;Tea;;;;;\nA;Pie;;;;;",
                &[
                    "2 {\"externalId\":\"A\",\"name\":\"Soup\"}",
                    "3 {\"externalId\":\"B\",\"name\":\"Tea\"}",
                    "4 Code \"A\" is that of line 2 as well",
                ],
            ),
        ] {
            let found = lines(&format!("{head}{line}"), Some(&["Warm"]));
            assert_eq!(found, expected, "{line}");
        }
        // Without the known ones every category is fine.
        let file = format!("{head}A;;;;cold;;");
        assert_eq!(
            lines(&file, None),
            ["2 {\"externalId\":\"A\",\"categoryName\":\"cold\"}"]
        );
    }

    #[test]
    fn cells_are_read_as_people_fill_them_in() {
        for (text, amount) in [
            ("1,50", Some(150)),
            ("1.50", Some(150)),
            ("€\u{A0}3,00", Some(300)),
            ("3,5€", Some(350)),
            ("EUR 2", Some(200)),
            ("2.25 EUR", Some(225)),
            ("-1", None),
            ("1 euro", None),
        ] {
            assert_eq!(cents(text), amount, "{text}");
        }
        for (text, expected) in [
            ("9", Some(900)),
            ("21 %", Some(2100)),
            ("5,5%", Some(550)),
            ("0", Some(0)),
            ("101", None),
            ("high", None),
        ] {
            assert_eq!(rate(text).map(VatRate::hundredths), expected, "{text}");
        }
        for (text, expected) in [
            ("JA", Some(true)),
            ("1", Some(true)),
            ("false", Some(false)),
            ("Nee", Some(false)),
            ("?", None),
        ] {
            assert_eq!(yes_or_no(text), expected, "{text}");
        }
        for (text, expected) in [
            ("8,71E+12", true),
            ("8.71e+12", true),
            ("8712345000017", false),
            ("E+12", false),
            ("A1.5E", false),
            ("1,5E-3", false),
        ] {
            assert_eq!(is_shortened(text), expected, "{text}");
        }
        assert_eq!(clipped(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(clipped(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
    }
}
