//! The pages. This file is their table of contents.

mod account;
mod actions;
mod idempotent;
mod invitation;
mod names;
mod overview;
mod sandbox;
mod screens;
mod shop;
mod sign_in;
mod tokens;
mod webhooks;

use connect_core::{Denied, Error};
use http::Method;
use maud::{Markup, html};

use super::{
    answer::Answer,
    components::{self, sentence},
    layout,
    page_request::{PageRequest, SignedIn},
    sections::ROOT,
};

/// Answers a request of a signed-in owner.
pub(super) async fn of_owner(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let place = to.segments();
    if to.method == Method::POST {
        // The forms of visitors are checked where they are read.
        if let Some(answer) = open(to).await? {
            return Ok(answer);
        }
        let answer = match (to.check_form(), idempotent::of(&place)) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(action)) => action.run(to, act(to, &place)).await,
            (Ok(()), None) => act(to, &place).await,
        };
        write_down(to, answer.as_ref());
        return answer;
    }
    match place[..] {
        [] => overview::show(to).await,
        ["day"] => shop::day(to).await,
        ["journal"] => shop::journal(to).await,
        ["journal", "z-reports"] => shop::z_reports(to).await,
        ["journal", id] => shop::receipt(to, id).await,
        ["orders"] => shop::orders(to).await,
        ["products"] => shop::products(to).await,
        ["sandbox"] if let Some(sandbox) = to.sandbox() => sandbox::show(to, sandbox).await,
        ["stock"] => shop::stock(to).await,
        ["stock", product] => shop::movements(to, product).await,
        ["account"] => Ok(account::show(to)),
        ["account", "email"] => Ok(account::email(to)),
        ["account", "password"] => Ok(account::password(to)),
        ["tokens"] => tokens::list(to).await,
        ["tokens", "new"] => Ok(tokens::fill_in(to)),
        ["tokens", id] => tokens::requests(to, id).await,
        ["webhooks"] => webhooks::list(to).await,
        ["webhooks", "new"] => Ok(webhooks::new(to)),
        ["webhooks", id] => webhooks::show(to, id).await,
        ["webhooks", id, "edit"] => webhooks::edit(to, id).await,
        ["webhooks", id, "deliveries", delivery] => webhooks::delivery(to, id, delivery).await,
        ["screens"] => screens::list(to).await,
        ["screens", "names"] => names::show(to).await,
        ["sign-in"] => Ok(sign_in::onward(to)),
        _ => open(to).await?.ok_or_else(components::gone),
    }
}

/// Writes the audit line of a form, if it has an action.
fn write_down(to: &SignedIn<'_>, answer: Result<&Answer, &Error>) {
    if let Some(action) = actions::of(&to.segments()) {
        to.audit(action, answer);
    }
}

/// Refuses a request beyond the limit of its owner.
pub(super) fn too_many(to: &SignedIn<'_>, denied: &Denied) -> Answer {
    if to.method == Method::POST {
        write_down(to, Err(&denied.error));
    }
    let mut problem = problem_of_owner(to, &denied.error);
    problem.retry_after = denied.retry_after;
    problem
}

/// Does what a form of an owner asks for. [`actions`] has the name of each.
async fn act(to: &SignedIn<'_>, place: &[&str]) -> Result<Answer, Error> {
    match place[..] {
        ["sign-out"] => sign_in::sign_out(to).await,
        ["account"] => account::change(to).await,
        ["account", "email"] => account::change_email(to).await,
        ["account", "password"] => account::change_password(to).await,
        ["tokens"] => tokens::create(to).await,
        ["tokens", id, "revoke"] => tokens::revoke(to, id).await,
        ["webhooks"] => webhooks::create(to).await,
        ["webhooks", id] => webhooks::change(to, id).await,
        ["webhooks", id, "test"] => webhooks::test(to, id).await,
        ["webhooks", id, "enable"] => webhooks::enable(to, id).await,
        ["webhooks", id, "disable"] => webhooks::disable(to, id).await,
        ["webhooks", id, "roll"] => webhooks::roll(to, id).await,
        ["webhooks", id, "delete"] => webhooks::delete(to, id).await,
        ["webhooks", id, "resend-failed"] => webhooks::resend_failed(to, id).await,
        ["webhooks", id, "deliveries", delivery, "resend"] => {
            webhooks::resend(to, id, delivery).await
        }
        ["products", "bulk"] => shop::products_bulk(to).await,
        ["sandbox"] if let Some(sandbox) = to.sandbox() => sandbox::act(to, sandbox).await,
        ["screens"] => screens::create(to).await,
        ["screens", "names"] => names::change(to).await,
        ["screens", id, "key"] => screens::roll(to, id).await,
        ["screens", id, "revoke"] => screens::revoke(to, id).await,
        ["screens", id, "delete"] => screens::delete(to, id).await,
        _ => Err(components::gone()),
    }
}

/// Answers a request of a signed-out visitor.
/// Only signed-in owners learn of a missing page.
pub(super) async fn of_anybody(request: &PageRequest) -> Result<Answer, Error> {
    let found = open(request).await?;
    Ok(found.unwrap_or_else(|| sign_in::first(request)))
}

/// Answers a request to a page open without a session, or `None`.
async fn open(request: &PageRequest) -> Result<Option<Answer>, Error> {
    let place = request.segments();
    let answer = match (&request.method, &place[..]) {
        (&Method::GET, ["sign-in"]) => sign_in::show(request),
        (&Method::POST, ["sign-in"]) => sign_in::sign_in(request).await?,
        (&Method::GET, ["invitations", value]) => invitation::show(request, value).await?,
        (&Method::POST, ["invitations", value]) => invitation::accept(request, value).await?,
        _ => return Ok(None),
    };
    Ok(Some(answer))
}

/// Makes the page of an error for an owner.
pub(super) fn problem_of_owner(to: &SignedIn<'_>, error: &Error) -> Answer {
    let content = explained(&error.problem_for_people().to_string());
    with_cause(layout::page(to, "", title(error), content), error)
}

/// Makes the page of an error for a visitor.
pub(super) fn problem(request: &PageRequest, error: &Error) -> Answer {
    let content = explained(&error.problem_for_people().to_string());
    with_cause(layout::open_page(request, title(error), content), error)
}

/// Makes the page for a request refused before its sender is known.
pub(crate) fn problem_of_request(problem: &str) -> Markup {
    layout::bare_page(OTHER_PROBLEM, explained(problem))
}

/// The title of the page of most errors.
const OTHER_PROBLEM: &str = "This did not work";

fn title(error: &Error) -> &'static str {
    match error {
        Error::NotFound(_) => "Not found",
        Error::Internal(_) => "Something went wrong",
        _ => OTHER_PROBLEM,
    }
}

fn explained(problem: &str) -> Markup {
    html! {
        p { (sentence(problem)) }
        p { a href=(ROOT) { "Go to the overview" } }
    }
}

/// Adds the status of an error, and the cause of an internal error.
fn with_cause(answer: Answer, error: &Error) -> Answer {
    let mut answer = answer.refused(error);
    answer.cause = matches!(error, Error::Internal(_)).then(|| error.cause());
    answer
}
