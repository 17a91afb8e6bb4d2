//! The JSON names of fields.

/// The most letters of a name.
const LONGEST: usize = 32;

/// The name of a field in JSON: `imageStatus` for `image_status`.
pub(crate) struct JsonName {
    letters: [u8; LONGEST],
    length: usize,
}

impl JsonName {
    /// Returns the JSON name of the code field `field`, in serde's `camelCase`.
    /// A name over the limit does not compile.
    pub(crate) const fn of(field: &str) -> Self {
        // `type` is a keyword of Rust, and no field of the API is named `kind`.
        let field = match field.as_bytes() {
            b"kind" => b"type",
            field => field,
        };
        let (mut letters, mut length, mut at) = ([0; LONGEST], 0, 0);
        while at < field.len() {
            if field[at] != b'_' {
                let starts_word = at > 0 && field[at - 1] == b'_';
                let (letter, upper) = (field[at], field[at].to_ascii_uppercase());
                letters[length] = if starts_word { upper } else { letter };
                length += 1;
            }
            at += 1;
        }
        Self { letters, length }
    }

    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.letters.split_at(self.length).0) {
            Ok(name) => name,
            Err(_) => "",
        }
    }
}

/// The JSON name of a field, computed by the compiler.
macro_rules! json_name {
    ($field:ident) => {{
        const NAME: &$crate::wire::json_name::JsonName =
            &$crate::wire::json_name::JsonName::of(stringify!($field));
        const { NAME.as_str() }
    }};
}

pub(crate) use json_name;

#[cfg(test)]
mod tests {
    #[test]
    fn words_are_joined() {
        assert_eq!(json_name!(name), "name");
        assert_eq!(json_name!(option_group_ids), "optionGroupIds");
        assert_eq!(json_name!(kind), "type");
    }
}
