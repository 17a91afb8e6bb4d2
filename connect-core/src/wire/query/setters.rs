//! Setter methods for query parameters.

/// Gives a query a setter for each of these parameters.
/// A parameter is a field of the query or, with `in`, of one of its fields.
macro_rules! setters {
    ($query:ident { $($field:ident $(in $of:ident)?: $type:ty),* $(,)? }) => {
        impl $query {
            $(
                #[doc = concat!("Sets `", $(stringify!($of), ".",)? stringify!($field), "`.")]
                #[must_use]
                pub fn $field(mut self, value: impl Into<$type>) -> Self {
                    self.$($of.)?$field = Some(value.into());
                    self
                }
            )*
        }
    };
}
pub(super) use setters;
