//! The declaration of the bodies of writes.

/// Declares the body of a write.
/// Each field is declared once, with its doc comment and its [form](super::form). The doc comments
/// are also the descriptions in the API document. Each field has a setter of its name.
///
/// ```ignore
/// input! {
///     /// The body that counts a product.
///     pub struct CountInput {
///         /// The product that was counted.
///         product_id: Id<Product>, required;
///         /// A remark for people.
///         note: OrNull<Prose<MAX_NOTE>>;
///     }
///     read_only: [created_at]
/// }
/// ```
macro_rules! input {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* $field:ident: $form:ty $(, $required:ident)?;)+
        }
        read_only: [$($read_only:ident),*]
    ) => {
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$meta])*
        #[serde(rename_all = "camelCase", default)]
        pub struct $name {
            $(
                $(#[$doc])*
                #[serde(skip_serializing_if = "crate::wire::Field::is_absent")]
                pub $field: $crate::wire::Field<$form>,
            )+
        }

        impl $name {
            $(
                #[doc = concat!(
                    "Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ") to a \
                     value, or to [`Field::Null`](crate::wire::Field::Null)."
                )]
                #[must_use]
                #[allow(clippy::should_implement_trait, reason = "a field may be called `add`")]
                pub fn $field(mut self, value: impl Into<$crate::wire::Field<$form>>) -> Self {
                    self.$field = value.into();
                    self
                }
            )+

            /// Reads the body of a write strictly; read-only fields are accepted and ignored.
            ///
            /// # Errors
            /// The body is malformed, or a field is unknown or of another type.
            pub fn from_json(json: &[u8]) -> Result<Self, $crate::wire::read::ReadError> {
                $crate::wire::read::input(json)
            }
        }

        // The reader keeps a bit for each of them.
        const _: () = assert!(<$name as $crate::wire::WriteInput>::READ_ONLY.len() <= 64);

        impl $crate::wire::WriteInput for $name {
            const REQUIRED: &'static [&'static str] =
                &[$($($crate::wire::input::input!(@$required $field),)?)+];
            const READ_ONLY: &'static [&'static str] =
                &[$($crate::wire::json_name::json_name!($read_only)),*];

            const RULES: &'static [$crate::wire::read::FieldRule] = &[$(
                $crate::wire::Field::<$form>::rule($crate::wire::json_name::json_name!($field)),
            )+];

            fn check(&mut self) -> Result<(), $crate::wire::read::Invalid> {
                $(self.$field.check($crate::wire::json_name::json_name!($field))?;)+
                Ok(())
            }

            fn check_required(&self) -> Result<(), $crate::wire::read::Invalid> {
                $($(
                    let name = $crate::wire::input::input!(@$required $field);
                    self.$field.value().ok_or_else(|| $crate::wire::read::missing(name))?;
                )?)+
                Ok(())
            }
        }
    };
    (@required $field:ident) => {
        $crate::wire::json_name::json_name!($field)
    };
}

pub(crate) use input;
