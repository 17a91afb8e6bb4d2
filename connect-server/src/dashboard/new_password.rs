//! The two fields for a new password.

use connect_core::{Error, MIN_PASSWORD, Reason};
use maud::{Markup, html};

use super::{FormFields, inputs::Field};

/// The names of the fields.
pub(super) const NAMES: [&str; 2] = ["password", "repeated"];

/// Shows the fields. `label` is the name of the first.
pub(super) fn fields(label: &str, refused: Option<&Reason>) -> Markup {
    let hint = format!(
        "At least {MIN_PASSWORD} characters. Three or four unrelated words are easy to remember and hard to \
         guess."
    );
    let once_more = format!("{label} once more");
    let password = Field {
        label,
        name: NAMES[0],
        kind: "password",
        value: "",
        hint: &hint,
        autocomplete: "new-password",
    };
    let repeated = Field {
        label: &once_more,
        name: NAMES[1],
        hint: "",
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
        let problem = "must be the same as the one above";
        Err(Error::Invalid(Reason::of(NAMES[1], problem)))
    }
}
