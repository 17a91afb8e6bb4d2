//! Amounts as people write them.

use connect_core::wire::decimal;

/// Writes an amount of cents, such as `€1,234.50`.
/// Negative amounts begin with a minus sign.
pub(super) fn money(cents: i64, currency: &str) -> String {
    let sign = if cents < 0 { "\u{2212}" } else { "" };
    let cents = cents.unsigned_abs();
    let whole = grouped(cents / 100);
    let rest = cents % 100;
    match currency {
        "EUR" => format!("{sign}€{whole}.{rest:02}"),
        "GBP" => format!("{sign}£{whole}.{rest:02}"),
        "USD" => format!("{sign}${whole}.{rest:02}"),
        other => format!("{sign}{whole}.{rest:02}\u{A0}{other}"),
    }
}

/// Writes a number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Reads a typed amount in cents: `3`, `3.5`, `3,50` or `€ 1234.50`.
/// Returns `None` for any other text.
pub(super) fn cents(text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches(['€', '£', '$']).trim();
    decimal(&text.replacen(',', ".", 1), 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_people_do() {
        for (amount, currency, text) in [
            (0, "EUR", "€0.00"),
            (5, "EUR", "€0.05"),
            (123_450, "EUR", "€1,234.50"),
            (100_000_000, "USD", "$1,000,000.00"),
            (-300, "GBP", "\u{2212}£3.00"),
            (
                i64::MIN,
                "CHF",
                "\u{2212}92,233,720,368,547,758.08\u{A0}CHF",
            ),
        ] {
            assert_eq!(money(amount, currency), text);
        }
    }

    #[test]
    fn amounts_are_read_as_people_type_them() {
        for (text, amount) in [
            ("3", Some(300)),
            (" 3.5", Some(350)),
            ("3,50", Some(350)),
            ("€ 1234.05", Some(123_405)),
            ("", None),
            ("3.505", None),
            ("-3", None),
            ("1,234.50", None),
            ("1,2,3", None),
            ("1.", None),
            ("three", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(cents(text), amount, "{text}");
        }
    }
}
