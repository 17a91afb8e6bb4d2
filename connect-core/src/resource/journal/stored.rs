//! The fields that the filters of the list look at, in rows as they are stored.

use serde::Deserialize;

use crate::wire::{Timestamp, TransactionType};

/// Returns whether a row is of a type.
pub(super) fn is_of(kind: &TransactionType, row: &[u8]) -> serde_json::Result<bool> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        kind: TransactionType,
    }
    serde_json::from_slice(row).map(|row: Typed| row.kind == *kind)
}

/// Returns the time of a row as it is stored. A page of a day looks at hundreds of rows, and needs
/// nothing else of them.
pub(super) fn created_at(row: &[u8]) -> serde_json::Result<Timestamp> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Dated {
        created_at: Timestamp,
    }
    match time_at_end(row) {
        Some(time) => Ok(time),
        None => serde_json::from_slice(row).map(|row: Dated| row.created_at),
    }
}

/// The time that ends a row: its last field, always of one length. No other text looks like it, since
/// quotes within texts are escaped.
fn time_at_end(row: &[u8]) -> Option<Timestamp> {
    const BEFORE: &[u8] = b",\"createdAt\":\"";
    const TIME: usize = 27;
    let time = row.strip_suffix(b"\"}")?;
    let (before, time) = time.split_at_checked(time.len().checked_sub(TIME)?)?;
    let time = before.ends_with(BEFORE).then_some(time)?;
    std::str::from_utf8(time).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Id, Payment, PaymentMethod, Register, Transaction};

    fn row(note: &str) -> Transaction {
        Transaction {
            id: Id::new(uuid::Uuid::from_u128(1)),
            receipt_number: 1,
            kind: TransactionType::CashIn,
            register: Register {
                id: Id::new(uuid::Uuid::from_u128(2)),
                name: "Till".to_owned(),
            },
            employee: None,
            currency: "EUR".to_owned(),
            total_cents: 5,
            discount_cents: 0,
            lines: Vec::new(),
            payments: vec![Payment {
                method: PaymentMethod::Cash,
                amount_cents: 5,
            }],
            vat: Vec::new(),
            refund_of: None,
            order_id: None,
            note: Some(note.to_owned()),
            created_at: "2026-10-25T01:30:00.000001Z".parse().unwrap(),
        }
    }

    #[test]
    fn the_time_of_a_row_is_found_at_its_end() {
        let time = row("").created_at;
        let stored = serde_json::to_vec(&row("")).unwrap();
        assert_eq!(time_at_end(&stored), Some(time));
        assert_eq!(created_at(&stored).unwrap(), time);
        for cut in 1..stored.len() {
            assert_eq!(time_at_end(&stored[..cut]), None);
        }
    }

    #[test]
    fn a_text_that_looks_like_the_time_is_none() {
        let time = row("").created_at;
        let sly = r#"","createdAt":"1999-01-01T00:00:00.000000Z"#;
        let mut fields = serde_json::to_value(row(sly)).unwrap();
        // In another order of the fields the note may come last.
        let note = fields.as_object_mut().unwrap().remove("note").unwrap();
        let fields = fields.to_string();
        let fields = fields.strip_suffix('}').unwrap();
        let stored = format!(r#"{fields},"note":{note}}}"#);
        assert_eq!(time_at_end(stored.as_bytes()), None);
        assert_eq!(created_at(stored.as_bytes()).unwrap(), time);
    }
}
