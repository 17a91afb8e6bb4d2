//! The `Debug` output of errors, as printed by a failing `main`.

/// Makes `{:?}` of an error read like `{}`.
/// `{:#?}` shows every part. Takes the variants of an enum or, after `struct`, the fields of a struct.
macro_rules! debug_reads_like_display {
    ($error:ident { $($variant:ident $(($part:ident))? $({ $($field:ident),+ })?),+ $(,)? }) => {
        impl std::fmt::Debug for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                if !f.alternate() {
                    return std::fmt::Display::fmt(self, f);
                }
                match self {
                    $(Self::$variant $(($part))? $({ $($field),+ })? => f
                        .debug_struct(stringify!($variant))
                        $(.field(stringify!($part), $part))?
                        $($(.field(stringify!($field), $field))+)?
                        .finish(),)+
                }
            }
        }
    };
    (struct $error:ident $(($part:ident))? $({ $($field:ident),+ $(,)? })?) => {
        impl std::fmt::Debug for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                if !f.alternate() {
                    return std::fmt::Display::fmt(self, f);
                }
                let Self $(($part))? $({ $($field),+ })? = self;
                f.debug_struct(stringify!($error))
                    $(.field(stringify!($part), $part))?
                    $($(.field(stringify!($field), $field))+)?
                    .finish()
            }
        }
    };
}
pub(crate) use debug_reads_like_display;
