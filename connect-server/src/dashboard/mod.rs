//! The owner's dashboard: pages on the owner's listener, rendered on the server.
//!
//! Every action is a form, so everything works without scripts. Nothing on a page comes from another
//! host. The pages have no logic of their own: they show the answers of the core, and pass input on to it.
//!
//! A request is a [`PageRequest`]; [`answer`] passes it to its page, a function in [`pages`].

mod answer;
mod components;
mod cookies;
mod csrf;
mod fields;
mod html;
mod idempotent_forms;
mod inputs;
mod layout;
mod money;
mod new_password;
mod notices;
mod page_request;
mod pages;
mod sections;
mod wording;

pub(crate) use answer::{Answer, AnswerContent};
pub(crate) use fields::FormFields;
pub(crate) use html::document as html_document;
pub(crate) use idempotent_forms::IdempotentForms;
pub(crate) use page_request::{DashboardContext, PageRequest};
pub(crate) use pages::problem_of_request;
pub(crate) use sections::{area, areas};

use connect_core::Error;
use http::Method;

use self::page_request::SignedIn;
use crate::net::completion::complete;

/// Answers a request to the dashboard.
pub(crate) async fn answer(request: PageRequest) -> Answer {
    if request.method == Method::POST {
        // On a double click the browser drops the first request, and the second needs its outcome.
        return complete(find(request)).await;
    }
    find(request).await
}

async fn find(request: PageRequest) -> Answer {
    if request.method == Method::GET && request.segments() == ["style.css"] {
        return Answer::style();
    }
    let answer = match request.signed_in().await {
        Ok(to) => {
            let mut answer = of_owner(&to).await;
            answer.account = Some(to.owner.account().id.uuid());
            Ok(answer)
        }
        Err(Error::Unauthorized(_)) => {
            let answer = pages::of_visitor(&request).await;
            answer.map_err(|error| pages::problem(&request, &error))
        }
        Err(error) => Err(pages::problem(&request, &error)),
    };
    answer.unwrap_or_else(|problem| problem)
}

async fn of_owner(to: &SignedIn<'_>) -> Answer {
    let answer = pages::of_owner(to).await;
    answer.unwrap_or_else(|error| pages::problem_of_owner(to, &error))
}
