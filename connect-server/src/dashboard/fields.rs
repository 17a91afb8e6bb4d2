//! The fields of a form or of a query, as browsers send them.

use std::borrow::Cow;

use url::form_urlencoded;

/// Fields in their order. A name may come several times, as that of check boxes does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads fields of the type `application/x-www-form-urlencoded`. What is no UTF-8 is replaced.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let owned = |(name, value): (Cow<'_, str>, Cow<'_, str>)| (name.into(), value.into());
        Self(form_urlencoded::parse(text).map(owned).collect())
    }

    /// Returns the value of a field without blanks around it, or "" when it was not sent.
    pub(super) fn get(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default().trim()
    }

    /// Returns the value of a field as it was typed, or "" when it was not sent.
    pub(super) fn secret(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// Returns all values of a name.
    pub(super) fn all<'f, 'n>(
        &'f self,
        name: &'n str,
    ) -> impl Iterator<Item = &'f str> + use<'f, 'n> {
        let named = self.0.iter().filter(move |(other, _)| other == name);
        named.map(|(_, value)| &**value)
    }

    /// Returns all fields, names and values, as they were sent.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns them as the query of an address, without a question mark.
    pub(super) fn query(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.pairs()).finish()
    }

    /// Returns whether a check box of this name and value is checked.
    pub(super) fn has(&self, name: &str, value: &str) -> bool {
        self.all(name).any(|other| other == value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_come_several_times_or_not_at_all() {
        let fields = Fields::parse(b"name=+Rye+%26+Co+&scope=a&scope=b&empty&=x&bad=%ff");
        assert_eq!(fields.get("name"), "Rye & Co");
        assert_eq!(fields.secret("name"), " Rye & Co ");
        assert!(fields.has("scope", "b") && !fields.has("scope", "c"));
        assert_eq!((fields.get("empty"), fields.get("none")), ("", ""));
        assert_eq!(fields.get("bad"), "\u{FFFD}");
        let again = Fields::parse(fields.query().as_bytes());
        assert!(again.pairs().eq(fields.pairs()));
    }
}
