//! Refusals of values of the wrong kind.

/// Writes a visitor's refusals of scalars: "must be an array, not a string".
macro_rules! refuse_scalars {
    ($expected:literal) => {
        $crate::wire::read::refuse::refuse_scalars! {
            $expected: visit_str(&str) "a string", visit_i64(i64) "a number",
            visit_u64(u64) "a number", visit_f64(f64) "a number", visit_bool(bool) "a boolean"
        }

        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Err(E::custom(concat!("must be ", $expected, ", not null")))
        }
    };
    ($expected:literal: $($visit:ident($type:ty) $kind:literal),+) => {
        $(
            fn $visit<E: serde::de::Error>(self, _: $type) -> Result<Self::Value, E> {
                Err(E::custom(concat!("must be ", $expected, ", not ", $kind)))
            }
        )+
    };
}

pub(super) use refuse_scalars;
