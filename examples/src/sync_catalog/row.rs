//! Reading one row of a menu.

use std::fmt;

use connect_client::wire::{Field, ProductInput, VatRate};
use csv::ByteRecord;

use super::{Column, columns::Places};

/// A row that can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The line of the file it starts on, from 1.
    pub line: usize,
    /// The product that it describes.
    pub product: ProductInput,
}

/// A row that cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// The line of the file it starts on, from 1.
    pub line: usize,
    /// The column; `None` when it is the row as a whole.
    pub column: Option<Column>,
    /// The problem, and what would be right.
    pub problem: String,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            problem,
        } = self;
        match column {
            Some(column) => write!(f, "line {line}, column {}: {problem}", column.name()),
            None => write!(f, "line {line}: {problem}"),
        }
    }
}

impl Row {
    /// Reads one record of the file.
    pub(super) fn read(record: &ByteRecord, places: &Places, line: usize) -> Result<Self, BadRow> {
        if record.len() != places.width {
            let (found, expected) = (record.len(), places.width);
            let problem = format!("has {found} cells, and the first line names {expected} columns");
            return Err(BadRow {
                line,
                column: None,
                problem,
            });
        }
        let bad = |column, problem| BadRow {
            line,
            column: Some(column),
            problem,
        };
        let cell =
            |column| text(places.cell(record, column)).map_err(|problem| bad(column, problem));
        let needed = |column, what: &str| match cell(column)? {
            "" => Err(bad(column, format!("is empty; {what}"))),
            text => Ok(text),
        };
        let id = needed(Column::ExternalId, "products are known by it")?;
        let name = needed(Column::Name, "every product has one")?;
        let price = needed(Column::PriceCents, PRICE)?;
        let price = price
            .parse()
            .map_err(|_| bad(Column::PriceCents, format!("{PRICE}, not {price:?}")))?;
        let mut product = ProductInput {
            external_id: Field::Value(id.to_owned()),
            price_cents: Field::Value(price),
            barcode: match cell(Column::Barcode)? {
                "" => Field::Null,
                code => Field::Value(code.to_owned()),
            },
            ..ProductInput::named(name)
        };
        match cell(Column::Category)? {
            "" => product.category_id = Field::Null,
            category => product.category_name = Field::Value(category.to_owned()),
        }
        match cell(Column::VatRate)? {
            // Left out: what the service has stays, and a new product gets the location's rate.
            "" => {}
            rate => {
                let parsed = vat_rate(rate);
                let wrong = || bad(Column::VatRate, format!("{VAT}, not {rate:?}"));
                product.vat_rate = Field::Value(parsed.ok_or_else(wrong)?);
            }
        }
        Ok(Self { line, product })
    }
}

const PRICE: &str = "must be a whole number of cents, such as 395";
const VAT: &str = "must be a percentage from 0 to 100 with at most two decimals, such as 9 or 5.5";

/// A cell as text. A line end in it is most often a quotation mark that was never closed.
fn text(cell: &[u8]) -> Result<&str, String> {
    let text =
        str::from_utf8(cell).map_err(|_| "is not UTF-8; save the file as such".to_owned())?;
    match text.chars().find(|char| char.is_control()) {
        Some('\n' | '\r') => {
            Err("has a line end in it; is a quotation mark not closed?".to_owned())
        }
        Some(char) => Err(format!("has the control character {char:?} in it")),
        None => Ok(text),
    }
}

/// A percentage, read exactly: a float would turn 5.555 into something that can be sent.
fn vat_rate(text: &str) -> Option<VatRate> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !(1..=2).contains(&fraction.len()) {
        return None;
    }
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let hundredths = format!("{whole}{fraction:0<2}").parse().ok()?;
    VatRate::from_hundredths(hundredths)
}
