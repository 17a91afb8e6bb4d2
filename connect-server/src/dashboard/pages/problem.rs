//! The pages of errors.

use std::borrow::Cow;

use connect_core::{Error, Language};
use maud::{Markup, html};

use crate::dashboard::{
    PageRequest, answer::Answer, components::sentence, layout, messages, messages::problems,
    page_request::SignedIn, sections::ROOT,
};

/// Makes the page of an error for a user.
pub(in crate::dashboard) fn problem_of_user(to: &SignedIn<'_>, error: &Error) -> Answer {
    let content = explained(&problems::reason(&error.problem_for_people()));
    with_cause(layout::page(to, "", &title(error), content), error)
}

/// Makes the page of an error for a visitor.
pub(in crate::dashboard) fn problem(request: &PageRequest, error: &Error) -> Answer {
    let content = explained(&problems::reason(&error.problem_for_people()));
    with_cause(layout::open_page(request, &title(error), content), error)
}

/// Makes the page for a request refused before its sender is known.
pub(crate) fn problem_of_request(language: Language, problem: &str) -> Markup {
    messages::made_in_language(language, || {
        let content = explained(&problems::translated(problem));
        layout::bare_page(&text!("problem-other"), content)
    })
}

fn title(error: &Error) -> Cow<'static, str> {
    match error {
        Error::NotFound(_) => text!("problem-not-found"),
        _ => text!("problem-other"),
    }
}

fn explained(problem: &str) -> Markup {
    html! {
        p { (sentence(problem)) }
        p { a href=(ROOT) { (text!("problem-to-overview")) } }
    }
}

/// Adds the status of an error, and an internal cause.
fn with_cause(answer: Answer, error: &Error) -> Answer {
    let mut answer = answer.refused(error);
    answer.cause = matches!(error, Error::Internal(_)).then(|| error.cause());
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_request_has_a_page_in_its_language() {
        let page = problem_of_request(Language::Nl, "is wrong").into_string();
        assert!(page.contains("<html lang=\"nl\">"), "{page}");
        assert!(page.contains("Is onjuist.") && page.contains("Naar de eerste pagina"));
    }
}
