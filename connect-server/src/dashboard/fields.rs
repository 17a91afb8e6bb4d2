//! The fields of a form or a query, as sent by browsers.

use std::borrow::Cow;

use url::form_urlencoded;

/// Fields in order. A name may repeat, as for check boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Parses `application/x-www-form-urlencoded`, replacing invalid UTF-8.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let owned = |(name, value): (Cow<'_, str>, Cow<'_, str>)| (name.into(), value.into());
        Self(form_urlencoded::parse(text).map(owned).collect())
    }

    /// Returns the trimmed value of a field, or "" if missing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default().trim()
    }

    /// Returns the value of a field as typed, or "" if missing.
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

    /// Returns whether a field was sent.
    pub(super) fn has_field(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// Returns all fields, names and values, as sent.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns the fields as a URL query, without the question mark.
    pub(super) fn query(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.pairs()).finish()
    }

    /// Returns whether a check box of this name and value is checked.
    pub(super) fn has(&self, name: &str, value: &str) -> bool {
        self.all(name).any(|other| other == value)
    }
}

/// Returns the address of a page with these fields but empty ones.
pub(super) fn address<'f, V: AsRef<str>>(
    path: &str,
    fields: impl IntoIterator<Item = (&'f str, V)>,
) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let given = fields.into_iter();
    query.extend_pairs(given.filter(|(_, value)| !value.as_ref().is_empty()));
    match query.finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

impl FromIterator<(String, String)> for FormFields {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(pairs: T) -> Self {
        Self(pairs.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_filled_fields() {
        for (fields, expected) in [
            ([("q", ""), ("at", "")], "/shop"),
            ([("q", "Rye & Co"), ("at", "")], "/shop?q=Rye+%26+Co"),
            ([("q", "a"), ("at", "b")], "/shop?q=a&at=b"),
        ] {
            assert_eq!(address("/shop", fields), expected);
        }
    }

    #[test]
    fn names_may_come_several_times_or_not_at_all() {
        let fields = FormFields::parse(b"name=+Rye+%26+Co+&scope=a&scope=b&empty&=x&bad=%ff");
        assert_eq!(fields.get("name"), "Rye & Co");
        assert_eq!(fields.secret("name"), " Rye & Co ");
        assert!(fields.has("scope", "b") && !fields.has("scope", "c"));
        assert_eq!((fields.get("empty"), fields.get("none")), ("", ""));
        assert_eq!(fields.get("bad"), "\u{FFFD}");
        let again = FormFields::parse(fields.query().as_bytes());
        assert!(again.pairs().eq(fields.pairs()));
    }
}
