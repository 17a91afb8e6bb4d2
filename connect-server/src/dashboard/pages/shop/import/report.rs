//! The report of a dry run, and the result of an import.

use maud::{Markup, html};

use super::{
    form::{CHECKED, ImportForm, SKIP_FAULTY, step},
    pages::{APPLY, PATH, page_of_step},
    rows::{LineProblem, faulty_lines},
    run::ImportOutcome,
};
use crate::dashboard::{
    Answer, components,
    messages::numbers,
    page_request::SignedIn,
    pages::shop::{PageLocation, products::PATH as PRODUCTS},
};

/// The most problems shown.
const MOST_PROBLEMS: usize = 100;

/// Makes the report of a dry run, with the form to import the file.
pub(super) fn report_page(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    import: &ImportForm,
    found: &ImportOutcome,
    is_refused: bool,
) -> Answer {
    let has_problems = !found.problems.is_empty();
    let has_changes = found.created + found.changed > 0;
    let fields = html! {
        (import.hidden())
        @if has_problems && has_changes {
            div.field.choices {
                label {
                    input type="checkbox" name=(SKIP_FAULTY) value=(CHECKED)
                        aria-invalid=[is_refused.then_some("true")];
                    (text!("import-skip-faulty"))
                }
            }
        }
        div.actions {
            @if has_changes { button { (text!("import-apply")) } }
            button.quiet formaction=(shop.at(PATH)) { (text!("import-change-columns")) }
            a.button.quiet href=(shop.at(PATH)) { (text!("import-other-file")) }
        }
    };
    let content = html! {
        @if is_refused { p.problem role="alert" { (text!("import-refused")) } }
        @else { p { (text!("import-report")) } }
        (figures(import, found, false))
        @if !has_changes {
            @let text = if has_problems { text!("import-nothing-fine") } else { text!("import-nothing-new") };
            p { (text) }
        }
        (problems(&found.problems))
        (step(to, shop, APPLY, fields))
    };
    page_of_step(to, shop, content)
}

/// Makes the page of a finished import.
pub(super) fn result_page(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    import: &ImportForm,
    done: &ImportOutcome,
) -> Answer {
    let content = html! {
        p.notice role="status" { (text!("import-done")) }
        (figures(import, done, true))
        (problems(&done.problems))
        div.actions {
            a.button href=(shop.at(PRODUCTS)) { (text!("import-back")) }
            a.button.quiet href=(shop.at(PATH)) { (text!("import-other-file")) }
        }
    };
    page_of_step(to, shop, content)
}

/// The numbers of lines by outcome.
fn figures(import: &ImportForm, outcome: &ImportOutcome, is_done: bool) -> Markup {
    let faulty = match is_done {
        true => text!("import-left-out"),
        false => text!("import-faulty"),
    };
    let figures = [
        (text!("import-lines"), import.sheet.lines.len()),
        (text!("import-created"), outcome.created),
        (text!("import-changed"), outcome.changed),
        (text!("import-unchanged"), outcome.unchanged),
        (faulty, faulty_lines(&outcome.problems)),
    ];
    html! {
        dl.figures {
            @for (name, count) in figures { div { dt { (name) } dd { (number(count)) } } }
        }
    }
}

/// The problems of lines, if there are any.
fn problems(problems: &[LineProblem]) -> Markup {
    let head = html! {
        th.number { (text!("import-line")) } th { (text!("activity-field")) }
        th { (text!("activity-field-value")) } th { (text!("import-problem")) }
    };
    let rows = html! {
        @for problem in problems.iter().take(MOST_PROBLEMS) {
            tr {
                td.number { (problem.line) }
                td { (problem.field) }
                td.wide { (problem.value) }
                td { (components::sentence(&problem.problem)) }
            }
        }
    };
    html! {
        @if !problems.is_empty() {
            h2 { (text!("import-problems")) }
            @if problems.len() > MOST_PROBLEMS {
                p.hint { (text!("import-first-problems", most = MOST_PROBLEMS, count = number(problems.len()))) }
            }
            (components::table(&text!("import-problems"), head, rows))
        }
    }
}

fn number(count: usize) -> String {
    numbers::number(i64::try_from(count).unwrap_or(i64::MAX))
}
