//! The declaration of the bodies of writes.

use super::read::Invalid;

/// Declares the body of a write: each field once, with its doc comment and its form. The doc
/// comments are also the descriptions in the API document.
macro_rules! input {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* pub $field:ident: $type:ty,)+
        }
        required: [$($required:literal),*],
        read_only: [$($read_only:literal),*],
    ) => {
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$meta])*
        #[serde(rename_all = "camelCase", default)]
        pub struct $name {
            $(
                $(#[$doc])*
                #[serde(skip_serializing_if = "Field::is_absent")]
                pub $field: $type,
            )+
        }

        impl $name {
            /// Reads the body of a write strictly; read-only fields are accepted and ignored.
            ///
            /// # Errors
            /// The body is malformed, or a field is unknown or of another type.
            pub fn from_json(json: &[u8]) -> Result<Self, crate::wire::read::ReadError> {
                crate::wire::read::input(json)
            }
        }

        // The reader keeps a bit for each of them.
        const _: () = assert!(<$name as crate::wire::WriteInput>::READ_ONLY.len() <= 64);

        impl crate::wire::WriteInput for $name {
            const REQUIRED: &'static [&'static str] = &[$($required),*];
            const READ_ONLY: &'static [&'static str] = &[$($read_only),*];

            fn check(mut self) -> Result<Self, crate::wire::read::Invalid> {
                $(self.$field.check(stringify!($field)).map_err(crate::wire::input::in_json)?;)+
                Ok(self)
            }
        }
    };
}

pub(crate) use input;

/// Gives the path of a field of a struct the spelling that it has in JSON.
pub(crate) fn in_json(invalid: Invalid) -> Invalid {
    let mut field = String::with_capacity(invalid.field.len());
    let mut is_first_of_word = false;
    for letter in invalid.field.chars() {
        match letter {
            '_' => is_first_of_word = true,
            _ if is_first_of_word => {
                field.push(letter.to_ascii_uppercase());
                is_first_of_word = false;
            }
            _ => field.push(letter),
        }
    }
    Invalid { field, ..invalid }
}
