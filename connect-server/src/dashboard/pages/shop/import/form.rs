//! The form with a file and choices, from step to step.

use connect_core::Reason;
use maud::{Markup, html};
use tokio::task::spawn_blocking;

use super::{
    fields::{ImportColumns, ImportField},
    sheet::{ImportSheet, with_line_feeds},
};
use crate::{
    dashboard::{
        components,
        page_request::{AT, SignedIn},
        pages::shop::PageLocation,
    },
    net::completion::joined,
};

/// The field with the file, in the first step.
pub(super) const FILE: &str = "file";

/// The field with the text of the file, after upload.
const TEXT: &str = "text";

/// The check boxes, and their value.
pub(super) const CREATE_CATEGORIES: &str = "create-categories";
pub(super) const SKIP_FAULTY: &str = "skip-faulty";
pub(super) const CHECKED: &str = "yes";

/// A file with the choices of its form.
pub(super) struct ImportForm {
    text: String,
    pub(super) sheet: ImportSheet,
    pub(super) columns: ImportColumns,
    pub(super) may_create_categories: bool,
    pub(super) may_skip_faulty: bool,
}

impl ImportForm {
    /// Reads the form of a step. The columns of a new file are guessed.
    ///
    /// # Errors
    /// There is no file, or it is no CSV file within the limits.
    pub(super) async fn read(to: &SignedIn<'_>) -> Result<Self, Reason> {
        let form = &to.form;
        let is_new = !form.has_field(TEXT);
        let text = form.secret(if is_new { FILE } else { TEXT });
        if text.is_empty() {
            return Err(Reason::of(FILE, text!("word-must-be-chosen")));
        }
        let text = text.to_owned();
        // A large file takes a while, and others wait for this thread.
        let parsed = spawn_blocking(move || {
            let text = with_line_feeds(&text);
            let sheet = ImportSheet::parse(&text);
            (text, sheet)
        });
        let (text, sheet) = joined(parsed).await;
        let sheet = sheet.map_err(|problem| Reason::of(FILE, problem.text()))?;
        let columns = match is_new {
            true => ImportColumns::guessed(&sheet.headings),
            false => ImportColumns::chosen(form, sheet.headings.len()),
        };
        Ok(Self {
            text,
            sheet,
            columns,
            may_create_categories: form.has(CREATE_CATEGORIES, CHECKED),
            may_skip_faulty: form.has(SKIP_FAULTY, CHECKED),
        })
    }

    /// The hidden field with the text.
    pub(super) fn hidden_text(&self) -> Markup {
        html! { input type="hidden" name=(TEXT) value=(self.text); }
    }

    /// The hidden fields with text and choices, without faulty lines.
    pub(super) fn hidden(&self) -> Markup {
        html! {
            (self.hidden_text())
            @for field in ImportField::ALL {
                @if let Some(column) = self.columns.of(field) {
                    input type="hidden" name=(field.name()) value=(column);
                }
            }
            @if self.may_create_categories {
                input type="hidden" name=(CREATE_CATEGORIES) value=(CHECKED);
            }
        }
    }
}

/// A form of a step, with its token and the location.
pub(super) fn step(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    action: &str,
    content: Markup,
) -> Markup {
    html! {
        form method="post" action=(shop.at(action)) enctype="multipart/form-data" {
            (components::hidden(&to.csrf))
            input type="hidden" name=(AT) value=(shop.location.id);
            (content)
        }
    }
}
