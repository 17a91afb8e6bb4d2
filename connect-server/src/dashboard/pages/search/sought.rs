//! The text of a search, and its possible meanings.

use uuid::Uuid;

/// A typed text.
pub(super) struct Sought<'t> {
    pub(super) text: &'t str,
    lower: String,
    /// Set for an id.
    pub(super) id: Option<Uuid>,
    /// Set for a number of receipts and orders, such as `#12`.
    pub(super) number: Option<u64>,
}

impl<'t> Sought<'t> {
    /// Reads a typed text.
    pub(super) fn new(text: &'t str) -> Self {
        let digits = text.strip_prefix('#').unwrap_or(text);
        let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
        Self {
            text,
            lower: text.to_lowercase(),
            id: Uuid::try_parse(text).ok(),
            number: digits.parse().ok().filter(|_| is_number),
        }
    }

    /// Returns whether a name has the text in it.
    /// Case does not matter.
    pub(super) fn is_in(&self, name: &str) -> bool {
        name.to_lowercase().contains(&self.lower)
    }

    /// Returns whether a name is the text.
    /// Case does not matter.
    pub(super) fn is(&self, name: &str) -> bool {
        name.to_lowercase() == self.lower
    }

    /// Returns whether the text is this id.
    pub(super) fn is_id(&self, id: impl Into<Uuid>) -> bool {
        self.id == Some(id.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_be_a_number_or_an_id() {
        for (text, number, is_id) in [
            ("12", Some(12), false),
            ("#12", Some(12), false),
            ("0", Some(0), false),
            ("", None, false),
            ("#", None, false),
            ("+12", None, false),
            ("12a", None, false),
            ("99999999999999999999", None, false),
            ("0199E3A1-7c00-7000-8000-000000000001", None, true),
        ] {
            let sought = Sought::new(text);
            assert_eq!(
                (sought.number, sought.id.is_some()),
                (number, is_id),
                "{text}"
            );
        }
        let sought = Sought::new("RYE");
        assert!(sought.is_in("Dark rye") && sought.is("rye") && !sought.is_in("ry"));
    }
}
