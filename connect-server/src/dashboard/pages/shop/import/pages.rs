//! The pages before the dry run: the choice of a file, and of its columns.

use connect_core::Reason;
use maud::{Markup, html};

use super::{
    fields::ImportField,
    form::{CHECKED, CREATE_CATEGORIES, FILE, ImportForm, step},
    rows::clipped,
};
use crate::dashboard::{
    Answer, components,
    inputs::{self, Problem},
    page_request::SignedIn,
    pages::shop::{PageLocation, page_at, page_of_place, products::PATH as PRODUCTS},
};

/// The paths of the steps.
pub(super) const PATH: &str = "/dashboard/products/import";
pub(super) const CHECK: &str = "/dashboard/products/import/check";
pub(super) const APPLY: &str = "/dashboard/products/import/apply";

/// The most lines shown of a file.
const MOST_SAMPLES: usize = 5;

/// Makes the page to choose a file, with the problem of the one before.
pub(super) fn upload_page(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    refused: Option<&Reason>,
) -> Answer {
    let label = text!("import-file");
    let problem = Problem::of(FILE, refused);
    let fields = html! {
        (components::problem(refused, &[FILE]))
        div.field {
            label for=(FILE) { (label) }
            p.hint id="file-hint" { (text!("import-file-hint")) }
            input id=(FILE) name=(FILE) type="file" accept=".csv,.txt,.tsv,text/csv" required
                aria-invalid=[problem.invalid()]
                aria-describedby={ "file-hint" @if let Some(id) = problem.id() { " " (id) } };
            (problem.render(&label))
        }
        button { (text!("import-upload")) }
    };
    let content = html! {
        p { (text!("import-about")) }
        (step(to, shop, PATH, fields))
        p { a href=(shop.at(PRODUCTS)) { (text!("import-back")) } }
    };
    page_at(to, shop, (PRODUCTS, PATH), &text!("import-title"), content)
}

/// Makes the page to choose the columns, with the first lines of the file.
pub(super) fn columns_page(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    import: &ImportForm,
    refused: Option<&Reason>,
) -> Answer {
    let categories = html! { (text!("import-create-categories")) };
    let categories = inputs::check_box(
        CREATE_CATEGORIES,
        CHECKED,
        import.may_create_categories,
        categories,
        &Problem::of(CREATE_CATEGORIES, refused),
    );
    let fields = html! {
        (import.hidden_text())
        p.hint { (text!("import-columns-hint")) }
        @for field in ImportField::ALL { (choice(import, field, refused)) }
        div.field.choices { (categories) }
        div.actions {
            button { (text!("import-check")) }
            a.button.quiet href=(shop.at(PATH)) { (text!("import-other-file")) }
        }
    };
    let content = html! {
        h2 { (text!("import-sample")) }
        (sample(import))
        h2 { (text!("import-columns")) }
        (step(to, shop, CHECK, fields))
    };
    page_of_step(to, shop, content)
}

/// Makes a page of a step, with the name of its location.
/// Another location would be another import.
pub(super) fn page_of_step(to: &SignedIn<'_>, shop: &PageLocation, content: Markup) -> Answer {
    let (title, here) = (text!("import-title"), [&shop.location]);
    page_of_place(to, shop, PRODUCTS, &title, &here, html! {}, content)
}

/// The choice of a column for a field.
fn choice(import: &ImportForm, field: ImportField, refused: Option<&Reason>) -> Markup {
    let columns = import.sheet.headings.iter().enumerate();
    let columns = columns.map(|(column, heading)| {
        let name = match heading.is_empty() {
            true => text!("import-column", number = (column + 1).to_string()).into_owned(),
            false => clipped(heading),
        };
        (column.to_string(), name)
    });
    let none = (String::new(), text!("import-no-column").into_owned());
    let choices: Vec<_> = std::iter::once(none).chain(columns).collect();
    let chosen = import.columns.of(field).map(|column| column.to_string());
    inputs::choice(
        &field.label(),
        field.name(),
        choices.iter().map(|(value, name)| (&**value, name)),
        &chosen.unwrap_or_default(),
        refused,
    )
}

/// The first lines of the file as they are.
fn sample(import: &ImportForm) -> Markup {
    let columns = import.sheet.headings.len();
    let head = html! {
        th.number { (text!("import-line")) }
        @for heading in &import.sheet.headings { th { (clipped(heading)) } }
    };
    let rows = html! {
        @for line in import.sheet.lines.iter().take(MOST_SAMPLES) {
            tr {
                td.number { (line.number) }
                @for column in 0..columns { td { (clipped(line.cell(column))) } }
            }
        }
    };
    components::table(&text!("import-sample"), head, rows)
}
