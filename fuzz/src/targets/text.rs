//! Texts for a value: idempotency keys, times, days, numbers and ids.

use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

use connect_core::wire::{
    Date, Id, IdempotencyKey, Product, Quantity, QuantityChange, Timestamp, VatRate,
    form::{Amount, Cents, Form, Whole},
    limits::{MAX_AMOUNT_CENTS, MAX_IDEMPOTENCY_KEY_LEN, MAX_POSITION, MAX_PRICE_CENTS},
    query::Moment,
    read::parse_uuid,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::{Target, Verdict};

/// Returns a target for each kind of text.
pub(super) fn targets() -> Vec<Target> {
    const TIME: &str = "2026-11-20T09:15:30.123456Z";
    vec![
        Target::new("key", &["order-17", "!~"], &[], key),
        Target::new(
            "timestamp",
            &[TIME, "2026-11-20T10:15:30.5+01:00", "0000-01-01T00:00:00Z"],
            &[],
            timestamp,
        ),
        Target::new("date", &["2026-11-20", "2024-02-29"], &[], both::<Date>),
        Target::new("moment", &["2026-11-20", TIME], &[], moment),
        Target::new(
            "number",
            &["12.50", "-0", "395", "1e2", "0.125"],
            &[],
            number,
        ),
        Target::new("id", &["01234567-89ab-7def-8123-456789abcdef"], &[], id),
    ]
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

fn key(bytes: &[u8]) -> Verdict {
    let text = text(bytes);
    let fits = (1..=MAX_IDEMPOTENCY_KEY_LEN).contains(&text.len());
    let is_good = fits && text.bytes().all(|byte| (b'!'..=b'~').contains(&byte));
    let read = IdempotencyKey::new(text);
    assert_eq!(read.is_ok(), is_good);
    if let Ok(key) = &read {
        assert_eq!((key.as_str(), &*key.to_string()), (text, text));
    }
    Verdict::of(is_good)
}

/// Reads a text, then its written form; JSON reads the same.
fn both<T>(bytes: &[u8]) -> Verdict
where
    T: FromStr + Display + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let text = text(bytes);
    let read = text.parse::<T>().ok();
    let json = serde_json::to_string(text).unwrap();
    assert_eq!(serde_json::from_str(&json).ok(), read, "in JSON");
    let Some(value) = read else {
        return Verdict::Refused;
    };
    assert_eq!(value.to_string().parse().ok().as_ref(), Some(&value));
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(json, format!("\"{value}\""));
    Verdict::Taken
}

fn timestamp(bytes: &[u8]) -> Verdict {
    let verdict = both::<Timestamp>(bytes);
    if let Ok(time) = text(bytes).parse::<Timestamp>() {
        assert!((Timestamp::MIN..=Timestamp::MAX).contains(&time));
        assert_eq!(Timestamp::from_micros(time.micros()), time);
        assert_eq!(Timestamp::from(time.to_utc()), time);
        // Texts of the written form sort as their times do.
        let later = time.plus_micros(1);
        assert_eq!(later > time, later.to_string() > time.to_string());
    }
    verdict
}

fn moment(bytes: &[u8]) -> Verdict {
    let read = text(bytes).parse::<Moment>();
    if let Ok(moment) = &read {
        assert_eq!(moment.to_string().parse().as_ref(), Ok(moment));
    }
    Verdict::of(read.is_ok())
}

fn id(bytes: &[u8]) -> Verdict {
    let read = parse_uuid(text(bytes));
    if let Some(uuid) = read {
        assert_eq!(uuid.to_string(), text(bytes).to_ascii_lowercase());
        assert_eq!(
            uuid.to_string().parse().ok(),
            Some(Id::<Product>::new(uuid))
        );
    }
    Verdict::of(read.is_some())
}

/// Reads a text as each kind of number in a body.
fn number(bytes: &[u8]) -> Verdict {
    let text = text(bytes);
    let cents = [
        form::<Cents<MAX_PRICE_CENTS>>(text, 0, |cents| *cents),
        form::<Amount<MAX_AMOUNT_CENTS>>(text, 0, |cents| *cents),
        form::<Whole<MAX_POSITION>>(text, 0, |number| *number),
    ];
    let decimals = [
        form::<Quantity>(text, 3, |quantity| quantity.thousandths()),
        form::<VatRate>(text, 2, |rate| rate.hundredths().into()),
    ];
    // Texts in the written form, without exponents, read as the same number.
    if let Ok(quantity) = text.parse::<Quantity>() {
        assert_eq!(quantity.to_string().parse(), Ok(quantity));
        let json = serde_json::to_string(&quantity).unwrap();
        assert_eq!(json, quantity.to_string());
        let change = QuantityChange::between(Quantity::default(), quantity);
        assert_eq!(serde_json::from_str(&json).ok(), Some(change));
    }
    if let Ok(rate) = text.parse::<VatRate>() {
        assert_eq!(rate.to_string().parse(), Ok(rate));
    }
    Verdict::of(cents.into_iter().chain(decimals).any(|taken| taken))
}

/// Reads a text as a JSON number, then its written form.
/// The value counts units of `10^-digits`. Returns `true` if it is taken.
fn form<F>(text: &str, digits: i32, units: fn(&F::Value) -> i64) -> bool
where
    F: Form<Value: PartialEq + Debug>,
{
    let Ok(mut value) = read::<F>(text) else {
        return false;
    };
    if F::check(&mut value, "number").is_err() {
        return false;
    }
    // A float is exact enough to find a number that is another one.
    let meant: f64 = text.trim().parse().unwrap();
    let is = units(&value) as f64 / 10_f64.powi(digits);
    assert!(
        (meant - is).abs() <= meant.abs() * 1e-12,
        "{text} is read as {is}"
    );
    let written = serde_json::to_string(&value).unwrap();
    let again = read::<F>(&written).ok();
    assert_eq!(again.as_ref(), Some(&value), "written as {written}");
    true
}

fn read<F: Form>(text: &str) -> Result<F::Value, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = F::read(&mut json)?;
    json.end()?;
    Ok(value)
}
