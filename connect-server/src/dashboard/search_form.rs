//! The form of the search: in the frame of each page, and on the page of its hits.

use connect_core::Reason;
use maud::{Markup, html};

use super::{
    icons::icon,
    inputs::Problem,
    page_request::{AT, SignedIn},
    sections::SEARCH,
};

/// The name of the field with the typed text.
pub(super) const QUERY: &str = "q";

/// The id of the field, apart from those of other forms.
const FIELD: &str = "search";

/// Renders the form in the frame.
/// On a narrow screen it is a button, which leads to the form on its own page.
pub(super) fn in_frame(to: &SignedIn<'_>) -> Markup {
    html! {
        form.search method="get" action=(SEARCH) role="search" {
            (place(to))
            label.hidden for=(FIELD) { (text!("search-title")) }
            input id=(FIELD) name=(QUERY) type="search" placeholder=(text!("search-title"));
            button.quiet aria-label=(text!("word-find")) { (icon("search")) }
        }
    }
}

/// Renders the form on its own page, with the typed text and its problem.
pub(super) fn on_page(to: &SignedIn<'_>, refused: Option<&Reason>) -> Markup {
    let problem = Problem::of(QUERY, refused);
    html! {
        form.filter method="get" action=(SEARCH) role="search" {
            (place(to))
            label.hidden for=(FIELD) { (text!("search-title")) }
            input id=(FIELD) name=(QUERY) type="search" value=(to.query.get(QUERY))
                aria-invalid=[problem.invalid()] aria-describedby=[problem.id()];
            button.quiet { (text!("word-find")) }
            (problem.render(&text!("search-title")))
        }
    }
}

/// The hidden field with the location in the address.
fn place(to: &SignedIn<'_>) -> Markup {
    let named = to.query.get(AT);
    let mut locations = to.account().locations.iter();
    let location = locations.find(|at| at.id.to_string() == named);
    html! {
        @if let Some(location) = location { input type="hidden" name=(AT) value=(location.id); }
    }
}
