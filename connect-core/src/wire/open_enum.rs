//! Enumerations open to new values: an unknown value is kept, not refused.

/// Declares an enumeration of strings with an `Unknown` variant.
/// The variant keeps the text as read, so a client built today still works with new values of the
/// service.
macro_rules! open_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)+
            /// An unknown value, as it was sent.
            Unknown(String),
        }

        impl $name {
            /// Every known value.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant),+];

            /// The value as written in JSON.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown(text) => text,
                }
            }

            /// The value named by `text`, if known.
            pub fn known(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::known(text).unwrap_or_else(|| Self::Unknown(text.to_owned()))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Ok(Self::from(&*text))
            }
        }

        /// Closed in requests, open in responses.
        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let known: Vec<_> = Self::KNOWN.iter().map(Self::as_str).collect();
                $crate::wire::form::schema::enumeration(generator, &known)
            }
        }

        impl $crate::wire::query::Word for $name {
            const WORDS: &'static [&'static str] = &[$($text),+];

            fn known(text: &str) -> Option<Self> {
                Self::known(text)
            }
        }

        /// A request takes only known values.
        impl $crate::wire::form::Form for $name {
            type Value = Self;

            fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let known: Vec<_> = Self::KNOWN.iter().map(Self::as_str).collect();
                $crate::wire::form::one_of(deserializer, &known).map(|text| Self::from(&*text))
            }

            fn check(value: &mut Self, field: &str) -> Result<(), $crate::wire::read::Invalid> {
                let Self::Unknown(text) = value else {
                    return Ok(());
                };
                let known: Vec<_> = Self::KNOWN.iter().map(Self::as_str).collect();
                let (known, sent) = (known.join(", "), $crate::wire::read::clip(text));
                let problem = format!("must be one of {known}, not {sent}");
                Err($crate::wire::read::Invalid::new(field, problem))
            }
        }
    };
}

pub(crate) use open_enum;
