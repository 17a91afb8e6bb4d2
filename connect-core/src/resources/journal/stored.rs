//! Filters of the list, applied to rows in stored form.

use serde::Deserialize;

use crate::wire::{Timestamp, TransactionType};

/// Returns whether a row is of a type.
pub(super) fn is_of(kind: &TransactionType, row: &[u8]) -> serde_json::Result<bool> {
    #[derive(Deserialize)]
    struct TransactionTypeField {
        #[serde(rename = "type")]
        kind: TransactionType,
    }
    serde_json::from_slice(row).map(|row: TransactionTypeField| row.kind == *kind)
}

/// A time range, as a filter of rows.
pub(super) struct Within {
    from: Option<Bound>,
    to: Option<Bound>,
}

/// A bound, and its text as in stored rows.
/// Texts of times all have one length, and sort as the times do.
struct Bound {
    time: Timestamp,
    text: String,
}

impl Within {
    /// The time from `from` on and before `to`.
    pub(super) fn new(from: Option<Timestamp>, to: Option<Timestamp>) -> Self {
        let bound = |time: Timestamp| Bound {
            time,
            text: time.to_string(),
        };
        Self {
            from: from.map(bound),
            to: to.map(bound),
        }
    }

    /// Returns whether a stored row is in this range.
    /// A page of a day looks at hundreds of rows, and needs nothing else of them.
    pub(super) fn has(&self, row: &[u8]) -> serde_json::Result<bool> {
        let Self { from, to } = self;
        if let Some(time) = time_at_end(row) {
            return Ok(from
                .as_ref()
                .is_none_or(|from| time >= from.text.as_bytes())
                && to.as_ref().is_none_or(|to| time < to.text.as_bytes()));
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Dated {
            created_at: Timestamp,
        }
        let Dated { created_at } = serde_json::from_slice(row)?;
        Ok(from.as_ref().is_none_or(|from| created_at >= from.time)
            && to.as_ref().is_none_or(|to| created_at < to.time))
    }
}

/// The text of the time at the end of a row.
/// It is the last field, always of one length. No other text looks like it, since quotes within
/// texts are escaped.
fn time_at_end(row: &[u8]) -> Option<&[u8]> {
    const BEFORE: &[u8] = b",\"createdAt\":\"";
    const TIME: usize = 27;
    let time = row.strip_suffix(b"\"}")?;
    let (before, time) = time.split_at_checked(time.len().checked_sub(TIME)?)?;
    before.ends_with(BEFORE).then_some(time)
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

    /// Checks a row against the microsecond of its time, and both neighbors.
    fn check_time(stored: &[u8]) {
        let time = row("").created_at;
        for (shift, is_within) in [(-1, false), (0, true), (1, false)] {
            let from = time.plus_micros(shift);
            let within = Within::new(Some(from), Some(from.plus_micros(1)));
            assert_eq!(within.has(stored).unwrap(), is_within, "{shift}");
        }
        assert!(Within::new(None, None).has(stored).unwrap());
        assert!(!Within::new(None, Some(time)).has(stored).unwrap());
        assert!(Within::new(Some(time), None).has(stored).unwrap());
    }

    #[test]
    fn the_time_of_a_row_is_found_at_its_end() {
        let time = row("").created_at.to_string();
        let stored = serde_json::to_vec(&row("")).unwrap();
        assert_eq!(time_at_end(&stored), Some(time.as_bytes()));
        check_time(&stored);
        for cut in 1..stored.len() {
            assert_eq!(time_at_end(&stored[..cut]), None);
        }
    }

    #[test]
    fn a_text_that_looks_like_the_time_is_none() {
        let sly = r#"","createdAt":"1999-01-01T00:00:00.000000Z"#;
        let mut fields = serde_json::to_value(row(sly)).unwrap();
        // In another order of the fields the note may come last.
        let note = fields.as_object_mut().unwrap().remove("note").unwrap();
        let fields = fields.to_string();
        let fields = fields.strip_suffix('}').unwrap();
        let stored = format!(r#"{fields},"note":{note}}}"#);
        assert_eq!(time_at_end(stored.as_bytes()), None);
        check_time(stored.as_bytes());
    }
}
