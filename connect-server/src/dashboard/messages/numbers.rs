//! Numbers and amounts as people write them.

use std::borrow::Cow;

use connect_core::wire::decimal;

/// Writes a whole number, in groups of three digits.
pub(in crate::dashboard) fn number(number: i64) -> String {
    let sign = if number < 0 { "\u{2212}" } else { "" };
    format!("{sign}{}", grouped(number.unsigned_abs()))
}

/// Writes an amount of cents, such as `€1,234.50`.
/// Negative amounts begin with a minus sign.
pub(in crate::dashboard) fn money(cents: i64, currency: &str) -> String {
    let whole = grouped(cents.unsigned_abs() / 100);
    let rest = cents.unsigned_abs() % 100;
    let amount = format!("{whole}{}{rest:02}", text!("number-decimal"));
    let symbol = match currency {
        "EUR" => "€",
        "GBP" => "£",
        "USD" => "$",
        _ => "",
    };
    let amount = match symbol {
        "" => text!("money-of", amount = amount, currency = currency),
        symbol => text!("money", amount = amount, symbol = symbol),
    };
    match cents {
        0.. => amount.into_owned(),
        _ => format!("\u{2212}{amount}"),
    }
}

/// Writes a rate in percent, such as `9 %`.
pub(in crate::dashboard) fn percent(rate: impl ToString) -> String {
    let rate = rate.to_string().replace('.', &text!("number-decimal"));
    format!("{rate} %")
}

/// Writes a quantity, such as `2.5` or `−1`.
pub(in crate::dashboard) fn quantity(quantity: impl ToString) -> String {
    let quantity = quantity.to_string().replace('-', "\u{2212}");
    quantity.replace('.', &text!("number-decimal"))
}

/// Writes a number of bytes in a fitting unit, such as `1.0 KiB`.
pub(in crate::dashboard) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut shown = bytes as f64;
    let mut unit = 0;
    while shown >= 1023.95 && unit + 1 < UNITS.len() {
        shown /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ => {
            let number = format!("{shown:.1}").replace('.', &text!("number-decimal"));
            format!("{number} {}", UNITS[unit])
        }
    }
}

/// Reads a typed amount in cents: `3`, `3.5`, `3,50` or `€ 1234.50`.
/// Returns `None` for any other text.
pub(in crate::dashboard) fn cents(text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches(['€', '£', '$']).trim();
    decimal(&text.replacen(',', ".", 1), 2)
}

/// Writes an amount in cents as [`cents`] reads it, such as `1234.50`.
pub(in crate::dashboard) fn typed_cents(cents: i64) -> String {
    let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{whole}{}{rest:02}", text!("number-decimal"))
}

/// Reads a typed percentage in tenths: `3`, `2.5` or `2,5 %`.
/// Returns `None` for any other text.
pub(in crate::dashboard) fn tenths(text: &str) -> Option<i64> {
    let text = text.trim().trim_end_matches('%').trim_end();
    decimal(&text.replacen(',', ".", 1), 1)
}

/// Writes a number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let separator = match digits.len() {
        ..4 => Cow::default(),
        _ => text!("number-group"),
    };
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push_str(&separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use connect_core::Language;

    use super::*;
    use crate::dashboard::messages::READER;

    #[test]
    fn amounts_are_written_as_the_language_does() {
        for (amount, currency, english, dutch) in [
            (0, "EUR", "€0.00", "€\u{A0}0,00"),
            (5, "EUR", "€0.05", "€\u{A0}0,05"),
            (123_450, "EUR", "€1,234.50", "€\u{A0}1.234,50"),
            (100_000_000, "USD", "$1,000,000.00", "$\u{A0}1.000.000,00"),
            (-300, "GBP", "\u{2212}£3.00", "\u{2212}£\u{A0}3,00"),
            (
                i64::MIN,
                "CHF",
                "\u{2212}92,233,720,368,547,758.08\u{A0}CHF",
                "\u{2212}92.233.720.368.547.758,08\u{A0}CHF",
            ),
        ] {
            assert_eq!(money(amount, currency), english);
            let shown = READER.sync_scope(Language::Nl, || money(amount, currency));
            assert_eq!(shown, dutch);
        }
        assert_eq!(number(-1234), "\u{2212}1,234");
        assert_eq!(READER.sync_scope(Language::Nl, || percent("5.5")), "5,5 %");
        for (text, english, dutch) in [
            ("12", "12", "12"),
            ("1.5", "1.5", "1,5"),
            ("-0.125", "\u{2212}0.125", "\u{2212}0,125"),
        ] {
            assert_eq!(quantity(text), english);
            let shown = READER.sync_scope(Language::Nl, || quantity(text));
            assert_eq!(shown, dutch);
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

    #[test]
    fn an_amount_is_written_as_it_is_read() {
        for (amount, english) in [(0, "0.00"), (5, "0.05"), (123_450, "1234.50")] {
            assert_eq!(typed_cents(amount), english);
            let dutch = READER.sync_scope(Language::Nl, || typed_cents(amount));
            assert_eq!(dutch, english.replace('.', ","));
            assert_eq!(
                (cents(english), cents(&dutch)),
                (Some(amount), Some(amount))
            );
        }
        assert_eq!(typed_cents(-150), "-1.50");
    }

    #[test]
    fn percentages_are_read_as_people_type_them() {
        for (text, expected) in [
            ("3", Some(30)),
            ("2.5", Some(25)),
            ("2,5 %", Some(25)),
            ("10%", Some(100)),
            ("", None),
            ("%", None),
            ("-3", None),
            ("2.55", None),
            ("ten", None),
        ] {
            assert_eq!(tenths(text), expected, "{text}");
        }
    }

    #[test]
    fn bytes_are_shown_in_a_unit_that_fits() {
        for (number, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_048_524, "1023.9 KiB"),
            (1_048_575, "1.0 MiB"),
            (10 * 1024 * 1024 * 1024, "10.0 GiB"),
            (u64::MAX, "16777216.0 TiB"),
        ] {
            assert_eq!(bytes(number), expected);
        }
    }
}
