//! The templates of the pages to sign in, all empty.

use askama::Template;

/// Declares an empty template with these fields.
macro_rules! pages {
    ($($name:ident { $($field:ident: $type:ty),* })*) => {$(
        /// An empty page.
        #[derive(Debug, Template)]
        #[template(source = "", ext = "html")]
        pub struct $name<'a> {
            $(
                /// Not shown.
                pub $field: $type,
            )*
            /// Not shown.
            pub alert: &'a str,
        }
    )*};
}

pages! {
    LoginTemplate { state: String, enable_registration: bool }
    RegisterTemplate { state: String }
    ResetPasswordRequestTemplate { state: String }
    ResetPasswordUpdateTemplate { state: String }
    ChangePasswordTemplate { state: String }
    ChangeEmailTemplate { state: String }
}

/// Returns no field of a form.
pub fn hidden_input<T: AsRef<str>>(_: &str, _: Option<T>) -> String {
    String::new()
}

/// Returns no field of a form.
pub fn redirect_to<T: AsRef<str>>(_: Option<T>) -> String {
    String::new()
}
