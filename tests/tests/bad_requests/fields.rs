//! Values that fields cannot have. Each is sent in a create, in an update and in a batch.

/// A field and a JSON text that it cannot hold.
pub(super) struct Fault {
    pub(super) field: &'static str,
    pub(super) value: String,
    /// What is wrong with it.
    pub(super) why: &'static str,
    /// What the message names, where it is more than the field.
    pub(super) names: &'static str,
    pub(super) unstated: bool,
}

pub(super) fn fault(field: &'static str, value: impl Into<String>, why: &'static str) -> Fault {
    Fault {
        field,
        value: value.into(),
        why,
        names: field,
        unstated: false,
    }
}

impl Fault {
    /// The message names this rather than the field.
    pub(super) fn named(self, names: &'static str) -> Self {
        Self { names, ..self }
    }

    /// The document cannot say that this is wrong.
    pub(super) fn unstated(self) -> Self {
        Self {
            unstated: true,
            ..self
        }
    }
}

/// A JSON string of so many of these characters.
pub(super) fn many(character: &str, count: usize) -> String {
    format!("\"{}\"", character.repeat(count))
}

/// JSON that is no string, no number and no boolean, with what to call it.
fn of_no_type() -> [(&'static str, &'static str); 2] {
    [("[]", "an array"), ("{}", "an object")]
}

/// Every type but a string; `null` where the field cannot be empty.
pub(super) fn no_string(field: &'static str, nullable: bool) -> Vec<Fault> {
    let mut faults = vec![
        fault(field, "12", "a number for a string"),
        fault(field, "true", "true for a string"),
    ];
    faults.extend(of_no_type().map(|(value, why)| fault(field, value, why)));
    faults.extend((!nullable).then(|| fault(field, "null", "null for what cannot be empty")));
    faults
}

/// Every type but a number.
pub(super) fn no_number(field: &'static str) -> Vec<Fault> {
    let mut faults = vec![
        fault(field, "\"12\"", "a number in quotes"),
        fault(field, "\"\"", "an empty string for a number"),
        fault(field, "true", "true for a number"),
        fault(field, "null", "null for what cannot be empty"),
    ];
    faults.extend(of_no_type().map(|(value, why)| fault(field, value, why)));
    faults
}

/// Every type but a boolean.
pub(super) fn no_boolean(field: &'static str) -> Vec<Fault> {
    let mut faults = vec![
        fault(field, "\"true\"", "true in quotes"),
        fault(field, "1", "1 for true"),
        fault(field, "0", "0 for false"),
        fault(field, "null", "null for what cannot be empty"),
    ];
    faults.extend(of_no_type().map(|(value, why)| fault(field, value, why)));
    faults
}

/// What a name of at most `longest` characters cannot be, besides not being a string.
pub(super) fn no_name(field: &'static str, longest: usize) -> Vec<Fault> {
    vec![
        fault(field, "\"\"", "an empty name"),
        fault(field, "\"   \"", "a name of blanks"),
        fault(field, "\"\\u00a0\\u2003\"", "a name of blanks beyond ASCII"),
        fault(field, many("x", longest + 1), "one character too long"),
        fault(
            field,
            many("é", longest + 1),
            "one character of two bytes too long",
        ),
        fault(
            field,
            many("🥐", longest + 1),
            "one character of four bytes too long",
        ),
        fault(field, "\"a\\nb\"", "a line feed in a name"),
        fault(field, "\"a\\tb\"", "a tab in a name"),
        fault(field, "\"a\\u0000b\"", "a NUL in a name"),
        fault(field, "\"a\\u007fb\"", "a DEL in a name"),
        fault(
            field,
            "\"a\\u0085b\"",
            "a control character beyond ASCII in a name",
        ),
    ]
}

/// What an integer from 0 to `largest` cannot be, besides not being a number.
pub(super) fn no_integer(field: &'static str, largest: i64) -> Vec<Fault> {
    vec![
        fault(field, "-1", "below zero"),
        fault(field, (largest + 1).to_string(), "one too large"),
        fault(
            field,
            format!("{}.0", largest + 1),
            "one too large, with a point",
        ),
        fault(field, "12.5", "half a unit"),
        fault(field, "1.2e-1", "a fraction with an exponent"),
        fault(
            field,
            "0.0000000000000000000000000000001",
            "a very small fraction",
        ),
        // A float reader takes this for 12.
        fault(
            field,
            "12.0000000000000000000001",
            "a fraction beyond a float",
        )
        .unstated(),
        fault(field, "9223372036854775808", "beyond 64 bits"),
        fault(field, "-9223372036854775809", "beyond 64 bits, below zero"),
        fault(field, "1e999", "beyond any float"),
        fault(field, "-1e999", "beyond any float, below zero"),
        fault(
            field,
            format!("1{}", "0".repeat(400)),
            "a number of 401 digits",
        ),
        fault(
            field,
            "1e99999999999999999999",
            "an exponent beyond 64 bits",
        ),
    ]
}
