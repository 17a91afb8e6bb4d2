//! The two fields for a new password.

use std::borrow::Cow;

use connect_core::{Error, MIN_PASSWORD, Reason};
use maud::{Markup, html};

use super::{FormFields, inputs::Field};

/// The names of the fields.
pub(super) const NAMES: [&str; 2] = ["password", "repeated"];

/// Shows the fields. `label` is the name of the first.
pub(super) fn fields(label: &str, refused: Option<&Reason>) -> Markup {
    let password = Field {
        label: label.into(),
        name: NAMES[0],
        kind: "password",
        value: "",
        hint: text!("new-password-hint", count = MIN_PASSWORD),
        autocomplete: "new-password",
    };
    let repeated = Field {
        label: text!("new-password-repeated", label = label),
        name: NAMES[1],
        hint: Cow::default(),
        ..password
    };
    html! { (password.render(refused)) (repeated.render(refused)) }
}

/// Reads the chosen password.
///
/// # Errors
/// [`Error::Invalid`]: the two fields differ.
pub(super) fn read(form: &FormFields) -> Result<&str, Error> {
    let [password, repeated] = NAMES.map(|name| form.secret(name));
    if password == repeated {
        Ok(password)
    } else {
        let problem = text!("new-password-must-be-same");
        Err(Error::Invalid(Reason::of(NAMES[1], problem)))
    }
}
